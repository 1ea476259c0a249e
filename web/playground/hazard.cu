/* hazard.cu: A missing wait. One stream makes, another one takes. Nothing
 * orders them until the second waits for an event of the first. Is the sum
 * right without it, and would it be on each run? */
#include <stdio.h>

#include "check.h"
#include "helper.h"

#define WITH_WAIT 0 // slider 0 1: the second stream waits
#define BLOCKS    8 // slider 1 8 64: blocks
#define THREADS   256

__global__ void make(unsigned *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* Both streams are non-blocking, so that the default stream, which clears the
 * memory, orders nothing between them. */
int main(void)
{
    const int n = BLOCKS * THREADS;
    unsigned *host, *device, sum = 0;
    cudaStream_t maker, taker;
    cudaEvent_t made;

    CHECK(cudaMallocHost(&host, n * sizeof *host));
    CHECK(cudaMalloc(&device, n * sizeof *device));
    CHECK(cudaMemset(device, 0, n * sizeof *device));
    CHECK(cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&taker, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());

    make<<<BLOCKS, THREADS, 0, maker>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(made, maker));
#if WITH_WAIT
    CHECK(cudaStreamWaitEvent(taker, made, 0));
#endif
    CHECK(cudaMemcpyAsync(host, device, n * sizeof *host,
                          cudaMemcpyDeviceToHost, taker));
    CHECK(cudaStreamSynchronize(taker));
    for (int i = 0; i < n; i++)
        sum += host[i];
    printf("the sum is %u, and should be %d\n", sum, n);

    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(made));
    CHECK(cudaStreamDestroy(maker));
    CHECK(cudaStreamDestroy(taker));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
