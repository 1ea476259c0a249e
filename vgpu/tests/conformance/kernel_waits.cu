/*
 * kernel_waits.cu: a kernel that waits for a flag of the host, of a copy or of
 * another kernel holds its stream and nothing else, and goes on when it is set.
 * Source: guide, "Concurrent Kernel Execution", "Mapped Memory"; PTX ISA,
 * "Memory Consistency Model".
 */
#include "fact.h"

__global__ static void wait_for(volatile int *flag, int value)
{
    while (*flag != value)
        ;
}

__global__ static void wait_atomic(int *flag)
{
    while (atomicAdd(flag, 0) == 0)
        ;
}

__global__ static void set(volatile int *flag, int value)
{
    *flag = value;
}

/* The host says i, the answer is i more than the last one. */
__global__ static void answer(volatile int *question, volatile int *reply,
                              int rounds)
{
    int sum = 0;

    for (int i = 1; i <= rounds; i++) {
        while (*question != i)
            ;
        sum += i;
        reply[1] = sum;
        __threadfence_system();
        reply[0] = i;
    }
}

static void by_host(cudaStream_t a, cudaStream_t b, volatile int *flag,
                    int *memory, int *back)
{
    *flag = 0;
    *back = 0;
    wait_for<<<1, 32, 0, a>>>(flag, 1);
    set<<<1, 1, 0, a>>>(memory, 5);
    usleep(2000);
    fact_error("query_while_it_waits", cudaStreamQuery(a));
    MUST(cudaMemsetAsync(memory + 1, 0, sizeof(int), b));
    MUST(cudaMemcpyAsync(back, memory, sizeof(int), cudaMemcpyDeviceToHost, b));
    fact_error("other_stream", cudaStreamSynchronize(b));
    fact_int("later_kernel_has_run", *(volatile int *)back == 5);
    fact_error("query_still", cudaStreamQuery(a));
    *flag = 1;
    fact_error("synchronize", cudaStreamSynchronize(a));
    MUST(cudaMemcpy(back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("later_kernel", *back);
}

static void by_device(cudaStream_t a, cudaStream_t b, int *memory, int *pinned)
{
    MUST(cudaMemset(memory, 0, sizeof(int)));
    *pinned = 1;
    wait_atomic<<<1, 1, 0, a>>>(memory);
    usleep(2000);
    MUST(cudaMemcpyAsync(memory, pinned, sizeof(int), cudaMemcpyHostToDevice,
                         b));
    fact_error("set_by_copy", cudaStreamSynchronize(a));
    MUST(cudaDeviceSynchronize());
    wait_for<<<1, 1, 0, a>>>(memory, 7);
    set<<<1, 1, 0, b>>>(memory, 7);
    fact_error("set_by_kernel", cudaStreamSynchronize(a));
    MUST(cudaDeviceSynchronize());
}

static void rounds(cudaStream_t a, volatile int *flag)
{
    flag[0] = flag[1] = flag[2] = 0;
    answer<<<1, 1, 0, a>>>(flag, flag + 1, 4);
    for (int i = 1; i <= 4; i++) {
        flag[0] = i;
        while (flag[1] != i)
            ;
        fact("answer_%d=%d", i, flag[2]);
    }
    fact_error("rounds.synchronize", cudaStreamSynchronize(a));
}

int main(void)
{
    cudaStream_t a, b;
    int *memory, *pinned;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 2 * sizeof(int)));
    MUST(cudaHostAlloc((void **)&pinned, 4 * sizeof(int), cudaHostAllocMapped));
    MUST(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    memset(pinned, 0, 4 * sizeof(int));
    // What is loaded now need not be loaded while a kernel waits.
    MUST(cudaMemset(memory, 1, 2 * sizeof(int)));
    wait_for<<<1, 32>>>(pinned, 0);
    wait_atomic<<<1, 1>>>(memory);
    answer<<<1, 1>>>(pinned, pinned + 1, 0);
    set<<<1, 1>>>(memory, 0);
    MUST(cudaDeviceSynchronize());
    by_host(a, b, pinned, memory, pinned + 3);
    by_device(a, b, memory, pinned);
    rounds(a, pinned);
    return 0;
}
