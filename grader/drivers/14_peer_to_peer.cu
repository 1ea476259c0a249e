/*
 * 14_peer_to_peer.cu: the driver's part that knows lab 14.
 * Input and output: what each GPU of the ring holds, one after the other.
 */
#include "driver.h"

#include <string.h>

#include "check.h"
#include "lab.h"

struct bench {
    const struct driver_case *c;
    struct ring ring;
    uint64_t *host[RING_MAX_GPUS]; /* pinned */
};

__global__ void mix_gpu(const uint64_t *own, const uint64_t *left,
                        uint64_t *result, uint64_t num_entries)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        result[i] = 3 * own[i] + left[i];
}

/* ---- access -------------------------------------------------------------- */

static bool can_access(int gpu, int peer)
{
    int can = 0;

    CHECK(cudaDeviceCanAccessPeer(&can, gpu, peer));
    return can != 0;
}

static int64_t bit_of(int gpu, int peer)
{
    return (int64_t)1 << (gpu * RING_MAX_GPUS + peer);
}

/* Bits of the pairs that have access. No call asks for it. But who enables it
 * twice is told so. With @take they have it no longer. */
static int64_t enabled_access(int num_gpus, bool take)
{
    int64_t bits = 0;

    for (int gpu = 0; gpu < num_gpus; gpu++)
        for (int peer = 0; peer < num_gpus; peer++) {
            bool fresh;

            if (gpu == peer || !can_access(gpu, peer))
                continue;
            CHECK(cudaSetDevice(gpu));
            fresh = cudaDeviceEnablePeerAccess(peer, 0) == cudaSuccess;
            cudaGetLastError();
            bits |= fresh ? 0 : bit_of(gpu, peer);
            if (fresh || take)
                CHECK(cudaDeviceDisablePeerAccess(peer));
        }
    return bits;
}

static void disable_all(int num_gpus)
{
    enabled_access(num_gpus, true);
}

static void enable_if_possible(int gpu, int peer)
{
    if (gpu == peer || !can_access(gpu, peer))
        return;
    CHECK(cudaSetDevice(gpu));
    if (cudaDeviceEnablePeerAccess(peer, 0) != cudaSuccess)
        cudaGetLastError(); /* two GPUs are neighbours on both sides */
}

static void own_connect(struct ring *ring)
{
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const int left = left_of(ring, gpu);

        enable_if_possible(gpu, left);
        enable_if_possible(left, gpu);
        ring->reads_left[gpu] = gpu != left && can_access(gpu, left);
    }
}

/* How many GPUs of the ring have access to each of their neighbours, and could
 * have it: own_connect() noted that of the left one. */
static void report_links(const struct ring *ring, struct driver_facts *facts)
{
    const int64_t enabled = enabled_access(ring->num_gpus, false);
    int possible = 0, right = 0, to_left = 0, to_right = 0;

    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        possible += ring->reads_left[gpu];
        right += can_access(gpu, right_of(ring, gpu));
        to_left += (enabled & bit_of(gpu, left_of(ring, gpu))) != 0;
        to_right += (enabled & bit_of(gpu, right_of(ring, gpu))) != 0;
    }
    fact_number(facts, "enabled", enabled);
    fact_number(facts, "possible", possible);
    fact_number(facts, "possible_right", right);
    fact_number(facts, "to_left", to_left);
    fact_number(facts, "to_right", to_right);
}

/* ---- the ring ------------------------------------------------------------ */

static void gpu_new(struct bench *bench, int gpu)
{
    struct ring *const ring = &bench->ring;
    const uint64_t n = ring->num_entries;

    CHECK(cudaSetDevice(gpu));
    ring->now[gpu] = driver_device(n);
    ring->next[gpu] = driver_device(n);
    ring->inbox[gpu] = driver_device(n);
    bench->host[gpu] = driver_pinned(n);
    ring->stream[gpu] = driver_stream(cudaStreamNonBlocking);
    CHECK(cudaEventCreateWithFlags(&ring->done[gpu], cudaEventDisableTiming));
}

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    const int n = (int)case_number(c, "gpus");

    bench->c = c;
    bench->ring.num_gpus = n;
    bench->ring.num_entries = c->input_bytes / sizeof(uint64_t) / (size_t)n;
    disable_all(n);
    for (int gpu = 0; gpu < n; gpu++)
        gpu_new(bench, gpu);
    own_connect(&bench->ring);
}

