/*
 * thread_legacy_stream.cu: without that flag all host threads share one
 * default stream, and any thread may use and wait for any stream.
 * Source: Runtime API, Stream synchronization behavior.
 */
#include "fact.h"
#include <pthread.h>

static cudaEvent_t slow_done, quick_done;
static cudaStream_t shared;
static unsigned long long other_id, other_per_thread_id;
static int *memory;

static void *other_thread(void *data)
{
    (void)data;
    MUST(cudaStreamGetId(0, &other_id));
    MUST(cudaStreamGetId(cudaStreamPerThread, &other_per_thread_id));
    fact_slow(0);
    MUST(cudaEventRecord(slow_done, 0));
    return NULL;
}

static void *use_shared_stream(void *data)
{
    (void)data;
    fact_slow_ms(shared, 20);
    fact_store<<<1, 1, 0, shared>>>(memory, 55);
    return NULL;
}

int main(void)
{
    unsigned long long id = 0;
    pthread_t thread;
    int back = 0;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&quick_done, cudaEventDisableTiming));
    MUST(cudaStreamCreateWithFlags(&shared, cudaStreamNonBlocking));
    MUST(cudaDeviceSynchronize());
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    MUST(cudaStreamGetId(0, &id));
    fact_yes("same_stream_in_both_threads", id == other_id);
    MUST(cudaStreamGetId(cudaStreamPerThread, &id));
    fact_yes("same_per_thread_stream", id == other_per_thread_id);
    fact_done("joined_threads_work_is_done", slow_done);
    fact_store<<<1, 1>>>(memory, 1);
    MUST(cudaEventRecord(quick_done, 0));
    MUST(cudaEventSynchronize(quick_done));
    fact_done("kernel_waits_for_other_threads_stream_0", slow_done);

    pthread_create(&thread, NULL, use_shared_stream, NULL);
    pthread_join(thread, NULL);
    fact_error("sync_of_stream_used_by_other_thread.error",
               cudaStreamSynchronize(shared));
    MUST(cudaMemcpy(&back, memory, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("value_written_by_other_threads_kernel", back);
    return 0;
}
