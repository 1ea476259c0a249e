/*
 * occupancy.c: how many blocks of a kernel fit on one SM.
 *
 * Threads and registers are given out by the warp, registers in units of 256
 * a warp. Source: CUDA C++ Programming Guide, compute capabilities.
 */
#include "model.h"

#define WARP_REGS_UNIT 256

struct vtime_block vtime_block_of(const struct vgpu_profile *profile,
                                  int threads_per_block, int regs_per_thread,
                                  int64_t shared_per_block_bytes)
{
    int64_t warp = profile->warp_size;
    int64_t warps =
        (int64_t)div_up((uint64_t)threads_per_block, (uint64_t)warp);
    int64_t regs =
        (int64_t)round_up((uint64_t)(regs_per_thread * warp), WARP_REGS_UNIT);

    return (struct vtime_block){
        .blocks = 1,
        .threads = warps * warp,
        .regs = regs * warps,
        .shared_bytes = shared_per_block_bytes,
    };
}

int vgpu_time_blocks_per_sm(const struct vgpu_profile *profile,
                            int threads_per_block, int regs_per_thread,
                            int64_t shared_per_block_bytes)
{
    struct vtime_block block;
    int64_t fit = profile->max_blocks_per_sm;

    if (threads_per_block < 1 || regs_per_thread < 0 ||
        shared_per_block_bytes < 0 ||
        threads_per_block > profile->max_threads_per_block)
        return 0;
    if (shared_per_block_bytes > profile->shared_per_sm_bytes)
        return 0;
    block = vtime_block_of(profile, threads_per_block, regs_per_thread,
                           shared_per_block_bytes);
    if (fit > profile->max_threads_per_sm / block.threads)
        fit = profile->max_threads_per_sm / block.threads;
    if (block.regs > 0 && fit > profile->regs_per_sm / block.regs)
        fit = profile->regs_per_sm / block.regs;
    if (block.shared_bytes > 0 &&
        fit > profile->shared_per_sm_bytes / block.shared_bytes)
        fit = profile->shared_per_sm_bytes / block.shared_bytes;
    return (int)fit;
}
