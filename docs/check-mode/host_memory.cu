// A kernel is given memory of the host.
#include <cstdlib>

__global__ void store(int *to)
{
    *to = 1;
}

int main()
{
    int *host = (int *)malloc(4); // cudaMalloc is meant

    store<<<1, 1>>>(host);
    free(host);
    return cudaDeviceSynchronize() != cudaSuccess;
}
