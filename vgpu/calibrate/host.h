/*
 * host.h: what the host needs, of a calibration: for calls, for memory, for the
 * program's own code.
 */
#ifndef HOST_H
#define HOST_H

#include "links.h"

/* ---- calls ----------------------------------------------------------------
 */

enum {
    CALLS = 200,
    TURNS = 32,
    BULK = 64 * KIB,
    LITTLE = 16 * KIB,
    LEAST = KIB
};

/* Mean time of a call, of as many as fit into the queues. The fastest of many
 * rounds: what else runs on the host's cores only adds. */
static double call_ns(work_fn *call)
{
    enum { TRIES = 31, WARM = 5 };
    double ns[TRIES];

    for (int r = -WARM; r < TRIES; r++) {
        const double from = wall_ns();

        for (int i = 0; i < CALLS; i++)
            call(i);
        if (r >= 0)
            ns[r] = (wall_ns() - from) / CALLS;
        CHECK(cudaDeviceSynchronize());
    }
    return least_of(ns, TRIES);
}

static void record(int i)
{
    (void)i;
    CHECK(cudaEventRecord(start, streams[0]));
}

static void record_mark(int i)
{
    (void)i;
    CHECK(cudaEventRecord(mark, streams[0]));
}

static void wait_event(int i)
{
    (void)i;
    CHECK(cudaStreamWaitEvent(streams[0], start, 0));
}

static void query(int i)
{
    const cudaError_t error = cudaStreamQuery(streams[1]);

    (void)i;
    if (error != cudaErrorNotReady)
        CHECK(error);
}

/* As one that asks and one that tells. */
static void plain(int i)
{
    int now;

    if (i % 2)
        CHECK(cudaSetDevice(0));
    else
        CHECK(cudaGetDevice(&now));
}

/* Does nothing to 0 words, but has parameters, as kernels do. */
__global__ static void touch(char *data, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++)
        data[i] = (char)value;
}

/* As programs do it: one stream after the other, each piece at a place of its
 * own. */
static size_t place(int i)
{
    return (size_t)(i % CALLS) * BULK;
}

static void launch_in_turn(int i)
{
    touch<<<1, 1, 0, streams[i % TURNS]>>>(device + place(i), 0, 1);
}

static void copy_in_turn(int i)
{
    CHECK(cudaMemcpyAsync(device + place(i), host + place(i), copy_bytes,
                          cudaMemcpyHostToDevice, streams[i % TURNS]));
}

/* Three calls; @copy_bytes, as those above. */
static void chunk_in_turn(int i)
{
    copy_in_turn(i);
    launch_in_turn(i);
    CHECK(cudaMemcpyAsync(host + place(i), device + place(i), copy_bytes,
                          cudaMemcpyDeviceToHost, streams[i % TURNS]));
}

static void sync(int i)
{
    (void)i;
    CHECK(cudaStreamSynchronize(streams[1]));
}

/* What taking memory costs, and giving it back, ns. */
struct taken {
    double take_ns, give_ns;
};

typedef struct taken take_fn(size_t bytes);

static struct taken take_device(size_t bytes)
{
    double from = wall_ns();
    struct taken t;
    char *memory;

    CHECK(cudaMalloc((void **)&memory, bytes));
    t.take_ns = wall_ns() - from;
    from = wall_ns();
    CHECK(cudaFree(memory));
    t.give_ns = wall_ns() - from;
    return t;
}

static struct taken take_pinned(size_t bytes)
{
    double from = wall_ns();
    struct taken t;
    char *memory;

    CHECK(cudaMallocHost((void **)&memory, bytes));
    t.take_ns = wall_ns() - from;
    from = wall_ns();
    CHECK(cudaFreeHost(memory));
    t.give_ns = wall_ns() - from;
    return t;
}

/* Memory that was written to: only then it is there. */
static struct taken take_registered(size_t bytes)
{
    char *const memory = (char *)malloc(bytes);
    struct taken t;
    double from;

    if (!memory)
        exit(EXIT_FAILURE);
    memset(memory, 1, bytes);
    from = wall_ns();
    CHECK(cudaHostRegister(memory, bytes, 0));
    t.take_ns = wall_ns() - from;
    from = wall_ns();
    CHECK(cudaHostUnregister(memory));
    t.give_ns = wall_ns() - from;
    free(memory);
    return t;
}

