// The host reads what a copy brings without waiting for it.
#include <cstdio>

int main()
{
    cudaStream_t stream;
    int *device, *host;

    cudaStreamCreate(&stream);
    cudaMalloc(&device, 4);
    cudaMallocHost(&host, 4);
    cudaMemset(device, 1, 4);
    cudaMemcpyAsync(host, device, 4, cudaMemcpyDeviceToHost, stream);
    printf("%d\n", *host); // cudaStreamSynchronize(stream) is missing
    cudaStreamSynchronize(stream);
    cudaFreeHost(host);
    cudaFree(device);
    cudaStreamDestroy(stream);
}
