/* test_exec.c: the executor, with kernels written by hand in C. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "vgpu/threads.h"
#include "vgpu_exec.h"

#define ALL   0xffffffffu
#define UNSET 0xCDCDCDCDu

/* From device/builtins.c; programs know them by CUDA's names. */
void vgpu_syncthreads(void);
int vgpu_syncthreads_count(int predicate);
int vgpu_syncthreads_and(int predicate);
int vgpu_syncthreads_or(int predicate);
void vgpu_grid_sync(const void *pc);
int vgpu_grid_valid(void);
void vgpu_syncwarp(unsigned int mask);
unsigned int vgpu_activemask(void);
unsigned int vgpu_ballot(unsigned int mask, int predicate);
int vgpu_any(unsigned int mask, int predicate);
int vgpu_all(unsigned int mask, int predicate);
int vgpu_shfl_idx_int(unsigned int mask, int value, int source, int width);
int vgpu_shfl_up_int(unsigned int mask, int value, unsigned int delta,
                     int width);
double vgpu_shfl_down_double(unsigned int mask, double value,
                             unsigned int delta, int width);
int vgpu_shfl_xor_int(unsigned int mask, int value, int bits, int width);
unsigned int vgpu_match_any_int(unsigned int mask, int value);
unsigned int vgpu_match_all_int(unsigned int mask, int value, int *predicate);
int vgpu_reduce_add_int(unsigned int mask, int value);
int vgpu_reduce_min_int(unsigned int mask, int value);
unsigned int vgpu_reduce_max_uint(unsigned int mask, unsigned int value);
int vgpu_atomic_add_int(int *at, int value);
float vgpu_atomic_add_float(float *at, float value);
unsigned int vgpu_atomic_inc_uint(unsigned int *at, unsigned int value);
unsigned int vgpu_atomic_dec_uint(unsigned int *at, unsigned int value);
int vgpu_atomic_min_int(int *at, int value);
int vgpu_atomic_cas_int(int *at, int compare, int value);

/* ---- a kernel is a C function that is called for each thread ------------- */

typedef void body_fn(void *arg, struct uint3 thread);

struct closure {
    body_fn *body;
    void *arg;
};

static void run(void *closure, struct vgpu_block *block)
{
    const struct closure *c = closure;
    int64_t t;

    while ((t = vgpu_block_next(block)) >= 0) {
        struct uint3 thread = {(unsigned int)(t & 0xffff),
                               (unsigned int)(t >> 16 & 0xffff),
                               (unsigned int)(t >> 32)};

        c->body(c->arg, thread);
    }
}

static const struct vgpu_body threads_run = {.run = run};
static const struct vgpu_kernel kernel = {"body", "test_exec.c", 1, 0, 0, {0}};
static struct vgpu_exec_result result;

static bool cooperative;

static enum vgpu_exec_status launch(body_fn *body, void *arg,
                                    const uint32_t grid[3],
                                    const uint32_t block[3], uint64_t seed)
{
    struct closure closure = {body, arg};
    struct vgpu_exec exec = {
        .kernel = &kernel,
        .body = &threads_run,
        .closure = &closure,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .dynamic_shared_bytes = 64,
        .warp_size = 32,
        .ticks_per_op = 1,
        .cooperative = cooperative,
        .seed = seed,
    };

    return vgpu_exec_run(&exec, &result);
}

static enum vgpu_exec_status launch_1d(body_fn *body, void *arg,
                                       uint32_t blocks, uint32_t threads)
{
    return launch(body, arg, (uint32_t[]){blocks, 1, 1},
                  (uint32_t[]){threads, 1, 1}, 0);
}

/* ---- order --------------------------------------------------------------- */

struct visits {
    int count[4 * 3 * 2 * 5 * 2 * 3];
    int order[4 * 3 * 2 * 5 * 2 * 3];
    int num;
};

static void visit(void *arg, struct uint3 t)
{
    struct visits *visits = arg;
    struct uint3 b = vgpu_block_index();
    struct uint3 bd = vgpu_block_extent();
    struct uint3 gd = vgpu_grid_extent();
    struct uint3 again = vgpu_thread_index();
    unsigned int block = b.x + gd.x * (b.y + gd.y * b.z);
    unsigned int thread = t.x + bd.x * (t.y + bd.y * t.z);
    unsigned int at = block * bd.x * bd.y * bd.z + thread;

    assert_memory_equal(&t, &again, sizeof t);
    visits->count[at]++;
    visits->order[visits->num++] = (int)at;
}

