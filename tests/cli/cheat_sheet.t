#!/bin/bash
# cheat_sheet.t: the code in docs/cheat-sheet.md compiles, is right for ugly
# sizes, and is in order, as the checker sees it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if [ ! -x build/bin/vgpucc ]; then
    echo "1..0 # SKIP build/bin/vgpucc is not built"
    exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
{
    cat <<'END'
#include "check.h"
#include "helper.h"

#define RING 3

struct slot {
    float *host, *device, *sum;
    cudaStream_t stream;
    cudaEvent_t free;
};

__global__ void twice(float *data, uint64_t n)
{
    const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;

    if (i < n)
        data[i] *= 2;
}

__global__ void total(const float *data, uint64_t n, float *sum)
{
    for (uint64_t i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(sum, data[i]);
}

static void fill(float *data, uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        data[i] = (float)((first + i) % 7);
}
END
    awk '/^```cuda$/ { on = 1; next } /^```$/ { on = 0 } on' docs/cheat-sheet.md
    cat <<'END'

static int wrong(const float *data, uint64_t n, float factor)
{
    for (uint64_t i = 0; i < n; i++)
        if (data[i] != factor * (float)(i % 7))
            return 1;
    return 0;
}

static void try_arrays(uint64_t n, uint64_t num_streams)
{
    float *host, *device[2];
    cudaStream_t streams[64];

    CHECK(cudaMallocHost(&host, (n + 1) * sizeof(float)));
    for (int g = 1; g >= 0; g--) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc(&device[g], (n + 1) * sizeof(float)));
    }
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    fill(host, 0, n);
    in_chunks(host, device[0], n, streams, num_streams);
    printf("chunks %d\n", wrong(host, n, 2));
    if (num_streams > 1 && n > 0) {
        in_order(device[0], n, streams[0], streams[1]);
        CHECK(cudaMemcpyAsync(host, device[0], n * sizeof(float),
                              cudaMemcpyDeviceToHost, streams[1]));
        CHECK(cudaStreamSynchronize(streams[1]));
        printf("order %d\n", wrong(host, n, 8));
        fill(host, 0, n);
        on_all_gpus(host, device, n, 2);
        printf("gpus %d\n", wrong(host, n, 2));
    }
    CHECK(cudaSetDevice(0));
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(device[0]));
    CHECK(cudaFree(device[1]));
    CHECK(cudaFreeHost(host));
}

static void try_ring(uint64_t n, uint64_t chunk)
{
    struct slot ring[RING];
    float sum = 0, parts, right = 0;

    for (int r = 0; r < RING; r++) {
        CHECK(cudaMallocHost(&ring[r].host, chunk * sizeof(float)));
        CHECK(cudaMalloc(&ring[r].device, chunk * sizeof(float)));
        CHECK(cudaMalloc(&ring[r].sum, sizeof(float)));
        CHECK(cudaMemset(ring[r].sum, 0, sizeof(float)));
        CHECK(cudaStreamCreate(&ring[r].stream));
        CHECK(cudaEventCreate(&ring[r].free));
    }
    in_ring(ring, n, chunk);
    for (int r = 0; r < RING; r++) {
        CHECK(cudaMemcpy(&parts, ring[r].sum, sizeof(float),
                         cudaMemcpyDeviceToHost));
        sum += parts;
        CHECK(cudaFreeHost(ring[r].host));
        CHECK(cudaFree(ring[r].device));
        CHECK(cudaFree(ring[r].sum));
        CHECK(cudaStreamDestroy(ring[r].stream));
        CHECK(cudaEventDestroy(ring[r].free));
    }
    for (uint64_t i = 0; i < n; i++)
        right += (float)(i % 7);
    printf("ring %d\n", sum != right);
}

int main()
{
    try_arrays(1000, 7);
    try_arrays(100, 64);
    try_arrays(10, 7);
    try_arrays(1, 4);
    try_arrays(0, 2);
    try_ring(1000, 64);
    try_ring(10, 64);
    try_ring(0, 64);
    return 0;
}
END
} >"$tmp/sheet.cu"


build/bin/vgpucc -std=c++17 -Icommon -Xcompiler -Wall,-Wextra,-Werror \
    "$tmp/sheet.cu" common/helper.cu -o "$tmp/sheet" >"$tmp/log" 2>&1
ok "the patterns compile without a warning"
VGPU_COUNT=2 VGPU_CHECK=1 "$tmp/sheet" >"$tmp/all" 2>&1
ok "they run without a hazard"
grep -v '^vgpu: note: ' "$tmp/all" >"$tmp/log" # each takes its memory anew
! grep -q -e ' 1$' -e warning "$tmp/log" && [ "$(wc -l <"$tmp/log")" = 16 ]
ok "what they compute is right, and nothing is left behind"
echo "1..$count"
