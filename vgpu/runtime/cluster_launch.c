/*
 * cluster_launch.c: thread block clusters, before they run: which a launch may
 * have, and how many are on a device at once.
 *
 * Source: guide, "Thread Block Clusters"; manual, "Execution Control",
 * "Occupancy".
 */
#include "rt.h"

#include <string.h>

enum { PORTABLE = 8, WIDE = 16 }; /* blocks of one */

static bool device_has(void)
{
    return vgpu_device_current()->profile->compute_major >= 9;
}

static uint64_t size_of(const uint32_t cluster[3])
{
    return (uint64_t)cluster[0] * cluster[1] * cluster[2];
}

/* The kernel's own, of its text or of cudaFuncSetAttribute. */
static const int *own(const struct vgpu_kernel *kernel)
{
    const struct vgpu_stub *stub = vgpu_stub_of(kernel);

    return stub ? stub->cluster : kernel->cluster;
}

static uint64_t most(const struct vgpu_kernel *kernel)
{
    const struct vgpu_stub *stub = vgpu_stub_of(kernel);

    return stub && stub->wide_clusters ? WIDE : PORTABLE;
}

/* Two that differ are none. */
static bool settle(struct vgpu_traits *traits, const int fixed[3])
{
    for (int i = 0; i < 3 && fixed[0] > 0; i++) {
        const uint32_t wanted = fixed[i] ? (uint32_t)fixed[i] : 1;

        if (traits->clustered && traits->cluster[i] != wanted)
            return false;
        traits->cluster[i] = wanted;
    }
    return fixed[0] >= 0 || traits->clustered;
}

cudaError_t vgpu_cluster_check(struct vgpu_config *config,
                               const struct vgpu_kernel *kernel)
{
    struct vgpu_traits *const traits = &config->traits;

    if (!settle(traits, own(kernel)))
        return cudaErrorInvalidClusterSize;
    if (!traits->clustered && !traits->cluster[0])
        return cudaSuccess;
    if (!device_has())
        return cudaErrorNotSupported;
    if (!size_of(traits->cluster) || size_of(traits->cluster) > most(kernel))
        return cudaErrorInvalidClusterSize;
    for (int i = 0; i < 3; i++)
        if (config->grid[i] % traits->cluster[i])
            return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

/* ---- attributes of kernels ----------------------------------------------- */

void vgpu_cluster_attributes(const struct vgpu_stub *stub,
                             struct cudaFuncAttributes *to)
{
    const int *c = stub->cluster;

    to->clusterDimMustBeSet = c[0] != 0;
    to->requiredClusterWidth = c[0] > 0 ? c[0] : 0;
    to->requiredClusterHeight = c[0] > 0 ? c[1] : 0;
    to->requiredClusterDepth = c[0] > 0 ? c[2] : 0;
    to->clusterSchedulingPolicyPreference = stub->scheduling;
    to->nonPortableClusterSizeAllowed = stub->wide_clusters;
}

/* What the kernel's text says cannot be changed. */
cudaError_t vgpu_cluster_attribute_set(struct vgpu_stub *stub,
                                       enum cudaFuncAttribute which, int value)
{
    switch ((int)which) {
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || stub->kernel->cluster[0])
            return cudaErrorInvalidValue;
        stub->cluster[which - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        if (value < 0 || value > 1)
            return cudaErrorInvalidValue;
        stub->wide_clusters = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
            return cudaErrorInvalidValue;
        stub->scheduling = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* ---- occupancy ----------------------------------------------------------- */

/* SMs are in groups, and a cluster is within one. The last group has what is
 * left. */
static int active(const struct vgpu_stub *stub,
                  const cudaLaunchConfig_t *config, uint64_t size)
{
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    const dim3 b = config->blockDim;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z;
    uint64_t sum = 0, resident, left = (uint64_t)p->sms;

    if (!threads || threads > (uint64_t)p->max_threads_per_block)
        return 0;
    resident = (uint64_t)vgpu_kernel_resident(stub, (int)threads,
                                              config->dynamicSmemBytes);
    while (left && size) {
        const uint64_t group = left < WIDE ? left : WIDE;

        sum += group * resident / size;
        left -= group;
    }
    return (int)sum;
}

/* What a call about a launch is given. */
static cudaError_t ask(const void *function, const cudaLaunchConfig_t *config,
                       struct vgpu_stub **stub, struct vgpu_traits *traits)
{
    *stub = vgpu_stub_find(function);
    if (!*stub)
        return vgpu_stub_missing(function);
    if (!config)
        return cudaErrorInvalidValue;
    if (!device_has())
        return cudaErrorNotSupported;
    return vgpu_traits_read(NULL, config, traits);
}

API(cudaOccupancyMaxActiveClusters, int *clusters, const void *function,
    const cudaLaunchConfig_t *config)
{
    struct vgpu_traits traits;
    struct vgpu_stub *stub;
    cudaError_t error;

    if (!clusters)
        return cudaErrorInvalidValue;
    error = ask(function, config, &stub, &traits);
    if (error)
        return error;
    if (!settle(&traits, stub->cluster) || !size_of(traits.cluster) ||
        size_of(traits.cluster) > most(stub->kernel))
        return cudaErrorInvalidClusterSize;
    *clusters = active(stub, config, size_of(traits.cluster));
    return cudaSuccess;
}

API(cudaOccupancyMaxPotentialClusterSize, int *size, const void *function,
    const cudaLaunchConfig_t *config)
{
    struct vgpu_traits traits;
    struct vgpu_stub *stub;
    cudaError_t error;

    if (!size)
        return cudaErrorInvalidValue;
    error = ask(function, config, &stub, &traits);
    if (error)
        return error;
    *size = (int)most(stub->kernel);
    while (*size > 1 && !active(stub, config, (uint64_t)*size))
        *size /= 2;
    return cudaSuccess;
}
