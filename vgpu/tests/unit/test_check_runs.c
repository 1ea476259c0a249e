/*
 * test_check_runs.c: what one operation touches, told access by access in
 * orders that kernels have, against a count of every byte. No byte may be
 * lost or made up, whichever way the checker keeps them meanwhile.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include "check_state.h"

static const struct vgpu_actor by_second = {
    .does = VGPU_DOES_kernel, .kernel = "second", .what = "second"};
static const struct vgpu_actor by_first = {
    .does = VGPU_DOES_kernel, .kernel = "first", .what = "first"};
static const struct vgpu_actor by_k = {
    .does = VGPU_DOES_kernel, .kernel = "k", .what = "k"};
static const struct vgpu_actor by_copy = {.does = VGPU_DOES_h2d,
                                          .what = "copy"};

#define PAGES  2500 /* more than there are slots */
#define ROUNDS 60
#define STEPS  400

void __tsan_read1(void *at);
void __tsan_read4(void *at);
void __tsan_read8(void *at);
void __tsan_read16(void *at);
void __tsan_unaligned_read4(void *at);
void __tsan_read_range(void *base, size_t bytes);
void __tsan_write1(void *at);
void __tsan_write2(void *at);
void __tsan_write4(void *at);
void __tsan_write8(void *at);
void __tsan_unaligned_write8(void *at);
void __tsan_write_range(void *base, size_t bytes);
/* What vgpu/calls.h calls. */
void vgpu_left_read4(void *at, struct run_memo *memo, uint64_t pc);
void vgpu_left_read8(void *at, struct run_memo *memo, uint64_t pc);
void vgpu_left_write4(void *at, struct run_memo *memo, uint64_t pc);

static size_t random_below(size_t bound);

/* What a place in a program does, as vgpu/calls.h has it for the assembler. */
static void at_place(void *at, unsigned bytes, enum set_index set, int size,
                     void (*left)(void *, struct run_memo *, uint64_t))
{
    struct run_memo *memo = &vgpu_check_runs->memos[set][size][random_below(3)];
    const uintptr_t address = (uintptr_t)at;

    if (memo->next == address && address % VGPU_PAGE_BYTES)
        memo->next += bytes;
    else if (address % bytes || memo->next == address ||
             address - memo->first >= memo->count)
        left(at, memo, 5);
}

static void place_read4(void *at)
{
    at_place(at, 4, SET_READ, 2, vgpu_left_read4);
}

static void place_read8(void *at)
{
    at_place(at, 8, SET_READ, 3, vgpu_left_read8);
}

static void place_write4(void *at)
{
    at_place(at, 4, SET_WRITE, 2, vgpu_left_write4);
}

struct access {
    void (*call)(void *at);
    unsigned bytes;
    unsigned align;
    unsigned kind;
};

static const struct access accesses[] = {
    {__tsan_read1, 1, 1, VGPU_READ},
    {__tsan_read4, 4, 4, VGPU_READ},
    {__tsan_read4, 4, 4, VGPU_READ},
    {__tsan_read8, 8, 8, VGPU_READ},
    {place_read4, 4, 4, VGPU_READ},
    {place_read4, 4, 4, VGPU_READ},
    {place_read8, 8, 8, VGPU_READ},
    {place_write4, 4, 4, VGPU_WRITE},
    {place_write4, 4, 4, VGPU_WRITE},
    {__tsan_read16, 16, 16, VGPU_READ},
    {__tsan_unaligned_read4, 4, 1, VGPU_READ},
    {__tsan_write1, 1, 1, VGPU_WRITE},
    {__tsan_write2, 2, 2, VGPU_WRITE},
    {__tsan_write4, 4, 4, VGPU_WRITE},
    {__tsan_write4, 4, 4, VGPU_WRITE},
    {__tsan_write8, 8, 8, VGPU_WRITE},
    {__tsan_unaligned_write8, 8, 1, VGPU_WRITE},
};

static struct vgpu_agent *host, *streams[2];
static char *base;
static size_t size;
static uint8_t touched[PAGES * 4096];
static uint8_t found[PAGES * 4096];
static uint32_t seed;

static size_t random_below(size_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % bound;
}

static void touch(const struct access *access, size_t at)
{
    at -= at % access->align;
    if (at + access->bytes > size)
        return;
    access->call(base + at);
    for (unsigned i = 0; i < access->bytes; i++)
        touched[at + i] |= (uint8_t)access->kind;
}

static void touch_range(size_t at, size_t bytes, unsigned kind)
{
    if (at + bytes > size)
        bytes = size - at;
    if (kind == VGPU_READ)
        __tsan_read_range(base + at, bytes);
    else
        __tsan_write_range(base + at, bytes);
    for (size_t i = 0; i < bytes; i++)
        touched[at + i] |= (uint8_t)kind;
}

