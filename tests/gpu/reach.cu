// flags: -DLAB=8
/*
 * reach.cu: how near a lab's solution comes to what this machine can do with
 * the same technique. Built once for each of the labs 07, 08, 09, 11, 12, 13,
 * with -DLAB=N and that lab's lab.h and solution, whose main has another name:
 * measure.sh reach does it.
 *
 *     reach [MIB [GPUS]]      256 MiB, all GPUs
 *
 * All times are the host's clock around finished work, medians, and what is
 * compared is measured in turns. The rounds are such that a kernel takes as
 * long as its copy in.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"
#include "lab.h"
#undef main

enum { MIB = 1 << 20, MOST_GPUS = 8, MOST_STREAMS = 64, RUNS = 5, TURNS = 21 };

static uint64_t entries, rounds, *host, *device[MOST_GPUS];
static cudaStream_t stream[MOST_GPUS][MOST_STREAMS];
static cudaEvent_t step_done[MOST_GPUS];
static int gpus;

/* ---- time ---------------------------------------------------------------- */

static void wait_for_all(void)
{
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaSetDevice(0));
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *ms, int count)
{
    qsort(ms, (size_t)count, sizeof(*ms), compare);
    return ms[count / 2];
}

/* ---- pipelines ----------------------------------------------------------- */

/* Chunk c of each GPU's part goes through its stream c % streams. Breadth-first
 * queues one step of as many chunks as there are streams, then the next. With
 * roles there are three streams, one for each step, and a chunk goes from one
 * to the next by an event. */
enum order { DEPTH, BREADTH, ROLES, NUM_ORDERS };

struct pipeline {
    int streams, chunks;
    enum order order;
    double ms;
};

enum { IN = 1, KERNEL = 2, BACK = 4 };

/* What comes next in stream @to waits for what is in stream @from by now. One
 * event is enough for all chunks: a wait takes its latest record. */
static void hand_over(int g, int from, int to)
{
    if (from == to)
        return;
    CHECK(cudaEventRecord(step_done[g], stream[g][from]));
    CHECK(cudaStreamWaitEvent(stream[g][to], step_done[g], 0));
}

static void queue(const struct pipeline *pipeline, int g, int c, int steps)
{
    const uint64_t part = sdiv(entries, (uint64_t)gpus);
    const uint64_t size = sdiv(part, (uint64_t)pipeline->chunks);
    const uint64_t end = min((g + 1) * part, entries);
    const uint64_t lower = g * part + c * size;
    const uint64_t width = lower < end ? min(size, end - lower) : 0;
    uint64_t *const h = host + lower, *const d = device[g] + c * size;
    const bool roles = pipeline->order == ROLES;
    const int in = roles ? 0 : c % pipeline->streams;
    const int kernel = roles ? 1 : in, back = roles ? 2 : in;

    if (width == 0)
        return;
    CHECK(cudaSetDevice(g));
    if (steps & IN)
        CHECK(cudaMemcpyAsync(d, h, width * 8, cudaMemcpyHostToDevice,
                              stream[g][in]));
    hand_over(g, in, kernel);
    if (steps & KERNEL)
        decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS, 0,
                      stream[g][kernel]>>>(d, width, rounds);
    CHECK(cudaGetLastError());
    hand_over(g, kernel, back);
    if (steps & BACK)
        CHECK(cudaMemcpyAsync(h, d, width * 8, cudaMemcpyDeviceToHost,
                              stream[g][back]));
}

static double run_pipeline(const struct pipeline *pipeline)
{
    struct host_timer timer;

    wait_for_all();
    host_timer_start(&timer);
    for (int first = 0; first < pipeline->chunks; first += pipeline->streams) {
        const int end = min(first + pipeline->streams, pipeline->chunks);

        if (pipeline->order != BREADTH)
            for (int c = first; c < end; c++)
                for (int g = 0; g < gpus; g++)
                    queue(pipeline, g, c, IN | KERNEL | BACK);
        else
            for (int step = IN; step <= BACK; step *= 2)
                for (int c = first; c < end; c++)
                    for (int g = 0; g < gpus; g++)
                        queue(pipeline, g, c, step);
    }
    wait_for_all();
    return host_timer_stop(&timer);
}

/* ---- what the machine gives ---------------------------------------------- */

