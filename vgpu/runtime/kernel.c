/*
 * kernel.c: what is known of a kernel: attributes and occupancy.
 *
 * Occupancy is worked out from the profile by the rules of the guide's chapter
 * on it (vgpu/time/occupancy.c), with the number of registers that is assumed
 * for every kernel. Answers therefore agree with where the time model places
 * blocks, which is the point: what a program computes from them comes true.
 */
#include "rt.h"

#include <string.h>

/* All of an SM's shared memory but what the system keeps of it. */
int vgpu_shared_optin_bytes(const struct vgpu_profile *profile)
{
    int64_t per_sm = profile->shared_per_sm_bytes;
    int64_t block = profile->shared_per_block_bytes;

    return (int)(per_sm - 1024 > block ? per_sm - 1024 : block);
}

/* What the kernel's __launch_bounds__ promise is a limit, too: a larger block
 * is refused. */
static int most_threads(const struct vgpu_stub *stub)
{
    int most = (int)vgpu_device_current()->profile->max_threads_per_block;
    int bound = stub->kernel->max_threads_per_block;

    return bound && bound < most ? bound : most;
}

/* What a block of it may have of dynamic shared memory. */
static size_t most_shared(const struct vgpu_stub *stub)
{
    const int allowed = vgpu_stub_shared(stub);

    return allowed >= 0 ? (size_t)allowed
                        : (size_t)vgpu_device_current()
                                  ->profile->shared_per_block_bytes -
                              vgpu_kernel_static_shared(stub->kernel);
}

/* A launch does not know its stub's address; the same kernel, registered,
 * does. */
static void *stub_address(const struct vgpu_kernel *kernel)
{
    struct vgpu_stub *stub = vgpu_stub_of(kernel);

    return stub ? (void *)(uintptr_t)stub->address : NULL;
}

/* For a node made by capture, whose parameters nobody has given: what can be
 * had back from the launch, all but the arguments. */
void vgpu_kernel_params(const struct vgpu_op *op,
                        struct cudaKernelNodeParams *params)
{
    const struct vgpu_exec *exec = &op->kernel.exec;

    memset(params, 0, sizeof *params);
    params->func = stub_address(op->kernel.kernel);
    params->gridDim.x = exec->grid[0];
    params->gridDim.y = exec->grid[1];
    params->gridDim.z = exec->grid[2];
    params->blockDim.x = exec->block[0];
    params->blockDim.y = exec->block[1];
    params->blockDim.z = exec->block[2];
    params->sharedMemBytes = (unsigned)exec->dynamic_shared_bytes;
}

/* No limit is known of registers and local memory, for no GPU code is made;
 * what follows from the source (shared memory, launch bounds) is exact. */
API(cudaFuncGetAttributes, struct cudaFuncAttributes *attributes,
    const void *function)
{
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    const int version = (int)(p->compute_major * 10 + p->compute_minor);
    struct vgpu_stub *stub = vgpu_stub_find(function);

    if (!attributes)
        return cudaErrorInvalidValue;
    if (!stub)
        return vgpu_stub_missing(function);
    vgpu_load_named(stub->kernel, call->thread->device);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = vgpu_kernel_static_shared(stub->kernel);
    attributes->maxThreadsPerBlock = most_threads(stub);
    attributes->numRegs = VGPU_REGISTERS;
    attributes->ptxVersion = vgpu_library_version(stub);
    if (!attributes->ptxVersion)
        attributes->ptxVersion = version;
    attributes->binaryVersion = version;
    attributes->preferredShmemCarveout = stub->carveout;
    vgpu_cluster_attributes(stub, attributes);
    attributes->maxDynamicSharedSizeBytes = (int)most_shared(stub);
    return cudaSuccess;
}

/* More than 48 KiB of dynamic shared memory must be asked for, kernel by kernel
 * (guide, "Shared Memory"); without it such a launch fails. */
API(cudaFuncSetAttribute, const void *function,
    enum cudaFuncAttribute attribute, int value)
{
    struct vgpu_stub *stub = vgpu_stub_find(function);
    int most;

    if (!stub)
        return vgpu_stub_missing(function);
    vgpu_load_named(stub->kernel, call->thread->device);
    most = vgpu_shared_optin_bytes(vgpu_device_current()->profile) -
           (int)vgpu_kernel_static_shared(stub->kernel);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < -1 || value > 100)
            return vgpu_because(cudaErrorInvalidValue,
                                "a carveout is -1, or 0 to 100 per cent");
        stub->carveout = value;
        return cudaSuccess;
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return vgpu_cluster_attribute_set(stub, attribute, value);
    if (value < 0 || value > most)
        return vgpu_because(cudaErrorInvalidValue,
                            "a block of this kernel can have %d bytes of "
                            "dynamic shared memory on this device",
                            most);
    stub->max_dynamic_shared[call->thread->device] = value + 1;
    return cudaSuccess;
}

