/*
 * 15_bounded_pipeline.cu: the driver's part that knows lab 15.
 * Output: what the consumer kept, in the order in which it came. step= is
 * chosen where it is not given. With again=1 the ring has been through another
 * job before.
 */
#include "driver.h"

#include <pthread.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

#define FEW_ITERS   40
#define MAX_STREAMS 8
#define MAX_PLACES  32 /* the rules know it */
#define MAX_FILLERS 64
#define PROBE_BYTES (16u << 20)
#define SETTLE_NS   3000000000u /* at most */

/*
 * Keeps each step-th of the results that it gets. It is in pinned memory, of
 * which the checker sees every access: two calls at a time are a hazard.
 */
struct consumer {
    uint64_t *kept;
    uint64_t room, num_kept, num_taken, step;
    uint64_t calls, strange; /* ... with arguments that cannot be */
    uint64_t beyond;         /* ... for more than a slot holds */
    uint64_t by_host;        /* calls by the thread that called decrypt_large */
    /* Where the results lay: chunks of the host's memory that were used, and
     * how often it was the slot of another chunk. */
    const uint64_t *places[MAX_PLACES];
    uint64_t num_places, strays;
    const struct ring *ring;
    pthread_t host;
};

/* In words of 64 bits, however few a pointer has: time is spent by the byte. */
#define CONSUMER_WORDS (13 + MAX_PLACES)
static_assert(sizeof(struct consumer) <= CONSUMER_WORDS * sizeof(uint64_t),
              "room for a consumer");

/* For a host function, until it has run. */
struct handed {
    struct consumer *consumer;
    const uint64_t *results;
    uint64_t count;
};

struct bench {
    const struct driver_case *c;
    uint64_t n, chunk, num_slots;
    struct job job;
    struct ring ring;      /* the student's */
    struct handed *handed; /* one for each chunk */
    uint64_t *data_host;
    struct consumer *consumer;
    cudaStream_t streams[MAX_STREAMS + 1]; /* one more: for deliveries */
    void *fillers[MAX_FILLERS];
    unsigned num_fillers;
    void *probe_host, *probe_device;
    uint64_t probe_ns;
};

/* ---- the consumer -------------------------------------------------------- */

static struct consumer *the_consumer;

/* What a host function was given may be gone, and be anything. */
static bool is_strange(const struct consumer *consumer, const uint64_t *results,
                       uint64_t count)
{
    return consumer != the_consumer || results == NULL ||
           count > 2 * consumer->room + 4096;
}

/* A slot is one place, in however many calls it is handed over; and is it that
 * of another chunk than the one whose turn it is? */
static void note_place(struct consumer *consumer, const uint64_t *results)
{
    const struct ring *const ring = consumer->ring;
    uint64_t s = 0;

    while (s < ring->num_slots &&
           (uint64_t)(results - ring->slots[s].host) >= ring->chunk)
        s++;
    if (s < ring->num_slots) {
        results = ring->slots[s].host;
        consumer->strays +=
            s != consumer->num_taken / ring->chunk % ring->num_slots;
    }
    for (uint64_t i = 0; i < consumer->num_places; i++)
        if (consumer->places[i] == results)
            return;
    if (consumer->num_places < MAX_PLACES)
        consumer->places[consumer->num_places++] = results;
}

void consumer_take(struct consumer *consumer, const uint64_t *results,
                   uint64_t count)
{
    uint64_t step, before, to;

    the_consumer->calls++;
    if (is_strange(consumer, results, count)) {
        the_consumer->strange++;
        return;
    }
    note_place(consumer, results);
    step = consumer->step;
    before = consumer->num_taken;
    consumer->num_taken = before + count; /* read is what can be there */
    consumer->beyond += count > consumer->ring->chunk;
    count = min(count, consumer->ring->chunk);
    to = consumer->num_kept;
    consumer->by_host += pthread_equal(pthread_self(), consumer->host) != 0;
    for (uint64_t i = (step - before % step) % step; i < count; i += step) {
        if (to < consumer->room)
            consumer->kept[to] = results[i];
        to++;
    }
    consumer->num_kept = to;
}

