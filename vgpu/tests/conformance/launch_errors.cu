/*
 * launch_errors.cu: a launch that cannot be is reported by cudaGetLastError
 * at once, runs nothing, and harms nothing that follows.
 * Source: programming guide, Error Checking; Runtime API, cudaLaunchKernel.
 */
#include "fact.h"

static int *memory;

static void launch(const char *name, dim3 grid, dim3 block, size_t shared)
{
    int back = -1;

    MUST(cudaMemset(memory, 0, sizeof(int)));
    fact_store<<<grid, block, shared>>>(memory, 1);
    fact("%s.error=%d", name, (int)cudaPeekAtLastError());
    fact("%s.synchronize=%d", name, (int)cudaDeviceSynchronize());
    cudaGetLastError();
    MUST(cudaMemcpy(&back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact("%s.ran=%s", name, back == 1 ? "yes" : "no");
}

int main(void)
{
    struct cudaDeviceProp p;
    int device = 0;

    MUST(cudaGetDevice(&device));
    MUST(cudaGetDeviceProperties(&p, device));
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    launch("plain", dim3(1), dim3(1), 0);
    launch("block_of_1024", dim3(1), dim3(1024), 0);
    launch("block_of_1025.invalid_configuration", dim3(1), dim3(1025), 0);
    launch("block_32x33.invalid_configuration", dim3(1), dim3(32, 33), 0);
    launch("block_z_64", dim3(1), dim3(1, 1, 64), 0);
    launch("block_z_65.invalid_configuration", dim3(1), dim3(1, 1, 65), 0);
    launch("grid_0.invalid_configuration", dim3(0), dim3(1), 0);
    launch("grid_y_0.invalid_configuration", dim3(1, 0), dim3(1), 0);
    launch("block_0.invalid_configuration", dim3(1), dim3(0), 0);
    launch("block_z_0.invalid_configuration", dim3(1), dim3(1, 1, 0), 0);
    launch("grid_y_65536.invalid_configuration", dim3(1, 65536), dim3(1), 0);
    launch("grid_z_65536.invalid_configuration", dim3(1, 1, 65536), dim3(1), 0);
    launch("dynamic_shared_48_kib", dim3(1), dim3(1), 48 << 10);
    launch("dynamic_shared_above_48_kib", dim3(1), dim3(1), (48 << 10) + 1);
    launch("dynamic_shared_above_device", dim3(1), dim3(1),
           p.sharedMemPerBlockOptin + 1);
    launch("plain_afterwards", dim3(1), dim3(1), 0);
    return 0;
}
