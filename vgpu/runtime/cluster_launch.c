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

/* @wanted, where there is room, is a multiple of the cluster, and the grid of
 * it. */
static bool prefers(const struct vgpu_traits *traits, const uint32_t grid[3])
{
    for (int i = 0; traits->prefers && i < 3; i++)
        if (!traits->preferred[i] || !traits->clustered ||
            traits->preferred[i] % traits->cluster[i] ||
            grid[i] % traits->preferred[i])
            return false;
    return true;
}

static cudaError_t bad_preference(void)
{
    return vgpu_because(cudaErrorInvalidClusterSize,
                        "the preferred cluster is to be a multiple of the "
                        "launch's own cluster, and the grid one of it");
}

/* What the kernel says comes first, then what its launch does; the device is
 * asked only where there is a cluster. */
static cudaError_t fits(struct vgpu_traits *traits,
                        const struct vgpu_kernel *kernel, dim3 grid)
{
    const uint32_t g[3] = {grid.x, grid.y, grid.z};

    if (!settle(traits, own(kernel)))
        return vgpu_because(cudaErrorInvalidClusterSize,
                            own(kernel)[0] < 0
                                ? "the kernel's clusters have the size that "
                                  "its launch gives, and this one gives none"
                                : "the kernel's own clusters have another "
                                  "size than the launch gives");
    if (!traits->clustered && !traits->cluster[0])
        return traits->prefers ? bad_preference() : cudaSuccess;
    if (!device_has())
        return vgpu_because(cudaErrorNotSupported,
                            "the device is older than clusters");
    if (!size_of(traits->cluster) || size_of(traits->cluster) > most(kernel))
        return vgpu_because(cudaErrorInvalidClusterSize,
                            "a cluster of this kernel can have %u blocks, and "
                            "not %u",
                            (unsigned)most(kernel),
                            (unsigned)size_of(traits->cluster));
    for (int i = 0; i < 3; i++)
        if (g[i] % traits->cluster[i])
            return vgpu_because(cudaErrorInvalidClusterSize,
                                "a grid of %u x %u x %u blocks is no whole "
                                "number of clusters of %u x %u x %u",
                                g[0], g[1], g[2], traits->cluster[0],
                                traits->cluster[1], traits->cluster[2]);
    return prefers(traits, g) ? cudaSuccess : bad_preference();
}

cudaError_t vgpu_cluster_check(struct vgpu_config *config,
                               const struct vgpu_kernel *kernel)
{
    struct vgpu_traits *const traits = &config->traits;

    const dim3 grid = {config->grid[0], config->grid[1], config->grid[2]};

    return fits(traits, kernel, grid);
}

/* ---- attributes of kernels ----------------------------------------------- */

void vgpu_cluster_attributes(const struct vgpu_stub *stub,
                             struct cudaFuncAttributes *to)
{
    const int *c = stub->cluster;

    to->clusterDimMustBeSet = stub->kernel->cluster[0] != 0;
    to->requiredClusterWidth = c[0] > 0 ? c[0] : 0;
    to->requiredClusterHeight = c[0] >= 0 ? c[1] : 0;
    to->requiredClusterDepth = c[0] >= 0 ? c[2] : 0;
    to->clusterSchedulingPolicyPreference = stub->scheduling;
    to->nonPortableClusterSizeAllowed = stub->wide_clusters;
}

/* What the kernel's text says cannot be changed. */
cudaError_t vgpu_cluster_attribute_set(struct vgpu_stub *stub,
                                       enum cudaFuncAttribute which, int value)
{
    int *const of =
        &stub->cluster[(which - cudaFuncAttributeRequiredClusterWidth) & 3];

    switch ((int)which) {
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || (stub->kernel->cluster[0] && value != *of))
            return vgpu_invalid(value < 0 ? "%d is less than 0"
                                          : "the kernel's __cluster_dims__ say "
                                            "something else than %d",
                                value);
        *of = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        stub->wide_clusters = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
            return vgpu_invalid("%d is no cudaClusterSchedulingPolicy", value);
        stub->scheduling = value;
        return cudaSuccess;
    }
    return vgpu_invalid("%d is no attribute that can be set", (int)which);
}

/* ---- occupancy ----------------------------------------------------------- */

/* Blocks of clusters on an SM at once. */
#define BLOCKS_MOST 8

/* SMs are in groups, and a cluster is within one; two of a pair are always. */
static uint64_t in_groups(const struct vgpu_profile *p, uint64_t resident,
                          uint64_t size)
{
    const uint64_t wide = (uint64_t)p->gpc_wide, sms = (uint64_t)p->gpc_sms;
    const uint64_t usual = (uint64_t)p->gpc_count - wide;

    if (!p->gpc_count || size <= 2)
        return (uint64_t)p->sms * resident / size;
    return wide * ((sms + 2) * resident / size) +
           usual * (sms * resident / size) +
           (size <= (uint64_t)p->gpc_rest_sms
                ? (uint64_t)p->gpc_rest_sms * resident / size
                : 0);
}

static int active(const struct vgpu_stub *stub,
                  const cudaLaunchConfig_t *config, uint64_t size)
{
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    const dim3 b = config->blockDim;
    const uint64_t threads = (uint64_t)b.x * b.y * b.z;
    uint64_t resident;

    if (!size || size > WIDE || threads > (uint64_t)p->max_threads_per_block)
        return 0;
    resident = (uint64_t)vgpu_kernel_resident(stub, (int)threads,
                                              config->dynamicSmemBytes);
    return (int)in_groups(p, resident < BLOCKS_MOST ? resident : BLOCKS_MOST,
                          size);
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
        return vgpu_because(cudaErrorNotSupported,
                            "the device is older than clusters");
    if (!config->blockDim.x || !config->blockDim.y || !config->blockDim.z)
        return vgpu_invalid("a block has no threads");
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
    error = fits(&traits, stub->kernel, config->gridDim);
    if (error && size_of(traits.cluster) <= WIDE)
        return error;
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
    if (!active(stub, config, (uint64_t)*size))
        *size = 0;
    return cudaSuccess;
}
