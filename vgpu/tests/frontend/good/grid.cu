/* Grids whose blocks wait for each other. */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

#define THREADS 64
#define BLOCKS  300

/* Each round reads what another block wrote in the round before. */
__global__ void rotate(int *from, int *to, int n, int rounds)
{
    __shared__ int mine;
    const cg::grid_group grid = cg::this_grid();
    const int i = (int)grid.thread_rank();

    if (threadIdx.x == 0)
        mine = (int)blockIdx.x;
    for (int round = 0; round < rounds; round++) {
        to[i] = from[(i + THREADS + 1) % n] + 1;
        grid.sync();
        from[i] = to[i];
        cg::sync(grid);
    }
    if (mine != (int)grid.block_rank())
        from[0] = -1;
}

/* A sum of all blocks' sums: the threads of a block wait for each other, too.
 */
template <class T>
__global__ void sum(const T *in, T *sums, T *out)
{
    __shared__ T values[THREADS];
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();

    values[threadIdx.x] = in[grid.thread_rank()];
    for (int half = THREADS / 2; half; half /= 2) {
        block.sync();
        if (threadIdx.x < half)
            values[threadIdx.x] += values[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = values[0];
    auto token = grid.barrier_arrive();
    grid.barrier_wait(static_cast<decltype(token) &&>(token));
    if (grid.thread_rank() == 0)
        for (int i = 0; i < gridDim.x; i++)
            *out += sums[i];
}

__global__ void ask(int *valid)
{
    if (cg::this_grid().thread_rank() == 0)
        *valid = cg::this_grid().is_valid();
}

/* A block's end is waited for: all of them have come by then. */
__global__ void come_and_go(int *n)
{
    atomicAdd(n, 1);
    cg::this_grid().sync();
    if (blockIdx.x % 2)
        return;
    atomicAdd(n, 1);
}

static int rotated(int *from, int *to, int blocks, int rounds)
{
    int n = blocks * THREADS, right = 0;
    void *args[] = {&from, &to, &n, &rounds};

    for (int i = 0; i < n; i++)
        from[i] = i;
    cudaLaunchCooperativeKernel(rotate, blocks, THREADS, args);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        right += from[i] == (i + rounds * (THREADS + 1)) % n + rounds;
    return right == n;
}

int main()
{
    int *a, *b;
    long *in, *out;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    cudaMallocManaged(&a, BLOCKS * THREADS * sizeof *a);
    cudaMallocManaged(&b, BLOCKS * THREADS * sizeof *b);
    cudaMallocManaged(&in, BLOCKS * THREADS * sizeof *in);
    cudaMallocManaged(&out, (BLOCKS + 1) * sizeof *out);
    printf("%d ", rotated(a, b, 1, 3));
    printf("%d\n", rotated(a, b, BLOCKS, 4));

    for (int i = 0; i < BLOCKS * THREADS; i++)
        in[i] = i;
    *out = 0;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = BLOCKS;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, sum<long>, (const long *)in, out + 1, out);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %ld\n", *out);

    for (int cooperative = 0; cooperative < 2; cooperative++) {
        config.numAttrs = (unsigned)cooperative;
        cudaLaunchKernelEx(&config, ask, a);
        cudaDeviceSynchronize();
        printf("%d ", *a);
    }
    *a = 0;
    cudaLaunchKernelEx(&config, come_and_go, a);
    cudaDeviceSynchronize();
    printf("%d\n", *a);
    config.gridDim = 1 << 20;
    printf("%s", cudaGetErrorName(cudaLaunchKernelEx(&config, ask, a)));
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(a);
    cudaFree(b);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
