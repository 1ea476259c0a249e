// expect: passed
// With the option 0 is another stream, which waits, and the library waits for
// it.
#include "lab.h"

#include <pthread.h>

#include "check.h"
#include "cipher_entry.h"

/* The kernels are here and not in another file: which default stream a launch
 * means is decided where the kernel is compiled. */
__global__ void work_gpu(uint64_t *data, uint64_t num_iters)
{
    data[threadIdx.x] = decrypt_entry(data[threadIdx.x], num_iters);
}

__global__ void count_gpu(uint64_t *count)
{
    *count += 1;
}

void run_named(const struct workload *load, const cudaStream_t *streams)
{
    // Notes of one log must stay in order, so they get one stream.
    const cudaStream_t log_stream = streams[NUM_WORKERS];

    for (int w = 0; w < NUM_WORKERS; w++) {
        work_gpu<<<1, WORKER_ENTRIES, 0, streams[w]>>>(load->data_device[w],
                                                       load->num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(load->last_device, load->names_host + w,
                              sizeof(uint64_t), cudaMemcpyHostToDevice,
                              log_stream));
        count_gpu<<<1, 1, 0, log_stream>>>(load->started_device);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}

void run_non_blocking(const struct workload *load)
{
    cudaStream_t streams[NUM_WORKERS];

    // The library's notes must not hold these streams.
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamCreateWithFlags(&streams[w], cudaStreamNonBlocking));
    for (int w = 0; w < NUM_WORKERS; w++) {
        work_gpu<<<1, WORKER_ENTRIES, 0, streams[w]>>>(load->data_device[w],
                                                       load->num_iters);
        CHECK(cudaGetLastError());
        library_note(load, w);
    }
    for (int w = 0; w < NUM_WORKERS; w++) {
        cudaEvent_t done;

        CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
        CHECK(cudaEventRecord(done, streams[w]));
        CHECK(cudaStreamWaitEvent(0, done, 0));
        CHECK(cudaEventDestroy(done));
    }
    library_add_up(load);
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamDestroy(streams[w]));
}

void run_with_option(const struct workload *load, const cudaStream_t *streams)
{
    // With --default-stream per-thread, the log has a stream of its own: the
    // calls without a stream mean this thread's default stream.
    for (int w = 0; w < NUM_WORKERS; w++) {
        work_gpu<<<1, WORKER_ENTRIES, 0, streams[w]>>>(load->data_device[w],
                                                       load->num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(load->last_device, load->names_host + w,
                         sizeof(uint64_t), cudaMemcpyHostToDevice));
        count_gpu<<<1, 1>>>(load->started_device);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}

struct worker {
    const struct workload *load;
    int number;
};

/* What a thread of the host does: one worker. */
static void *worker_run(void *argument)
{
    const struct worker *worker = (const struct worker *)argument;

    work_gpu<<<1, WORKER_ENTRIES>>>(worker->load->data_device[worker->number],
                                    worker->load->num_iters);
    CHECK(cudaGetLastError());
    // 0 is this thread's own default stream: no other worker is waited for.
    CHECK(cudaStreamSynchronize(0));
    return NULL;
}

void run_threads(const struct workload *load)
{
    struct worker workers[NUM_WORKERS];
    pthread_t threads[NUM_WORKERS];

    for (int w = 0; w < NUM_WORKERS; w++) {
        workers[w].load = load;
        workers[w].number = w;
        CHECK(pthread_create(&threads[w], NULL, worker_run, &workers[w]) == 0
                  ? cudaSuccess
                  : cudaErrorUnknown);
    }
    for (int w = 0; w < NUM_WORKERS; w++)
        pthread_join(threads[w], NULL);
}