/* Several arrays at once, each in steps of its own; as a loop over threads
 * and a loop in each thread would. */
static void touch_arrays(void)
{
    size_t at[3], step[3], count = 1 + random_below(2000);
    const struct access *access[3];

    for (int i = 0; i < 3; i++) {
        access[i] = &accesses[random_below(sizeof accesses / sizeof *accesses)];
        at[i] = random_below(size);
        step[i] = access[i]->bytes;
        if (!random_below(4))
            step[i] = random_below(3 * 4096);
        if (!random_below(4))
            step[i] = -step[i];
    }
    if (!random_below(3)) { /* one array, read and written */
        at[1] = at[0];
        step[1] = step[0];
    }
    while (count--) {
        for (int i = 0; i < 3; i++) {
            touch(access[i], at[i] % size);
            at[i] += step[i];
        }
    }
}

static void touch_some(void)
{
    if (random_below(8))
        touch_arrays();
    else
        touch_range(random_below(size), random_below(3 * 4096),
                    random_below(2) ? VGPU_READ : VGPU_WRITE);
}

static void observe(const struct layer *earlier, uint64_t pc, unsigned kind,
                    uintptr_t lo, uintptr_t hi, unsigned bytes)
{
    uint64_t words[WORDS] = {0};
    uintptr_t page = (lo - (uintptr_t)base) / 4096 * 4096;

    (void)pc;
    (void)kind;
    (void)hi;
    (void)bytes;
    if (earlier->bitmap)
        bitmap_expand(earlier->bitmap, words);
    else
        bits_fill(words, earlier->lo, earlier->hi);
    for (unsigned i = 0; i < 4096; i++)
        if (words[i / 64] >> (i % 64) & 1)
            found[page + i] |= earlier->kind;
}

/* What the first operation did is what a second one, which nothing orders
 * with it, meets when it writes everything. */
static void compare(uint64_t counted)
{
    uint64_t expected = 0;
    struct vgpu_check_op *op;

    memset(found, 0, sizeof found);
    op = vgpu_check_enqueue(host, streams[1], &by_second, 2);
    vgpu_check_op_begin(op, 0);
    vgpu_check_range(op, base, size, VGPU_WRITE);
    vgpu_check_op_end(op, NULL);
    vgpu_check_op_free(op);
    for (size_t i = 0; i < size; i++) {
        expected += (touched[i] & VGPU_READ) != 0;
        expected += (touched[i] & VGPU_WRITE) != 0;
        if (touched[i] & VGPU_WRITE)
            touched[i] = VGPU_WRITE;
    }
    assert_int_equal(counted, expected);
    assert_memory_equal(touched, found, size);
}

static void test_orders(void **state)
{
    (void)state;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct vgpu_memory *memory;
        struct vgpu_check_op *op;
        uint64_t bytes;

        seed = round * 2654435761u;
        size = (1 + random_below(round % 4 ? 40 : PAGES - 1)) * 4096 -
               random_below(2) * random_below(4096);
        memory = vgpu_memory_new(size, VGPU_MEM_DEVICE, 0, 1);
        assert_non_null(memory);
        base = memory->base;
        memset(touched, 0, size);
        for (int i = 0; i < 2; i++)
            streams[i] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
        op = vgpu_check_enqueue(host, streams[0], &by_first, 1);
        vgpu_check_op_begin(op, 0);
        for (int i = 0; i < STEPS / (round % 4 ? 40 : 1); i++) {
            touch_some();
            if (!random_below(20)) /* which changes nothing */
                vgpu_check_part(2);
        }
        if (round % 2) { /* what a part has is counted as all is */
            vgpu_check_part(4);
            vgpu_check_part_end(4);
        }
        vgpu_check_op_end(op, &bytes);
        vgpu_check_op_free(op);
        compare(bytes);
        for (int i = 0; i < 2; i++)
            vgpu_agent_free(streams[i]);
        vgpu_memory_free(memory, 3);
    }
}

/* Each of @blocks reads a table and has a piece of its own. Only 4 were seen,
 * and then others are, which changes nothing. */
