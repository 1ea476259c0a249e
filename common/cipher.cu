/* cipher.cu: the cipher on all cores of the host and on the GPU. */
#include "cipher.h"

#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "helper.h"

#define MAX_HOST_THREADS  64
#define ROUNDS_PER_THREAD (1 << 20) /* less is not worth a thread */

typedef uint64_t entry_fn(uint64_t entry, uint64_t num_iters);

/* What one host thread does. */
struct slice {
    pthread_t thread;
    int started;
    entry_fn *fn;
    uint64_t *data;
    uint64_t num_entries;
    uint64_t num_iters;
};

static void *slice_run(void *argument)
{
    const struct slice *slice = (const struct slice *)argument;

    for (uint64_t i = 0; i < slice->num_entries; i++)
        slice->data[i] = slice->fn(slice->data[i], slice->num_iters);
    return NULL;
}

static uint64_t choose_num_threads(uint64_t num_entries, uint64_t num_iters)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t useful = sdiv(num_entries * num_iters, ROUNDS_PER_THREAD);
    uint64_t num_threads = cores > 0 ? (uint64_t)cores : 1;

    if (num_threads > MAX_HOST_THREADS)
        num_threads = MAX_HOST_THREADS;
    if (num_threads > useful)
        num_threads = useful;
    return num_threads > 0 ? num_threads : 1;
}

static void run_on_host(entry_fn *fn, uint64_t *data, uint64_t num_entries,
                        uint64_t num_iters)
{
    struct slice slices[MAX_HOST_THREADS];
    const uint64_t num_threads = choose_num_threads(num_entries, num_iters);
    const uint64_t chunk = sdiv(num_entries, num_threads);
    uint64_t used = 0;

    for (uint64_t lower = 0; lower < num_entries; lower += chunk) {
        struct slice *slice = &slices[used++];
        const uint64_t rest = num_entries - lower;

        slice->fn = fn;
        slice->data = data + lower;
        slice->num_entries = rest < chunk ? rest : chunk;
        slice->num_iters = num_iters;
        slice->started = 0;
        /* The last slice is the caller's, and any that gets no thread. */
        if (rest > chunk)
            slice->started =
                pthread_create(&slice->thread, NULL, slice_run, slice) == 0;
        if (!slice->started)
            slice_run(slice);
    }
    for (uint64_t i = 0; i < used; i++)
        if (slices[i].started)
            pthread_join(slices[i].thread, NULL);
}

void encrypt_host(uint64_t *data, uint64_t num_entries, uint64_t num_iters)
{
    run_on_host(encrypt_entry, data, num_entries, num_iters);
}

void decrypt_host(uint64_t *data, uint64_t num_entries, uint64_t num_iters)
{
    run_on_host(decrypt_entry, data, num_entries, num_iters);
}

__global__ void decrypt_gpu(uint64_t *data, uint64_t num_entries,
                            uint64_t num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], num_iters);
}

unsigned decrypt_blocks(uint64_t num_entries)
{
    const uint64_t needed = sdiv(num_entries, DECRYPT_THREADS);
    int device, num_sms, threads_per_sm;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount,
                                 device));
    CHECK(cudaDeviceGetAttribute(
        &threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device));

    const uint64_t full =
        (uint64_t)num_sms * (uint64_t)(threads_per_sm / DECRYPT_THREADS);

    return (unsigned)(needed < full ? needed : full);
}
