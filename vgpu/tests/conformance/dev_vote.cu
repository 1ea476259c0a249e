/*
 * dev_vote.cu: warp votes over a whole warp and over named lanes.
 * Source: programming guide, Warp Vote Functions.
 */
#include "fact.h"

enum { RESULTS = 10 };

static const char *const names[RESULTS] = {
    "all_true",       "all_but_one",     "any_none",  "any_one",
    "ballot_even",    "ballot_none",     "ballot_32", "ballot_low_half",
    "popc_of_ballot", "first_in_ballot",
};

static __global__ void vote(unsigned int *out)
{
    const unsigned int all = 0xffffffffu;
    int lane = (int)threadIdx.x;
    unsigned int r[RESULTS];

    r[0] = (unsigned int)(__all_sync(all, lane < 32) != 0);
    r[1] = (unsigned int)(__all_sync(all, lane != 9) != 0);
    r[2] = (unsigned int)(__any_sync(all, lane > 40) != 0);
    r[3] = (unsigned int)(__any_sync(all, lane == 31) != 0);
    r[4] = __ballot_sync(all, lane % 2 == 0);
    r[5] = __ballot_sync(all, 0);
    r[6] = __ballot_sync(all, 5);
    r[7] = 0;
    if (lane < 16)
        r[7] = __ballot_sync(0x0000ffffu, lane % 3 == 0);
    __syncwarp();
    r[8] = (unsigned int)__popc(__ballot_sync(all, lane >= 20));
    r[9] = (unsigned int)__ffs((int)__ballot_sync(all, lane >= 20));
    if (lane == 0)
        for (int i = 0; i < RESULTS; i++)
            out[i] = r[i];
}

int main(void)
{
    unsigned int host[RESULTS];
    unsigned int *out;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    vote<<<1, 32>>>(out);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < RESULTS; i++)
        fact("%s=0x%x", names[i], host[i]);
    return 0;
}