static uint64_t told_of(uint64_t blocks, size_t table, size_t piece, bool more)
{
    struct vgpu_memory *tables = vgpu_memory_new(table, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_memory *pieces =
        vgpu_memory_new(blocks * piece, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_check_op *op = vgpu_check_enqueue(host, streams[0], &by_k, 1);
    uint64_t bytes;

    vgpu_check_op_begin(op, 0);
    for (uint64_t seen = 0; seen < (more ? blocks : 4); seen++) {
        char *mine = (char *)pieces->base + seen * piece;

        if (seen == 2 || seen == 4)
            vgpu_check_part(seen);
        if (seen == 4)
            vgpu_check_part_end(blocks);
        __tsan_read_range(tables->base, table);
        for (size_t at = 0; at < piece; at += 4)
            __tsan_write4(mine + at);
    }
    if (!more) {
        vgpu_check_part(4);
        vgpu_check_part_end(blocks);
    }
    vgpu_check_op_end(op, &bytes);
    vgpu_check_op_free(op);
    vgpu_memory_free(tables, 3);
    vgpu_memory_free(pieces, 3);
    return bytes;
}

static void test_parts(void **state)
{
    (void)state;
    streams[0] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    for (int more = 0; more < 2; more++) {
        assert_int_equal(told_of(100, 64, 1024, more), 64 + 100 * 1024);
        assert_int_equal(told_of(9, 8192, 20, more), 8192 + 9 * 20);
        assert_int_equal(told_of(5000, 4096, 4, more), 4096 + 5000 * 4);
    }
    vgpu_agent_free(streams[0]);
}

/* No more than there is, however much the part grew; and code that nobody looks
 * at adds nothing, nor is it refused anything. */
static void test_part_ends_with_its_memory(void **state)
{
    struct vgpu_memory *memory = vgpu_memory_new(8000, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_check_op *op;
    uint64_t bytes;

    (void)state;
    streams[0] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    op = vgpu_check_enqueue(host, streams[0], &by_k, 1);
    vgpu_check_op_begin(op, 0);
    vgpu_check_part(2);
    __tsan_write_range(memory->base, 4000);
    vgpu_check_part(4);
    vgpu_check_part_end(1000000);
    vgpu_check_unwatched_begin(0);
    __tsan_write_range((char *)memory->base + 7000, 5000);
    vgpu_check_unwatched_end();
    vgpu_check_op_end(op, &bytes);
    assert_int_equal(bytes, 8000);
    vgpu_check_op_free(op);
    vgpu_memory_free(memory, 3);
    vgpu_agent_free(streams[0]);
}

static int faults;

static void count_fault(const void *address, size_t bytes, int kind,
                        uint64_t pc, const char *message)
{
    (void)address;
    (void)bytes;
    (void)kind;
    (void)pc;
    (void)message;
    faults++;
}

/* A run ends where its allocation does, and where another thread's begins. */
static void test_ends(void **state)
{
    struct vgpu_memory *memory = vgpu_memory_new(8192, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_check_op *op;
    uint64_t bytes;

    (void)state;
    base = memory->base;
    streams[0] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    op = vgpu_check_enqueue(host, streams[0], &by_first, 1);
    vgpu_check_set_device(&(struct vgpu_check_device){.fault = count_fault});
    vgpu_check_op_begin(op, 0);
    for (unsigned i = 0; i < 8192; i += 4)
        __tsan_write4(base + i);
    assert_int_equal(faults, 0);
    __tsan_write4(base + 8192);
    assert_int_equal(faults, 1);
    __tsan_read4(base);
    __tsan_read8(base + 4);
    assert_int_equal(faults, 2);
    __tsan_read1(NULL);
    assert_int_equal(faults, 3);
    vgpu_check_op_end(op, &bytes);
    assert_int_equal(bytes, 8192 + 12);
    vgpu_check_op_free(op);
    vgpu_check_set_device(&(struct vgpu_check_device){0});
    vgpu_agent_free(streams[0]);
    vgpu_memory_free(memory, 3);
}

/* The host is no operation, and nothing that it touches is known already. */
static void test_host_in_each_page(void **state)
{
    struct vgpu_memory *memory;
    struct vgpu_check_op *op;

    (void)state;
    size = PAGES * 4096;
    memory = vgpu_memory_new(size, VGPU_MEM_PINNED, 0, 1);
    base = memory->base;
    streams[0] = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream");
    op = vgpu_check_enqueue(host, streams[0], &by_copy, 1);
    vgpu_check_op_begin(op, 0);
    vgpu_check_range(op, base, size, VGPU_READ);
    vgpu_check_op_end(op, NULL);
    vgpu_check_op_free(op);
    memset(found, 0, sizeof found);
    for (size_t at = 0; at < size; at += 4096)
        place_write4(base + at);
    for (size_t at = 0; at < size; at += 4096)
        assert_int_equal(found[at], VGPU_READ);
    vgpu_agent_free(streams[0]);
    vgpu_memory_free(memory, 3);
}

static int set_up(void **state)
{
    (void)state;
    checker.hazard.observer = observe;
    host = vgpu_agent_new(VGPU_AGENT_HOST, -1, "the host thread");
    vgpu_check_set_host(host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_part_ends_with_its_memory),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_host_in_each_page),
    };

    if (vgpu_check_init(1))
        return 1;
    return cmocka_run_group_tests(tests, set_up, NULL);
}