static void consumer_start(struct bench *bench)
{
    struct consumer *const consumer = bench->consumer;

    driver_sync_all();
    consumer->num_kept = consumer->num_taken = consumer->num_places = 0;
    consumer->calls = consumer->strange = consumer->by_host = 0;
    consumer->strays = consumer->beyond = 0;
    consumer->ring = &bench->ring;
    consumer->host = pthread_self();
}

/* ---- memory and streams -------------------------------------------------- */

static void bench_new(struct bench *bench, const struct driver_case *c)
{
    struct consumer *consumer;

    bench->c = c;
    bench->n = c->input_bytes / sizeof(uint64_t);
    bench->chunk = case_number(c, "chunk");
    bench->num_slots = case_number(c, "slots");
    bench->handed = (struct handed *)calloc(sdiv(bench->n, bench->chunk) + 1,
                                            sizeof *bench->handed);
    bench->data_host = driver_pinned(bench->n);
    driver_copy_entries(bench->data_host, c->input, bench->n);
    bench->consumer = (struct consumer *)driver_pinned(CONSUMER_WORDS);
    the_consumer = consumer = bench->consumer;
    consumer->room = bench->n;
    consumer->step = case_has(c, "step") ? case_number(c, "step") : 1;
    consumer->kept = driver_pinned(bench->n);
    memset(consumer->kept, 0, bench->n * sizeof *consumer->kept);
    /* Not with the default stream: nothing is in order by accident. */
    for (unsigned s = 0; s < MAX_STREAMS + 1; s++)
        bench->streams[s] = driver_stream(cudaStreamNonBlocking);
    bench->job = {bench->data_host,
                  bench->n,
                  case_has(c, "iters") ? case_number(c, "iters") : FEW_ITERS,
                  bench->streams,
                  case_number(c, "streams"),
                  bench->streams[MAX_STREAMS],
                  consumer};
    /* Whoever takes one of these counts the streams wrong. */
    for (uint64_t s = bench->job.num_streams; s < MAX_STREAMS; s++)
        bench->streams[s] = (cudaStream_t)consumer;
}

static uint64_t time_probe(const struct bench *bench)
{
    const uint64_t start = driver_now_ns();

    CHECK(cudaMemcpy(bench->probe_device, bench->probe_host, PROBE_BYTES,
                     cudaMemcpyHostToDevice));
    return driver_now_ns() - start;
}

static void probe_new(struct bench *bench)
{
    CHECK(cudaMallocHost(&bench->probe_host, PROBE_BYTES));
    CHECK(cudaMalloc(&bench->probe_device, PROBE_BYTES));
    bench->probe_ns = time_probe(bench);
    for (int i = 0; i < 5; i++)
        bench->probe_ns = min(bench->probe_ns, time_probe(bench));
}

/*
 * A real device clears the memory that it got back, on its own, and copies have
 * to share with that: docs/measured/after-free-*. Who measures next, here or in
 * another grading, should not see it.
 */
static void probe_settle(struct bench *bench)
{
    const uint64_t start = driver_now_ns();

    while (time_probe(bench) > bench->probe_ns / 4 * 5 &&
           driver_now_ns() - start < SETTLE_NS)
        ;
    CHECK(cudaFree(bench->probe_device));
    CHECK(cudaFreeHost(bench->probe_host));
}

static size_t bytes_beyond(size_t left)
{
    size_t available, total;

    CHECK(cudaMemGetInfo(&available, &total));
    return available > left ? available - left : 0;
}

/* Leave @left bytes of the device's memory, or somewhat less. */
static void fill_device(struct bench *bench, size_t left)
{
    size_t bytes;

    if (DRIVER_REAL_GPU)
        probe_new(bench);
    bytes = bytes_beyond(left);
    while (bytes > left / 4 && bench->num_fillers < MAX_FILLERS) {
        if (cudaMalloc(&bench->fillers[bench->num_fillers], bytes) ==
            cudaSuccess) {
            bench->num_fillers++;
            bytes = bytes_beyond(left);
        } else {
            cudaGetLastError();
            bytes /= 2;
        }
    }
}

static void empty_device(struct bench *bench)
{
    const bool filled = bench->num_fillers > 0;

    while (bench->num_fillers > 0)
        CHECK(cudaFree(bench->fillers[--bench->num_fillers]));
    if (DRIVER_REAL_GPU && filled)
        probe_settle(bench);
}