API(cudaFuncSetCacheConfig, const void *function, enum cudaFuncCache config)
{
    (void)config; /* a preference, changes no result */
    return vgpu_stub_find(function) ? cudaSuccess : vgpu_stub_missing(function);
}

/* Since Maxwell the banks of shared memory have one size, and whoever sets
 * another is heard and not obeyed. */
API(cudaDeviceSetSharedMemConfig, enum cudaSharedMemConfig config)
{
    return (unsigned)config > cudaSharedMemBankSizeEightByte
               ? vgpu_invalid("it is none of cudaSharedMemConfig")
               : cudaSuccess;
}

API(cudaFuncSetSharedMemConfig, const void *function,
    enum cudaSharedMemConfig config)
{
    return vgpu_stub_find(function)
               ? vgpu_do_cudaDeviceSetSharedMemConfig(call, config)
               : vgpu_stub_missing(function);
}

API(cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

/* 0 is an answer, not an error: no such block fits. The kernel's launch bounds
 * play no part (observed: occupancy_limits). */
int vgpu_kernel_resident(const struct vgpu_stub *stub, int block_size,
                         size_t shared_bytes)
{
    if (block_size > vgpu_device_current()->profile->max_threads_per_block ||
        shared_bytes > most_shared(stub))
        return 0;
    return vgpu_time_blocks_per_sm(
        vgpu_device_current()->profile, block_size, VGPU_REGISTERS,
        (int64_t)(shared_bytes + vgpu_kernel_static_shared(stub->kernel)));
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks,
    const void *function, int block_size, size_t shared_bytes)
{
    const struct vgpu_stub *stub = vgpu_stub_find(function);

    if (!stub)
        return vgpu_stub_missing(function);
    if (!blocks || block_size <= 0)
        return blocks ? vgpu_invalid("a block has no %d threads", block_size)
                      : cudaErrorInvalidValue;
    vgpu_load_named(stub->kernel, call->thread->device);
    *blocks = vgpu_kernel_resident(stub, block_size, shared_bytes);
    return cudaSuccess;
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks,
    const void *function, int block_size, size_t shared_bytes,
    unsigned int flags)
{
    (void)flags;
    call->name = "cudaOccupancyMaxActiveBlocksPerMultiprocessor";
    return vgpu_do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        call, blocks, function, block_size, shared_bytes);
}

/* The largest block of those that fill an SM best, tried in whole warps from
 * the largest down, as NVIDIA's header does it. */
cudaError_t vgpu_occupancy_best(int *min_grid, int *block_size,
                                const void *function, size_t shared_bytes,
                                int limit)
{
    static const struct vgpu_entry entry = {
        "cudaOccupancyMaxPotentialBlockSize", VGPU_CALL_CONTEXT, NS(call),
        NULL};
    struct vgpu_call call;
    struct vgpu_stub *stub = vgpu_stub_find(function);
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    int warp = (int)p->warp_size;
    int best = 0, best_size = 0;
    cudaError_t error = vgpu_call_begin(&call, &entry, VGPU_PC);

    if (!error && !stub)
        error = vgpu_stub_missing(function);
    if (!error && (!min_grid || !block_size))
        error = cudaErrorInvalidValue;
    if (error) {
        call.cost_ns = 0;
        return vgpu_call_end(&call, error);
    }
    for (int size = most_threads(stub); size >= warp; size -= warp) {
        int blocks = vgpu_kernel_resident(stub, size, shared_bytes);

        if ((limit && size > limit) || blocks * size <= best)
            continue;
        best = blocks * size;
        best_size = size;
    }
    *block_size = best_size;
    *min_grid = best_size ? best / best_size * (int)p->sms : 0;
    return vgpu_call_end(&call, error);
}

/* Each block's share of an SM, in pieces of 128 bytes; no more than a block may
 * have, and less what it has already (NVIDIA's cuda_occupancy.h). */
API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes,
    const void *function, int blocks, int block_size)
{
    const struct vgpu_stub *stub = vgpu_stub_find(function);
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    size_t most = (size_t)p->shared_per_block_bytes, fixed, share;

    if (!stub)
        return vgpu_stub_missing(function);
    if (!bytes || blocks <= 0 || block_size <= 0 ||
        vgpu_kernel_resident(stub, block_size, 0) < blocks)
        return bytes ? vgpu_invalid("a multiprocessor cannot have %d blocks of "
                                    "%d threads",
                                    blocks, block_size)
                     : vgpu_invalid("bytes is NULL");
    fixed = vgpu_kernel_static_shared(stub->kernel);
    if (most_shared(stub) + fixed > most)
        most = (size_t)vgpu_shared_optin_bytes(p);
    share = blocks == 1
                ? most
                : (size_t)p->shared_per_sm_bytes / (size_t)blocks / 128 * 128;
    share = (share < most ? share : most) - fixed;
    *bytes = share < most_shared(stub) ? share : most_shared(stub);
    return cudaSuccess;
}
