// A launch fails, and the program never asks.
__global__ void fill(int *to)
{
    to[threadIdx.x] = 1;
}

int main()
{
    int *device;

    cudaMalloc(&device, 2048 * sizeof *device);
    fill<<<1, 2048>>>(device); // a block can have 1024 threads
    cudaDeviceSynchronize();
    cudaFree(device);
}
