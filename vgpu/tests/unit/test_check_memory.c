/*
 * test_check_memory.c: allocations and their bounds, what device and host
 * code may not touch, host memory outside the arena, and what it all costs.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check_state.h"

static const struct vgpu_actor by_kernel_k = {
    .does = VGPU_DOES_kernel, .kernel = "k", .what = "kernel k"};
static const struct vgpu_actor by_kernel = {
    .does = VGPU_DOES_kernel, .kernel = "kernel", .what = "kernel"};

#define MIB ((size_t)1 << 20)

void __tsan_read1(void *at);
void __tsan_read4(void *at);
void __tsan_write1(void *at);
void __tsan_write4(void *at);
void __tsan_write8(void *at);
void __tsan_unaligned_read8(void *at);
void __tsan_write_range(void *base, size_t bytes);
void *vgpu_memcpy(void *to, const void *from, size_t bytes);
void *vgpu_memset(void *to, int byte, size_t bytes);

static struct vgpu_agent *host, *stream, *other;
static char fault_text[512];
static uintptr_t fault_at;
static jmp_buf after_fault;
static unsigned conflicts;
static uint64_t conflict_bytes;

static void on_fault(const void *address, size_t bytes, int kind, uint64_t pc,
                     const char *message)
{
    (void)bytes;
    (void)kind;
    (void)pc;
    fault_at = (uintptr_t)address;
    snprintf(fault_text, sizeof fault_text, "%s", message);
    longjmp(after_fault, 1);
}

static void observe(const struct layer *earlier, uint64_t pc, unsigned kind,
                    uintptr_t lo, uintptr_t hi, unsigned bytes)
{
    (void)earlier;
    (void)pc;
    (void)kind;
    (void)lo;
    (void)hi;
    conflicts++;
    conflict_bytes += bytes;
}

static struct vgpu_check_op *begin(struct vgpu_agent *agent, int device)
{
    struct vgpu_check_op *op = vgpu_check_enqueue(host, agent, &by_kernel_k, 1);

    vgpu_check_op_begin(op, device);
    return op;
}

static uint64_t end(struct vgpu_check_op *op)
{
    uint64_t bytes;

    vgpu_check_op_end(op, &bytes);
    vgpu_check_op_free(op);
    return bytes;
}

static void wait_for(struct vgpu_agent *agent)
{
    struct vgpu_clock *clock = vgpu_clock_snapshot(agent);

    vgpu_agent_join(host, clock);
    vgpu_clock_release(clock);
}

static int set_up(void **state)
{
    (void)state;
    host = vgpu_agent_new(VGPU_AGENT_HOST, -1, "the host thread");
    stream = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream 1 of device 0");
    other = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream 2 of device 0");
    vgpu_check_set_host(host);
    vgpu_check_set_device(&(struct vgpu_check_device){.fault = on_fault});
    checker.hazard.observer = observe;
    conflicts = 0;
    conflict_bytes = 0;
    fault_text[0] = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wait_for(stream);
    wait_for(other);
    vgpu_agent_free(stream);
    vgpu_agent_free(other);
    vgpu_agent_free(host);
    return 0;
}

/* Does device code fault when it runs @access on @at? */
static bool faults(void (*access)(void *), void *at, int device)
{
    struct vgpu_check_op *volatile op = begin(stream, device);
    volatile bool faulted = false;

    if (setjmp(after_fault))
        faulted = true;
    else
        access(at);
    end(op);
    return faulted;
}

/* ---- allocations ------------------------------------------------------- */

static void test_contents_and_lookup(void **state)
{
    struct vgpu_memory *a = vgpu_memory_new(100, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_memory *b = vgpu_memory_new(40 * MIB, VGPU_MEM_DEVICE, 0, 1);
    unsigned char *bytes = b->base;

    (void)state;
    assert_int_equal((uintptr_t)a->base % 4096, 0);
    assert_int_equal(((unsigned char *)a->base)[99], 0xCD);
    assert_int_equal(bytes[0], 0xCD);
    assert_int_equal(bytes[40 * MIB - 1], 0xCD);
    bytes[17 * MIB] = 1; /* its neighbours stay as they are */
    assert_int_equal(bytes[MIB], 0xCD);
    assert_int_equal(bytes[17 * MIB + 1], 0xCD);
    assert_ptr_equal(vgpu_memory_find((char *)a->base + 99), a);
    assert_null(vgpu_memory_find((char *)a->base + 100));
    assert_ptr_equal(vgpu_memory_find(bytes + MIB), b);
    assert_null(vgpu_memory_find(&a));
    assert_ptr_equal(vgpu_memory_first(), a);
    assert_ptr_equal(vgpu_memory_next(a), b);
    assert_null(vgpu_memory_next(b));
    vgpu_memory_free(a, 7);
    assert_ptr_equal(vgpu_memory_find(a->base), a);
    assert_int_equal(a->free_pc, 7);
    assert_ptr_equal(vgpu_memory_first(), b);
    vgpu_memory_free(b, 7);
    assert_null(vgpu_memory_first());
}

static void test_addresses_rest_after_free(void **state)
{
    void *before[100];

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct vgpu_memory *m = vgpu_memory_new(MIB, VGPU_MEM_DEVICE, 0, 1);

        before[i] = m->base;
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(before[j], m->base);
        vgpu_memory_free(m, 1);
    }
}

