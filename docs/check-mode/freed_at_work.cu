// Memory is freed while a kernel may still run.
__global__ void fill(int *to)
{
    to[threadIdx.x] = 1;
}

int main()
{
    cudaStream_t stream;
    int *device;

    cudaStreamCreate(&stream);
    cudaMalloc(&device, 128);
    fill<<<1, 32, 0, stream>>>(device);
    cudaFree(device); // cudaStreamSynchronize(stream) is missing
    cudaStreamDestroy(stream);
}
