#!/bin/sh
# reset_keeps_threshold.sh: a default pool outlives the reset of its device.
#
# Guess, from the manual ("explicitly destroys and cleans up all resources associated
# with the current device in the current process", cudaDeviceReset): the device is as
# at the start of the program, and the default pool's release threshold is 0 again.
# Wrong: the threshold is what the program had set before the reset.
#
# Seen with driver 580.159.04, CUDA 13.0.88, on an H200, 2026-11-29:
#     after the reset: threshold 1048576, flags 0
# Why it matters: a test that resets the device between its cases still has the memory
# policy of the case before, and measures pools that keep what it thinks they return.
#
# Needs nvcc and a GPU; exit status 2 without them, 1 where it is no longer so.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "no nvcc here" >&2; exit 2; }
cat >seen.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>

int main()
{
    const cudaMemPoolAttr what = cudaMemPoolAttrReleaseThreshold;
    unsigned long long threshold = 1 << 20, then = 0;
    unsigned flags = 99;
    cudaMemPool_t pool;

    if (cudaSetDeviceFlags(cudaDeviceScheduleYield) ||
        cudaDeviceGetDefaultMemPool(&pool, 0) ||
        cudaMemPoolSetAttribute(pool, what, &threshold) || cudaDeviceReset() ||
        cudaGetDeviceFlags(&flags) || cudaDeviceGetDefaultMemPool(&pool, 0) ||
        cudaMemPoolGetAttribute(pool, what, &then))
        return 2;
    printf("after the reset: threshold %llu, flags %u\n", then, flags);
    return then != threshold;
}
END
nvcc -std=c++17 seen.cu -o seen || exit 2
./seen
