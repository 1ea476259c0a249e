/*
 * dev_match_reduce.cu: lanes with equal values find each other; a warp
 * reduces integers in one call.
 * Source: programming guide, Warp Match Functions; Warp Reduce Functions.
 */
#include "fact.h"

static __global__ void match(unsigned int *out)
{
    const unsigned int all = 0xffffffffu;
    unsigned int lane = threadIdx.x;
    int same = 0;
    unsigned int r[9];

    r[0] = __match_any_sync(all, lane % 4);
    r[1] = __match_all_sync(all, 7u, &same);
    r[2] = (unsigned int)(same != 0);
    r[3] = __match_all_sync(all, lane, &same);
    r[4] = (unsigned int)(same != 0);
    r[5] = __reduce_add_sync(all, lane);
    r[6] = __reduce_max_sync(all, lane ^ 5u);
    r[7] = __reduce_min_sync(all, lane + 3u);
    r[8] = __reduce_or_sync(all, 1u << (lane % 8));
    if (lane == 2)
        for (int i = 0; i < 9; i++)
            out[i] = r[i];
}

int main(void)
{
    unsigned int host[9];
    unsigned int *out;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    match<<<1, 32>>>(out);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    fact("match_any_of_lane_2=0x%x", host[0]);
    fact("match_all_equal=0x%x", host[1]);
    fact("match_all_equal.predicate=%u", host[2]);
    fact("match_all_different=0x%x", host[3]);
    fact("match_all_different.predicate=%u", host[4]);
    fact("reduce_add=%u", host[5]);
    fact("reduce_max=%u", host[6]);
    fact("reduce_min=%u", host[7]);
    fact("reduce_or=0x%x", host[8]);
    return 0;
}
