// A kernel that looks at several flags in turn, each in memory of its own, lets
// the host go on as one that looks at a single flag does.
#include <cuda_runtime.h>
#include <cstdio>

const int FLAGS = 12;

struct flags {
    volatile int *at[FLAGS];
};

__global__ void serve(flags f, volatile int *stop, int *served)
{
    if (threadIdx.x)
        return;
    while (!*stop)
        for (int i = 0; i < FLAGS; i++)
            if (*f.at[i] == 1) {
                served[i]++;
                __threadfence_system();
                *f.at[i] = 0;
            }
}

int main()
{
    flags f;
    int *stop, *served;

    for (int i = 0; i < FLAGS; i++) {
        int *flag;

        cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
        *flag = 0;
        f.at[i] = flag;
    }
    cudaHostAlloc(&stop, sizeof *stop, cudaHostAllocMapped);
    *stop = 0;
    cudaMallocManaged(&served, FLAGS * sizeof *served);
    cudaMemset(served, 0, FLAGS * sizeof *served);
    serve<<<1, 32>>>(f, stop, served);
    for (int round = 0; round < 3; round++)
        for (int i = round; i < FLAGS; i++) {
            *f.at[i] = 1;
            while (*f.at[i])
                ;
        }
    *(volatile int *)stop = 1;
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < FLAGS; i++)
        printf("%d%c", served[i], i < FLAGS - 1 ? ' ' : '\n');
    for (int i = 0; i < FLAGS; i++)
        cudaFreeHost((void *)f.at[i]);
    cudaFreeHost(stop);
    cudaFree(served);
    return 0;
}
