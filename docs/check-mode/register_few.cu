// Memory is page-locked for one copy.
#include <cstdlib>

int main()
{
    const size_t bytes = 64 << 20;
    void *device, *host = calloc(1, bytes);

    cudaMalloc(&device, bytes);
    cudaHostRegister(host, bytes, 0); // takes longer than the copy
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cudaHostUnregister(host);
    cudaFree(device);
    free(host);
}
