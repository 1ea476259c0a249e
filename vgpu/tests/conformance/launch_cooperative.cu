/*
 * launch_cooperative.cu: a cooperative launch needs all its blocks on the
 * device at once; a larger grid is error 720.
 * Source: Runtime API, Execution Control, cudaLaunchCooperativeKernel.
 */
#include "fact.h"

static __global__ void count(unsigned int *counter)
{
    atomicAdd(counter, 1u);
}

int main(void)
{
    struct cudaDeviceProp p;
    unsigned int *counter = NULL;
    unsigned int back = 0;
    int per_sm = 0;
    int fitting;
    void *args[] = {&counter};

    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaMalloc((void **)&counter, sizeof(*counter)));
    MUST(cudaMemset(counter, 0, sizeof(*counter)));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, count, 256, 0));
    fitting = per_sm * p.multiProcessorCount;
    fact_error("all_that_fit.error",
               cudaLaunchCooperativeKernel((const void *)count,
                                           dim3((unsigned int)fitting),
                                           dim3(256), args, 0, 0));
    fact_error("synchronize.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(&back, counter, sizeof(back), cudaMemcpyDeviceToHost));
    fact_yes("every_thread_ran", back == (unsigned int)fitting * 256);
    fact_error("one_more.too_large",
               cudaLaunchCooperativeKernel((const void *)count,
                                           dim3((unsigned int)fitting + 1),
                                           dim3(256), args, 0, 0));
    fact_last("one_more.latched");
    return 0;
}