static void visit_all(struct visits *visits, uint64_t seed)
{
    int i;

    memset(visits, 0, sizeof *visits);
    assert_int_equal(launch(visit, visits, (uint32_t[]){5, 2, 3},
                            (uint32_t[]){4, 3, 2}, seed),
                     VGPU_EXEC_OK);
    assert_int_equal(visits->num, 720);
    for (i = 0; i < 720; i++)
        assert_int_equal(visits->count[i], 1);
}

static void test_each_thread_runs_once(void **state)
{
    static struct visits visits, again;
    uint64_t seed;
    int i;

    (void)state;
    visit_all(&visits, 0);
    for (i = 0; i < 720; i++)
        assert_int_equal(visits.order[i], i);
    for (seed = 1; seed < 20; seed++) {
        visit_all(&visits, seed);
        visit_all(&again, seed);
        assert_memory_equal(&visits, &again, sizeof visits);
        visit_all(&again, seed + 1);
        assert_memory_not_equal(&visits, &again, sizeof visits);
    }
}

static void test_impossible_blocks(void **state)
{
    static struct visits visits;
    uint32_t one[3] = {1, 1, 1};

    (void)state;
    assert_int_equal(launch(visit, &visits, one, (uint32_t[]){1025, 1, 1}, 0),
                     VGPU_EXEC_TRAP);
    assert_int_equal(
        launch(visit, &visits, one, (uint32_t[]){1u << 31, 1u << 31, 4}, 0),
        VGPU_EXEC_TRAP);
    assert_int_equal(launch(visit, &visits, one, (uint32_t[]){1, 0, 1}, 0),
                     VGPU_EXEC_TRAP);
    assert_int_equal(visits.num, 0);
}

/* ---- barriers ------------------------------------------------------------ */

static void sum_1024(void *arg, struct uint3 t)
{
    static const char *key = "values";
    int *values = vgpu_shared_find(&key, 1024 * sizeof(int), sizeof(int));
    unsigned int half;

    values[t.x] = (int)t.x;
    vgpu_syncthreads();
    for (half = 512; half; half /= 2) {
        if (t.x < half)
            values[t.x] += values[t.x + half];
        vgpu_syncthreads();
    }
    if (t.x == 0)
        *(int *)arg += values[0];
}

static void test_barrier_of_1024_threads(void **state)
{
    uint64_t seed;
    int sum = 0;

    (void)state;
    for (seed = 0; seed < 3; seed++)
        assert_int_equal(launch(sum_1024, &sum, (uint32_t[]){4, 1, 1},
                                (uint32_t[]){1024, 1, 1}, seed),
                         VGPU_EXEC_OK);
    assert_int_equal(sum, 3 * 4 * 1024 * 1023 / 2);
    assert_string_equal(result.warning, "");
}

static void barrier_kinds(void *arg, struct uint3 t)
{
    int *bad = arg;

    *bad += vgpu_syncthreads_count(t.x < 40) != 40;
    *bad += vgpu_syncthreads_and(t.x < 100) != 1;
    *bad += vgpu_syncthreads_and(t.x < 99) != 0;
    *bad += vgpu_syncthreads_or(t.x == 7) != 1;
    *bad += vgpu_syncthreads_or(0) != 0;
}

static void test_barriers_with_a_predicate(void **state)
{
    int bad = 0;

    (void)state;
    assert_int_equal(launch_1d(barrier_kinds, &bad, 2, 100), VGPU_EXEC_OK);
    assert_int_equal(bad, 0);
}

static void half_end(void *arg, struct uint3 t)
{
    if (t.x >= 50)
        return;
    vgpu_syncthreads();
    ++*(int *)arg;
}

static void test_ended_threads_are_not_waited_for(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(launch_1d(half_end, &count, 2, 100), VGPU_EXEC_OK);
    assert_int_equal(count, 100);
    assert_string_equal(result.message, "");
    assert_non_null(strstr(result.warning, "thread (50,0,0)"));
    assert_non_null(strstr(result.warning, "__syncthreads"));
}

