/* 10.cu: a kernel that fills the device, and a small one behind it in another
 * stream. When does the small one start? */
/* run: VGPU_DEVICE=k20 */
#include <stdint.h>

#include "check.h"
#include "cipher_entry.h"

#define THREADS 256
#define FULL    104 /* blocks that a K20 holds at once: 13 SMs of 8 */

__global__ void decrypt(uint64_t *data, uint64_t num_iters)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    data[i] = decrypt_entry(i, num_iters);
}

static void work(uint64_t *full, uint64_t *small, cudaStream_t *streams)
{
    decrypt<<<FULL, THREADS, 0, streams[0]>>>(full, 400);
    CHECK(cudaGetLastError());
    decrypt<<<1, THREADS, 0, streams[1]>>>(small, 1000);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    const size_t entries = (FULL + 1) * THREADS;
    cudaStream_t streams[2];
    uint64_t *data;

    CHECK(cudaMalloc(&data, entries * sizeof *data));
    for (int s = 0; s < 2; s++)
        CHECK(cudaStreamCreate(&streams[s]));
    work(data, data + FULL * THREADS, streams);
    for (int s = 0; s < 2; s++)
        CHECK(cudaStreamDestroy(streams[s]));
    CHECK(cudaFree(data));
    return 0;
}
