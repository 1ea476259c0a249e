// A kernel uses memory that was freed.
__global__ void store(int *to)
{
    *to = 1;
}

int main()
{
    int *device;

    cudaMalloc(&device, 4);
    cudaFree(device);
    store<<<1, 1>>>(device); // too late
    return cudaDeviceSynchronize() != cudaSuccess;
}