static void two_kinds(void *arg, struct uint3 t)
{
    (void)arg;
    if (t.x < 5)
        vgpu_syncthreads();
    else
        vgpu_syncthreads_or(1);
}

static void warp_against_block(void *arg, struct uint3 t)
{
    (void)arg;
    if (t.x == 3)
        vgpu_syncwarp(ALL);
    vgpu_syncthreads();
}

static void masks_disagree(void *arg, struct uint3 t)
{
    (void)arg;
    vgpu_ballot(t.x < 3 ? 0xff : 0xfe | 1u << t.x, 1);
}

static void lane_not_in_mask(void *arg, struct uint3 t)
{
    (void)arg;
    vgpu_shfl_idx_int(0xf, (int)t.x, 0, 32);
}

static void test_divergence_is_reported(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(launch_1d(two_kinds, NULL, 2, 64),
                     VGPU_EXEC_DIVERGENT_BARRIER);
    assert_non_null(strstr(result.message, "thread (5,0,0)"));
    assert_int_equal(launch_1d(warp_against_block, NULL, 2, 64),
                     VGPU_EXEC_DIVERGENT_BARRIER);
    assert_non_null(strstr(result.message, "thread (3,0,0)"));
    assert_non_null(strstr(result.message, "__syncwarp"));
    assert_int_equal(launch_1d(masks_disagree, NULL, 1, 8),
                     VGPU_EXEC_DIVERGENT_BARRIER);
    assert_int_equal(launch_1d(lane_not_in_mask, NULL, 1, 8),
                     VGPU_EXEC_DIVERGENT_BARRIER);
    assert_non_null(strstr(result.message, "0x0000000f"));
    /* and the next kernel is none the worse for it */
    assert_int_equal(launch_1d(sum_1024, &count, 1, 1024), VGPU_EXEC_OK);
}

/* ---- warps --------------------------------------------------------------- */

static void shuffles(void *arg, struct uint3 t)
{
    int *bad = arg;
    int lane = (int)t.x % 32;
    int v = (int)t.x * 10;
    int base = ((int)t.x - lane) * 10;

    *bad += vgpu_shfl_idx_int(ALL, v, 5, 32) != base + 50;
    *bad += vgpu_shfl_idx_int(ALL, v, 9, 8) != base + (lane / 8 * 8 + 1) * 10;
    *bad += vgpu_shfl_up_int(ALL, v, 3, 32) != (lane < 3 ? v : v - 30);
    *bad += vgpu_shfl_up_int(ALL, v, 3, 16) != (lane % 16 < 3 ? v : v - 30);
    *bad +=
        vgpu_shfl_down_double(ALL, v, 1, 4) != (lane % 4 == 3 ? v : v + 10.0);
    *bad += vgpu_shfl_xor_int(ALL, v, 1, 32) != base + (lane ^ 1) * 10;
    *bad += vgpu_shfl_xor_int(ALL, v, 8, 8) !=
            (lane & 8 ? base + (lane ^ 8) * 10 : v);
}

static void votes(void *arg, struct uint3 t)
{
    int *bad = arg;
    int lane = (int)t.x % 32;
    int same;

    *bad += vgpu_ballot(ALL, lane & 1) != 0xaaaaaaaa;
    *bad += vgpu_any(ALL, lane == 9) != 1;
    *bad += vgpu_any(ALL, 0) != 0;
    *bad += vgpu_all(ALL, lane < 32) != 1;
    *bad += vgpu_all(ALL, lane < 31) != 0;
    *bad += vgpu_match_any_int(ALL, lane / 16) !=
            (lane < 16 ? 0xffffu : 0xffff0000u);
    *bad += vgpu_match_all_int(ALL, 7, &same) != ALL || !same;
    *bad += vgpu_match_all_int(ALL, lane, &same) != 0 || same;
    *bad += vgpu_reduce_add_int(ALL, lane - 1) != 496 - 32;
    *bad += vgpu_reduce_min_int(ALL, lane - 5) != -5;
    *bad += vgpu_reduce_max_uint(ALL, (unsigned int)lane - 1) != ALL;
    *bad += vgpu_activemask() != ALL;
}

