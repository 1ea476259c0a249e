// The host waits for a flag that no work sets.
__global__ void set(volatile int *flag)
{
    *flag = 1;
}

int main()
{
    volatile int *flag;

    cudaMallocHost((void **)&flag, 2 * sizeof *flag);
    flag[0] = flag[1] = 0;
    set<<<1, 1>>>(flag);
    while (flag[1] == 0) // the kernel sets flag[0]
        ;
    cudaFreeHost((void *)flag);
}
