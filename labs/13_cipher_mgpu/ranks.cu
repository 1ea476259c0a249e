/*
 * ranks.cu: one GPU a rank: heat in a plate that is cut into strips, with the
 * exchange of the rows between them hidden behind the work on all other rows.
 * Not graded; ranks.md beside it tells the story. From the project's folder:
 *
 *     build/bin/vgpucc -ccbin mpicxx -O2 -Icommon labs/13_cipher_mgpu/ranks.cu
 * \ -o build/ranks && mpirun -n 2 build/ranks
 *
 * On GPUs: nvcc -ccbin mpicxx. Arguments, all optional: how many entries a row
 * has, how many rows a rank has, how many steps, and the word "aware" where MPI
 * takes pointers to a GPU's memory (CUDA-aware MPI).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of MPI the C part: what it once had for C++ makes compilers warn. */
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX  1
#include <mpi.h>

#include "check.h"

enum { THREADS = 256 };

/* What a rank has: its rows, and one more above and below, which are copies of
 * its neighbours' (or the plate's rim, which stays as it is). */
struct strip {
    int rank, ranks, width, rows, steps;
    bool aware;
    int above, below; /* ranks, or MPI_PROC_NULL */
    float *now, *next;
    float *sent[2], *got[2]; /* pinned, for an MPI that is not CUDA-aware */
    cudaStream_t inner, rim;
    cudaEvent_t inner_done;
};

/* Rows @first to @last - 1 of the strip, one step on. */
__global__ void heat_gpu(float *next, const float *now, int width, int first,
                         int last)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = first + blockIdx.y;

    if (x < 1 || x >= width - 1 || y >= last)
        return;
    const float *const at = now + (size_t)y * width + x;
    next[(size_t)y * width + x] =
        0.25f * (at[-1] + at[1] + at[-width] + at[width]);
}

static void heat(const struct strip *s, int first, int last,
                 cudaStream_t stream)
{
    const dim3 grid((s->width + THREADS - 1) / THREADS, last - first);

    if (last <= first)
        return;
    heat_gpu<<<grid, THREADS, 0, stream>>>(s->next, s->now, s->width, first,
                                           last);
    CHECK(cudaGetLastError());
}

static float *row(const struct strip *s, float *of, int y)
{
    return of + (size_t)y * s->width;
}

static void send_and_get(const struct strip *s, float *first, float *last,
                         float *from_above, float *from_below)
{
    MPI_Sendrecv(first, s->width, MPI_FLOAT, s->above, 0, from_below, s->width,
                 MPI_FLOAT, s->below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, s->width, MPI_FLOAT, s->below, 1, from_above, s->width,
                 MPI_FLOAT, s->above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The first and the last row of @of go to the neighbours, and theirs come. MPI
 * knows no streams: what it sends has to be there, so the host waits for the
 * stream; what it got is there when it returns. */
static void exchange(struct strip *s, float *of)
{
    const size_t bytes = s->width * sizeof *of;
    float *const rows[] = {row(s, of, 1), row(s, of, s->rows)};
    float *const halos[] = {row(s, of, 0), row(s, of, s->rows + 1)};
    const int neighbours[] = {s->above, s->below};

    if (s->aware) {
        CHECK(cudaStreamSynchronize(s->rim));
        send_and_get(s, rows[0], rows[1], halos[0], halos[1]);
        return;
    }
    for (int i = 0; i < 2; i++)
        CHECK(cudaMemcpyAsync(s->sent[i], rows[i], bytes,
                              cudaMemcpyDeviceToHost, s->rim));
    CHECK(cudaStreamSynchronize(s->rim));
    send_and_get(s, s->sent[0], s->sent[1], s->got[0], s->got[1]);
    for (int i = 0; i < 2; i++)
        if (neighbours[i] != MPI_PROC_NULL)
            CHECK(cudaMemcpyAsync(halos[i], s->got[i], bytes,
                                  cudaMemcpyHostToDevice, s->rim));
}

static void swap_plates(struct strip *s)
{
    float *const was = s->now;

    s->now = s->next;
    s->next = was;
}

/* All rows, and then the exchange: nothing overlaps. */
static void step_plain(struct strip *s)
{
    heat(s, 1, s->rows + 1, s->rim);
    exchange(s, s->next);
    CHECK(cudaStreamSynchronize(s->rim));
    swap_plates(s);
}

/* The rows that the neighbours wait for come first, in a stream of their own.
 * They travel while the other stream does all the rest. The inner rows need no
 * event: the host has waited for the two rows beside them when it sent these.
 */
static void step_hidden(struct strip *s)
{
    CHECK(cudaStreamWaitEvent(s->rim, s->inner_done, 0));
    heat(s, 1, 2, s->rim);
    if (s->rows > 1)
        heat(s, s->rows, s->rows + 1, s->rim);
    heat(s, 2, s->rows, s->inner);
    CHECK(cudaEventRecord(s->inner_done, s->inner));
    exchange(s, s->next);
    swap_plates(s);
}

/* One pattern for the whole plate, so that each rank knows its own part. */
static float at_first(long y, int x)
{
    return (float)((y * 31 + x * 17) % 101);
}

static void fill(struct strip *s, float *plate, int rows, long first)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < s->width; x++)
            plate[(size_t)y * s->width + x] = at_first(first + y, x);
}