static void groups_of_lanes(void *arg, struct uint3 t)
{
    int *bad = arg;
    unsigned int lane = t.x % 32;
    unsigned int mask = lane < 16 ? 0xffff : 0xffff0000;

    if (lane < 16)
        *bad += vgpu_reduce_add_int(mask, 1) != 16;
    else
        *bad += vgpu_shfl_idx_int(mask, (int)lane, 20, 32) != 20;
    vgpu_syncwarp(ALL);
    if (lane % 2)
        *bad += vgpu_activemask() != 0xaaaaaaaa;
}

static void test_warps(void **state)
{
    static body_fn *const bodies[] = {shuffles, votes, groups_of_lanes};
    uint64_t seed;
    int bad = 0;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        for (seed = 0; seed < 3; seed++) {
            assert_int_equal(launch(bodies[i], &bad, (uint32_t[]){2, 1, 1},
                                    (uint32_t[]){96, 1, 1}, seed),
                             VGPU_EXEC_OK);
            assert_int_equal(bad, 0);
        }
    }
}

static void missing_lanes(void *arg, struct uint3 t)
{
    int *bad = arg;

    /* a block of 40: the second warp has 8 lanes */
    if (t.x >= 32) {
        *bad += vgpu_ballot(ALL, 1) != 0xff;
        *bad += vgpu_shfl_idx_int(ALL, 1, 8, 32) != (int)UNSET;
        return;
    }
    if (t.x == 4)
        return;
    *bad += vgpu_ballot(ALL, 1) != (ALL & ~(1u << 4));
    *bad += vgpu_shfl_idx_int(ALL, 1, 4, 32) != (int)UNSET;
}

static void test_lanes_that_are_not_there(void **state)
{
    int bad = 0;

    (void)state;
    assert_int_equal(launch_1d(missing_lanes, &bad, 2, 40), VGPU_EXEC_OK);
    assert_int_equal(bad, 0);
}

/* ---- shared memory ------------------------------------------------------- */

static const char *key_a = "a", *key_b = "b";

static void fresh_shared(void *arg, struct uint3 t)
{
    int *bad = arg;
    unsigned int *a = vgpu_shared_find(&key_a, 64 * 4, 4);
    char *b = vgpu_shared_find(&key_b, 1, 128);
    unsigned int *dynamic = vgpu_shared_dynamic();

    *bad += (uintptr_t)b % 128 != 0 || (uintptr_t)dynamic % 16 != 0;
    *bad += a[t.x] != UNSET || dynamic[t.x % 16] != UNSET;
    *bad += !vgpu_exec_owns(a) || !vgpu_exec_owns(dynamic);
    vgpu_syncthreads();
    a[t.x] = t.x;
    dynamic[t.x % 16] = 1;
    *b = 5;
    vgpu_syncthreads();
    *bad += a[(t.x + 1) % 64] != (t.x + 1) % 64;
}

static void overrun(void *arg, struct uint3 t)
{
    char *a = vgpu_shared_find(&key_a, 100, 1);

    (void)arg;
    if (t.x == 3)
        a[100] = 1;
}

static void overrun_dynamic(void *arg, struct uint3 t)
{
    volatile char *dynamic = vgpu_shared_dynamic();

    (void)arg;
    if (t.x == 3)
        dynamic[64] = 1;
}

static void too_much(void *arg, struct uint3 t)
{
    (void)arg;
    (void)t;
    vgpu_shared_find(&key_a, 40 * 1024, 4);
    vgpu_shared_find(&key_b, 9 * 1024, 4);
}

static void test_shared_memory(void **state)
{
    int bad = 0;

    (void)state;
    assert_int_equal(launch_1d(fresh_shared, &bad, 3, 64), VGPU_EXEC_OK);
    assert_int_equal(bad, 0);
    assert_int_equal(launch_1d(overrun, NULL, 1, 32),
                     VGPU_EXEC_ILLEGAL_ADDRESS);
    assert_non_null(strstr(result.message, "__shared__"));
    assert_int_equal(launch_1d(overrun_dynamic, NULL, 1, 32),
                     VGPU_EXEC_ILLEGAL_ADDRESS);
    assert_non_null(strstr(result.message, "__shared__"));
    assert_non_null(strstr(result.message, "thread (3,0,0)"));
    assert_int_equal(launch_1d(too_much, NULL, 1, 32), VGPU_EXEC_TRAP);
}

/* ---- early ends ---------------------------------------------------------- */

