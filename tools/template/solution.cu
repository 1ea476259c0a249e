/* lab.cu: lab NN. See README.md. */
#include "check.h"
#include "lab.h"

__global__ void add_one_gpu(uint64_t *values, uint64_t n)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        values[i]++;
}

void add_one(uint64_t *host, uint64_t *device, uint64_t n, cudaStream_t stream)
{
    // solution>
    const size_t bytes = n * sizeof *host;

    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    add_one_gpu<<<64, 256, 0, stream>>>(device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    //| // TODO 1: copy in, launch add_one_gpu, copy back, wait.
    //| (void)host;
    //| (void)device;
    //| (void)n;
    //| (void)stream;
    // <solution
}
