/* Memory that one stream frees and another uses: before the free, behind it, in
 * the freeing stream behind it; and in order. What is there stays there. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void put(int *to)
{
    *to = 7;
}

__global__ void get(const int *from, int *to)
{
    *to = *from;
}

int main(int argc, char **argv)
{
    const int which = argc > 1 ? atoi(argv[1]) : 3;
    int *memory, *to, got = 0;
    cudaStream_t a, b;
    cudaEvent_t e;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&e);
    cudaMalloc(&to, 4);
    cudaMallocAsync(&memory, 4, a);
    put<<<1, 1, 0, a>>>(memory);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    if (which == 0 || which == 3)
        get<<<1, 1, 0, b>>>(memory, to); // use 0
    if (which == 3) {
        cudaEventRecord(e, b);
        cudaStreamWaitEvent(a, e, 0);
    }
    cudaFreeAsync(memory, a); // the free
    if (which == 1)
        get<<<1, 1, 0, b>>>(memory, to); // use 1
    if (which == 2)
        put<<<1, 1, 0, a>>>(memory); // use 2
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
    cudaMemcpy(&got, to, 4, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), got);
    cudaEventDestroy(e);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(to);
    return 0;
}
