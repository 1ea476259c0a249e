// A kernel waits for a flag that the host never sets.
__global__ void wait(volatile int *flag)
{
    while (*flag == 0)
        ;
}

int main()
{
    volatile int *flag;

    cudaMallocHost((void **)&flag, sizeof *flag);
    *flag = 0;
    wait<<<1, 1>>>(flag);
    return 0; // *flag = 1 is missing
}
