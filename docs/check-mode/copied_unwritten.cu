// The grid does not reach the last elements, and all of them are copied back.
__global__ void twice(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}

int main()
{
    const int n = 1000;
    float *x, *y, *host;

    cudaMallocHost(&host, n * sizeof *host);
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    cudaMemset(x, 0, n * sizeof *x);
    twice<<<n / 256, 256>>>(y, x, n); // 3 blocks, and 4 are needed
    cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost);
    cudaFree(y);
    cudaFree(x);
    cudaFreeHost(host);
}
