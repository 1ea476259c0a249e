/*
 * dev_shuffle.cu: the four warp shuffles, whole and in parts of a warp; a
 * lane outside its part gets its own value back.
 * Source: programming guide, Warp Shuffle Functions.
 */
#include "fact.h"

enum { CASES = 8, LANES = 32 };

static const char *const names[CASES] = {
    "idx_5",         "up_3",         "down_4",          "xor_1",
    "idx_2_width_8", "up_2_width_8", "down_3_width_16", "xor_9",
};

static __global__ void shuffle(int *out)
{
    const unsigned int all = 0xffffffffu;
    int lane = (int)threadIdx.x;
    int value = 100 + lane;

    out[0 * LANES + lane] = __shfl_sync(all, value, 5);
    out[1 * LANES + lane] = __shfl_up_sync(all, value, 3);
    out[2 * LANES + lane] = __shfl_down_sync(all, value, 4);
    out[3 * LANES + lane] = __shfl_xor_sync(all, value, 1);
    out[4 * LANES + lane] = __shfl_sync(all, value, 2, 8);
    out[5 * LANES + lane] = __shfl_up_sync(all, value, 2, 8);
    out[6 * LANES + lane] = __shfl_down_sync(all, value, 3, 16);
    out[7 * LANES + lane] = __shfl_xor_sync(all, value, 9);
}

static __global__ void reduce(int *sum, double *product, long long *wide)
{
    const unsigned int all = 0xffffffffu;
    int value = (int)threadIdx.x + 1;
    double factor = threadIdx.x < 10 ? 2.0 : 1.0;
    long long big = (1ll << 40) + (long long)threadIdx.x;

    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(all, value, (unsigned int)offset);
        factor *= __shfl_xor_sync(all, factor, offset);
    }
    big = __shfl_sync(all, big, 7);
    if (threadIdx.x == 0)
        *sum = value;
    if (threadIdx.x == 31)
        *product = factor;
    if (threadIdx.x == 3)
        *wide = big;
}

int main(void)
{
    int host[CASES * LANES];
    int *out, *sum;
    double *product, host_product = 0.0;
    long long *wide, host_wide = 0;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    MUST(cudaMalloc((void **)&sum, sizeof(int)));
    MUST(cudaMalloc((void **)&product, sizeof(double)));
    MUST(cudaMalloc((void **)&wide, sizeof(long long)));
    shuffle<<<1, LANES>>>(out);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int c = 0; c < CASES; c++) {
        printf("%s=", names[c]);
        for (int lane = 0; lane < LANES; lane++)
            printf("%d ", host[c * LANES + lane] - 100);
        printf("\n");
    }
    reduce<<<1, LANES>>>(sum, product, wide);
    MUST(cudaMemcpy(host, sum, sizeof(int), cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&host_product, product, 8, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(&host_wide, wide, 8, cudaMemcpyDeviceToHost));
    fact_int("sum_by_down", host[0]);
    fact("product_by_xor=%g", host_product);
    fact_int("long_long_from_lane_7", host_wide - (1ll << 40));
    return 0;
}