/* Return: the time of all steps in ms, that of the slowest rank. */
static double run(struct strip *s, void (*step)(struct strip *), float *result)
{
    const size_t entries = (size_t)(s->rows + 2) * s->width;
    double begin, ms, slowest;

    fill(s, result, s->rows + 2, (long)s->rank * s->rows);
    CHECK(cudaMemcpy(s->now, result, entries * sizeof *result,
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(s->next, s->now, entries * sizeof *result,
                     cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int k = 0; k < s->steps; k++)
        step(s);
    CHECK(cudaDeviceSynchronize());
    ms = (MPI_Wtime() - begin) * 1e3;
    MPI_Allreduce(&ms, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(cudaMemcpy(result, s->now, entries * sizeof *result,
                     cudaMemcpyDeviceToHost));
    return slowest;
}

/* Each rank does the whole plate on the CPU, and compares its own part. */
static long count_wrong(struct strip *s, const float *result)
{
    const int all = s->ranks * s->rows + 2, width = s->width;
    const size_t entries = (size_t)all * width;
    float *now = (float *)malloc(entries * sizeof *now);
    float *next = (float *)malloc(entries * sizeof *next);
    const size_t offset = ((size_t)s->rank * s->rows + 1) * width;
    long wrong = 0;

    fill(s, now, all, 0);
    memcpy(next, now, entries * sizeof *now);
    for (int k = 0; k < s->steps; k++) {
        for (int y = 1; y < all - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                const float *const at = now + (size_t)y * width + x;

                next[(size_t)y * width + x] =
                    0.25f * (at[-1] + at[1] + at[-width] + at[width]);
            }
        float *const was = now;
        now = next;
        next = was;
    }
    for (size_t i = 0; i < (size_t)s->rows * width; i++)
        wrong += result[width + i] != now[offset + i];
    free(now);
    free(next);
    return wrong;
}

/* One GPU a rank: the number of a rank on its own machine says which. */
static void choose_gpu(void)
{
    MPI_Comm here;
    int number, gpus;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &here);
    MPI_Comm_rank(here, &number);
    MPI_Comm_free(&here);
    CHECK(cudaGetDeviceCount(&gpus));
    CHECK(cudaSetDevice(number % gpus));
}

static void make(struct strip *s)
{
    const size_t bytes = (size_t)(s->rows + 2) * s->width * sizeof *s->now;

    CHECK(cudaMalloc(&s->now, bytes));
    CHECK(cudaMalloc(&s->next, bytes));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocHost(&s->sent[i], s->width * sizeof *s->now));
        CHECK(cudaMallocHost(&s->got[i], s->width * sizeof *s->now));
    }
    CHECK(cudaStreamCreateWithFlags(&s->inner, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&s->rim, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&s->inner_done, cudaEventDisableTiming));
}

static void give_back(struct strip *s)
{
    CHECK(cudaEventDestroy(s->inner_done));
    CHECK(cudaStreamDestroy(s->rim));
    CHECK(cudaStreamDestroy(s->inner));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFreeHost(s->sent[i]));
        CHECK(cudaFreeHost(s->got[i]));
    }
    CHECK(cudaFree(s->now));
    CHECK(cudaFree(s->next));
}

static int number(int argc, char **argv, int which, int otherwise)
{
    const int value = argc > which ? atoi(argv[which]) : otherwise;

    return value > 0 ? value : otherwise;
}

/* Both orders, one after the other, each compared with the CPU. */
int main(int argc, char **argv)
{
    struct strip s = {};
    long wrong[2], all[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    s.width = number(argc, argv, 1, 8192);
    s.rows = number(argc, argv, 2, 512);
    s.steps = number(argc, argv, 3, 10);
    s.aware = argc > 4 && strcmp(argv[4], "aware") == 0;
    s.above = s.rank > 0 ? s.rank - 1 : MPI_PROC_NULL;
    s.below = s.rank < s.ranks - 1 ? s.rank + 1 : MPI_PROC_NULL;
    choose_gpu();
    make(&s);
    float *const result =
        (float *)malloc((size_t)(s.rows + 2) * s.width * sizeof *result);
    const double plain_ms = run(&s, step_plain, result);
    wrong[0] = count_wrong(&s, result);
    const double hidden_ms = run(&s, step_hidden, result);
    wrong[1] = count_wrong(&s, result);
    MPI_Allreduce(wrong, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (s.rank == 0)
        printf("%d ranks, %d x %d each, %d steps: plain %.3f ms, hidden %.3f "
               "ms, %.2fx; wrong: %ld and %ld\n",
               s.ranks, s.rows, s.width, s.steps, plain_ms, hidden_ms,
               plain_ms / hidden_ms, all[0], all[1]);
    free(result);
    give_back(&s);
    MPI_Finalize();
    return all[0] || all[1] ? EXIT_FAILURE : EXIT_SUCCESS;
}