/* More address space than there is, if it were never used again. */
static void test_addresses_come_back(void **state)
{
    size_t bytes = checker.arena.bytes / 8;

    (void)state;
    for (int i = 0; i < 12; i++) {
        struct vgpu_memory *m = vgpu_memory_new(bytes, VGPU_MEM_DEVICE, 0, 1);

        assert_non_null(m);
        ((char *)m->base)[bytes / 2] = 1;
        vgpu_memory_free(m, 1);
    }
    assert_null(vgpu_memory_new(checker.arena.bytes, VGPU_MEM_DEVICE, 0, 1));
}

/* ---- device code ------------------------------------------------------- */

static void test_bounds_to_the_byte(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(5001, VGPU_MEM_DEVICE, 0, 1);
    char *base = m->base;

    (void)state;
    assert_false(faults(__tsan_read1, base + 5000, 0));
    assert_true(faults(__tsan_read1, base + 5001, 0));
    assert_non_null(strstr(fault_text, "past the end"));
    assert_false(faults(__tsan_read4, base + 4996, 0));
    assert_true(faults(__tsan_write4, base + 5000, 0));
    assert_true(faults(__tsan_write8, base + 12288, 0));
    assert_true(faults(__tsan_write1, base + 60000, 0));
    assert_true(faults(__tsan_read4, base - 4, 0));
    assert_non_null(strstr(fault_text, "at byte -4, ahead of buffer"));
    assert_true(faults(__tsan_read1, NULL, 0));
    assert_non_null(strstr(fault_text, "null pointer"));
    assert_false(faults(__tsan_unaligned_read8, base + 4093, 0));
    assert_true(faults(__tsan_unaligned_read8, base + 4994, 0));
    vgpu_memory_free(m, 1);
}

static void test_freed_and_foreign(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(4096, VGPU_MEM_DEVICE, 1, 1);

    (void)state;
    assert_true(faults(__tsan_read4, m->base, 0));
    assert_non_null(strstr(fault_text, "without peer access"));
    vgpu_memory_set_peer(1, 0, 1);
    assert_false(faults(__tsan_read4, m->base, 0));
    vgpu_memory_set_peer(1, 0, 0);
    assert_true(faults(__tsan_read4, m->base, 0));
    assert_false(faults(__tsan_read4, m->base, 1));
    vgpu_memory_free(m, 1);
    assert_true(faults(__tsan_read4, m->base, 1));
    assert_non_null(strstr(fault_text, "freed at"));
}

static void test_pinned_is_for_all(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(4096, VGPU_MEM_MAPPED, 1, 1);

    (void)state;
    assert_false(faults(__tsan_read4, m->base, 0));
    vgpu_memory_free(m, 1);
}

