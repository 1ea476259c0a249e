/*
 * test_check_random.c: random programs against an oracle that keeps, for
 * every access, the set of all that comes before it. No conflict may be
 * missed, none invented.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

static const struct vgpu_actor by_kernel = {
    .does = VGPU_DOES_kernel, .kernel = "kernel", .what = "kernel"};

#define TRACES  3000
#define NODES   64 /* a set of nodes is a word */
#define STREAMS 4
#define EVENTS  4
#define ORPHANS 16
#define WINDOW  128 /* bytes, across a page boundary */
#define REPORTS 4096

void __tsan_read_range_pc(void *base, size_t bytes, void *pc);
void __tsan_write_range_pc(void *base, size_t bytes, void *pc);
void __tsan_read1_pc(void *at, void *pc);
void __tsan_write1_pc(void *at, void *pc);

/* Bytes of the window. */
struct bytes {
    uint64_t word[WINDOW / 64];
};

/* An operation, or one access by the host. */
struct node {
    uint64_t before; /* nodes ordered before it */
    struct bytes read, write, atomic;
    struct vgpu_check_op *op; /* NULL: host */
    int class;                /* op: its own; host: its stretch */
    int ran;                  /* in this order; 0: not yet */
};

struct report {
    int node[2];
    unsigned lo, hi;
};

static struct node nodes[NODES];
static int nodes_count, host_class, last_ran;
static struct report reports[REPORTS];
static int reports_count, reports_lost;
static int wrong_programs;
static int careful; /* few and small accesses: mostly right programs */

static struct vgpu_agent *host, *streams[STREAMS];
static uint64_t host_knows, stream_knows[STREAMS], event_knows[EVENTS];
static struct vgpu_clock *events[EVENTS];
static struct vgpu_clock *orphans[ORPHANS];
static uint64_t orphans_know;
static int orphans_count;
static struct vgpu_memory *memory;
static char *window;
static uint32_t seed = 1;

static unsigned random_below(unsigned bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % bound;
}

static bool has(const struct bytes *set, unsigned byte)
{
    return set->word[byte / 64] >> (byte % 64) & 1;
}

static void add(struct bytes *set, unsigned lo, unsigned bytes)
{
    for (unsigned i = lo; i < lo + bytes; i++)
        set->word[i / 64] |= 1ULL << (i % 64);
}

/* ---- the oracle -------------------------------------------------------- */

static bool ordered(int a, int b)
{
    return (nodes[b].before >> a & 1) || (nodes[a].before >> b & 1);
}

static bool conflict_at(const struct node *a, const struct node *b,
                        unsigned byte)
{
    bool read = has(&a->read, byte), write = has(&a->write, byte);
    bool atomic = has(&a->atomic, byte);

    return (write && (has(&b->write, byte) || has(&b->read, byte) ||
                      has(&b->atomic, byte))) ||
           (read && (has(&b->write, byte) || has(&b->atomic, byte))) ||
           (atomic && (has(&b->write, byte) || has(&b->read, byte)));
}

static bool race_at(int a, int b, unsigned byte)
{
    return (nodes[a].op || nodes[b].op) && !ordered(a, b) &&
           conflict_at(&nodes[a], &nodes[b], byte);
}

static bool reported(int node, unsigned byte)
{
    for (int i = 0; i < reports_count; i++) {
        const struct report *r = &reports[i];

        if (byte >= r->lo && byte < r->hi &&
            (nodes[r->node[0]].class == nodes[node].class ||
             nodes[r->node[1]].class == nodes[node].class))
            return true;
    }
    return false;
}

/*
 * What ran later of two that race must have been reported, if not with the
 * other one then with one that took its place.
 */
static void compare_with_oracle(void)
{
    assert_int_equal(reports_lost, 0);
    for (int i = 0; i < reports_count; i++) {
        const struct report *r = &reports[i];

        assert_true(race_at(r->node[0], r->node[1], r->lo));
        assert_true(race_at(r->node[0], r->node[1], r->hi - 1));
    }
    for (int a = 0; a < nodes_count; a++)
        for (int b = 0; b < a; b++)
            for (unsigned byte = 0; byte < WINDOW; byte++)
                if (race_at(a, b, byte))
                    assert_true(
                        reported(nodes[a].ran > nodes[b].ran ? a : b, byte));
}

