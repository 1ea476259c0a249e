// expect: not-known
#include "check.h"
#include "lab.h"

__global__ void add_kernel(uint32_t *values, uint32_t n)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        values[i]++;
}

void add_one(uint32_t *values, uint32_t n, cudaStream_t stream)
{
    add_kernel<<<64, 128, 0, stream>>>(values, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
}

int count_copy_engines(void)
{
    int engines;

    CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
    return engines;
}
