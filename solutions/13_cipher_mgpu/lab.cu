/*
 * lab.cu: the cipher program on all GPUs. Measures how many GPUs and streams
 * are best, and decrypts an array with them.
 *
 *     cipher [ENTRIES [ROUNDS]]
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

#define MOST_STREAMS 8 /* of a GPU */

/* ---- who gets what ------------------------------------------------------- */

/* Entries of a stream. The last ones may get less. */
static uint64_t stream_chunk(const struct cipher *cipher)
{
    return sdiv(cipher->num_entries, cipher->num_gpus * cipher->num_streams);
}

/* Entries of a GPU: those of all its streams. */
static uint64_t gpu_chunk(const struct cipher *cipher)
{
    return stream_chunk(cipher) * cipher->num_streams;
}

/* ---- what a job takes ---------------------------------------------------- */

void cipher_create(struct cipher *cipher, uint64_t num_entries,
                   uint64_t num_gpus, uint64_t num_streams)
{
    cipher->num_entries = num_entries;
    cipher->num_gpus = num_gpus;
    cipher->num_streams = num_streams;
    CHECK(cudaMallocHost(&cipher->data_host, num_entries * sizeof(uint64_t)));
    cipher->data_gpu = (uint64_t **)host_array(num_gpus, sizeof(uint64_t *));
    cipher->streams =
        (cudaStream_t **)host_array(num_gpus, sizeof(cudaStream_t *));
    // solution>
    for (uint64_t gpu = 0; gpu < num_gpus; gpu++) {
        // Memory and streams belong to the GPU that is current now.
        CHECK(cudaSetDevice((int)gpu));
        CHECK(cudaMalloc(&cipher->data_gpu[gpu],
                         gpu_chunk(cipher) * sizeof(uint64_t)));
        cipher->streams[gpu] =
            (cudaStream_t *)host_array(num_streams, sizeof(cudaStream_t));
        for (uint64_t s = 0; s < num_streams; s++)
            CHECK(cudaStreamCreate(&cipher->streams[gpu][s]));
    }
    //| // TODO 1: this is for GPU 0 only. Each GPU needs its own.
    //| CHECK(cudaSetDevice(0));
    //| const size_t bytes = gpu_chunk(cipher) * sizeof(uint64_t);
    //| CHECK(cudaMalloc(&cipher->data_gpu[0], bytes));
    //| cipher->streams[0] =
    //|     (cudaStream_t *)host_array(num_streams, sizeof(cudaStream_t));
    //| for (uint64_t s = 0; s < num_streams; s++)
    //|     CHECK(cudaStreamCreate(&cipher->streams[0][s]));
    // <solution
}

void cipher_destroy(struct cipher *cipher)
{
    // solution>
    for (uint64_t gpu = 0; gpu < cipher->num_gpus; gpu++) {
        for (uint64_t s = 0; s < cipher->num_streams; s++)
            CHECK(cudaStreamDestroy(cipher->streams[gpu][s]));
        free(cipher->streams[gpu]);
        CHECK(cudaFree(cipher->data_gpu[gpu]));
    }
    //| // TODO 2: give back what the other GPUs have, too.
    //| for (uint64_t s = 0; s < cipher->num_streams; s++)
    //|     CHECK(cudaStreamDestroy(cipher->streams[0][s]));
    //| free(cipher->streams[0]);
    //| CHECK(cudaFree(cipher->data_gpu[0]));
    // <solution
    free(cipher->streams);
    free(cipher->data_gpu);
    CHECK(cudaFreeHost(cipher->data_host));
}

/* ---- the work ------------------------------------------------------------ */

/* Queue the chunk of one stream: copy in, decrypt, copy back. */
static void queue_chunk(const struct cipher *cipher, uint64_t gpu, uint64_t s,
                        uint64_t num_iters)
{
    const uint64_t num_entries = cipher->num_entries;
    const uint64_t chunk = stream_chunk(cipher);
    // solution>
    const uint64_t offset = s * chunk; // in the GPU's memory
    const uint64_t lower = gpu * gpu_chunk(cipher) + offset; // in all entries
    //| // TODO 3: where does this chunk begin among all entries, and where in
    //| // the memory of its GPU? Only GPU 0 may use one number for both.
    //| const uint64_t lower = s * chunk;
    //| const uint64_t offset = lower;
    // <solution

    if (lower >= num_entries)
        return; // the entries end before this chunk
    const uint64_t width = min(chunk, num_entries - lower);
    uint64_t *const host = cipher->data_host + lower;
    uint64_t *const device = cipher->data_gpu[gpu] + offset;
    const cudaStream_t stream = cipher->streams[gpu][s];

    CHECK(cudaSetDevice((int)gpu));
    CHECK(cudaMemcpyAsync(device, host, width * sizeof(uint64_t),
                          cudaMemcpyHostToDevice, stream));
    decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, stream>>>(
        device, width, num_iters);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, device, width * sizeof(uint64_t),
                          cudaMemcpyDeviceToHost, stream));
}

