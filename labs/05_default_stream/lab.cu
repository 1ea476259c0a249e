/* lab.cu: eight workers at the same time, four times. */
#include "lab.h"

#include <pthread.h>
#include <stdlib.h>

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

/* ---- part one: three cures ----------------------------------------------- */

void run_named(const struct workload *load, const cudaStream_t *streams)
{
    for (int w = 0; w < NUM_WORKERS; w++) {
        work_gpu<<<1, WORKER_ENTRIES, 0, streams[w]>>>(load->data_device[w],
                                                       load->num_iters);
        CHECK(cudaGetLastError());
        // TODO 1: the log is in the default stream, and that one waits for
        // all others and holds them. streams[NUM_WORKERS] is still free.
        CHECK(cudaMemcpy(load->last_device, load->names_host + w,
                         sizeof(uint64_t), cudaMemcpyHostToDevice));
        count_gpu<<<1, 1>>>(load->started_device);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaDeviceSynchronize());
}

void run_non_blocking(const struct workload *load)
{
    cudaStream_t streams[NUM_WORKERS];

    // TODO 2: the library is in the default stream, and you cannot change
    // it. Make streams that the default stream has nothing to do with. Then
    // think of library_add_up: what made it wait for the workers so far?
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamCreate(&streams[w]));
    for (int w = 0; w < NUM_WORKERS; w++) {
        work_gpu<<<1, WORKER_ENTRIES, 0, streams[w]>>>(load->data_device[w],
                                                       load->num_iters);
        CHECK(cudaGetLastError());
        library_note(load, w);
    }
    library_add_up(load);
    for (int w = 0; w < NUM_WORKERS; w++)
        CHECK(cudaStreamDestroy(streams[w]));
}

void run_with_option(const struct workload *load, const cudaStream_t *streams)
{
    // TODO 3: leave this function as it is. It has the mistake of TODO 1,
    // and a compiler option cures it: see the file "flags" beside this one.
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

/* ---- part two: several threads ------------------------------------------- */

struct worker {
    const struct workload *load;
    int number;
};

/* What a thread of the host does: one worker. */
static void *worker_run(void *argument)
{
    // TODO 4: the argument points to a struct worker. Launch work_gpu for
    // that worker in the default stream, and wait for that stream.
    (void)argument; // delete this line
    return NULL;
}

void run_threads(const struct workload *load)
{
    struct worker workers[NUM_WORKERS];

    for (int w = 0; w < NUM_WORKERS; w++) {
        workers[w].load = load;
        workers[w].number = w;
        // TODO 5: one thread does all of them. Start a thread for each
        // worker (pthread_create), and wait for all threads afterwards
        // (pthread_join).
        worker_run(&workers[w]);
    }
}