static void bench_free(struct bench *bench)
{
    driver_sync_all();
    for (int gpu = 0; gpu < bench->ring.num_gpus; gpu++)
        CHECK(cudaEventDestroy(bench->ring.done[gpu]));
    disable_all(bench->ring.num_gpus);
}

/* The input is there, inboxes and next are zero, and all GPUs are idle. */
static void bench_fill(const struct bench *bench)
{
    const struct ring *const ring = &bench->ring;
    const uint64_t entries = ring->num_entries;
    const size_t bytes = entries * sizeof(uint64_t);

    driver_sync_all();
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        driver_copy_entries(bench->host[gpu],
                            bench->c->input + (uint64_t)gpu * entries, entries);
        CHECK(cudaSetDevice(gpu));
        CHECK(cudaMemcpyAsync(ring->now[gpu], bench->host[gpu], bytes,
                              cudaMemcpyHostToDevice, ring->stream[gpu]));
        CHECK(cudaMemsetAsync(ring->next[gpu], 0, bytes, ring->stream[gpu]));
        CHECK(cudaMemsetAsync(ring->inbox[gpu], 0, bytes, ring->stream[gpu]));
    }
    driver_sync_all();
}

/* Each GPU's memory, fetched in its own stream: work that is in others is not
 * waited for. */
static void take_output(const struct bench *bench, uint64_t *const memory[],
                        uint64_t *output)
{
    const struct ring *const ring = &bench->ring;
    const uint64_t entries = ring->num_entries;

    for (int gpu = 0; gpu < ring->num_gpus; gpu++)
        CHECK(cudaMemcpyAsync(bench->host[gpu], memory[gpu],
                              entries * sizeof(uint64_t),
                              cudaMemcpyDeviceToHost, ring->stream[gpu]));
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        CHECK(cudaStreamSynchronize(ring->stream[gpu]));
        driver_copy_entries(output + (uint64_t)gpu * entries, bench->host[gpu],
                            entries);
    }
}

/* ---- the driver's own rings ---------------------------------------------- */

static void own_order(const struct ring *ring)
{
    for (int gpu = 0; gpu < ring->num_gpus; gpu++)
        CHECK(cudaEventRecord(ring->done[gpu], ring->stream[gpu]));
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const int left = left_of(ring, gpu), right = right_of(ring, gpu);

        CHECK(cudaStreamWaitEvent(ring->stream[gpu], ring->done[left], 0));
        CHECK(cudaStreamWaitEvent(ring->stream[gpu], ring->done[right], 0));
    }
}

/* Through the host: out of one GPU, then into the next. All GPUs at once. The
 * waits of own_order are queued, so that its events can serve again. */
static void own_fetch_by_host(const struct bench *bench)
{
    const struct ring *const ring = &bench->ring;
    const size_t bytes = ring->num_entries * sizeof(uint64_t);

    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        CHECK(cudaMemcpyAsync(bench->host[gpu], ring->now[gpu], bytes,
                              cudaMemcpyDeviceToHost, ring->stream[gpu]));
        CHECK(cudaEventRecord(ring->done[gpu], ring->stream[gpu]));
    }
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const int left = left_of(ring, gpu);

        CHECK(cudaStreamWaitEvent(ring->stream[gpu], ring->done[left], 0));
        CHECK(cudaMemcpyAsync(ring->inbox[gpu], bench->host[left], bytes,
                              cudaMemcpyHostToDevice, ring->stream[gpu]));
    }
}

static void own_fetch(const struct bench *bench)
{
    const struct ring *const ring = &bench->ring;

    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        const int left = left_of(ring, gpu);

        CHECK(cudaMemcpyPeerAsync(ring->inbox[gpu], gpu, ring->now[left], left,
                                  ring->num_entries * sizeof(uint64_t),
                                  ring->stream[gpu]));
    }
}

