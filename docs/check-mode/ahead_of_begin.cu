// Each thread also reads its left neighbour, and the first one has none.
__global__ void differences(const int *from, int *to)
{
    int i = threadIdx.x;

    to[i] = from[i] - from[i - 1]; // i > 0 is missing
}

int main()
{
    int *from, *to;

    cudaMalloc(&from, 128);
    cudaMalloc(&to, 128);
    cudaMemset(from, 0, 128);
    differences<<<1, 32>>>(from, to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