/* The least of several: a virtual machine grows when it first is so large. */
static struct taken least_taken(const char *name, take_fn *take, size_t bytes)
{
    double takes[REPEATS], gives[REPEATS];
    struct taken t;

    for (int r = 0; r < REPEATS; r++) {
        t = take(bytes);
        takes[r] = t.take_ns;
        gives[r] = t.give_ns;
    }
    t.take_ns = least_of(takes, REPEATS);
    t.give_ns = least_of(gives, REPEATS);
    printf("%s, %zu KiB, taken %.0f ns, back %.0f ns\n", name, bytes / KIB,
           t.take_ns, t.give_ns);
    return t;
}

static void write_memory(void)
{
    const size_t little = 4 * KIB, much = 16 * MIB;
    const double mib = (double)(much - little) / MIB;
    const struct taken device = least_taken("device", take_device, much);
    const struct taken none = least_taken("pinned", take_pinned, little);
    const struct taken pinned = least_taken("pinned", take_pinned, much);
    const struct taken few = least_taken("register", take_registered, little);
    const struct taken all = least_taken("register", take_registered, much);

    measured("host_malloc_ns", device.take_ns);
    measured("host_free_ns", device.give_ns);
    measured("host_malloc_host_ns_per_mib",
             (pinned.take_ns - none.take_ns) / mib);
    measured("host_register_ns_per_mib", (all.take_ns - few.take_ns) / mib);
    measured("host_malloc_host_ns", none.take_ns);
    measured("host_free_host_ns", none.give_ns);
    measured("host_free_host_ns_per_mib",
             (pinned.give_ns - none.give_ns) / mib);
    measured("host_unregister_ns_per_mib", (all.give_ns - few.give_ns) / mib);
}

/* ---- host functions --------------------------------------------------------
 */

static void CUDART_CB nothing_there(void *argument)
{
    (void)argument;
}

static void call_host(int i)
{
    (void)i;
    CHECK(cudaLaunchHostFunc(streams[0], nothing_there, NULL));
}

static void back_and_host(int i)
{
    copy_back(i);
    call_host(i);
}

/* A thread runs them one after the other; it sleeps while a copy of a MiB is
 * under way, and the device wakes it. */
static void write_functions(void)
{
    /* The first one has to wait for the thread as well. */
    const double each = 2 * queued_ns(call_host, 40, streams[0]) -
                        queued_ns(call_host, 20, streams[0]);
    double pair;

    copy_bytes = MIB;
    pair = queued_ns(back_and_host, 20, streams[0]) -
           queued_ns(copy_back, 20, streams[0]) - each;
    measured("host_function_ns", each);
    measured("host_wake_ns", pair);
}