/* ---- the ring alone ------------------------------------------------------ */

/* Is there room for a chunk? A copy of one is refused where there is not. */
static bool has_room(const struct bench *bench, void *to, const void *from)
{
    const cudaError_t error = cudaMemcpy(
        to, from, bench->chunk * sizeof(uint64_t), cudaMemcpyDefault);

    cudaGetLastError();
    return error == cudaSuccess;
}

static bool is_event(const struct bench *bench, cudaEvent_t event)
{
    const bool is =
        event && cudaEventRecord(event, bench->streams[0]) == cudaSuccess;

    cudaGetLastError();
    return is;
}

static bool do_meet(const struct bench *bench, const uint64_t *one,
                    const uint64_t *other)
{
    return one < other + bench->chunk && other < one + bench->chunk;
}

/* Has a slot of a lower number the same memory or event? */
static bool is_shared(const struct bench *bench, uint64_t s)
{
    const struct slot *const slots = bench->ring.slots;

    for (uint64_t i = 0; i < s; i++)
        if (slots[s].copied == slots[i].copied ||
            slots[s].taken == slots[i].taken ||
            do_meet(bench, slots[s].device, slots[i].device) ||
            do_meet(bench, slots[s].host, slots[i].host))
            return true;
    return false;
}

static void run_ring(struct bench *bench, struct driver_facts *facts)
{
    uint64_t device = 0, pinned = 0, room = 0, events = 0, shared = 0;
    size_t before, after, total;
    struct ring *const ring = &bench->ring;

    CHECK(cudaMemGetInfo(&before, &total));
    driver_region_start();
    ring_create(ring, bench->chunk, bench->num_slots);
    CHECK(cudaMemGetInfo(&after, &total));
    for (uint64_t s = 0; s < bench->num_slots; s++) {
        const struct slot *const slot = &ring->slots[s];
        const bool on_device = driver_memory_device(slot->device) >= 0;
        const bool on_host =
            driver_memory_type(slot->host) == cudaMemoryTypeHost;

        device += on_device;
        pinned += on_host;
        /* A copy to what is neither could end the program. */
        if (on_device && on_host) {
            room += has_room(bench, slot->device, bench->data_host) &&
                    has_room(bench, slot->host, slot->device);
            shared += is_shared(bench, s);
        }
        events += is_event(bench, slot->copied) + is_event(bench, slot->taken);
    }
    driver_sync_all();
    fact_number(facts, "sizes",
                ring->chunk == bench->chunk &&
                    ring->num_slots == bench->num_slots);
    fact_number(facts, "device", device);
    fact_number(facts, "pinned", pinned);
    fact_number(facts, "device_bytes", before > after ? (before - after) : 0);
    fact_number(facts, "slot_bytes", bench->chunk * sizeof(uint64_t));
    fact_number(facts, "room", room);
    fact_number(facts, "events", events);
    fact_number(facts, "all_events", 2 * bench->num_slots);
    fact_number(facts, "shared", shared);
    fact_number(facts, "host_there", ring->slots[0].host != NULL);
    ring_destroy(ring);
    driver_region_stop();
}

/* ---- the driver's own run ------------------------------------------------ */

static uint64_t width_at(const struct bench *bench, uint64_t lower)
{
    return min(bench->chunk, bench->n - lower);
}

static void CUDART_CB own_deliver(void *argument)
{
    const struct handed *const handed = (const struct handed *)argument;

    consumer_take(handed->consumer, handed->results, handed->count);
}

static void queue_delivery(const struct bench *bench, const struct slot *slot,
                           uint64_t lower, cudaStream_t stream)
{
    struct handed *const handed = &bench->handed[lower / bench->chunk];

    *handed = {bench->consumer, slot->host, width_at(bench, lower)};
    CHECK(cudaLaunchHostFunc(stream, own_deliver, handed));
}

/* One slot, one stream, and one chunk after the other. */
static void own_run(const struct bench *bench)
{
    const struct slot *const slot = &bench->ring.slots[0];
    const cudaStream_t stream = bench->streams[0];

    for (uint64_t lower = 0; lower < bench->n; lower += bench->chunk) {
        const uint64_t width = width_at(bench, lower);

        phases_queue_in(slot->device, bench->data_host + lower, width, stream);
        phases_queue_kernel(slot->device, width, bench->job.num_iters, stream);
        phases_queue_back(slot->host, slot->device, width, stream);
        queue_delivery(bench, slot, lower, stream);
        CHECK(cudaStreamSynchronize(stream));
    }
}

