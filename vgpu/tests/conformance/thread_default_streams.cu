// flags: --default-stream per-thread
/*
 * thread_default_streams.cu: with per-thread default streams, stream 0 is
 * another stream in each host thread, and the two do not wait for each
 * other.
 * Source: Runtime API, Stream synchronization behavior.
 */
#include "fact.h"
#include <pthread.h>

static cudaEvent_t slow_done, quick_done;
static unsigned long long other_id;
static pthread_barrier_t started, finished;
static int *memory;

static void *other_thread(void *data)
{
    (void)data;
    MUST(cudaStreamGetId(0, &other_id));
    fact_slow(0);
    MUST(cudaEventRecord(slow_done, 0));
    pthread_barrier_wait(&started);
    pthread_barrier_wait(&finished);
    MUST(cudaStreamSynchronize(0));
    return NULL;
}

int main(void)
{
    unsigned long long id = 0;
    pthread_t thread;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&quick_done, cudaEventDisableTiming));
    MUST(cudaDeviceSynchronize());
    pthread_barrier_init(&started, NULL, 2);
    pthread_barrier_init(&finished, NULL, 2);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_barrier_wait(&started);
    MUST(cudaStreamGetId(0, &id));
    fact_yes("same_stream_in_both_threads", id == other_id);
    fact_error("query_own_stream_0.error", cudaStreamQuery(0));
    fact_error("synchronize_own_stream_0.error", cudaStreamSynchronize(0));
    fact_done("waits_for_other_threads_stream_0", slow_done);
    fact_store<<<1, 1>>>(memory, 1);
    MUST(cudaEventRecord(quick_done, 0));
    MUST(cudaEventSynchronize(quick_done));
    fact_done("kernel_waits_for_other_threads_stream_0", slow_done);
    fact_store<<<1, 1, 0, cudaStreamLegacy>>>(memory, 2);
    MUST(cudaEventRecord(quick_done, cudaStreamLegacy));
    MUST(cudaEventSynchronize(quick_done));
    fact_done("legacy_kernel_waits_for_other_threads_stream_0", slow_done);
    pthread_barrier_wait(&finished);
    pthread_join(thread, NULL);
    return 0;
}