static void observe(const struct layer *earlier, uint64_t pc, unsigned kind,
                    uintptr_t lo, uintptr_t hi, unsigned bytes)
{
    struct report *r = &reports[reports_count];

    (void)kind;
    if (reports_count == REPORTS) {
        reports_lost = 1;
        return;
    }
    assert_true(bytes > 0 && bytes <= hi - lo);
    r->node[0] = (int)earlier->pc - 1;
    r->node[1] = (int)pc - 1;
    r->lo = (unsigned)(lo - (uintptr_t)window);
    r->hi = (unsigned)(hi - (uintptr_t)window);
    assert_true(r->hi <= WINDOW);
    reports_count++;
}

/* ---- programs ---------------------------------------------------------- */

static void touch(struct node *node, unsigned lo, unsigned bytes,
                  enum vgpu_access_kind kind)
{
    void *pc = (void *)(uintptr_t)(node - nodes + 1);

    if (kind == VGPU_ATOMIC) {
        lo &= ~3u;
        vgpu_check_atomic(window + lo, 4, (uint64_t)(uintptr_t)pc);
        add(&node->atomic, lo, 4);
        return;
    }
    if (kind == VGPU_READ && bytes == 1)
        __tsan_read1_pc(window + lo, pc);
    else if (kind == VGPU_READ)
        __tsan_read_range_pc(window + lo, bytes, pc);
    else if (bytes == 1)
        __tsan_write1_pc(window + lo, pc);
    else
        __tsan_write_range_pc(window + lo, bytes, pc);
    add(kind == VGPU_READ ? &node->read : &node->write, lo, bytes);
}

static enum vgpu_access_kind random_kind(void)
{
    static const enum vgpu_access_kind kinds[] = {
        VGPU_READ, VGPU_READ, VGPU_READ, VGPU_WRITE, VGPU_WRITE, VGPU_ATOMIC};

    return kinds[random_below(careful ? 4 : 6)];
}

static void touch_randomly(struct node *node)
{
    enum vgpu_access_kind kind = random_kind();
    unsigned lo = random_below(WINDOW), step;

    switch (careful ? 0 : random_below(3)) {
    case 0:
        touch(node, lo, 1, kind);
        break;
    case 1:
        touch(node, lo, 1 + random_below(WINDOW - lo), kind);
        break;
    default:
        step = 2 + random_below(8);
        for (lo %= step; lo + step / 2 <= WINDOW; lo += step)
            touch(node, lo, step / 2, kind);
    }
}

static void run(int at)
{
    struct node *node = &nodes[at];
    unsigned accesses = random_below(4), lo;

    if (!node->op || node->ran)
        return;
    for (int i = 0; i < at; i++)
        if (node->before >> i & 1)
            run(i);
    node->ran = ++last_ran;
    vgpu_check_op_begin(node->op, 0);
    if (careful || random_below(4)) {
        while (accesses--)
            touch_randomly(node);
    } else { /* a copy; its pc is the node's */
        lo = random_below(WINDOW);
        vgpu_check_range(node->op, window + lo, WINDOW - lo, VGPU_WRITE);
        add(&node->write, lo, WINDOW - lo);
    }
    vgpu_check_op_end(node->op, NULL);
}

static void run_all(uint64_t set)
{
    for (int i = 0; i < nodes_count; i++)
        if (set >> i & 1)
            run(i);
}

static void enqueue(void)
{
    unsigned stream = random_below(STREAMS);
    struct node *node = &nodes[nodes_count];

    node->before = stream_knows[stream] | host_knows;
    node->op = vgpu_check_enqueue(host, streams[stream], &by_kernel,
                                  (uint64_t)nodes_count + 1);
    node->class = NODES + nodes_count;
    stream_knows[stream] = node->before | 1ULL << nodes_count;
    nodes_count++;
    host_class++;
}

