/* 05_library.cu: four workers, and in the middle a kernel of a library that
 * was compiled without the option: it is in the legacy default stream. */
/* build: --default-stream per-thread */
/* by: stream */
#include "check.h"

#define NUM_WORKERS 4
#define THREADS     32

__global__ void set_one(int *data)
{
    data[threadIdx.x] = 1;
}

static void launch_all(int **data, int *note, cudaStream_t *streams)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        set_one<<<1, THREADS, 0, streams[w]>>>(data[w]);
        CHECK(cudaGetLastError());
        if (w == NUM_WORKERS / 2 - 1) {
            set_one<<<1, THREADS, 0, cudaStreamLegacy>>>(note);
            CHECK(cudaGetLastError());
        }
    }
}

int main(void)
{
    cudaStream_t streams[NUM_WORKERS];
    int *data[NUM_WORKERS + 1];

    for (int i = 0; i <= NUM_WORKERS; i++)
        CHECK(cudaMalloc(&data[i], THREADS * sizeof(int)));
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamCreate(&streams[w]));
    launch_all(data, data[NUM_WORKERS], streams);
    CHECK(cudaDeviceSynchronize());
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamDestroy(streams[w]));
    for (int i = 0; i <= NUM_WORKERS; i++)
        CHECK(cudaFree(data[i]));
    return 0;
}