/* The same work through all slots: what this device can do with it. */
static void own_ring(const struct bench *bench)
{
    const uint64_t num_slots = bench->ring.num_slots;
    const cudaStream_t delivery = bench->job.delivery;

    for (uint64_t c = 0; c * bench->chunk < bench->n; c++) {
        const struct slot *const slot = &bench->ring.slots[c % num_slots];
        const cudaStream_t stream = bench->streams[c % bench->job.num_streams];
        const uint64_t lower = c * bench->chunk, width = width_at(bench, lower);

        if (c >= num_slots)
            CHECK(cudaStreamWaitEvent(stream, slot->copied, 0));
        phases_queue_in(slot->device, bench->data_host + lower, width, stream);
        phases_queue_kernel(slot->device, width, bench->job.num_iters, stream);
        if (c >= num_slots)
            CHECK(cudaStreamWaitEvent(stream, slot->taken, 0));
        phases_queue_back(slot->host, slot->device, width, stream);
        CHECK(cudaEventRecord(slot->copied, stream));
        CHECK(cudaStreamWaitEvent(delivery, slot->copied, 0));
        queue_delivery(bench, slot, lower, delivery);
        CHECK(cudaEventRecord(slot->taken, delivery));
    }
    CHECK(cudaStreamSynchronize(delivery));
}

/* ---- phases -------------------------------------------------------------- */

enum phase { PHASE_COPIES, PHASE_KERNELS, PHASE_CONSUMER, NUM_PHASES };

/* One phase of a chunk with nothing in its way. Copies go both ways at once,
 * in two slots; kernels may run at the same time, as many as there are slots.
 */
static void queue_phase(const struct bench *bench, enum phase phase,
                        uint64_t lower)
{
    const struct slot *const slots = bench->ring.slots;
    const uint64_t s = lower / bench->chunk % bench->ring.num_slots;
    const uint64_t width = width_at(bench, lower);

    if (phase == PHASE_COPIES) {
        phases_queue_in(slots[0].device, bench->data_host + lower, width,
                        bench->streams[0]);
        phases_queue_back(slots[1].host, slots[1].device, width,
                          bench->streams[1]);
    } else if (phase == PHASE_KERNELS) {
        phases_queue_kernel(slots[s].device, width, bench->job.num_iters,
                            bench->streams[s]);
    } else {
        queue_delivery(bench, &slots[0], lower, bench->streams[0]);
    }
}

static int64_t time_phase(struct bench *bench, enum phase phase,
                          uint64_t entries)
{
    consumer_start(bench);
    driver_clock_start();
    for (uint64_t lower = 0; lower < entries; lower += bench->chunk)
        queue_phase(bench, phase, lower);
    return (int64_t)driver_clock_stop_ns();
}

/* What is balanced, with as many entries as a first look needs. */
struct trial {
    struct bench *bench;
    enum phase phase;
    uint64_t entries;
};

static double trial_ns(void *of)
{
    const struct trial *const trial = (const struct trial *)of;

    return (double)time_phase(trial->bench, trial->phase, trial->entries);
}

/*
 * As many rounds as make a kernel take as long as a copy, on this device, and
 * so many results kept that the consumer needs half of that.
 */
static void balance(struct bench *bench)
{
    const uint64_t few = bench->chunk * (bench->n < 4 * bench->chunk ? 1 : 4);
    struct trial copies = {bench, PHASE_COPIES, few};
    struct trial kernels = {bench, PHASE_KERNELS, few};
    const double wanted = phases_median(trial_ns, &copies);

    phases_rounds(trial_ns, &kernels, &bench->job.num_iters, FEW_ITERS, wanted,
                  false, case_number(bench->c, "most_iters"));
    while (!case_has(bench->c, "step") && bench->consumer->step < 4096 &&
           2 * (double)time_phase(bench, PHASE_CONSUMER, few) > wanted)
        bench->consumer->step *= 2;
}

/* ---- the cases ----------------------------------------------------------- */