static int abort_at_depth(int depth)
{
    volatile int here = depth;

    if (depth)
        return abort_at_depth(depth - 1) + here;
    if (here == 0)
        vgpu_exec_abort(VGPU_EXEC_ILLEGAL_ADDRESS, "a test");
    return 0;
}

static void aborts(void *arg, struct uint3 t)
{
    (void)arg;
    if (t.x < 60)
        vgpu_syncthreads();
    if (t.x == 70)
        abort_at_depth(100);
}

static void asserts(void *arg, struct uint3 t)
{
    (void)arg;
    if (t.x == 1)
        vgpu_assert_fail("i < n", "lab.cu", 12, "k");
}

static void traps(void *arg, struct uint3 t)
{
    (void)arg;
    if (t.x == 1)
        vgpu_trap();
}

/* On purpose: not for a sanitizer to say. */
__attribute__((no_sanitize("undefined"))) static void
writes_to_null(void *arg, struct uint3 t)
{
    volatile int *volatile *where = arg;

    vgpu_syncthreads();
    if (t.x == 1)
        **where = 1;
}

static int recurse(int depth)
{
    volatile char frame[4096];

    frame[depth % 4096] = 1;
    return depth ? recurse(depth - 1) + frame[0] : 0;
}

static void recurses(void *arg, struct uint3 t)
{
    vgpu_syncthreads();
    if (t.x == 2)
        recurse(*(int *)arg);
    vgpu_syncthreads();
}

static void test_kernel_ends_early(void **state)
{
    volatile int *null = NULL;
    int depth = 1000;
    int i, sum;

    (void)state;
    for (i = 0; i < 3; i++) {
        assert_int_equal(launch_1d(aborts, NULL, 2, 100),
                         VGPU_EXEC_ILLEGAL_ADDRESS);
        assert_string_equal(result.message,
                            "block (0,0,0), thread (70,0,0): a test");
        assert_false(vgpu_exec_active());
        sum = 0;
        assert_int_equal(launch_1d(sum_1024, &sum, 1, 1024), VGPU_EXEC_OK);
        assert_int_equal(sum, 1024 * 1023 / 2);
    }
    assert_int_equal(launch_1d(asserts, NULL, 1, 32), VGPU_EXEC_ASSERT);
    assert_non_null(strstr(result.message, "lab.cu:12: assertion `i < n'"));
    assert_int_equal(launch_1d(traps, NULL, 1, 32), VGPU_EXEC_TRAP);
    assert_int_equal(launch_1d(writes_to_null, &null, 1, 32),
                     VGPU_EXEC_ILLEGAL_ADDRESS);
    assert_int_equal(launch_1d(recurses, &depth, 1, 32),
                     VGPU_EXEC_ILLEGAL_ADDRESS);
    assert_non_null(strstr(result.message, "stack overflow"));
}

#if defined(__x86_64__)
__attribute__((no_sanitize("undefined"))) static void divides(void *arg,
                                                              struct uint3 t)
{
    volatile int *numbers = arg;

    if (t.x == 1)
        numbers[0] = numbers[1] / numbers[2];
}
#endif

static void before(int signal_number)
{
    (void)signal_number;
}

static void test_signals_are_given_back(void **state)
{
    int numbers[3] = {0, 1, 0};

    (void)state;
    signal(SIGFPE, before);
#if defined(__x86_64__)
    assert_int_equal(launch_1d(divides, numbers, 1, 32), VGPU_EXEC_TRAP);
    assert_non_null(strstr(result.message, "division by zero"));
    assert_true(result.pc != 0);
#else
    assert_int_equal(launch_1d(traps, numbers, 1, 32), VGPU_EXEC_TRAP);
#endif
    assert_ptr_equal(signal(SIGFPE, SIG_DFL), before);
}

static void test_deep_stacks(void **state)
{
    int depth = 30; /* 120 KiB */

    (void)state;
    assert_int_equal(launch_1d(recurses, &depth, 1, 1024), VGPU_EXEC_OK);
}

/* ---- a grid that waits --------------------------------------------------- */

struct meeting {
    int came, early;
};

static void meets(void *arg, struct uint3 t)
{
    struct meeting *m = arg;
    const struct uint3 grid = vgpu_grid_extent(), block = vgpu_block_extent();
    const int all = (int)(grid.x * block.x);

    (void)t;
    assert_int_equal(vgpu_grid_valid(), 1);
    for (int round = 1; round <= 3; round++) {
        m->came++;
        vgpu_grid_sync(NULL);
        m->early += m->came != round * all;
        vgpu_syncthreads();
        vgpu_grid_sync(NULL);
    }
}

