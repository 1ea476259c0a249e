#!/bin/sh
# capture_instantiate.sh: to instantiate any graph spoils a capture elsewhere.
#
# Guess: a capture in global mode forbids what could touch the device at once, as
# memory that is taken or waited for. A graph of another thread, built node by node,
# has nothing to do with it, and to instantiate it is as harmless as to build it.
# Wrong: cudaGraphInstantiate is refused (900) while any thread captures in global
# mode, the default of frameworks, and that capture is lost (901).
#
# Seen with driver 580.159.04, CUDA 13.0.88, on an H200, 2026-11-29:
#     another thread creates a graph: 0, adds a node: 0, instantiates it: 900
#     the capture ends: 901
# Why it matters: two threads that each make a graph at start-up fail now and then,
# and the one that is told of it first may be the one that did nothing wrong.
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
#include <thread>
#include <cuda_runtime.h>

int main()
{
    cudaGraph_t empty, captured = nullptr;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaStream_t stream;
    cudaError_t made, built, error, end;

    if (cudaStreamCreate(&stream) || cudaGraphCreate(&empty, 0) ||
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))
        return 2;
    std::thread([&] {
        cudaGraph_t other;

        made = cudaGraphCreate(&other, 0);
        built = cudaGraphAddEmptyNode(&node, other, nullptr, 0);
        error = cudaGraphInstantiate(&exec, other, 0);
    }).join();
    end = cudaStreamEndCapture(stream, &captured);
    printf("another thread creates a graph: %d, adds a node: %d, instantiates "
           "it: %d\nthe capture ends: %d\n",
           (int)made, (int)built, (int)error, (int)end);
    return !(made == cudaSuccess && built == cudaSuccess &&
             error == cudaErrorStreamCaptureUnsupported &&
             end == cudaErrorStreamCaptureInvalidated);
}
END
nvcc -std=c++17 seen.cu -o seen || exit 2
./seen