/* All GPUs do @steps of their whole part at once, each step in a stream. */
static double together(int steps)
{
    struct host_timer timer;
    struct pipeline whole = {1, 1, DEPTH, 0};
    double ms[RUNS];

    for (int r = 0; r < RUNS; r++) {
        wait_for_all();
        host_timer_start(&timer);
        for (int g = 0; g < gpus; g++) {
            queue(&whole, g, 0, steps & ~BACK);
            if (steps & BACK) {
                const cudaStream_t first = stream[g][0];

                stream[g][0] = stream[g][1];
                queue(&whole, g, 0, BACK);
                stream[g][0] = first;
            }
        }
        wait_for_all();
        ms[r] = host_timer_stop(&timer);
    }
    return median(ms, RUNS);
}

static void show(const char *name, double ms)
{
    printf("  %-52s %8.3f ms\n", name, ms);
}

/* ---- the solution -------------------------------------------------------- */

/* Ready for @streams, run, and given back. */
#if LAB == 7 || LAB == 8
static void make_solution(int streams)
{
    (void)streams;
}
static void run_solution(int streams)
{
    decrypt_in_chunks(host, device[0], entries, rounds, stream[0],
                      (uint64_t)streams);
}
static void drop_solution(void)
{
}
#elif LAB == 9 || LAB == 13
static struct cipher cipher;
static void make_solution(int streams)
{
#if LAB == 9
    cipher_create(&cipher, entries, (uint64_t)streams);
#else
    cipher_create(&cipher, entries, (uint64_t)gpus, (uint64_t)streams);
#endif
    for (uint64_t i = 0; i < entries; i++)
        cipher.data_host[i] = host[i];
}
static void run_solution(int streams)
{
    (void)streams;
    cipher_decrypt(&cipher, rounds);
}
static void drop_solution(void)
{
    cipher_destroy(&cipher);
}
#elif LAB == 11
static uint64_t *parts[MOST_GPUS];
static void make_solution(int streams)
{
    (void)streams;
    memory_create(parts, entries, (uint64_t)gpus);
}
static void run_solution(int streams)
{
    (void)streams;
    decrypt_on_gpus(host, parts, entries, rounds, (uint64_t)gpus);
}
static void drop_solution(void)
{
    memory_destroy(parts, (uint64_t)gpus);
}
#elif LAB == 12
static struct mgpu mgpu;
static void make_solution(int streams)
{
    mgpu.num_entries = entries;
    mgpu.num_gpus = (uint64_t)gpus;
    mgpu.num_streams = (uint64_t)streams;
    mgpu_choose_chunks(&mgpu);
    mgpu_create(&mgpu);
}
static void run_solution(int streams)
{
    (void)streams;
    mgpu_decrypt(&mgpu, host, rounds);
}
static void drop_solution(void)
{
    mgpu_destroy(&mgpu);
}
#endif

/* The solution and @pipeline in turns. Return: the solution's time. */
static double time_solution(int streams, struct pipeline *pipeline)
{
    double mine[TURNS], theirs[TURNS];
    struct host_timer timer;

    make_solution(streams);
    run_solution(streams);
    run_pipeline(pipeline);
    for (int t = 0; t < TURNS; t++) {
        theirs[t] = run_pipeline(pipeline);
        wait_for_all();
        host_timer_start(&timer);
        run_solution(streams);
        wait_for_all();
        mine[t] = host_timer_stop(&timer);
    }
    drop_solution();
    pipeline->ms = median(theirs, TURNS);
    return median(mine, TURNS);
}

#if LAB == 11
/* Nothing overlaps within a GPU: the technique's own limit. */
static void compare_all(double bound_ms, double serial_ms)
{
    struct pipeline whole = {1, 1, DEPTH, 0};
    const double ms = time_solution(1, &whole);

    (void)bound_ms;
    show("solution", ms);
    printf("  one after another / solution: %.3f\n", serial_ms / ms);
}
#else
static double time_pipeline(struct pipeline *pipeline)
{
    double ms[RUNS];

    for (int r = 0; r < RUNS; r++)
        ms[r] = run_pipeline(pipeline);
    return pipeline->ms = median(ms, RUNS);
}

/* The best of any number of chunks, or of @only; with all orders but those
 * before @first. */
static struct pipeline find_best(int only, int first)
{
    static const int streams[] = {1, 2, 3, 4, 6, 8, 16, 32, 64};
    static const int chunks[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 256};
    struct pipeline best = {0, 0, DEPTH, 1e30};

