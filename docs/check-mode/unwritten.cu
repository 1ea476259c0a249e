// A kernel adds to memory that was allocated and never set.
__global__ void count(int *sum)
{
    atomicAdd(sum, 1);
}

int main()
{
    int *sum;

    cudaMalloc(&sum, sizeof *sum); // cudaMemset(sum, 0, sizeof *sum) is missing
    count<<<1, 32>>>(sum);
    cudaDeviceSynchronize();
    cudaFree(sum);
}
