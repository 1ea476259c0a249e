/*
 * lazy_loading.cu: does the first launch of a kernel wait for work in other
 * streams? By default its code is loaded only then. Prints when the host, the
 * kernel and a later one in a third stream were done, for a first and for a
 * second launch. It is why graded programs run with CUDA_MODULE_LOADING=EAGER.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "helper.h"

#define LONG_CYCLES (40LL << 20) /* some 20 ms */

__global__ void long_gpu(long long cycles)
{
    const long long start = clock64();

    while (clock64() - start < cycles)
        ;
}

__global__ void note_gpu(int *notes)
{
    *notes += 1;
}

/* A long kernel in a, the launch in question in b, another long one in c. */
static void watch(const char *which, const cudaStream_t streams[3], int *notes)
{
    struct host_timer timer;
    double host_ms, note_ms;

    CHECK(cudaDeviceSynchronize());
    host_timer_start(&timer);
    long_gpu<<<1, 1, 0, streams[0]>>>(LONG_CYCLES);
    CHECK(cudaGetLastError());
    note_gpu<<<1, 1, 0, streams[1]>>>(notes);
    CHECK(cudaGetLastError());
    long_gpu<<<1, 1, 0, streams[2]>>>(LONG_CYCLES);
    CHECK(cudaGetLastError());
    host_ms = host_timer_stop(&timer);
    CHECK(cudaStreamSynchronize(streams[1]));
    note_ms = host_timer_stop(&timer);
    CHECK(cudaDeviceSynchronize());
    printf("%s launch: the host has launched after %7.3f ms, the kernel is "
           "done after %7.3f ms, both long ones after %7.3f ms\n",
           which, host_ms, note_ms, host_timer_stop(&timer));
}

int main(void)
{
    const char *const loading = getenv("CUDA_MODULE_LOADING");
    cudaStream_t streams[3];
    int *notes;

    printf("CUDA_MODULE_LOADING %s\n", loading ? loading : "not set");
    CHECK(cudaMalloc(&notes, sizeof *notes));
    CHECK(cudaMemset(notes, 0, sizeof *notes));
    for (int s = 0; s < 3; s++)
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) { /* this one is loaded, and the clock fast */
        long_gpu<<<1, 1, 0, streams[0]>>>(LONG_CYCLES);
        CHECK(cudaGetLastError());
    }
    watch("first ", streams, notes);
    watch("second", streams, notes);
    for (int s = 0; s < 3; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(notes));
    return 0;
}
