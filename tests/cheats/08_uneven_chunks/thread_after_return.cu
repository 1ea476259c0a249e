// expect: none
// Leaves the work to a thread that goes on after the function returned.
#include "lab.h"

#include "check.h"
#include "cipher.h"

#include <pthread.h>

static struct {
    uint64_t *host, *device, entries, iters;
} job;

static void *work(void *)
{
    const size_t bytes = job.entries * sizeof(uint64_t);

    CHECK(cudaMemcpy(job.device, job.host, bytes, cudaMemcpyHostToDevice));
    decrypt_gpu<<<decrypt_blocks(job.entries), DECRYPT_THREADS>>>(
        job.device, job.entries, job.iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(job.host, job.device, bytes, cudaMemcpyDeviceToHost));
    return NULL;
}

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    pthread_t thread;

    (void)streams;
    (void)num_streams;
    if (num_entries == 0)
        return;
    job = {data_host, data_device, num_entries, num_iters};
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
}
