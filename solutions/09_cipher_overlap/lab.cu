/*
 * lab.cu: the cipher program. Measures how many streams are best, and decrypts
 * an array with them.
 *
 *     cipher [ENTRIES [ROUNDS]]
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

#define MOST_STREAMS 32

/* ---- what a job takes ---------------------------------------------------- */

void cipher_create(struct cipher *cipher, uint64_t num_entries,
                   uint64_t num_streams)
{
    const size_t bytes = num_entries * sizeof(uint64_t);

    cipher->num_entries = num_entries;
    cipher->num_streams = num_streams;
    CHECK(cudaMalloc(&cipher->data_device, bytes));
    // solution>
    CHECK(cudaMallocHost(&cipher->data_host, bytes));
    //| // TODO 1: no copy from or to this memory overlaps with anything.
    //| cipher->data_host = (uint64_t *)malloc(bytes);
    // <solution
    // solution>
    cipher->streams =
        (cudaStream_t *)host_array(num_streams, sizeof(cudaStream_t));
    for (uint64_t s = 0; s < num_streams; s++)
        CHECK(cudaStreamCreate(&cipher->streams[s]));
    //| // TODO 2: one stream, whatever num_streams says. Make as many as that.
    //| cipher->num_streams = 1;
    //| cipher->streams = (cudaStream_t *)host_array(1, sizeof(cudaStream_t));
    //| CHECK(cudaStreamCreate(&cipher->streams[0]));
    // <solution
}

void cipher_destroy(struct cipher *cipher)
{
    for (uint64_t s = 0; s < cipher->num_streams; s++)
        CHECK(cudaStreamDestroy(cipher->streams[s]));
    free(cipher->streams);
    // solution>
    CHECK(cudaFreeHost(cipher->data_host));
    //| // TODO 1: and memory is given back in the way that fits it.
    //| free(cipher->data_host);
    // <solution
    CHECK(cudaFree(cipher->data_device));
}

/* ---- the work ------------------------------------------------------------ */

double cipher_decrypt(struct cipher *cipher, uint64_t num_iters)
{
    const uint64_t num_entries = cipher->num_entries;
    uint64_t *const data_host = cipher->data_host;
    uint64_t *const data_device = cipher->data_device;
    const cudaStream_t *const streams = cipher->streams;
    struct event_timer timer;

    event_timer_create(&timer);
    event_timer_start(&timer, streams[0]);
    // solution>
    const uint64_t chunk = sdiv(num_entries, cipher->num_streams);

    for (uint64_t s = 0; s * chunk < num_entries; s++) {
        const uint64_t lower = s * chunk;
        const uint64_t width = min(chunk, num_entries - lower);

        CHECK(cudaMemcpyAsync(data_device + lower, data_host + lower,
                              width * sizeof(uint64_t), cudaMemcpyHostToDevice,
                              streams[s]));
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0, streams[s]>>>(
            data_device + lower, width, num_iters);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(data_host + lower, data_device + lower,
                              width * sizeof(uint64_t), cudaMemcpyDeviceToHost,
                              streams[s]));
    }
    //| // TODO 3: cut this into a chunk for each stream, for any number of
    //| // entries, as in lab 08.
    //| CHECK(cudaMemcpyAsync(data_device, data_host,
    //|                       num_entries * sizeof(uint64_t),
    //|                       cudaMemcpyHostToDevice, streams[0]));
    //| decrypt_gpu<<<decrypt_blocks(num_entries), DECRYPT_THREADS, 0,
    //|               streams[0]>>>(data_device, num_entries, num_iters);
    //| CHECK(cudaGetLastError());
    //| CHECK(cudaMemcpyAsync(data_host, data_device,
    //|                       num_entries * sizeof(uint64_t),
    //|                       cudaMemcpyDeviceToHost, streams[0]));
    // <solution

    // solution>
    // The timer knows the first stream only: by then, all must be done.
    for (uint64_t s = 0; s < cipher->num_streams; s++)
        CHECK(cudaStreamSynchronize(streams[s]));
    //| // TODO 3: and this stops the clock when the first stream is done. What
    //| // about the others?
    // <solution
    const double ms = event_timer_stop(&timer, streams[0]);

    event_timer_destroy(&timer);
    return ms;
}

/* ---- how many streams? --------------------------------------------------- */

/* The time does not depend on what the entries are, so none are made. One run:
 * enough to choose a number of streams by, too few to publish. */
static double measure(uint64_t num_entries, uint64_t num_iters,
                      uint64_t num_streams)
{
    struct cipher cipher;

    cipher_create(&cipher, num_entries, num_streams);
    const double ms = cipher_decrypt(&cipher, num_iters);
    cipher_destroy(&cipher);
    return ms;
}

/* A row of the table, and a bar as long as the time. */
static void print_row(uint64_t num_streams, double ms, double one_stream_ms)
{
    const int length = (int)(40 * ms / one_stream_ms + 0.5);

    printf("%7llu %9.3f ms %6.2fx  ", (unsigned long long)num_streams, ms,
           one_stream_ms / ms);
    for (int i = 0; i < length && i < 44; i++)
        putchar('#');
    putchar('\n');
}

uint64_t cipher_sweep(uint64_t num_entries, uint64_t num_iters)
{
    printf("streams         time   speed\n");
    measure(num_entries, 1, 1); // the first run is slower: it loads the kernel
    // solution>
    double one_stream_ms = 0, best_ms = 0;
    uint64_t best = 0;

    for (uint64_t n = 1; n <= MOST_STREAMS; n *= 2) {
        const double ms = measure(num_entries, num_iters, n);

        if (n == 1)
            one_stream_ms = ms;
        if (best == 0 || ms < best_ms) {
            best = n;
            best_ms = ms;
        }
        print_row(n, ms, one_stream_ms);
    }
    return best;
    //| // TODO 4: measure 1, 2, 4 ... MOST_STREAMS streams, print a row for
    //| // each, and return the number that was fastest.
    //| const double ms = measure(num_entries, num_iters, 1);
    //|
    //| print_row(1, ms, ms);
    //| return 1;
    // <solution
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
        argc > 1 ? strtoull(argv[1], NULL, 10) : 1 << 20;
    const uint64_t num_iters = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;
    const uint64_t num_streams = cipher_sweep(num_entries, num_iters);
    struct cipher cipher;

    cipher_create(&cipher, num_entries, num_streams);
    for (uint64_t i = 0; i < num_entries; i++)
        cipher.data_host[i] = i;
    encrypt_host(cipher.data_host, num_entries, num_iters);
    const double ms = cipher_decrypt(&cipher, num_iters);
    const uint64_t wrong = count_wrong(&cipher);

    cipher_destroy(&cipher);
    printf("\n%llu entries in %llu streams: %.3f ms, %llu wrong\n",
           (unsigned long long)num_entries, (unsigned long long)num_streams, ms,
           (unsigned long long)wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
