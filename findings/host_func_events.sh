#!/bin/sh
# host_func_events.sh: in a host function events answer, and the device's number not.
#
# Guess, from the manual ("The host function must not make any CUDA API calls.
# Attempting to use a CUDA API may result in cudaErrorNotPermitted, but this is not
# required", cudaLaunchHostFunc): what needs the driver's work is refused, such as
# events, and what the runtime knows by itself is answered, such as cudaGetDevice.
# Wrong, both: events are queried and give times, and cudaGetDevice is refused (800).
#
# Seen with driver 580.159.04, CUDA 13.0.88, on an H200, 2026-11-29:
#     cudaEventQuery: 0, cudaEventElapsedTime: 0, cudaGetDevice: 800, cudaMemGetInfo: 800
# Why it matters: a host function that looks at events works in every test, and rests
# on nothing that is promised; one that logs on which device it is fails.
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

static cudaEvent_t first, second;
static cudaError_t query, between, device, memory;

static void CUDART_CB ask(void *)
{
    size_t free_bytes, all;
    float ms;
    int d;

    query = cudaEventQuery(first);
    between = cudaEventElapsedTime(&ms, first, second);
    device = cudaGetDevice(&d);
    memory = cudaMemGetInfo(&free_bytes, &all);
}

int main()
{
    cudaStream_t stream;

    if (cudaStreamCreate(&stream) || cudaEventCreate(&first) ||
        cudaEventCreate(&second) || cudaEventRecord(first, stream) ||
        cudaEventRecord(second, stream) || cudaStreamSynchronize(stream) ||
        cudaLaunchHostFunc(stream, ask, nullptr) ||
        cudaStreamSynchronize(stream))
        return 2;
    printf("cudaEventQuery: %d, cudaEventElapsedTime: %d, cudaGetDevice: %d, "
           "cudaMemGetInfo: %d\n",
           (int)query, (int)between, (int)device, (int)memory);
    return !(query == cudaSuccess && between == cudaSuccess &&
             device == cudaErrorNotPermitted &&
             memory == cudaErrorNotPermitted);
}
END
nvcc -std=c++17 seen.cu -o seen || exit 2
./seen