static void take_output(const struct bench *bench, struct driver_facts *facts)
{
    const struct consumer *const consumer = bench->consumer;
    const uint64_t calls = consumer->calls;

    driver_copy_entries(bench->c->output, consumer->kept, bench->n);
    driver_sync_all();
    fact_number(facts, "taken_later", consumer->num_taken);
    fact_number(facts, "missing", bench->n - consumer->num_taken);
    fact_number(facts, "calls", calls);
    fact_number(facts, "calls_later", consumer->calls);
    fact_number(facts, "strange", consumer->strange);
    fact_number(facts, "by_host", consumer->by_host);
    fact_number(facts, "strays", consumer->strays);
    fact_number(facts, "beyond", consumer->beyond);
    fact_number(facts, "places", consumer->num_places);
    fact_number(facts, "step", consumer->step);
    fact_number(facts, "chunks", sdiv(bench->n, bench->chunk));
    fact_number(facts, "spoilt",
                memcmp(bench->data_host, bench->c->input,
                       bench->n * sizeof *bench->data_host) != 0);
}

/*
 * The limit is the longest of the phases. Where the driver's own ring stays far
 * from it, as on devices with a single copy engine, the device does not allow
 * more, and that ring is the limit.
 */
static void time_others(struct bench *bench, struct driver_facts *facts)
{
    int64_t bound_ns = 0, serial_ns, ring_ns;

    for (int phase = 0; phase < NUM_PHASES; phase++)
        bound_ns =
            max(bound_ns, time_phase(bench, (enum phase)phase, bench->n));
    consumer_start(bench);
    serial_ns = DRIVER_TIME_NS(own_run(bench));
    consumer_start(bench);
    ring_ns = DRIVER_TIME_NS(own_ring(bench));
    if ((double)(serial_ns - ring_ns) < 0.85 * (double)(serial_ns - bound_ns))
        bound_ns = ring_ns;
    fact_number(facts, "serial_ns", serial_ns);
    fact_number(facts, "bound_ns", bound_ns);
}

/* A job of fewer entries, with the same ring and streams. */
static void run_before(struct bench *bench)
{
    struct job job = bench->job;

    job.num_entries = bench->n * 2 / 3;
    consumer_start(bench);
    decrypt_large(&job, &bench->ring);
}

static void run_once(struct bench *bench)
{
    DRIVER_REGION(case_is(bench->c, "who", "baseline")
                      ? own_run(bench)
                      : decrypt_large(&bench->job, &bench->ring));
}

/* With the student's ring, and no other memory left on the device. */
static void run_job(struct bench *bench, struct driver_facts *facts)
{
    const bool baseline = case_is(bench->c, "who", "baseline");
    const bool timed = case_has(bench->c, "timed");
    struct ring *const ring = &bench->ring;

    ring_create(ring, bench->chunk, bench->num_slots);
    for (uint64_t s = 0; s < ring->num_slots; s++)
        CHECK(cudaMemset(ring->slots[s].device, 0,
                         bench->chunk * sizeof(uint64_t)));
    driver_sync_all();
    /* A kernel's code is loaded at its first launch, and takes memory. */
    phases_queue_kernel(ring->slots[0].device, bench->chunk, FEW_ITERS,
                        bench->streams[0]);
    driver_sync_all();
    /* A tool would keep books on all of that memory. */
    if (case_has(bench->c, "left") && !case_has(bench->c, "under"))
        fill_device(bench, case_number(bench->c, "left"));
    if (timed)
        balance(bench);
    if (timed && !baseline)
        time_others(bench, facts);
    fact_number(facts, "rounds", bench->job.num_iters); /* as they are given */
    if (case_has(bench->c, "again"))
        run_before(bench);
    consumer_start(bench);
    for (uint64_t s = 0; timed && s < ring->num_slots; s++)
        driver_watch(ring->slots[s].device, bench->chunk);
    if (timed)
        fact_number(facts, "student_ns", DRIVER_TIME_NS(run_once(bench)));
    else
        run_once(bench);
    driver_watch_end();
    take_output(bench, facts);
    empty_device(bench);
    ring_destroy(ring);
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    struct bench bench = {};

    bench_new(&bench, c);
    if (case_has(c, "ring"))
        run_ring(&bench, facts);
    else
        run_job(&bench, facts);
    free(bench.handed);
}