/* The program's own code: the same loops, on the host. */
static double host_ops_per_us(void)
{
    const uint32_t rounds = 20000000;
    volatile uint32_t seed = 1;
    uint32_t x = seed;
    const double from = wall_ns();

    for (uint32_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    seed = x;
    return SHIFT_OPS * (double)rounds / (wall_ns() - from) * 1e3;
}

static double memcpy_bytes_per_s(void)
{
    const size_t bytes = 64 * MIB;
    double ns[REPEATS];

    for (int r = -1; r < REPEATS; r++) {
        const double from = wall_ns();

        memcpy(host + bytes, host, bytes);
        if (r >= 0) /* at once, on the virtual GPU's host */
            ns[r] = wall_ns() - from + 1e3;
    }
    return (double)bytes / least_of(ns, REPEATS) * 1e9;
}

/* What is timed of the host's calls. CHUNK: a copy in, a launch and a copy
 * back; COPY_LITTLE: of a copy in, so small that the host may write it into the
 * queue; COPY_BULK: and not. */
enum call {
    LAUNCH,
    CHUNK,
    COPY_LEAST,
    COPY_LITTLE,
    COPY_BULK,
    RECORD,
    MARK,
    WAIT,
    CREATE,
    DESTROY,
    SYNC,
    QUERY,
    PLAIN,
    CALL_KINDS
};

struct calls {
    double ns[CALL_KINDS]; /* 0: not yet */
};

static void create_and_destroy(double *create_ns, double *destroy_ns)
{
    static cudaStream_t made[CALLS];
    double from = wall_ns();

    for (int i = 0; i < CALLS; i++)
        CHECK(cudaStreamCreateWithFlags(&made[i], cudaStreamNonBlocking));
    *create_ns = (wall_ns() - from) / CALLS;
    from = wall_ns();
    for (int i = 0; i < CALLS; i++)
        CHECK(cudaStreamDestroy(made[i]));
    *destroy_ns = (wall_ns() - from) / CALLS;
}

/* Once more: what counts is the least. What a shared host needs for a call
 * changes by the minute, so this is done at several times. They begin before
 * links are measured: most programs have none, and where GPUs reach each
 * other's memory a launch takes longer (two H200: 4.0 us, and 3.5 before). */
static void measure_calls(struct calls *c)
{
    static work_fn *const work[CALL_KINDS] = {
        launch_in_turn, chunk_in_turn, copy_in_turn, copy_in_turn, copy_in_turn,
        record,         record_mark,   wait_event,   NULL,         NULL,
        sync,           query,         plain};
    struct calls now;

    for (int i = 0; i < CALL_KINDS; i++) {
        copy_bytes = i == COPY_LEAST ? LEAST : i == COPY_LITTLE ? LITTLE : BULK;
        if (work[i])
            now.ns[i] = call_ns(work[i]);
    }
    create_and_destroy(&now.ns[CREATE], &now.ns[DESTROY]);
    for (int i = 0; i < CALL_KINDS; i++)
        if (c->ns[i] == 0 || now.ns[i] < c->ns[i])
            c->ns[i] = now.ns[i];
}

/* Up to how many bytes the host writes a copy in into the queue: in steps of
 * 8 KiB, as long as that costs at least half of what it would. */
static double inline_bytes(const struct calls *c, double byte_ns)
{
    size_t most = LITTLE;

    for (size_t bytes = LITTLE + 8 * KIB; bytes < BULK; bytes += 8 * KIB) {
        copy_bytes = bytes;
        if (call_ns(chunk_in_turn) - c->ns[CHUNK] < byte_ns * bytes / 2)
            break;
        most = bytes;
    }
    return (double)most;
}

/* What two small copies take more than a large one. */
static void write_inline(const struct calls *c)
{
    const double little = c->ns[COPY_LITTLE] - c->ns[COPY_BULK];
    const double least = c->ns[COPY_LEAST] - c->ns[COPY_BULK];
    const double byte_ns = (little - least) / (LITTLE - LEAST);
    const bool is_inline = little > c->ns[COPY_BULK] / 5;

    measured("host_inline_bytes", is_inline ? inline_bytes(c, byte_ns) : 0);
    measured("host_inline_ns", is_inline ? least - LEAST * byte_ns : 0);
    measured("host_inline_bytes_per_s", is_inline ? 1e9 / byte_ns : 0);
}

static void write_calls(const struct calls *c)
{
    measured("host_launch_ns", c->ns[LAUNCH]);
    printf("chunk %.0f\n", c->ns[CHUNK]);
    measured("host_copy_async_ns", (c->ns[CHUNK] - c->ns[LAUNCH]) / 2);
    measured("host_event_record_ns", c->ns[RECORD]);
    measured("host_event_mark_ns", c->ns[MARK]);
    measured("host_stream_wait_ns", c->ns[WAIT]);
    measured("host_stream_create_ns", c->ns[CREATE]);
    measured("host_stream_destroy_ns", c->ns[DESTROY]);
    measured("host_sync_ns", c->ns[SYNC]);
    measured("host_query_ns", c->ns[QUERY]);
    measured("host_call_ns", c->ns[PLAIN]);
}

static void write_host(const struct calls *c, double first_call_ns)
{
    heading("Time the host spends in calls.");
    write_calls(c);
    write_inline(c);
    write_memory();
    write_functions();
    measured("host_first_call_ns", first_call_ns);
    measured("host_ops_per_us", host_ops_per_us());
    measured("host_memcpy_bytes_per_s", memcpy_bytes_per_s());
    write_key("event_tick_ns", 500, "documented: about 0.5 us");
    heading("No exercise on paper.");
    write_key("unit_ns", 0, "all times are real ones");
}

#endif
