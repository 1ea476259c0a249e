/*
 * chunks.cu [WORD [ENTRIES]]: 64 chunks in 64 streams, ten times: what the
 * recorder is measured with. Prints the time of the ten.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

enum { CHUNKS = 64, TIMES = 10 };

int main(int argc, char **argv)
{
    const uint64_t chunk = argc > 2 ? strtoull(argv[2], NULL, 10) : 1 << 19;
    const size_t bytes = chunk * sizeof(uint64_t);
    cudaStream_t streams[CHUNKS];
    uint64_t *host, *device;
    struct host_timer timer;

    CHECK(cudaMallocHost((void **)&host, CHUNKS * bytes));
    CHECK(cudaMalloc((void **)&device, CHUNKS * bytes));
    memset(host, 1, CHUNKS * bytes);
    for (int i = 0; i < CHUNKS; i++)
        CHECK(cudaStreamCreate(&streams[i]));
    for (int n = -1; n < TIMES; n++) {
        if (n == 0)
            host_timer_start(&timer); /* the first was to warm up */
        for (int i = 0; i < CHUNKS; i++) {
            CHECK(cudaMemcpyAsync(device + i * chunk, host + i * chunk, bytes,
                                  cudaMemcpyHostToDevice, streams[i]));
            decrypt_gpu<<<decrypt_blocks(chunk), DECRYPT_THREADS, 0,
                          streams[i]>>>(device + i * chunk, chunk, 64);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(host + i * chunk, device + i * chunk, bytes,
                                  cudaMemcpyDeviceToHost, streams[i]));
        }
        CHECK(cudaDeviceSynchronize());
    }
    printf("%-8s %8.2f ms for %d times %d chunks in %d streams\n",
           argc > 1 ? argv[1] : "", host_timer_stop(&timer), TIMES, CHUNKS,
           CHUNKS);
    for (int i = 0; i < CHUNKS; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
