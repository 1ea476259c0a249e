/*
 * stream_destroy_busy.cu: destroying a busy stream returns at once and its
 * work still completes; a device sync waits for it.
 * Source: Runtime API, Stream Management, cudaStreamDestroy.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t stream;
    cudaEvent_t done;
    int *memory;
    int back = 0;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaMemset(memory, 0, sizeof(int)));
    MUST(cudaDeviceSynchronize()); /* the stream does not wait for it */
    MUST(cudaEventCreate(&done));
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fact_slow(stream);
    fact_store<<<1, 1, 0, stream>>>(memory, 33);
    MUST(cudaEventRecord(done, stream));
    fact_error("destroy.error", cudaStreamDestroy(stream));
    fact_done("work_done_when_destroy_returns", done);
    fact_error("event_outlives_stream.error", cudaEventSynchronize(done));
    MUST(cudaMemcpy(&back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value_written_after_destroy", back);

    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fact_slow(stream);
    fact_store<<<1, 1, 0, stream>>>(memory, 34);
    MUST(cudaStreamDestroy(stream));
    fact_error("device_sync.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(&back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value_after_device_sync", back);
    return 0;
}
