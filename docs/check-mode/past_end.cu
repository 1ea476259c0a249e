// The last block has more threads than there are elements left.
__global__ void fill(int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = n; // if (i < n) is missing
}

int main()
{
    int *device;

    cudaMalloc(&device, 1000 * sizeof *device);
    fill<<<4, 256>>>(device, 1000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
