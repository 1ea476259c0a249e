/*
 * grid_sync.cu: in a cooperative launch grid.sync() waits for all threads of
 * the grid, and orders what they wrote; in another launch the grid group is
 * not valid.
 * Source: guide, "Cooperative Groups", "Grid Synchronization".
 */
#include <cooperative_groups.h>

#include "fact.h"

namespace cg = cooperative_groups;

static __global__ void valid(int *answer)
{
    if (cg::this_grid().thread_rank() == 0)
        *answer = cg::this_grid().is_valid();
}

/* Whether every thread saw all come before it went on, in each round. */
static __global__ void meet(int *arrived, int *early, int rounds)
{
    const cg::grid_group grid = cg::this_grid();
    const int all = (int)grid.size();

    for (int round = 1; round <= rounds; round++) {
        atomicAdd(arrived, 1);
        grid.sync();
        if (*(volatile int *)arrived != round * all)
            atomicAdd(early, 1);
        grid.sync();
    }
}

/* Plain writes of one block, read by another. */
static __global__ void pass_on(int *from, int *to, int rounds)
{
    const cg::grid_group grid = cg::this_grid();
    const int all = (int)grid.size();
    const int i = (int)grid.thread_rank();

    for (int round = 0; round < rounds; round++) {
        to[i] = from[(i + (int)blockDim.x) % all] + 1;
        cg::sync(grid);
        from[i] = to[i];
        cg::sync(grid);
    }
}

static int read_back(const int *from)
{
    int value = 0;

    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost));
    return value;
}

int main(void)
{
    const int threads = 64, rounds = 3;
    int *a = NULL, *b = NULL;
    int blocks = 0, n = rounds;
    struct cudaDeviceProp p;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    MUST(cudaGetDeviceProperties(&p, 0));
    blocks = p.multiProcessorCount;
    MUST(cudaMalloc((void **)&a, (size_t)blocks * threads * sizeof(int)));
    MUST(cudaMalloc((void **)&b, (size_t)blocks * threads * sizeof(int)));

    valid<<<2, threads>>>(a);
    fact_int("launched_as_usual.valid", read_back(a));
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = dim3(2);
    config.blockDim = dim3((unsigned int)threads);
    config.attrs = &attribute;
    config.numAttrs = 1;
    fact_error("by_attribute.error", cudaLaunchKernelEx(&config, valid, a));
    fact_int("by_attribute.valid", read_back(a));
    attribute.val.cooperative = 0;
    MUST(cudaLaunchKernelEx(&config, valid, a));
    fact_int("attribute_of_0.valid", read_back(a));

    MUST(cudaMemset(a, 0, sizeof(int)));
    MUST(cudaMemset(b, 0, sizeof(int)));
    void *meet_args[] = {&a, &b, &n};
    fact_error("meet.error", cudaLaunchCooperativeKernel(
                                 (const void *)meet, dim3((unsigned int)blocks),
                                 dim3((unsigned int)threads), meet_args, 0, 0));
    fact_int("meet.too_early", read_back(b));
    fact_yes("meet.all_came", read_back(a) == rounds * blocks * threads);

    MUST(cudaMemset(a, 0, (size_t)blocks * threads * sizeof(int)));
    void *pass_args[] = {&a, &b, &n};
    fact_error("pass_on.error",
               cudaLaunchCooperativeKernel(
                   (const void *)pass_on, dim3((unsigned int)blocks),
                   dim3((unsigned int)threads), pass_args, 0, 0));
    fact_int("pass_on.first", read_back(a));
    fact_int("pass_on.last", read_back(a + blocks * threads - 1));
    return 0;
}
