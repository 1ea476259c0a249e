// expect: partial-sync
// A detached thread for each stream: nobody waits for them.
#include "lab.h"

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "cipher.h"

uint64_t *host_memory_new(uint64_t num_entries)
{
    uint64_t *memory;

    // A copy from pageable memory holds the host, and then the next chunk
    // is queued too late to overlap with it.
    CHECK(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    return memory;
}

void host_memory_free(uint64_t *memory)
{
    CHECK(cudaFreeHost(memory));
}

struct share {
    uint64_t *data_host, *data_device, chunk, num_iters;
    cudaStream_t stream;
};

static void *share_run(void *argument)
{
    struct share *const share = (struct share *)argument;
    const size_t bytes = share->chunk * sizeof(uint64_t);

    CHECK(cudaMemcpyAsync(share->data_device, share->data_host, bytes,
                          cudaMemcpyHostToDevice, share->stream));
    decrypt_gpu<<<decrypt_blocks(share->chunk), DECRYPT_THREADS, 0,
                  share->stream>>>(share->data_device, share->chunk,
                                   share->num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(share->data_host, share->data_device, bytes,
                          cudaMemcpyDeviceToHost, share->stream));
    CHECK(cudaStreamSynchronize(share->stream));
    free(share);
    return NULL;
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    const uint64_t chunk = num_entries / num_streams;

    for (uint64_t s = 0; s < num_streams; s++) {
        struct share *const share = (struct share *)malloc(sizeof *share);
        pthread_t thread;

        *share = {data_host + s * chunk, data_device + s * chunk, chunk,
                  num_iters, streams[s]};
        pthread_create(&thread, NULL, share_run, share);
        pthread_detach(thread);
    }
}
