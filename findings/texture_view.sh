#!/bin/sh
# texture_view.sh: a texture that has no view is asked for it, and that is no error.
#
# Guess, from the manual ("if no resource view was specified, cudaErrorInvalidValue
# is returned", cudaGetTextureObjectResourceViewDesc; so the comment in CUDA 13.0's
# cuda_runtime_api.h, too): error 1. Wrong: the call succeeds, and what it fills in
# is cudaResViewFormatNone with all sizes 0, for a texture of an array and for one
# of linear memory, which can have no view.
#
# Seen with driver 580.159.04, CUDA 13.0.88, on an H200, 2026-11-28:
#     of an array: 0, format 0, 0 x 0 x 0
#     of linear memory: 0, format 0, 0 x 0 x 0
# Why it matters: who asks by this error whether a texture has a view always finds
# one, and divides by its width; what follows the manual instead of the driver, such
# as an emulator, answers otherwise than a GPU.
#
# Needs nvcc and a GPU; exit status 2 without them, 1 where it is no longer so.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "no nvcc here" >&2; exit 2; }
cat >view.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>

static int asked(const char *what, cudaResourceDesc *of)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaResourceViewDesc view = {};

    how.readMode = cudaReadModeElementType;
    if (cudaCreateTextureObject(&texture, of, &how, nullptr))
        return -1;
    const cudaError_t error = cudaGetTextureObjectResourceViewDesc(&view, texture);
    printf("%s: %d, format %d, %zu x %zu x %zu\n", what, (int)error,
           (int)view.format, view.width, view.height, view.depth);
    cudaDestroyTextureObject(texture);
    return error;
}

int main()
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaResourceDesc array = {}, linear = {};
    void *memory;

    if (cudaMallocArray(&array.res.array.array, &floats, 64, 32) ||
        cudaMalloc(&memory, 4096))
        return 2;
    array.resType = cudaResourceTypeArray;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = memory;
    linear.res.linear.desc = floats;
    linear.res.linear.sizeInBytes = 4096;
    const int first = asked("of an array", &array);
    const int second = asked("of linear memory", &linear);
    return first < 0 || second < 0 ? 2 : first || second;
}
END
nvcc -std=c++17 view.cu -o view || exit 2
./view
