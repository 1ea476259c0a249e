/* Whoever reads what a copy brings into pageable memory waits for it first. */
#include <cstdlib>
#include <cuda_runtime.h>

int main()
{
    const size_t bytes = 4096;
    char *host = (char *)malloc(bytes), *device;
    cudaStream_t stream;
    char first;

    cudaMalloc(&device, bytes);
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
    first = host[0]; // hazard
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(device);
    free(host);
    return first;
}
