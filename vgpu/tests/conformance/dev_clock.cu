/*
 * dev_clock.cu: a thread's clock never runs backwards and advances over
 * work.
 * Source: programming guide, Time Function.
 */
#include "fact.h"

static __global__ void tick(int *backwards, int *advanced,
                            unsigned long long *sink)
{
    unsigned long long x = 1;
    long long first = clock64();
    long long last = first;

    for (int i = 0; i < 1000; i++) {
        long long now;

        for (int k = 0; k < 10; k++)
            x = x * 6364136223846793005ull + 1442695040888963407ull;
        now = clock64();
        if (now < last)
            *backwards += 1;
        last = now;
    }
    *sink = x;
    *advanced = last - first > 1000;
}

int main(void)
{
    int *numbers;
    unsigned long long *sink;
    int host[2] = {-1, -1};

    MUST(cudaMalloc((void **)&numbers, sizeof(host)));
    MUST(cudaMalloc((void **)&sink, sizeof(*sink)));
    MUST(cudaMemset(numbers, 0, sizeof(host)));
    tick<<<1, 1>>>(numbers, numbers + 1, sink);
    MUST(cudaMemcpy(host, numbers, sizeof(host), cudaMemcpyDeviceToHost));
    fact_int("times_it_ran_backwards", host[0]);
    fact_yes("advanced_over_10000_steps", host[1]);
    return 0;
}
