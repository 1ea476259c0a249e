/*
 * 11.cu: three GPUs. Copies in and kernels only queue; the results are
 * gathered by copies that hold the host.
 */
/* run: VGPU_COUNT=3 */
#include "check.h"

enum { GPUS = 3, N = 256 };

__global__ static void add_one(int *data)
{
    data[threadIdx.x] += 1;
}

static void work(int *host, int **data)
{
    const size_t bytes = N * sizeof(int);

    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpyAsync(data[g], host + g * N, bytes,
                              cudaMemcpyHostToDevice));
        add_one<<<1, N>>>(data[g]);
        CHECK(cudaGetLastError());
    }
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMemcpy(host + g * N, data[g], bytes, cudaMemcpyDeviceToHost));
    }
}

int main(void)
{
    int *host, *data[GPUS];

    CHECK(cudaMallocHost(&host, GPUS * N * sizeof(int)));
    for (int i = 0; i < GPUS * N; i++)
        host[i] = i;
    for (int g = 0; g < GPUS; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc(&data[g], N * sizeof(int)));
    }
    work(host, data);
    for (int i = 0; i < GPUS * N; i++)
        if (host[i] != i + 1)
            return 1;
    for (int g = 0; g < GPUS; g++)
        CHECK(cudaFree(data[g]));
    CHECK(cudaFreeHost(host));
    return 0;
}
