// A kernel waits for one whose first launch waits for the kernel.
__global__ void wait_for(volatile int *flag)
{
    while (!*flag)
        ;
}

__global__ void set(volatile int *flag)
{
    *flag = 1;
}

int main()
{
    cudaStream_t stream[2];
    int *flag;

    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    for (cudaStream_t &one : stream)
        cudaStreamCreate(&one);
    wait_for<<<1, 1, 0, stream[0]>>>(flag);
    set<<<1, 1, 0, stream[1]>>>(flag);
    cudaDeviceSynchronize();
    for (cudaStream_t one : stream)
        cudaStreamDestroy(one);
    cudaFree(flag);
}
