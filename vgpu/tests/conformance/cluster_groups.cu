/*
 * cluster_groups.cu: blocks of a cluster are on the device at once: they know
 * their place in it, wait for each other, and read and write each other's
 * shared memory. A grid without clusters is one of single blocks. Source:
 * programming guide, "Distributed Shared Memory", "Cooperative Groups"; PTX
 * ISA, special registers.
 */
#include "fact.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { FACTS = 32 };

#define REGISTER(name)                                                         \
    ({                                                                         \
        unsigned value_;                                                       \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value_));                \
        value_;                                                                \
    })

/* One thread of block (3,2) tells. */
static __global__ void places(int *out)
{
    __shared__ int mine[4];
    cg::cluster_group cluster = cg::this_cluster();
    cg::grid_group grid = cg::this_grid();
    const unsigned last = cluster.num_blocks() - 1;
    int n = 0;

    if (!threadIdx.x && !threadIdx.y)
        mine[1] = 100 + (int)cluster.block_rank();
    cluster.sync();
    if (blockIdx.x == 3 && blockIdx.y == 2 && threadIdx.x == 5 &&
        threadIdx.y == 1) {
        out[n++] = (int)cluster.num_blocks();
        out[n++] = (int)cluster.dim_blocks().x;
        out[n++] = (int)cluster.dim_blocks().y;
        out[n++] = (int)cluster.block_rank();
        out[n++] = (int)cluster.block_index().x;
        out[n++] = (int)cluster.block_index().y;
        out[n++] = (int)cluster.num_threads();
        out[n++] = (int)cluster.size();
        out[n++] = (int)cluster.thread_rank();
        out[n++] = (int)cluster.thread_index().x;
        out[n++] = (int)cluster.thread_index().y;
        out[n++] = (int)cluster.dim_threads().x;
        out[n++] = (int)grid.num_clusters();
        out[n++] = (int)grid.cluster_rank();
        out[n++] = (int)grid.cluster_index().x;
        out[n++] = (int)grid.cluster_index().y;
        out[n++] = (int)grid.dim_clusters().x;
        out[n++] = *cluster.map_shared_rank(&mine[1], (int)last);
        out[n++] = (int)cluster.query_shared_rank(
            cluster.map_shared_rank(mine, (int)last));
        out[n++] = (int)cluster.query_shared_rank(mine);
        out[n++] = (int)REGISTER("clusterid.x");
        out[n++] = (int)REGISTER("clusterid.y");
        out[n++] = (int)REGISTER("nclusterid.x");
        out[n++] = (int)REGISTER("nclusterid.y");
        out[n++] = (int)REGISTER("cluster_ctaid.x");
        out[n++] = (int)REGISTER("cluster_nctaid.y");
        out[n++] = (int)REGISTER("cluster_ctarank");
        out[n++] = (int)REGISTER("cluster_nctarank");
    }
    cluster.sync();
}

/* Each block counts its part of the numbers in whichever block's shared memory
 * their bins are. */
static __global__ void __cluster_dims__(4, 1, 1)
    histogram(int *bins, const int *numbers, int count)
{
    extern __shared__ int part[];
    cg::cluster_group cluster = cg::this_cluster();

    part[threadIdx.x] = 0;
    cluster.sync();
    for (int i = (int)cg::this_grid().thread_rank(); i < count;
         i += (int)(gridDim.x * blockDim.x)) {
        const int bin = numbers[i] % (int)(4 * blockDim.x);
        int *there = cluster.map_shared_rank(part, bin / (int)blockDim.x);

        atomicAdd(&there[bin % (int)blockDim.x], 1);
    }
    cluster.sync();
    atomicAdd(&bins[cluster.block_rank() * blockDim.x + threadIdx.x],
              part[threadIdx.x]);
}

/* What the block before wrote, round by round, with both halves of a barrier.
 */
static __global__ void __cluster_dims__(8, 1, 1) ring(int *out)
{
    __shared__ int value[2];
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = (int)cluster.block_rank();

    if (!threadIdx.x)
        value[0] = rank;
    cluster.sync();
    for (int round = 0; round < 8; round++) {
        if (!threadIdx.x)
            value[(round + 1) % 2] =
                *cluster.map_shared_rank(&value[round % 2], (rank + 7) % 8);
        cluster.barrier_arrive();
        cluster.barrier_wait();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = value[0];
    cluster.sync();
}

static void tell_places(const char *name, dim3 size, int *memory)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    int seen[FACTS];

    MUST(cudaMemset(memory, 0, sizeof seen));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size.x;
    attribute.val.clusterDim.y = size.y;
    attribute.val.clusterDim.z = size.z;
    config.gridDim = dim3(4, 4);
    config.blockDim = dim3(32, 2);
    config.attrs = &attribute;
    config.numAttrs = size.x ? 1 : 0;
    MUST(cudaLaunchKernelEx(&config, places, memory));
    MUST(cudaMemcpy(seen, memory, sizeof seen, cudaMemcpyDefault));
    for (int i = 0; i < 28; i++)
        fact("%s.%d=%d", name, i, seen[i]);
}

static void count_numbers(int *memory)
{
    enum { NUMBERS = 10000, BINS = 256 };
    int *numbers, host[NUMBERS], bins[BINS], wrong = 0;

    MUST(cudaMalloc((void **)&numbers, sizeof host));
    for (int i = 0; i < NUMBERS; i++)
        host[i] = i * 7919 % 1024;
    MUST(cudaMemcpy(numbers, host, sizeof host, cudaMemcpyDefault));
    MUST(cudaMemset(memory, 0, sizeof bins));
    histogram<<<8, BINS / 4, BINS / 4 * sizeof(int)>>>(memory, numbers,
                                                       NUMBERS);
    MUST(cudaMemcpy(bins, memory, sizeof bins, cudaMemcpyDefault));
    for (int bin = 0; bin < BINS; bin++) {
        for (int i = 0; i < NUMBERS; i++)
            bins[bin] -= host[i] % BINS == bin;
        wrong += bins[bin] != 0;
    }
    fact_int("histogram.wrong_bins", wrong);
}

int main(void)
{
    int *memory, seen[16];

    MUST(cudaMalloc((void **)&memory, 4096));
    tell_places("of_2_2", dim3(2, 2, 1), memory);
    tell_places("of_4_1", dim3(4, 1, 1), memory);
    tell_places("none", dim3(0, 0, 0), memory);
    count_numbers(memory);
    ring<<<16, 64>>>(memory);
    MUST(cudaMemcpy(seen, memory, sizeof seen, cudaMemcpyDefault));
    for (int i = 0; i < 16; i++)
        fact("ring.%d=%d", i, seen[i]);
    return 0;
}
