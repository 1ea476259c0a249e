/* 05.cu: five kernels. Two streams block, one does not, and one kernel has no
 * stream at all. When is all of it done? */
/* by: stream */
#include "check.h"

#define THREADS 32

__global__ void set_one(int *data)
{
    data[threadIdx.x] = 1;
}

static void launch_all(int *data[5], cudaStream_t first, cudaStream_t second,
                       cudaStream_t exempt)
{
    set_one<<<1, THREADS, 0, first>>>(data[0]);
    set_one<<<1, THREADS, 0, second>>>(data[1]);
    set_one<<<1, THREADS>>>(data[2]);
    set_one<<<1, THREADS, 0, exempt>>>(data[3]);
    set_one<<<1, THREADS, 0, first>>>(data[4]);
    CHECK(cudaGetLastError());
}

int main(void)
{
    cudaStream_t first, second, exempt;
    int *data[5];

    for (int i = 0; i < 5; i++)
        CHECK(cudaMalloc(&data[i], THREADS * sizeof(int)));
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaStreamCreateWithFlags(&exempt, cudaStreamNonBlocking));
    launch_all(data, first, second, exempt);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaStreamDestroy(exempt));
    for (int i = 0; i < 5; i++)
        CHECK(cudaFree(data[i]));
    return 0;
}
