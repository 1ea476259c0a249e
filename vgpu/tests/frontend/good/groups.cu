// Cooperative groups: the block, tiles, coalesced threads, reduce and scan.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdio.h>

namespace cg = cooperative_groups;

enum { THREADS = 64, RESULTS = 16 };

struct pair {
    double value;
    short index;
};

// Of any group, as long as its size is a power of two.
__device__ int sum_of(cg::thread_group group, int *scratch, int value)
{
    int rank = group.thread_rank();

    for (int half = group.size() / 2; half > 0; half /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < half)
            value += scratch[rank + half];
        group.sync();
    }
    return value;
}

__global__ void groups(int *out, const int *in)
{
    __shared__ int scratch[THREADS], copied[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(warp);
    cg::thread_group sixteen = cg::tiled_partition(block, 16);
    const int rank = block.thread_rank();
    int result = sum_of(block, scratch, rank);

    if (rank == 0)
        out[0] = result;
    cg::sync(block);
    result = sum_of(sixteen, scratch + rank / 16 * 16, rank);
    if (rank == 16)
        out[1] = result;
    result = cg::reduce(warp, rank, cg::plus<int>());
    if (rank == 63)
        out[2] = result;
    result = cg::reduce(four, rank, cg::greater<int>());
    if (rank == 5)
        out[3] = result;
    result = cg::inclusive_scan(four, rank);
    if (rank == 6)
        out[4] = result;
    result = cg::exclusive_scan(warp, 1);
    if (rank == 37)
        out[5] = result;
    if (rank % 3 == 0) {
        auto together = cg::coalesced_threads();

        result = cg::reduce(together, rank, cg::less<int>());
        if (rank == 33)
            out[6] = result * 100 + together.size();
        result = together.shfl_down(rank, 1);
        if (rank == 36)
            out[7] = result;
        result = together.ballot(rank < 9);
        if (rank == 0)
            out[8] = result;
    }
    result = four.ballot(rank & 1);
    if (rank == 9)
        out[9] = result;
    result = cg::binary_partition(warp, rank < 5).size();
    if (rank == 7)
        out[10] = result;
    pair moved = warp.shfl(pair{rank * 0.5, (short)rank}, 11);
    if (rank == 0)
        out[11] = (int)(moved.value * 10) + moved.index;
    cg::memcpy_async(block, copied, in, sizeof copied);
    cg::wait(block);
    if (rank == 0)
        out[12] = copied[THREADS - 1];
    if (cg::this_grid().thread_rank() == THREADS + 3)
        out[13] = cg::this_grid().size() + block.group_index().x;
    cg::invoke_one(warp, [&] { out[14] = 14; });
    out[15] = warp.meta_group_size() * 10 + four.all(1);
}

int main()
{
    int *in, *out;

    cudaMallocManaged(&in, THREADS * sizeof *in);
    cudaMallocManaged(&out, RESULTS * sizeof *out);
    for (int i = 0; i < THREADS; i++)
        in[i] = i * i;
    groups<<<2, THREADS>>>(out, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < RESULTS; i++)
        printf("%d ", out[i]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
