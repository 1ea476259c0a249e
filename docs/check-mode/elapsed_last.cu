// Both events are recorded in each round, and asked after the last one alone.
__global__ void work(int *p)
{
    *p = 1;
}

int main()
{
    cudaEvent_t start, stop;
    float ms;
    int *p;

    cudaMalloc(&p, sizeof *p);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = 0; i < 10; i++) {
        cudaEventRecord(start); // once, ahead of the loop
        work<<<1, 1>>>(p);
        cudaEventRecord(stop); // once, behind it
    }
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(p);
}