static void own_round(struct bench *bench, bool by_host)
{
    struct ring *const ring = &bench->ring;

    own_order(ring);
    if (by_host)
        own_fetch_by_host(bench);
    else
        own_fetch(bench);
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        uint64_t *const now = ring->now[gpu];

        CHECK(cudaSetDevice(gpu));
        mix_gpu<<<RING_BLOCKS, RING_THREADS, 0, ring->stream[gpu]>>>(
            now, ring->inbox[gpu], ring->next[gpu], ring->num_entries);
        CHECK(cudaGetLastError());
        ring->now[gpu] = ring->next[gpu];
        ring->next[gpu] = now;
    }
}

static void own_rounds(struct bench *bench, bool by_host)
{
    for (uint64_t i = 0; i < case_number(bench->c, "rounds"); i++)
        own_round(bench, by_host);
}

static int64_t time_own(struct bench *bench, bool by_host)
{
    int64_t ns;

    bench_fill(bench);
    DRIVER_REGION_IF(case_is(bench->c, "who", "baseline"),
                     ns = DRIVER_TIME_NS(own_rounds(bench, by_host)));
    return ns;
}

/* ---- the cases ----------------------------------------------------------- */

/* enable_access alone. "current" is another GPU than the one it is for. */
static void run_access(const struct driver_case *c, struct driver_facts *facts)
{
    const int n = (int)case_number(c, "gpus");
    bool told;

    disable_all(n);
    if (case_number(c, "before"))
        enable_if_possible(0, 1);
    CHECK(cudaSetDevice((int)case_number(c, "current")));
    DRIVER_REGION(told = enable_access(0, 1));
    fact_text(facts, "left", cudaGetErrorName(cudaGetLastError()));
    fact_number(facts, "told", told);
    fact_number(facts, "possible", can_access(0, 1));
    fact_number(facts, "enabled", enabled_access(n, false));
    disable_all(n);
    CHECK(cudaSetDevice(0));
}

/* What connect_ring notes is the opposite of right before it is called. */
static void run_connect(const struct bench *bench, struct driver_facts *facts)
{
    struct ring ring = bench->ring;
    const int n = ring.num_gpus;
    int64_t noted = 0;

    disable_all(n);
    for (int gpu = 0; gpu < n; gpu++)
        ring.reads_left[gpu] = !ring.reads_left[gpu];
    DRIVER_REGION(connect_ring(&ring));
    fact_text(facts, "left", cudaGetErrorName(cudaGetLastError()));
    for (int gpu = 0; gpu < n; gpu++)
        noted += ring.reads_left[gpu] == bench->ring.reads_left[gpu];
    fact_number(facts, "noted", noted);
    report_links(&bench->ring, facts);
}

/* Some other GPU is current at each step. */
static void run_step(const struct bench *bench)
{
    const struct ring *const ring = &bench->ring;

    bench_fill(bench);
    driver_region_start();
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        CHECK(cudaSetDevice(right_of(ring, gpu)));
        if (case_is(bench->c, "way", "direct"))
            step_direct(ring, gpu);
        else
            step_by_copy(ring, gpu);
    }
    driver_region_stop();
    take_output(bench, ring->next, bench->c->output);
}

/* Are now and next of each GPU its own two buffers, in whatever order? */
static bool has_its_buffers(const struct bench *bench, const struct ring *ring)
{
    for (int gpu = 0; gpu < bench->ring.num_gpus; gpu++) {
        const uint64_t *const one = bench->ring.now[gpu];
        const uint64_t *const other = bench->ring.next[gpu];
        const uint64_t *const now = ring->now[gpu], *const next =
                                                        ring->next[gpu];

        if (!(now == one && next == other) && !(now == other && next == one))
            return false;
    }
    return true;
}

/* The rounds exchange buffers, so they get a ring of their own. */
static void take_rounds(const struct bench *bench, const struct ring *ring,
                        uint64_t *output, struct driver_facts *facts)
{
    const bool good = has_its_buffers(bench, ring);
    int unmoved = 0; /* after an odd number of rounds, none should be */

    for (int gpu = 0; gpu < ring->num_gpus; gpu++)
        unmoved += ring->now[gpu] == bench->ring.now[gpu];
    fact_number(facts, "unmoved", unmoved);
    fact_number(facts, "exchanged", good);
    take_output(bench, good ? ring->now : bench->ring.now, output);
}