double cipher_decrypt(struct cipher *cipher, uint64_t num_iters)
{
    // solution>
    struct host_timer timer;

    // The host's clock: an event would be one GPU's.
    host_timer_start(&timer);
    // GPUs in the inner loop, so that none waits for its first chunk until
    // all chunks of another GPU are queued.
    for (uint64_t s = 0; s < cipher->num_streams; s++)
        for (uint64_t gpu = 0; gpu < cipher->num_gpus; gpu++)
            queue_chunk(cipher, gpu, s, num_iters);
    for (uint64_t gpu = 0; gpu < cipher->num_gpus; gpu++) {
        CHECK(cudaSetDevice((int)gpu));
        CHECK(cudaDeviceSynchronize());
    }
    return host_timer_stop(&timer);
    //| struct event_timer timer;
    //|
    //| CHECK(cudaSetDevice(0));
    //| event_timer_create(&timer);
    //| event_timer_start(&timer, cipher->streams[0][0]);
    //| // TODO 4: this is the work of GPU 0. Queue that of all GPUs.
    //| for (uint64_t s = 0; s < cipher->num_streams; s++)
    //|     queue_chunk(cipher, 0, s, num_iters);
    //| // TODO 5: this waits for GPU 0, and its events know GPU 0 only.
    //| CHECK(cudaDeviceSynchronize());
    //| const double ms = event_timer_stop(&timer, cipher->streams[0][0]);
    //|
    //| event_timer_destroy(&timer);
    //| return ms;
    // <solution
}

/* ---- how many GPUs, how many streams? ------------------------------------ */

/* The time does not depend on what the entries are, so none are made. One run:
 * enough to choose a setting by, too few to publish. */
static double measure(uint64_t num_entries, uint64_t num_iters,
                      struct setting setting)
{
    struct cipher cipher;

    cipher_create(&cipher, num_entries, setting.num_gpus, setting.num_streams);
    const double ms = cipher_decrypt(&cipher, num_iters);
    cipher_destroy(&cipher);
    return ms;
}

/* A row of the table, and a bar as long as the time. */
static void print_row(struct setting setting, double ms, double longest_ms)
{
    const int length = (int)(40 * ms / longest_ms + 0.5);

    printf("%4llu %7llu %9.3f ms %6.2fx  ",
           (unsigned long long)setting.num_gpus,
           (unsigned long long)setting.num_streams, ms, longest_ms / ms);
    for (int i = 0; i < length && i < 44; i++)
        putchar('#');
    putchar('\n');
}

struct setting cipher_sweep(uint64_t num_entries, uint64_t num_iters)
{
    struct setting best = {1, 1};
    double first_ms = 0, best_ms = 0;
    int num_gpus;

    CHECK(cudaGetDeviceCount(&num_gpus));
    // A GPU's first run is slower: it loads the kernel.
    const struct setting all = {(uint64_t)num_gpus, 1};

    measure(num_entries, 1, all);
    printf("GPUs streams         time   speed\n");
    // solution>
    for (uint64_t gpus = 1; gpus <= (uint64_t)num_gpus; gpus++)
        for (uint64_t s = 1; s <= MOST_STREAMS; s *= 2) {
            const struct setting now = {gpus, s};
            const double ms = measure(num_entries, num_iters, now);

            if (first_ms == 0)
                first_ms = ms;
            if (best_ms == 0 || ms < best_ms) {
                best = now;
                best_ms = ms;
            }
            print_row(now, ms, first_ms);
        }
    //| // TODO 6: this tries streams on one GPU. Try every number of GPUs.
    //| for (uint64_t s = 1; s <= MOST_STREAMS; s *= 2) {
    //|     const struct setting now = {1, s};
    //|     const double ms = measure(num_entries, num_iters, now);
    //|
    //|     if (first_ms == 0)
    //|         first_ms = ms;
    //|     if (best_ms == 0 || ms < best_ms) {
    //|         best = now;
    //|         best_ms = ms;
    //|     }
    //|     print_row(now, ms, first_ms);
    //| }
    // <solution
    return best;
}

/* ---- the program --------------------------------------------------------- */

/* Entry i was i before it was encrypted. */
static uint64_t count_wrong(const struct cipher *cipher)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < cipher->num_entries; i++)
        wrong += cipher->data_host[i] != i;
    return wrong;
}

int main(int argc, char **argv)
{
    const uint64_t num_entries =
        argc > 1 ? strtoull(argv[1], NULL, 10) : 1 << 21;
    const uint64_t num_iters = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
    const struct setting best = cipher_sweep(num_entries, num_iters);
    struct cipher cipher;

    cipher_create(&cipher, num_entries, best.num_gpus, best.num_streams);
    for (uint64_t i = 0; i < num_entries; i++)
        cipher.data_host[i] = i;
    encrypt_host(cipher.data_host, num_entries, num_iters);
    const double ms = cipher_decrypt(&cipher, num_iters);
    const uint64_t wrong = count_wrong(&cipher);

    cipher_destroy(&cipher);
    printf("\n%llu entries on %llu GPUs, %llu streams each: %.3f ms, "
           "%llu wrong\n",
           (unsigned long long)num_entries, (unsigned long long)best.num_gpus,
           (unsigned long long)best.num_streams, ms, (unsigned long long)wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
