/*
 * channels.cu [MIB [STREAMS...]]: in which order a device takes what waits in
 * many streams, breadth first: a chunk of MIB (256) / STREAMS in each stream is
 * copied in, worked on for as long as its copy takes, and copied back. For each
 * number of streams (16 64 128) the least time and the streams in the order in
 * which their kernels began. "1..61/4" is 1, 5, 9 and so on to 61.
 */
#include "measure.h"

#include <math.h>

#include "helper.h"

enum { MOST_STREAMS = 128, RUNS = 12, BLOCKS = 1056, THREADS = 256 };

typedef unsigned long long stamp;

__global__ void work(uint64_t *data, uint64_t count, int rounds, stamp *began)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    if (threadIdx.x == 0) {
        stamp now;

        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        atomicMin(began, now);
    }
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += step) {
        uint64_t x = data[i];

        for (int r = 0; r < rounds; r++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        data[i] = x;
    }
}

static uint64_t *host, *device;
static uint64_t chunk; /* entries */
static stamp *began;
static cudaStream_t streams[MOST_STREAMS];

static double run_ns(int count, int rounds)
{
    const size_t bytes = chunk * sizeof *host;
    double from;

    CHECK(cudaMemset(began, 0xff, MOST_STREAMS * sizeof *began));
    CHECK(cudaDeviceSynchronize());
    from = wall_ns();
    for (int s = 0; s < count; s++)
        CHECK(cudaMemcpyAsync(device + chunk * s, host + chunk * s, bytes,
                              cudaMemcpyHostToDevice, streams[s]));
    for (int s = 0; s < count; s++)
        work<<<BLOCKS, THREADS, 0, streams[s]>>>(device + chunk * s, chunk,
                                                 rounds, began + s);
    for (int s = 0; s < count; s++)
        CHECK(cudaMemcpyAsync(host + chunk * s, device + chunk * s, bytes,
                              cudaMemcpyDeviceToHost, streams[s]));
    CHECK(cudaDeviceSynchronize());
    return wall_ns() - from;
}

/* Rounds with which all data take the device as long as their way to it. */
static int find_rounds(uint64_t entries)
{
    double in = 1e18, few = 1e18, many = 1e18;

    for (int run = 0; run < RUNS; run++) {
        double at[4];

        CHECK(cudaDeviceSynchronize());
        at[0] = wall_ns();
        CHECK(cudaMemcpy(device, host, entries * sizeof *host,
                         cudaMemcpyHostToDevice));
        at[1] = wall_ns();
        work<<<BLOCKS, THREADS>>>(device, entries, 200, began);
        CHECK(cudaDeviceSynchronize());
        at[2] = wall_ns();
        work<<<BLOCKS, THREADS>>>(device, entries, 800, began);
        CHECK(cudaDeviceSynchronize());
        at[3] = wall_ns();
        in = fmin(in, at[1] - at[0]);
        few = fmin(few, at[2] - at[1]);
        many = fmin(many, at[3] - at[2]);
    }
    return (int)fmax(1, 200 + 600 * (in - few) / (many - few));
}

static void print_order(const stamp *at, int count)
{
    int order[MOST_STREAMS];

    for (int s = 0; s < count; s++) {
        int i = s;

        for (; i > 0 && at[order[i - 1]] > at[s]; i--)
            order[i] = order[i - 1];
        order[i] = s;
    }
    for (int i = 0, last; i < count; i = last + 1) {
        const int step = i + 1 < count ? order[i + 1] - order[i] : 0;

        for (last = i;
             last + 1 < count && order[last + 1] - order[last] == step; last++)
            ;
        if (last - i < 2)
            last = i;
        printf(last > i ? " %d..%d/%d" : " %d", order[i], order[last], step);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static const int usual[] = {16, 64, 128};
    const uint64_t entries =
        (uint64_t)(argc > 1 ? atoi(argv[1]) : 256) * (MIB / sizeof *host);
    const char *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    static stamp first[MOST_STREAMS];
    int rounds;

    CHECK(cudaMallocHost(&host, entries * sizeof *host));
    memset(host, 1, entries * sizeof *host);
    CHECK(cudaMalloc(&device, entries * sizeof *host));
    CHECK(cudaMalloc(&began, sizeof first));
    for (int s = 0; s < MOST_STREAMS; s++)
        CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    rounds = find_rounds(entries);
    for (int i = 0; i < (argc > 2 ? argc - 2 : 3); i++) {
        const int count = argc > 2 ? atoi(argv[i + 2]) : usual[i];
        double least = 1e18;

        chunk = entries / (uint64_t)count;
        for (int run = 0; run < RUNS; run++) {
            const double ns = run_ns(count, rounds);

            if (ns > least)
                continue;
            least = ns;
            CHECK(
                cudaMemcpy(first, began, sizeof first, cudaMemcpyDeviceToHost));
        }
        printf("%s connections, %d streams: %.0f us\n ",
               connections ? connections : "default", count, least / 1e3);
        print_order(first, count);
    }
    return 0;
}
