// More streams than hardware queues.
#include <cuda_runtime.h>

#define STREAMS 16

__global__ void work(float *p)
{
    for (int i = 0; i < 100000; i++)
        *p += 1;
}

int main()
{
    cudaStream_t s[STREAMS];
    float *p;

    cudaMalloc(&p, STREAMS * sizeof *p);
    cudaMemset(p, 0, STREAMS * sizeof *p);
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreate(&s[i]);
    for (int i = 0; i < STREAMS; i++) // two loops the other way round would do
        for (int k = 0; k < 4; k++)
            work<<<1, 1, 0, s[i]>>>(p + i);
    cudaDeviceSynchronize();
    for (int i = 0; i < STREAMS; i++)
        cudaStreamDestroy(s[i]);
    cudaFree(p);
}
