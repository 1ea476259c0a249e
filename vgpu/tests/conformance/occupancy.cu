/*
 * occupancy.cu: how many blocks of a kernel an SM holds, in relation to the
 * device's limits.
 * Source: Runtime API, Occupancy.
 */
#include "fact.h"

static __global__ void light(int *result)
{
    result[threadIdx.x] = (int)threadIdx.x;
}

static int blocks_for(int threads, size_t shared)
{
    int blocks = -1;

    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, threads,
                                                       shared));
    return blocks;
}

static void relations(const struct cudaDeviceProp *p)
{
    const int threads = p->maxThreadsPerMultiProcessor;

    fact_yes("blocks_of_1024_fill_the_sm",
             blocks_for(1024, 0) == threads / 1024);
    fact_yes("blocks_of_256_fill_the_sm", blocks_for(256, 0) == threads / 256);
    fact_yes("blocks_of_32_meet_the_block_limit",
             blocks_for(32, 0) == p->maxBlocksPerMultiProcessor);
    fact_yes("blocks_of_33_count_as_64",
             blocks_for(33, 0) == blocks_for(64, 0));
    fact_yes("block_of_1_counts_as_32", blocks_for(1, 0) == blocks_for(32, 0));
    fact_yes("48_kib_each_fit_several_times",
             blocks_for(32, 48 << 10) ==
                 (int)(p->sharedMemPerMultiprocessor / ((48 << 10) + 1024)));
    fact_yes("more_shared_never_gives_more_blocks",
             blocks_for(128, 16 << 10) <= blocks_for(128, 8 << 10));
}

int main(void)
{
    struct cudaDeviceProp p;
    size_t shared = 0;
    int grid = -1;
    int block = -1;
    int blocks = -1;

    MUST(cudaGetDeviceProperties(&p, 0));
    relations(&p);
    fact_error("potential.error",
               cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
    fact_yes("potential.block_is_multiple_of_warp", block % 32 == 0);
    fact_yes("potential.block_within_limit", block > 0 && block <= 1024);
    fact_yes("potential.grid_fills_device",
             grid == blocks_for(block, 0) * p.multiProcessorCount);
    fact_error("potential_with_limit.error", cudaOccupancyMaxPotentialBlockSize(
                                                 &grid, &block, light, 0, 128));
    fact_yes("potential_with_limit.block_at_most_128",
             block > 0 && block <= 128);
    fact_error("with_flags.error",
               cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                   &blocks, light, 256, 0, cudaOccupancyDefault));
    fact_yes("with_flags.same", blocks == blocks_for(256, 0));
    fact_error(
        "available_shared.error",
        cudaOccupancyAvailableDynamicSMemPerBlock(&shared, light, 2, 128));
    fact_yes("available_shared.two_blocks_fit_with_it",
             blocks_for(128, shared) >= 2);

    fact_error("block_0.error", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                    &blocks, light, 0, 0));
    fact_last("block_0.latched");
    blocks = -1;
    fact_error(
        "block_2048.error",
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 2048, 0));
    fact_int("block_2048.blocks", blocks);
    cudaGetLastError();
    fact_error("shared_above_limit.error",
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 32,
                                                             (size_t)1 << 20));
    fact_int("shared_above_limit.blocks", blocks);
    return 0;
}
