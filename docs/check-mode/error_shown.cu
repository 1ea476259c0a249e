// An error is looked for after the launch, and is one of a call before it.
#include <cstdio>

__global__ void nothing()
{
}

int main()
{
    void *device;

    cudaMalloc(&device, 64ull << 40); // 64 TiB
    nothing<<<1, 1>>>();
    printf("%s\n", cudaGetErrorString(cudaGetLastError())); // whose error?
    cudaDeviceSynchronize();
}