static void run_rounds(const struct bench *bench, struct driver_facts *facts)
{
    struct ring ring = bench->ring;

    bench_fill(bench);
    DRIVER_REGION(run_ring(&ring, (int)case_number(bench->c, "rounds"),
                           case_is(bench->c, "way", "direct")));
    take_rounds(bench, &ring, bench->c->output, facts);
}

/* Keeps a GPU's stream busy: what follows there is late. */
__global__ void late_gpu(uint64_t *data, uint64_t times)
{
    uint64_t x = data[0];

    for (uint64_t i = 0; i < times; i++)
        x = x * 6364136223846793005u + (x >> 33);
    data[0] = x;
}

/* Two GPUs that begin together need no order to be right, and who has access
 * need not copy. Once more, with one of them late and without access: how many
 * entries differ from what they were in time? The virtual GPU needs no such
 * run: there the checker knows the order, and the trace the copies. */
static int64_t count_early(const struct bench *bench, struct ring *ring)
{
    enum { LATE = 3000000 };
    const uint64_t each = bench->ring.num_entries;
    const uint64_t *before = bench->c->output;
    int64_t early = 0;

    memcpy(ring->now, bench->ring.now, sizeof ring->now);
    memcpy(ring->next, bench->ring.next, sizeof ring->next);
    driver_sync_all();
    disable_all(ring->num_gpus);
    bench_fill(bench);
    CHECK(cudaSetDevice(1));
    late_gpu<<<1, 1, 0, ring->stream[1]>>>(driver_device(1), LATE);
    CHECK(cudaGetLastError());
    run_ring(ring, (int)case_number(bench->c, "rounds"), false);
    for (int gpu = 0; gpu < ring->num_gpus; gpu++) {
        CHECK(cudaMemcpyAsync(bench->host[gpu], ring->now[gpu],
                              each * sizeof *before, cudaMemcpyDeviceToHost,
                              ring->stream[gpu]));
        CHECK(cudaStreamSynchronize(ring->stream[gpu]));
        for (uint64_t i = 0; i < each; i++)
            early += bench->host[gpu][i] != *before++;
    }
    return early;
}

/* The student's whole program, under the clock: by copies, then without. */
static void run_student(const struct bench *bench, struct driver_facts *facts)
{
    static const char *const times[] = {"student_ns", "direct_ns"};
    const uint64_t entries = bench->ring.num_entries * bench->ring.num_gpus;
    const int rounds = (int)case_number(bench->c, "rounds");
    struct ring ring = bench->ring;

    disable_all(ring.num_gpus);
    connect_ring(&ring);
    report_links(&bench->ring, facts);
    for (int direct = 0; direct < 2; direct++) {
        int64_t ns;

        bench_fill(bench);
        memcpy(ring.now, bench->ring.now, sizeof ring.now);
        memcpy(ring.next, bench->ring.next, sizeof ring.next);
        DRIVER_REGION_IF(!direct,
                         ns = DRIVER_TIME_NS(run_ring(&ring, rounds, direct)));
        fact_number(facts, times[direct], ns);
        take_rounds(bench, &ring, bench->c->output + direct * entries, facts);
    }
    fact_send(facts); /* a kernel that reads without access ends it all */
    if (DRIVER_REAL_GPU && ring.num_gpus > 1)
        fact_number(facts, "early", count_early(bench, &ring));
}

static void run_speed(struct bench *bench, struct driver_facts *facts)
{
    fact_number(facts, "serial_ns", time_own(bench, true));
    if (case_is(bench->c, "who", "baseline"))
        return;
    fact_number(facts, "bound_ns", time_own(bench, false));
    run_student(bench, facts);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    struct bench bench;

    if (case_is(c, "run", "access")) {
        run_access(c, facts);
        return;
    }
    bench_new(&bench, c);
    if (case_is(c, "run", "connect"))
        run_connect(&bench, facts);
    else if (case_is(c, "run", "step"))
        run_step(&bench);
    else if (case_is(c, "run", "rounds"))
        run_rounds(&bench, facts);
    else
        run_speed(&bench, facts);
    bench_free(&bench);
}