static void block_1_ends(void *arg, struct uint3 t)
{
    (void)arg;
    (void)t;
    if (vgpu_block_index().x != 1)
        vgpu_grid_sync(NULL);
}

static void uses_64_kib(void *arg, struct uint3 t)
{
    volatile char local[64 * 1024];

    memset((char *)local, (int)t.x, sizeof local);
    vgpu_grid_sync(NULL);
    for (size_t i = 0; i < sizeof local; i += 512)
        *(int *)arg += local[i] != (char)t.x;
}

/* More blocks than may wait for flags, more threads than stacks with a guard;
 * and again in another shape, with the same stacks. */
static void test_grids_that_wait(void **state)
{
    static const uint32_t shapes[][2] = {{1, 1},     {3, 33},   {600, 32},
                                         {20, 1024}, {80, 256}, {600, 32}};

    (void)state;
    cooperative = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint32_t blocks = shapes[i][0], threads = shapes[i][1];
        struct meeting m = {0, 0};

        assert_int_equal(launch(meets, &m, (uint32_t[]){blocks, 1, 1},
                                (uint32_t[]){threads, 1, 1}, i),
                         VGPU_EXEC_OK);
        assert_int_equal(m.came, 3 * blocks * threads);
        assert_int_equal(m.early, 0);
    }
    cooperative = false;
}

static void test_grids_that_cannot_go_on(void **state)
{
    int wrong = 0, depth = 1000000;

    (void)state;
    assert_int_equal(launch_1d(block_1_ends, NULL, 3, 2), VGPU_EXEC_TRAP);
    assert_non_null(strstr(result.message, "cudaLaunchCooperativeKernel"));
    cooperative = true;
    assert_int_equal(launch_1d(block_1_ends, NULL, 3, 2), VGPU_EXEC_WAITS);
    assert_true(result.is_lost);
    assert_non_null(strstr(result.message, "2 blocks wait at grid.sync() for "
                                           "block (1,0,0), which ended"));
    assert_int_equal(launch_1d(uses_64_kib, &wrong, 18, 1024), VGPU_EXEC_OK);
    assert_int_equal(wrong, 0);
    assert_int_equal(launch_1d(recurses, &depth, 1, 32),
                     VGPU_EXEC_ILLEGAL_ADDRESS);
    assert_non_null(strstr(result.message, "stack overflow"));
    cooperative = false;
}

/* ---- the rest ------------------------------------------------------------ */

static void prints(void *arg, struct uint3 t)
{
    (void)arg;
    vgpu_syncthreads();
    if (t.x < 3)
        assert_int_equal(vgpu_printf("%u%% of %s|", t.x, "x"), 2);
}

static void floods(void *arg, struct uint3 t)
{
    (void)arg;
    vgpu_printf("%0999d\n", (int)t.x);
}

/* What vgpu_exec_flush_printf writes, at most @size - 1 bytes of it.
 * Return: how much it wrote. */
static long flushed(char *text, size_t size)
{
    FILE *file = tmpfile();
    int out = dup(1);
    long total;
    size_t n;

    fflush(stdout);
    dup2(fileno(file), 1);
    vgpu_exec_flush_printf();
    fflush(stdout);
    dup2(out, 1);
    close(out);
    total = lseek(fileno(file), 0, SEEK_END);
    rewind(file);
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return total;
}

static void test_printf_waits_for_a_flush(void **state)
{
    char text[2000];

    (void)state;
    assert_int_equal(launch_1d(prints, NULL, 2, 32), VGPU_EXEC_OK);
    flushed(text, sizeof text);
    assert_string_equal(text, "0% of x|1% of x|2% of x|"
                              "0% of x|1% of x|2% of x|");
    assert_int_equal(flushed(text, sizeof text), 0);
    /* 2 MB into a ring of 1 MiB: the oldest text is lost */
    assert_int_equal(launch_1d(floods, NULL, 2, 1000), VGPU_EXEC_OK);
    assert_int_equal(flushed(text, sizeof text), 1024 * 1024);
}

__attribute__((section("vgpu_vars"))) static int symbol = 17;
__attribute__((section("vgpu_consts"))) static const int constant = 3;

