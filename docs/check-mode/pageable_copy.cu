// An asynchronous copy uses memory that is not pinned.
#include <cstdlib>

int main()
{
    void *device, *host = calloc(1, 1 << 20); // cudaMallocHost is meant
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMalloc(&device, 1 << 20);
    cudaMemcpyAsync(device, host, 1 << 20, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    cudaFree(device);
    cudaStreamDestroy(stream);
    free(host);
}
