// Some threads of a block end before a barrier that the others come to.
__global__ void half(int *to)
{
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    to[threadIdx.x] = 1;
}

int main()
{
    int *device;

    cudaMalloc(&device, 256);
    half<<<1, 64>>>(device);
    cudaDeviceSynchronize();
    cudaFree(device);
}
