/* Copies of pageable memory are done with it when the call returns, on all GPUs
 * that were asked, and by no current manual. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

int main()
{
    const size_t bytes = 1 << 20;
    char *host = (char *)malloc(bytes), *device;
    cudaStream_t stream;
    char first;

    memset(host, 7, bytes);
    cudaMalloc(&device, bytes);
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
    host[0] = 1; // warned
    cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
    first = host[0]; // warned
    cudaStreamSynchronize(stream);
    printf("%d %d\n", first, host[1]);
    cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, stream);
    host[0] = 2; /* taken before the call returns, says the manual */
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(device);
    free(host);
    return 0;
}
