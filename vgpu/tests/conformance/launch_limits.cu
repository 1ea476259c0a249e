/*
 * launch_limits.cu: the largest grids and blocks in each dimension launch,
 * and every block and thread of them runs once.
 * Source: programming guide, Compute Capabilities, Technical Specifications.
 */
#include "fact.h"

static __global__ void count(unsigned int *counter)
{
    atomicAdd(counter, 1u);
}

static void launch(const char *name, dim3 grid, dim3 block)
{
    static unsigned int *counter;
    unsigned int back = 0;

    if (!counter)
        MUST(cudaMalloc((void **)&counter, sizeof(*counter)));
    MUST(cudaMemset(counter, 0, sizeof(*counter)));
    count<<<grid, block>>>(counter);
    fact("%s.error=%d", name, (int)cudaGetLastError());
    MUST(cudaMemcpy(&back, counter, sizeof(back), cudaMemcpyDeviceToHost));
    fact("%s.threads=%u", name, back);
}

int main(void)
{
    launch("grid_x_70000", dim3(70000), dim3(1));
    launch("grid_y_65535", dim3(1, 65535), dim3(1));
    launch("grid_z_65535", dim3(1, 1, 65535), dim3(1));
    launch("block_x_1024", dim3(3), dim3(1024));
    launch("block_y_1024", dim3(3), dim3(1, 1024));
    launch("block_z_64_times_16", dim3(3), dim3(16, 1, 64));
    launch("block_8x8x16", dim3(2, 3, 4), dim3(8, 8, 16));
    launch("block_of_1", dim3(1), dim3(1));
    launch("block_not_a_multiple_of_warp", dim3(5), dim3(33));
    return 0;
}
