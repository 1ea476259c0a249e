/*
 * host_func_calls.cu: CUDA calls inside a host function are not permitted:
 * they may return 800. It runs in a thread that is not the caller's.
 * Source: Runtime API, Execution Control, cudaLaunchHostFunc; observed.
 */
#include "fact.h"
#include <pthread.h>

enum { CALLS = 7 };

static const char *const names[CALLS] = {
    "cudaMalloc",      "cudaStreamSynchronize", "cudaDeviceSynchronize",
    "cudaStreamQuery", "kernel_launch",         "cudaGetLastError_then",
    "cudaGetDevice",
};

static cudaError_t results[CALLS];
static cudaStream_t stream;
static pthread_t thread;

static void CUDART_CB call_cuda(void *data)
{
    int device = -1;

    thread = pthread_self();
    results[0] = cudaMalloc((void **)data, 64);
    results[1] = cudaStreamSynchronize(stream);
    results[2] = cudaDeviceSynchronize();
    results[3] = cudaStreamQuery(stream);
    cudaGetLastError();
    fact_spin<<<1, 1, 0, stream>>>(1, NULL);
    results[4] = cudaGetLastError();
    results[5] = cudaGetLastError();
    results[6] = cudaGetDevice(&device);
}

static void body(void)
{
    void *memory = NULL;

    alarm(10);
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaLaunchHostFunc(stream, call_cuda, &memory));
    fact_error("synchronize.error", cudaStreamSynchronize(stream));
    for (int i = 0; i < CALLS; i++)
        fact("inside.%s=%d %s", names[i], (int)results[i],
             cudaGetErrorName(results[i]));
    fact_yes("runs_in_calling_thread",
             pthread_equal(thread, pthread_self()) != 0);
    fact_last("latched_in_calling_thread");
    fact_error("malloc_afterwards.error", cudaMalloc(&memory, 64));
}

int main(void)
{
    fact_in_child("child", body);
    return 0;
}
