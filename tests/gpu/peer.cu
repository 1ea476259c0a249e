/*
 * peer.cu: a peer's data, read where they are or copied first? Lab 14's step
 * in both ways, for several sizes and for kernels that use all of the data
 * once, four times, or a part of them. `measure.sh peer` runs it; it needs two
 * GPUs of which the first has access to the second's memory.
 *
 *     peer [MIB]      up to 64 MiB
 *
 * Times are the host's clock around STEPS steps that were queued one after
 * another in one stream, divided by STEPS: medians. Each result is checked.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "helper.h"

enum { STEPS = 16, RUNS = 11, BLOCKS = 1056, THREADS = 256, SKIP = 77 };

static uint64_t *own, *left, *inbox, *result, *host;
static cudaStream_t stream;

/* Each @every-th entry of @left, @uses times; each time after all others. */
__global__ void mix(const uint64_t *own, const uint64_t *left, uint64_t *result,
                    uint64_t entries, uint64_t every, int uses)
{
    const uint64_t first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    for (int u = 0; u < uses; u++)
        for (uint64_t i = first; i < entries / every; i += step) {
            const uint64_t before = u == 0 ? 3 * own[i] : result[i];

            result[i] = before + left[i * every];
        }
}

__global__ void fill(uint64_t *data, uint64_t entries, uint64_t factor)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
         i < entries; i += step)
        data[i] = i * factor;
}

struct way {
    uint64_t entries, every;
    int uses;
    bool copy, mix; /* copies first; and mixes at all */
    bool direct;    /* reads the peer's memory */
};

static void queue_step(const struct way *way)
{
    if (way->copy)
        CHECK(cudaMemcpyPeerAsync(inbox, 0, left, 1, way->entries * 8, stream));
    if (way->mix)
        mix<<<BLOCKS, THREADS, 0, stream>>>(own, way->direct ? left : inbox,
                                            result, way->entries, way->every,
                                            way->uses);
    CHECK(cudaGetLastError());
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double step_us(const struct way *way)
{
    double us[RUNS];
    struct host_timer timer;

    queue_step(way); // not counted: a first launch loads the kernel
    CHECK(cudaStreamSynchronize(stream));
    for (int r = 0; r < RUNS; r++) {
        host_timer_start(&timer);
        for (int s = 0; s < STEPS; s++)
            queue_step(way);
        CHECK(cudaStreamSynchronize(stream));
        us[r] = host_timer_stop(&timer) * 1000 / STEPS;
    }
    qsort(us, RUNS, sizeof(*us), compare);
    return us[RUNS / 2];
}

/* Ends the program where a result is wrong. */
static void check_result(const struct way *way)
{
    const uint64_t count = way->entries / way->every;

    CHECK(cudaMemcpy(host, result, count * 8, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(result, 0, count * 8));
    for (uint64_t i = 0; i < count; i++)
        if (host[i] != 3 * 5 * i + way->uses * 7 * i * way->every) {
            printf("entry %llu is wrong\n", (unsigned long long)i);
            exit(EXIT_FAILURE);
        }
}

static double checked_us(struct way way)
{
    const double us = step_us(&way);

    check_result(&way);
    return us;
}

static void show_row(uint64_t entries, uint64_t every, int uses)
{
    const double copied = checked_us({entries, every, uses, true, true, false});
    const double direct = checked_us({entries, every, uses, false, true, true});

    printf("%8llu KiB %6d  1 of %-3llu %10.2f us %10.2f us   %s %.2fx\n",
           (unsigned long long)entries * 8 / 1024, uses,
           (unsigned long long)every, copied, direct,
           copied < direct ? "copy" : "read",
           copied < direct ? direct / copied : copied / direct);
}

static void take_everything(uint64_t most)
{
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&left, most));
    fill<<<BLOCKS, THREADS>>>(left, most / 8, 7);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&own, most));
    CHECK(cudaMalloc(&inbox, most));
    CHECK(cudaMalloc(&result, most));
    fill<<<BLOCKS, THREADS>>>(own, most / 8, 5);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreate(&stream));
    host = (uint64_t *)host_array(most / 8, 8);
}

static void give_everything_back(void)
{
    CHECK(cudaDeviceSynchronize());
    free(host);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(result));
    CHECK(cudaFree(inbox));
    CHECK(cudaFree(own));
    CHECK(cudaFree(left));
}

int main(int argc, char **argv)
{
    const uint64_t most = (argc > 1 ? (uint64_t)atoi(argv[1]) : 64) << 20;
    int gpus, possible = 0;
    struct way copy = {most / 8, 1, 1, true, false, false};

    CHECK(cudaGetDeviceCount(&gpus));
    if (gpus > 1)
        CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1));
    if (!possible) {
        printf("no two GPUs of which one can use the other's memory\n");
        return SKIP;
    }
    take_everything(most);
    printf("a copy of %d MiB without access %17.2f us\n", (int)(most >> 20),
           step_us(&copy));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    printf("a copy of %d MiB with access    %17.2f us\n", (int)(most >> 20),
           step_us(&copy));
    printf("%12s %6s  %-8s %13s %13s   faster\n", "each GPU has", "uses",
           "of these", "copy, mix", "mix reads");
    for (uint64_t bytes = 4 << 10; bytes <= most; bytes *= 4) {
        show_row(bytes / 8, 1, 1);
        show_row(bytes / 8, 1, 4);
        show_row(bytes / 8, 16, 1);
    }
    give_everything_back();
    return 0;
}
