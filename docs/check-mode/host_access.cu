// The host reads memory of the device through its pointer.
#include <cstdio>

int main()
{
    int *device;

    cudaMalloc(&device, 4);
    cudaMemset(device, 0, 4);
    printf("%d\n", *device); // cudaMemcpy to the host is missing
    cudaFree(device);
}