static void host_access(void)
{
    struct node *node = &nodes[nodes_count];

    node->before = host_knows;
    node->class = -host_class;
    host_knows |= 1ULL << nodes_count;
    nodes_count++;
    node->ran = ++last_ran;
    touch_randomly(node);
}

static void host_learns(struct vgpu_clock *clock, uint64_t knows)
{
    run_all(knows);
    vgpu_agent_join(host, clock);
    if (knows & ~host_knows)
        host_class++;
    host_knows |= knows;
}

static void sync_stream(unsigned stream)
{
    struct vgpu_clock *clock = vgpu_clock_snapshot(streams[stream]);

    host_learns(clock, stream_knows[stream]);
    vgpu_clock_release(clock);
}

static void record(unsigned event, unsigned stream)
{
    vgpu_clock_release(events[event]);
    events[event] = vgpu_clock_snapshot(streams[stream]);
    event_knows[event] = stream_knows[stream];
}

/* Its work goes on; it is waited for at the end. */
static void replace_stream(unsigned stream)
{
    if (orphans_count == ORPHANS)
        return;
    orphans[orphans_count++] = vgpu_clock_snapshot(streams[stream]);
    orphans_know |= stream_knows[stream];
    vgpu_agent_free(streams[stream]);
    streams[stream] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    stream_knows[stream] = 0;
}

/* Mostly operations and accesses, so that there is something to order. */
static void step(void)
{
    unsigned stream = random_below(STREAMS), event = random_below(EVENTS);

    switch (random_below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
        enqueue();
        break;
    case 4:
    case 5:
        host_access();
        break;
    case 6:
        record(event, stream);
        break;
    case 7:
        vgpu_agent_join(streams[stream], events[event]);
        stream_knows[stream] |= event_knows[event];
        break;
    case 8:
        sync_stream(stream);
        break;
    case 9:
        host_learns(events[event], event_knows[event]);
        break;
    case 10:
        run(nodes_count ? (int)random_below((unsigned)nodes_count) : 0);
        break;
    default:
        replace_stream(stream);
    }
}

/* Wait for everything, so that the next program starts from nothing. */
static void finish(void)
{
    for (unsigned i = 0; i < STREAMS; i++)
        sync_stream(i);
    run_all(orphans_know);
    while (orphans_count) {
        vgpu_agent_join(host, orphans[--orphans_count]);
        vgpu_clock_release(orphans[orphans_count]);
    }
    orphans_know = 0;
    compare_with_oracle();
    wrong_programs += reports_count > 0;
    for (int i = 0; i < nodes_count; i++)
        vgpu_check_op_free(nodes[i].op);
    memset(nodes, 0, sizeof nodes);
    nodes_count = reports_count = 0;
    host_knows = 0;
    memset(stream_knows, 0, sizeof stream_knows);
    for (int i = 0; i < EVENTS; i++) {
        vgpu_clock_release(events[i]);
        events[i] = NULL;
        event_knows[i] = 0;
    }
}

static void test_random_programs(void **state)
{
    (void)state;
    checker.hazard.observer = observe;
    host = vgpu_agent_new(VGPU_AGENT_HOST, -1, "the host thread");
    vgpu_check_set_host(host);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    for (int trace = 0; trace < TRACES; trace++) {
        memory = vgpu_memory_new(3 * 4096, VGPU_MEM_MANAGED, 0, 1);
        window = (char *)memory->base + 4096 - WINDOW / 2;
        seed = (uint32_t)trace * 2654435761u + 1;
        careful = trace % 2;
        for (unsigned steps = 10 + random_below(careful ? 40 : 80);
             steps && nodes_count < NODES; steps--)
            step();
        finish();
        assert_false(checker.arena.recording);
        vgpu_memory_free(memory, 1);
    }
    assert_in_range(wrong_programs, TRACES / 10, TRACES * 9 / 10);
    assert_true(shadow_bytes() < 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
    };

    if (vgpu_check_init(1))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