static void count_symbol(void *arg, struct uint3 t)
{
    (void)arg;
    (void)t;
    symbol++;
}

static void test_each_device_has_its_symbols(void **state)
{
    struct closure closure = {count_symbol, NULL};
    struct vgpu_exec exec = {.kernel = &kernel,
                             .body = &threads_run,
                             .closure = &closure,
                             .grid = {1, 1, 1},
                             .block = {10, 1, 1}};
    int device;

    (void)state;
    assert_true(vgpu_symbols_contain(&symbol));
    assert_true(vgpu_symbols_contain(&constant));
    assert_false(vgpu_symbols_contain(&key_a));
    for (device = 0; device < 3; device++) {
        exec.device = device;
        exec.block[0] = 10 + (uint32_t)device;
        assert_int_equal(vgpu_exec_run(&exec, &result), VGPU_EXEC_OK);
    }
    for (device = 0; device < 3; device++) {
        vgpu_symbols_activate(device);
        assert_int_equal(symbol, 27 + device);
    }
    vgpu_symbols_activate(7);
    assert_int_equal(symbol, 17);
    vgpu_symbols_activate(0);
}

static void counts(void *arg, struct uint3 t)
{
    uint64_t *longest = arg;
    uint64_t start = vgpu_clock_read(0);
    uint64_t now = start;

    vgpu_cost_add(10);
    while (now - start < 1000000000)
        now = vgpu_clock_read(0);
    if (now - start > *longest)
        *longest = now - start;
    (void)t;
}

static void only_counts(void *arg, struct uint3 t)
{
    (void)arg;
    (void)t;
    vgpu_cost_add(10);
}

static void test_operations_and_clock(void **state)
{
    uint64_t longest = 0;

    (void)state;
    assert_int_equal(launch_1d(only_counts, NULL, 3, 7), VGPU_EXEC_OK);
    assert_int_equal(result.ops, 210);
    assert_int_equal(result.busy_blocks, 3);
    assert_int_equal(launch_1d(counts, &longest, 1, 4), VGPU_EXEC_OK);
    assert_in_range(longest, 1000000000, 1100000000);
    assert_in_range(result.ops, 4000000000, 4400000000);
    assert_int_equal(vgpu_clock_read(0), 0);
}

struct atomics {
    int sum, least, cas;
    float real;
    unsigned int up, down;
};

static void atomics(void *arg, struct uint3 t)
{
    struct atomics *a = arg;

    vgpu_atomic_add_int(&a->sum, (int)t.x);
    vgpu_atomic_min_int(&a->least, 5 - (int)t.x);
    vgpu_atomic_add_float(&a->real, 0.5f);
    vgpu_atomic_inc_uint(&a->up, 6);
    vgpu_atomic_dec_uint(&a->down, 6);
    vgpu_atomic_cas_int(&a->cas, 0, (int)t.x + 1);
}

static void test_atomics(void **state)
{
    static struct atomics a;

    (void)state;
    assert_int_equal(launch_1d(atomics, &a, 1, 100), VGPU_EXEC_OK);
    assert_int_equal(a.sum, 4950);
    assert_int_equal(a.least, -94);
    assert_int_equal(a.cas, 1);
    assert_true(a.real == 50.0f);
    assert_int_equal(a.up, 100 % 7);
    assert_int_equal(a.down, 7 - 100 % 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_thread_runs_once),
        cmocka_unit_test(test_impossible_blocks),
        cmocka_unit_test(test_barrier_of_1024_threads),
        cmocka_unit_test(test_barriers_with_a_predicate),
        cmocka_unit_test(test_ended_threads_are_not_waited_for),
        cmocka_unit_test(test_divergence_is_reported),
        cmocka_unit_test(test_warps),
        cmocka_unit_test(test_lanes_that_are_not_there),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_kernel_ends_early),
        cmocka_unit_test(test_signals_are_given_back),
        cmocka_unit_test(test_deep_stacks),
        cmocka_unit_test(test_grids_that_wait),
        cmocka_unit_test(test_grids_that_cannot_go_on),
        cmocka_unit_test(test_printf_waits_for_a_flush),
        cmocka_unit_test(test_each_device_has_its_symbols),
        cmocka_unit_test(test_operations_and_clock),
        cmocka_unit_test(test_atomics),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
