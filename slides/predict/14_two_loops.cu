/* 14_two_loops.cu: the same, and each waits for the round before only. */
/* run: VGPU_COUNT=3 */
#include <stdint.h>

#include "check.h"

#define GPUS 3
#define N    32

static uint64_t *now[GPUS], *next[GPUS], *inbox[GPUS];
static cudaStream_t stream[GPUS];
static cudaEvent_t done[GPUS];

__global__ void mix(const uint64_t *own, const uint64_t *left, uint64_t *result)
{
    result[threadIdx.x] = 3 * own[threadIdx.x] + left[threadIdx.x];
}

static void step(int gpu, int left)
{
    CHECK(cudaMemcpyPeerAsync(inbox[gpu], gpu, now[left], left,
                              N * sizeof(uint64_t), stream[gpu]));
    CHECK(cudaSetDevice(gpu));
    mix<<<1, N, 0, stream[gpu]>>>(now[gpu], inbox[gpu], next[gpu]);
    CHECK(cudaGetLastError());
}

static void run_round(void)
{
    for (int gpu = 0; gpu < GPUS; gpu++)
        CHECK(cudaEventRecord(done[gpu], stream[gpu]));
    for (int gpu = 0; gpu < GPUS; gpu++) {
        const int left = (gpu + GPUS - 1) % GPUS, right = (gpu + 1) % GPUS;

        CHECK(cudaStreamWaitEvent(stream[gpu], done[left], 0));
        CHECK(cudaStreamWaitEvent(stream[gpu], done[right], 0));
    }
    for (int gpu = 0; gpu < GPUS; gpu++)
        step(gpu, (gpu + GPUS - 1) % GPUS);
}

static void exchange(void)
{
    for (int gpu = 0; gpu < GPUS; gpu++) {
        uint64_t *const written = next[gpu];

        next[gpu] = now[gpu];
        now[gpu] = written;
    }
}

static void make(int gpu)
{
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaMalloc(&now[gpu], N * sizeof(uint64_t)));
    CHECK(cudaMalloc(&next[gpu], N * sizeof(uint64_t)));
    CHECK(cudaMalloc(&inbox[gpu], N * sizeof(uint64_t)));
    CHECK(cudaMemset(now[gpu], 0, N * sizeof(uint64_t)));
    CHECK(cudaStreamCreate(&stream[gpu]));
    CHECK(cudaEventCreateWithFlags(&done[gpu], cudaEventDisableTiming));
}

static void destroy(int gpu)
{
    CHECK(cudaSetDevice(gpu));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(now[gpu]));
    CHECK(cudaFree(next[gpu]));
    CHECK(cudaFree(inbox[gpu]));
    CHECK(cudaStreamDestroy(stream[gpu]));
    CHECK(cudaEventDestroy(done[gpu]));
}

int main(void)
{
    for (int gpu = 0; gpu < GPUS; gpu++)
        make(gpu);
    for (int round = 0; round < 2; round++) {
        run_round();
        exchange();
    }
    for (int gpu = 0; gpu < GPUS; gpu++) {
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaDeviceSynchronize());
    }
    for (int gpu = 0; gpu < GPUS; gpu++)
        destroy(gpu);
    return 0;
}
