/*
 * graphs.cu: many small kernels, launched one by one and as one graph. Prints
 * for each shape of such a piece of work what it takes the host to queue it,
 * what it takes until it is done, when each is waited for and when many follow
 * each other, and what it costs to make the graph.
 */
#include <stdio.h>

#include "check.h"
#include "helper.h"

enum { MAX_STREAMS = 8, REPEATS = 21, IN_A_ROW = 40 };

/* Kernels one after the other in each stream. */
struct shape {
    int num_streams, num_kernels;
};

static cudaStream_t origin, streams[MAX_STREAMS];
static cudaEvent_t begun, done[MAX_STREAMS];
static int *notes;

__global__ void note_gpu(int *note, int by)
{
    *note += by;
}

static void queue_branch(const struct shape *shape, cudaStream_t stream,
                         int *note, int by)
{
    for (int k = 0; k < shape->num_kernels; k++) {
        note_gpu<<<1, 1, 0, stream>>>(note, by);
        CHECK(cudaGetLastError());
    }
}

/* One stream needs neither fork nor join. */
static void queue(const struct shape *shape, int by)
{
    if (shape->num_streams == 1) {
        queue_branch(shape, origin, notes, by);
        return;
    }
    CHECK(cudaEventRecord(begun, origin));
    for (int s = 0; s < shape->num_streams; s++) {
        CHECK(cudaStreamWaitEvent(streams[s], begun, 0));
        queue_branch(shape, streams[s], notes + 64 * s, by);
        CHECK(cudaEventRecord(done[s], streams[s]));
        CHECK(cudaStreamWaitEvent(origin, done[s], 0));
    }
}

static cudaGraph_t capture(const struct shape *shape, int by)
{
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
    queue(shape, by);
    CHECK(cudaStreamEndCapture(origin, &graph));
    return graph;
}

/* By streams where there is no @exec. */
static void run(const struct shape *shape, cudaGraphExec_t exec)
{
    if (exec)
        CHECK(cudaGraphLaunch(exec, origin));
    else
        queue(shape, 1);
}

static double median(double *values)
{
    for (int i = 1; i < REPEATS; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double swap = values[k];

            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    return values[REPEATS / 2];
}

/* @count of them, waited for at the end: each until it is queued, and done. */
static void measure(const struct shape *shape, cudaGraphExec_t exec, int count,
                    double *queued_us, double *done_us)
{
    double queued[REPEATS], all[REPEATS];
    struct host_timer timer;

    for (int i = -1; i < REPEATS; i++) {
        const int to = i < 0 ? 0 : i; /* the first does not count */

        CHECK(cudaDeviceSynchronize());
        host_timer_start(&timer);
        for (int n = 0; n < count; n++)
            run(shape, exec);
        queued[to] = 1e3 * host_timer_stop(&timer) / count;
        CHECK(cudaStreamSynchronize(origin));
        all[to] = 1e3 * host_timer_stop(&timer) / count;
    }
    *queued_us = median(queued);
    *done_us = median(all);
}

static void print_way(const struct shape *shape, cudaGraphExec_t exec)
{
    double queued_us, done_us, row_queued_us, row_done_us;

    measure(shape, exec, 1, &queued_us, &done_us);
    measure(shape, exec, IN_A_ROW, &row_queued_us, &row_done_us);
    printf("  %-12s %9.1f %9.1f %14.1f %9.1f\n",
           exec ? "one graph" : "one by one", queued_us, done_us, row_queued_us,
           row_done_us);
}

/* Each of the steps by itself, REPEATS times. */
static void print_making(const struct shape *shape)
{
    double captured[REPEATS], made[REPEATS], first[REPEATS], updated[REPEATS];
    cudaGraphExecUpdateResultInfo result;
    struct host_timer timer;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    for (int i = 0; i < REPEATS; i++) {
        host_timer_start(&timer);
        graph = capture(shape, 1);
        captured[i] = 1e3 * host_timer_stop(&timer);
        host_timer_start(&timer);
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        made[i] = 1e3 * host_timer_stop(&timer);
        CHECK(cudaGraphDestroy(graph));
        host_timer_start(&timer);
        run(shape, exec);
        first[i] = 1e3 * host_timer_stop(&timer);
        CHECK(cudaStreamSynchronize(origin));
        graph = capture(shape, 2);
        host_timer_start(&timer);
        CHECK(cudaGraphExecUpdate(exec, graph, &result));
        updated[i] = 1e3 * host_timer_stop(&timer);
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaGraphExecDestroy(exec));
    }
    printf("  the host: capture %.1f us, instantiate %.1f us, first launch "
           "%.1f us, update %.1f us\n",
           median(captured), median(made), median(first), median(updated));
}

static void print_shape(const struct shape *shape)
{
    cudaGraph_t graph = capture(shape, 1);
    cudaGraphExec_t exec;

    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    printf("\n%d kernels in %d stream%s, us for all of them\n",
           shape->num_streams * shape->num_kernels, shape->num_streams,
           shape->num_streams == 1 ? "" : "s");
    printf("  %-12s %9s %9s %14s %9s\n", "", "queued", "done",
           "in a row: queued", "done");
    print_way(shape, NULL);
    print_way(shape, exec);
    print_making(shape);
    CHECK(cudaGraphExecDestroy(exec));
}

int main(void)
{
    static const struct shape shapes[] = {{1, 1},   {1, 5},  {1, 20},
                                          {1, 100}, {4, 10}, {8, 20}};

    CHECK(cudaStreamCreate(&origin));
    CHECK(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming));
    for (int s = 0; s < MAX_STREAMS; s++) {
        CHECK(cudaStreamCreate(&streams[s]));
        CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    }
    CHECK(cudaMalloc(&notes, 64 * MAX_STREAMS * sizeof *notes));
    CHECK(cudaMemset(notes, 0, 64 * MAX_STREAMS * sizeof *notes));
    printf("Kernels of one thread. \"in a row\": %d times, and one wait at the "
           "end; each time is that of one.\n",
           IN_A_ROW);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        print_shape(&shapes[i]);
    CHECK(cudaEventDestroy(begun));
    for (int s = 0; s < MAX_STREAMS; s++) {
        CHECK(cudaEventDestroy(done[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    CHECK(cudaStreamDestroy(origin));
    CHECK(cudaFree(notes));
    return 0;
}
