/* A device that has managed memory apart from the host: what the host may do is
 * done first; with an argument, then what it may not. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void work(int *p)
{
    (*p)++;
}

int main(int argc, char **)
{
    int *a, *b, *own, *pinned;
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaMallocManaged(&a, sizeof *a);
    cudaMallocManaged(&b, sizeof *b);
    cudaMallocManaged(&own, sizeof *own, cudaMemAttachHost);
    cudaMallocHost(&pinned, sizeof *pinned);
    *a = 1;
    *b = 2;
    work<<<1, 1, 0, stream>>>(a);
    *own = 3;
    *pinned = 4;
    cudaStreamSynchronize(stream);
    ++*a;
    ++*b;
    printf("%d %d %d %d\n", *a, *b, *own, *pinned);
    work<<<1, 1, 0, stream>>>(a);
    if (argc > 1)
        ++*b; // ends
    cudaDeviceSynchronize();
    cudaStreamDestroy(stream);
    cudaFree(a);
    cudaFree(b);
    cudaFree(own);
    cudaFreeHost(pinned);
    return 0;
}
