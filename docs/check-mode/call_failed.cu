// A copy is to bring more than the buffer has.
#include <cstdio>

int main()
{
    int host[100] = {}, *device;

    cudaMalloc(&device, 10 * sizeof *device); // 10, and the copy says 100
    cudaError_t error =
        cudaMemcpy(device, host, sizeof host, cudaMemcpyDefault);
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(device);
}
