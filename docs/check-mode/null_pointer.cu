// A kernel is given a pointer that was never set.
__global__ void store(int *to)
{
    *to = 1;
}

int main()
{
    int *device = nullptr; // cudaMalloc is missing

    store<<<1, 1>>>(device);
    return cudaDeviceSynchronize() != cudaSuccess;
}
