/*
 * event_diamond.cu: events order work across streams: two branches start
 * after one root and one join starts after both.
 * Source: programming guide, Streams, Explicit Synchronization.
 */
#include "fact.h"

static __global__ void add(int *to, const int *a, const int *b, int constant)
{
    *to = *a + *b + constant;
}

int main(void)
{
    cudaStream_t s[3];
    cudaEvent_t root, left, right;
    int *v;
    int back[4] = {0};

    fact_warm_up();
    for (int i = 0; i < 3; i++)
        MUST(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&root, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&left, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&right, cudaEventDisableTiming));
    MUST(cudaMalloc((void **)&v, 4 * sizeof(int)));
    MUST(cudaMemset(v, 0, 4 * sizeof(int)));
    MUST(cudaDeviceSynchronize());

    fact_slow_ms(s[0], 20);
    fact_store<<<1, 1, 0, s[0]>>>(v, 10);
    MUST(cudaEventRecord(root, s[0]));
    MUST(cudaStreamWaitEvent(s[1], root, 0));
    MUST(cudaStreamWaitEvent(s[2], root, 0));
    fact_slow_ms(s[1], 20);
    add<<<1, 1, 0, s[1]>>>(v + 1, v, v, 1);
    MUST(cudaEventRecord(left, s[1]));
    add<<<1, 1, 0, s[2]>>>(v + 2, v, v, 2);
    MUST(cudaEventRecord(right, s[2]));
    MUST(cudaStreamWaitEvent(s[0], left, 0));
    MUST(cudaStreamWaitEvent(s[0], right, 0));
    add<<<1, 1, 0, s[0]>>>(v + 3, v + 1, v + 2, 3);
    fact_error("synchronize.error", cudaStreamSynchronize(s[0]));
    fact_error("left_is_done.error", cudaEventQuery(left));
    fact_error("right_is_done.error", cudaEventQuery(right));
    MUST(cudaMemcpy(back, v, sizeof(back), cudaMemcpyDeviceToHost));
    fact("values=%d %d %d %d", back[0], back[1], back[2], back[3]);
    return 0;
}