    for (int c : chunks)
        for (int s : streams)
            for (int order = first; order < NUM_ORDERS; order++) {
                struct pipeline now = {s, c, (enum order)order, 0};

                if (s > c || (only && c != only) || (order == ROLES && s != 3))
                    continue;
                if (time_pipeline(&now) < best.ms)
                    best = now;
            }
    return best;
}

static const char *order(const struct pipeline *pipeline)
{
    static const char *const names[] = {"depth-first", "breadth-first",
                                        "one for each step"};

    return names[pipeline->order];
}

/* A chunk for each stream, as the lab says, against the best that as many
 * chunks allow; then the best solution against the best of all. */
static void compare_all(double bound_ms, double serial_ms)
{
    const int numbers[] = {2, 4, 8, 16, 32};
    double best_ms = 1e30;
    struct pipeline any, roles;
    int best = 0;

    printf("  %7s %13s %13s %8s %8s\n", "streams", "solution", "best",
           "reached", "eta");
    for (int n : numbers) {
        struct pipeline same = find_best(n, DEPTH);
        const double ms = time_solution(n, &same);

        printf("  %7d %10.3f ms %10.3f ms %8.3f %8.3f   best: %d streams, %s\n",
               n, ms, same.ms, same.ms / ms,
               (serial_ms - ms) / (serial_ms - bound_ms), same.streams,
               order(&same));
        if (ms < best_ms) {
            best_ms = ms;
            best = n;
        }
    }
    any = find_best(0, DEPTH);
    best_ms = time_solution(best, &any);
    show("best of all", any.ms);
    printf("  with %d streams, %d chunks, %s\n", any.streams, any.chunks,
           order(&any));
    printf("  solution with %d streams / best of all: %.3f\n", best,
           best_ms / any.ms);
    roles = find_best(0, ROLES);
    best_ms = time_solution(best, &roles);
    show("one stream for each step", roles.ms);
    printf("  with %d chunks: eta %.3f, solution with %d streams %.3f\n",
           roles.chunks, (serial_ms - roles.ms) / (serial_ms - bound_ms), best,
           (serial_ms - best_ms) / (serial_ms - bound_ms));
}
#endif

/* ---- the whole ----------------------------------------------------------- */

static void take_everything(void)
{
    host = NULL;
    CHECK(cudaMallocHost(&host, entries * 8));
    for (uint64_t i = 0; i < entries; i++)
        host[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaMalloc(&device[g], entries * 8));
        CHECK(cudaEventCreateWithFlags(&step_done[g], cudaEventDisableTiming));
        for (int s = 0; s < MOST_STREAMS; s++)
            CHECK(cudaStreamCreate(&stream[g][s]));
    }
}

static void give_everything_back(void)
{
    for (int g = 0; g < gpus; g++) {
        for (int s = 0; s < MOST_STREAMS; s++)
            CHECK(cudaStreamDestroy(stream[g][s]));
        CHECK(cudaEventDestroy(step_done[g]));
        CHECK(cudaFree(device[g]));
    }
    CHECK(cudaFreeHost(host));
}

int main(int argc, char **argv)
{
    double in, back, both, kernel, bound, serial;

    entries = (argc > 1 ? (uint64_t)atoi(argv[1]) : 256) * MIB / 8;
    CHECK(cudaGetDeviceCount(&gpus));
    gpus = min(gpus, argc > 2 ? atoi(argv[2]) : MOST_GPUS);
    if (LAB < 11)
        gpus = 1;
    take_everything();

    rounds = 64;
    together(IN | KERNEL | BACK);
    in = together(IN);
    for (int i = 0; i < 2; i++)
        rounds = (uint64_t)((double)rounds * in / together(KERNEL) + 0.5) + 1;
    kernel = together(KERNEL);
    back = together(BACK);
    both = together(IN | BACK);
    bound = both > kernel ? both : kernel;
    serial = in + kernel + back;
    printf("lab %02d: %d MiB on %d GPU%s, %d rounds\n", LAB,
           (int)(entries * 8 / MIB), gpus, gpus == 1 ? "" : "s", (int)rounds);
    show("all copies in at once", in);
    show("all kernels at once", kernel);
    show("all copies back at once", back);
    show("all copies both ways at once", both);
    show("one after another", serial);
    show("limit", bound);
    compare_all(bound, serial);
    give_everything_back();
    return 0;
}
