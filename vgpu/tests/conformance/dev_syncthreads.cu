/*
 * dev_syncthreads.cu: the barrier with a count, an and, an or; shared memory
 * written before a barrier is seen by all after it.
 * Source: programming guide, Synchronization Functions.
 */
#include "fact.h"

enum { THREADS = 100 };

static __global__ void barriers(int *out)
{
    __shared__ int table[THREADS];
    int i = (int)threadIdx.x;
    int r[6];
    int sum = 0;

    r[0] = __syncthreads_count(i % 3 == 0);
    r[1] = __syncthreads_and(i < THREADS) != 0;
    r[2] = __syncthreads_and(i != 50) != 0;
    r[3] = __syncthreads_or(i == 99) != 0;
    r[4] = __syncthreads_or(0) != 0;
    table[i] = i;
    __syncthreads();
    for (int k = 0; k < 10; k++) {
        int next = table[(i + 1) % THREADS];

        __syncthreads();
        table[i] = next;
        __syncthreads();
    }
    for (int k = 0; k < THREADS; k++)
        sum += table[k];
    r[5] = table[i] * 10000 + sum;
    if (i == 7)
        for (int k = 0; k < 6; k++)
            out[k] = r[k];
}

int main(void)
{
    int host[6];
    int *out;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    barriers<<<1, THREADS>>>(out);
    fact_error("launch.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    fact_int("count", host[0]);
    fact_int("and_all", host[1]);
    fact_int("and_all_but_one", host[2]);
    fact_int("or_one", host[3]);
    fact_int("or_none", host[4]);
    fact_int("rotated_10_times", host[5] / 10000);
    fact_int("sum_is_kept", host[5] % 10000);
    return 0;
}
