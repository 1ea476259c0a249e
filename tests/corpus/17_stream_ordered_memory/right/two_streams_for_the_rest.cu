// expect: passed
// Kernel and copy back of a batch in one stream, of two in turn; slots, one
// function.
/* lab.cu: one stream per batch, the memory in in */
#include "lab.h"

#include "check.h"
#include "cipher.h"
#include "helper.h"

void decrypt_round(struct session *s, const struct job *job)
{
    const cudaStream_t streams[] = {job->work, job->back};
    uint64_t freed = 0;

    for (uint64_t b = 0; b < job->num_batches; b++) {
        const struct batch *batch = &job->batches[b];
        const size_t bytes = batch->num_entries * sizeof(uint64_t);
        const cudaStream_t stream = streams[b % 2];
        const uint64_t slot = b % job->at_once;

        if (b - freed == job->at_once) {
            CHECK(cudaStreamWaitEvent(job->in, s->back[slot], 0));
            CHECK(cudaFreeAsync(s->device[slot], job->in));
            freed++;
        }
        CHECK(cudaMallocAsync(&s->device[slot], bytes, job->in));
        CHECK(cudaMemcpyAsync(s->device[slot], batch->data, bytes,
                              cudaMemcpyHostToDevice, job->in));
        CHECK(cudaEventRecord(s->copied, job->in));
        CHECK(cudaStreamWaitEvent(stream, s->copied, 0));
        decrypt_gpu<<<decrypt_blocks(batch->num_entries), DECRYPT_THREADS, 0,
                      stream>>>(s->device[slot], batch->num_entries,
                                job->num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(batch->data, s->device[slot], bytes,
                              cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(s->back[slot], stream));
    }
    while (freed < job->num_batches) {
        const uint64_t slot = freed++ % job->at_once;

        CHECK(cudaEventSynchronize(s->back[slot]));
        CHECK(cudaFreeAsync(s->device[slot], job->in));
    }
    CHECK(cudaStreamSynchronize(job->in));
}

void session_begin(struct session *session, uint64_t keep_bytes)
{
    int device;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetDefaultMemPool(&session->pool, device));
    CHECK(cudaMemPoolSetAttribute(
        session->pool, cudaMemPoolAttrReleaseThreshold, &keep_bytes));
    CHECK(cudaEventCreate(&session->copied));
    for (int i = 0; i < MAX_AT_ONCE; i++)
        CHECK(cudaEventCreate(&session->back[i]));
}

void session_end(struct session *session)
{
    uint64_t zero = 0;

    CHECK(cudaMemPoolSetAttribute(session->pool,
                                  cudaMemPoolAttrReleaseThreshold, &zero));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPoolTrimTo(session->pool, zero));
    for (int i = 0; i < MAX_AT_ONCE; i++)
        CHECK(cudaEventDestroy(session->back[i]));
    CHECK(cudaEventDestroy(session->copied));
}