static void test_footprint(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(9000, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_memory *p = vgpu_memory_new(4096, VGPU_MEM_PINNED, 0, 1);
    char *base = m->base;
    struct vgpu_check_op *op = begin(stream, 0);

    (void)state;
    for (int i = 0; i < 10; i++) {
        __tsan_read4(base + 40);
        __tsan_write4(base + 40);
        __tsan_write8(base + 40);
        __tsan_unaligned_read8(base + 4092);
        vgpu_check_atomic(base + 80, 4, 1);
        __tsan_write4(p->base);
    }
    __tsan_write_range(base + 8000, 1000);
    assert_int_equal(end(op), 4 + 8 + 8 + 4 + 4 + 1000);
    op = begin(stream, 0);
    vgpu_check_range(op, base, 9000, VGPU_READ);
    vgpu_check_range_2d(op, base, 100, 10, 3, VGPU_WRITE);
    assert_int_equal(end(op), 9030);
    vgpu_memory_free(m, 1);
    vgpu_memory_free(p, 1);
}

/* ---- host code --------------------------------------------------------- */

/* What a child process says on stderr, and its wait status. */
static int child_says(void (*body)(void *), void *argument, char *text,
                      size_t size)
{
    int ends[2], status;
    size_t got;
    FILE *said;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (!child) {
        struct rlimit none = {0, 0};

        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        dup2(ends[1], 2);
        body(argument);
        _exit(0);
    }
    close(ends[1]);
    said = fdopen(ends[0], "r");
    assert_non_null(said);
    got = fread(text, 1, size - 1, said);
    text[got] = 0;
    fclose(said);
    waitpid(child, &status, 0);
    return status;
}

static void read_it(void *at)
{
    __tsan_read4(at);
}

static void free_and_copy(void *memory)
{
    char buffer[16];
    void *base = ((struct vgpu_memory *)memory)->base;

    vgpu_memory_free(memory, 1);
    vgpu_memcpy(buffer, base, sizeof buffer);
}

static void test_host_touches_device_memory(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(4096, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_memory *p = vgpu_memory_new(100, VGPU_MEM_PINNED, 0, 1);
    char text[1000];
    int status = child_says(read_it, (char *)m->base + 8, text, sizeof text);

    (void)state;
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_non_null(strstr(text, "host code reads 4 bytes at byte 8"));
    assert_non_null(strstr(text, "test_check_memory.c:"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    status = child_says(free_and_copy, p, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_non_null(strstr(text, "freed at"));
    status = child_says(read_it, (char *)p->base + 98, text, sizeof text);
    assert_true(WIFEXITED(status));
    assert_non_null(strstr(text, "past the end"));
    vgpu_memory_free(m, 1);
    vgpu_memory_free(p, 1);
}

static void test_watched_host_memory(void **state)
{
    char *heap = calloc(1, 100000), *other_heap = calloc(1, 100);
    struct vgpu_check_op *op;

    (void)state;
    vgpu_check_watch(heap + 10, 50000);
    op = begin(stream, 0);
    vgpu_check_range(op, heap + 10, 50000, VGPU_READ);
    end(op);
    __tsan_write1(heap + 9);
    __tsan_write1(heap + 50010);
    __tsan_write1(other_heap);
    __tsan_read4(heap + 20);
    assert_int_equal(conflicts, 0);
    __tsan_write1(heap + 10);
    vgpu_memset(heap + 50000, 0, 20);
    vgpu_memset(heap + 5, 0, 8); /* begins before */
    assert_int_equal(conflicts, 3);
    assert_int_equal(conflict_bytes, 11 + 3);
    wait_for(stream);
    __tsan_write1(heap + 10);
    assert_int_equal(conflicts, 3);
    assert_false(outside_watched((uintptr_t)heap + 10, 1));
    free(heap);
    free(other_heap);
}

static void test_registered_memory(void **state)
{
    char *heap = calloc(1, 10000);
    struct vgpu_memory *m = vgpu_memory_register(heap, 10000, 1);

    (void)state;
    assert_ptr_equal(vgpu_memory_find(heap + 9999), m);
    assert_false(faults(__tsan_write4, heap + 4, 0));
    __tsan_read1(heap + 3);
    assert_int_equal(conflicts, 0);
    __tsan_read1(heap + 4);
    assert_int_equal(conflicts, 1);
    wait_for(stream);
    assert_true(outside_watched((uintptr_t)heap, 1));
    vgpu_memory_free(m, 1);
    assert_false(outside_watched((uintptr_t)heap, 1));
    assert_null(vgpu_memory_find(heap));
    free(heap);
}

/* Once everything is waited for, host code leaves no traces. */
static void test_host_is_not_recorded_when_quiet(void **state)
{
    struct vgpu_memory *m = vgpu_memory_new(4096, VGPU_MEM_PINNED, 0, 1);
    struct page *page = arena_page((uintptr_t)m->base - checker.arena.base);

    (void)state;
    __tsan_write4(m->base);
    assert_null(page->layers);
    end(begin(stream, 0));
    __tsan_write4(m->base);
    assert_non_null(page->layers);
    wait_for(stream);
    assert_false(checker.arena.recording);
    vgpu_memory_free(m, 1);
}

/* ---- what it costs ----------------------------------------------------- */

static size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;

    if (file) {
        if (fscanf(file, "%ld %ld", &total, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* @ways streams share a buffer, element by element; @order: 0 in turn, else
 * by a hash. Return: memory that the checker took. */
static size_t cost_of_sharing(unsigned ways, uint32_t order)
{
    enum { BYTES = 32 << 20 };
    struct vgpu_memory *m = vgpu_memory_new(BYTES, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_agent *streams[16];
    char *base = m->base;
    size_t before, after;

    memset(base, 0, BYTES);
    before = resident_bytes();
    for (unsigned way = 0; way < ways; way++) {
        struct vgpu_check_op *op;

        streams[way] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
        op = begin(streams[way], 0);
        for (uint32_t i = 0; i < BYTES / 4; i++) {
            uint32_t turn = order ? (i * order) >> 20 : i;

            if (turn % ways != way)
                continue;
            __tsan_read4(base + 4 * (size_t)i);
            __tsan_write4(base + 4 * (size_t)i);
        }
        assert_int_equal(end(op) % 8, 0);
    }
    after = resident_bytes();
    assert_int_equal(conflicts, 0);
    for (unsigned way = 0; way < ways; way++) {
        wait_for(streams[way]);
        vgpu_agent_free(streams[way]);
    }
    vgpu_memory_free(m, 1);
    return after > before ? after - before : 0;
}

/* A sanitizer keeps for a while what was freed. */
#ifdef __SANITIZE_ADDRESS__
#define SHARED_MOST (24 * MIB)
#else
#define SHARED_MOST (16 * MIB)
#endif

static void test_memory_of_strided_work(void **state)
{
    (void)state;
    assert_true(cost_of_sharing(1, 0) < SHARED_MOST);
    assert_true(cost_of_sharing(2, 0) < SHARED_MOST);
    assert_true(cost_of_sharing(3, 0) < SHARED_MOST);
    assert_true(cost_of_sharing(8, 0) < SHARED_MOST);
    assert_true(cost_of_sharing(4, 2654435761u) < SHARED_MOST);
    assert_true(shadow_bytes() < MIB);
}

/* Each with a clock of its own, 20,000 operations over 300 streams would take
 * 46 MiB: they must share what they have in common. */
static void test_many_operations_stay_small(void **state)
{
    enum { OPS = 20000, STREAMS = 300 };
    static struct vgpu_check_op *ops[OPS];
    static struct vgpu_agent *streams[STREAMS];
    struct vgpu_memory *m =
        vgpu_memory_new(STREAMS * 4096, VGPU_MEM_DEVICE, 0, 1);
    size_t before = resident_bytes();

    (void)state;
    for (int i = 0; i < STREAMS; i++)
        streams[i] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    for (int i = 0; i < OPS; i++) {
        struct vgpu_clock *clock;

        ops[i] = vgpu_check_enqueue(host, streams[i % STREAMS], &by_kernel, 1);
        clock = vgpu_check_op_clock(ops[i]);
        vgpu_agent_join(streams[(i + 7) % STREAMS], clock);
        vgpu_clock_release(clock);
    }
    assert_true(resident_bytes() - before < 30 * MIB);
    for (int i = 0; i < OPS; i++) {
        vgpu_check_op_begin(ops[i], 0);
        vgpu_check_range(ops[i], (char *)m->base + i % STREAMS * 4096, 4096,
                         VGPU_WRITE);
        vgpu_check_op_end(ops[i], NULL);
        vgpu_check_op_free(ops[i]);
    }
    assert_int_equal(conflicts, 0);
    for (int i = 0; i < STREAMS; i++) {
        wait_for(streams[i]);
        vgpu_agent_free(streams[i]);
    }
    vgpu_memory_free(m, 1);
}

/* Streams made and destroyed for ever use the same slots again. */
static void test_agents_are_recycled(void **state)
{
    uint32_t most = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        struct vgpu_agent *one = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "s");

        end(begin(one, 0));
        wait_for(one);
        most = one->slot > most ? one->slot : most;
        vgpu_agent_free(one);
    }
    assert_true(most < 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_contents_and_lookup),
        TEST(test_addresses_rest_after_free),
        TEST(test_bounds_to_the_byte),
        TEST(test_freed_and_foreign),
        TEST(test_pinned_is_for_all),
        TEST(test_footprint),
        TEST(test_host_touches_device_memory),
        TEST(test_watched_host_memory),
        TEST(test_registered_memory),
        TEST(test_host_is_not_recorded_when_quiet),
        TEST(test_memory_of_strided_work),
        TEST(test_many_operations_stay_small),
        TEST(test_agents_are_recycled),
        TEST(test_addresses_come_back),
    };

    if (vgpu_check_init(1))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
