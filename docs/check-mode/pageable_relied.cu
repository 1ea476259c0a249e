// A result in pageable memory is read, and nothing has waited for the copy.
#include <cstdlib>

int main()
{
    int *device, *host = (int *)malloc(sizeof *host);
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMalloc(&device, sizeof *device);
    cudaMemset(device, 0, sizeof *device);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(host, device, sizeof *host, cudaMemcpyDeviceToHost, stream);
    const int result = *host;
    cudaStreamSynchronize(stream);
    cudaFree(device);
    cudaStreamDestroy(stream);
    free(host);
    return result;
}
