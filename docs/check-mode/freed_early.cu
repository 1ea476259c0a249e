// Memory of a pool is freed while a copy in another stream may still read it.
__global__ void work(int *to)
{
    for (int i = 0; i < 1000; i++)
        *to += i;
}

int main()
{
    cudaStream_t a, b;
    int *from, *to;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMallocAsync(&to, 4, b);
    cudaMemsetAsync(to, 0, 4, b);
    cudaMallocAsync(&from, 4, a);
    cudaStreamSynchronize(a);
    work<<<1, 1, 0, b>>>(to);
    cudaMemcpyAsync(to, from, 4, cudaMemcpyDefault, b);
    cudaFree(from); // cudaStreamSynchronize(b) is missing
    cudaStreamSynchronize(a);
    cudaFreeAsync(to, b);
    cudaStreamSynchronize(b);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
