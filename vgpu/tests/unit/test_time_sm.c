/* test_time_sm.c: kernels alone and together on the SMs. */
#include "test_time.h"

static struct vgpu_time_work full_us1 = {.ops = FULL_OPS(1000)};
static struct vgpu_time_work full_us10 = {.ops = FULL_OPS(10000)};
static struct vgpu_time_work half_us1 = {.ops = FULL_OPS(500)};

static void occupancy(void **state)
{
    struct vgpu_profile p;

    (void)state;
    assert_int_equal(vgpu_profile_load("h200", &p, NULL, 0), 0);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 256, 32, 0), 8);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 256, 64, 0), 4);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 256, 33, 0), 6);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 1024, 32, 0), 2);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 1024, 65, 0), 0);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 32, 16, 0), 32);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 1, 16, 0), 32);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 128, 16, 48 << 10), 4);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 128, 16, 1 << 20), 0);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 1025, 16, 0), 0);
    assert_int_equal(vgpu_time_blocks_per_sm(&p, 0, 16, 0), 0);
}

/* A kernel by itself. Return: how long it takes. */
static int64_t alone(const struct vgpu_profile *p, int64_t blocks, int threads,
                     struct vgpu_time_work work)
{
    struct bench b;
    struct vgpu_time_op op;
    int64_t end;

    bench_open(&b, p, 1, 0);
    op = make_op(&b, VGPU_TIME_KERNEL, 1);
    op.blocks = blocks;
    op.threads_per_block = threads;
    op.user = &work;
    end = end_of(&b, submit(&b, &op));
    bench_close(&b);
    return end;
}

/* A kernel that waits holds its place, and others share what is left. */
static void open_until_finished(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work waits = {.open = true};
    struct vgpu_time_work half = {.ops = FULL_OPS(500)};
    struct vgpu_time_work rest = {.ops = FULL_OPS(500)};
    struct vgpu_time_op op;
    vgpu_time_id first, beside, behind;
    struct bench b;

    (void)state;
    bench_open(&b, &p, 1, 0);
    op = make_op(&b, VGPU_TIME_KERNEL, 1);
    op.blocks = 8;
    op.threads_per_block = BLOCK;
    op.user = &waits;
    first = submit(&b, &op);
    op.stream = 2;
    op.stream_index = 2;
    op.user = &half;
    beside = submit(&b, &op);
    op.stream = 3;
    op.stream_index = 3;
    op.blocks = 16;
    op.user = &full_us1;
    behind = submit(&b, &op);
    assert_int_equal(end_of(&b, beside), 1000);
    assert_int_equal(vgpu_time_wait(b.time, first), -1);
    assert_false(vgpu_time_done(b.time, first, 9000));
    vgpu_time_finish(b.time, first, &rest);
    assert_int_equal(end_of(&b, first), 10000);
    assert_int_equal(end_of(&b, behind), 3000); /* on half of the device */
    vgpu_time_finish(b.time, first, &rest);
    assert_int_equal(end_of(&b, first), 10000);
    bench_close(&b);
}

static void speed_follows_resident_threads(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};

    (void)state;
    assert_int_equal(alone(&p, 16, BLOCK, work), 1000);
    assert_int_equal(alone(&p, 8, BLOCK, work), 2000);
    assert_int_equal(alone(&p, 1, BLOCK, work), 16000);
    assert_int_equal(alone(&p, 1, 1, work), 4096000);
    assert_int_equal(alone(&p, 160, BLOCK, work), 1000);
    /* 24 blocks: a full wave of 16, then 8 that go half as fast. */
    work.ops = FULL_OPS(1500);
    assert_int_equal(alone(&p, 24, BLOCK, work), 2000);
    /* An SM that has enough threads gets no faster with more. */
    p.thread_ops_per_us = 4;
    work.ops = FULL_OPS(1000);
    assert_int_equal(alone(&p, 4, BLOCK, work), 1000);
    assert_int_equal(alone(&p, 16, BLOCK, work), 1000);
    assert_int_equal(alone(&p, 2, 1024, work), 2000);
}

/* With a knee, as many threads as would just fill the SM reach that much of its
 * rate; few are
 * hardly slower, and with many it is full. */
static void threads_hinder_each_other(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(3000)};

    (void)state;
    p.sm_knee_permille = 750;
    assert_in_range(alone(&p, 16, BLOCK, work), 3999, 4001);
    assert_in_range(alone(&p, 1, BLOCK, work), 49000, 50000);
    p.thread_ops_per_us *= 16;
    assert_in_range(alone(&p, 16, BLOCK, work), 3000, 3060);
}

/* Where blocks wait, those that end leave no gap: two waves of 1,500 and only
 * the last one at the knee. */
static void threads_do_not_while_blocks_wait(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(3000)};

    (void)state;
    p.sm_knee_permille = 750;
    assert_in_range(alone(&p, 32, BLOCK, work), 3499, 3501);
}

/* 32 blocks, one a us, though what they do takes 1 us in all; and though they
 * do nothing. */
static void blocks_begin_one_after_the_other(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};
    struct vgpu_time_work nothing = {.ops = 0};

    (void)state;
    assert_int_equal(alone(&p, 32, BLOCK, nothing), 0);
    p.blocks_per_us = 1;
    assert_in_range(alone(&p, 32, BLOCK, work), 32000, 32001);
    assert_in_range(alone(&p, 32, BLOCK, nothing), 32000, 32001);
    p.blocks_per_us = 1000;
    assert_int_equal(alone(&p, 32, BLOCK, work), 1000);
}

/* What fits in the cache has its rate, and takes nothing of the memory's. */
static void the_cache_is_quicker(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work small = {.bytes = 8000}, large = {.bytes = 8001};
    vgpu_time_id id[2];

    (void)state;
    p.l2_bytes = 8000;
    assert_int_equal(alone(&p, 16, BLOCK, small), 2000);
    p.l2_bytes_per_s = 8 * GB;
    assert_int_equal(alone(&p, 16, BLOCK, small), 1000);
    assert_int_equal(alone(&p, 16, BLOCK, large), 2001);
    bench_open(&b, &p, 1, 0);
    id[0] = kernel(&b, 1, 8, &small);
    id[1] = kernel(&b, 2, 8, &large);
    assert_int_equal(end_of(&b, id[0]), 1000);
    assert_int_equal(end_of(&b, id[1]), 2001);
    bench_close(&b);
}

/* Instructions of math functions: four times as slow as operations here, and in
 * double precision three times slower still. */
static void math_has_a_rate_of_its_own(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.slots = FULL_OPS(250)};

    (void)state;
    p.sm_slots_per_us = p.sm_ops_per_us / 4;
    p.double_slots = 3;
    assert_int_equal(alone(&p, 16, BLOCK, work), 1000);
    work.ops = FULL_OPS(500);
    assert_int_equal(alone(&p, 16, BLOCK, work), 1500);
    work.doubles = FULL_OPS(125);
    assert_int_equal(alone(&p, 16, BLOCK, work), 3000);
    work.slots = UINT64_MAX;
    work.doubles = UINT64_MAX;
    assert_true(alone(&p, 16, BLOCK, work) > 0);
}

static void memory_limits_too(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = 0, .bytes = 8000};

    (void)state;
    assert_int_equal(alone(&p, 16, BLOCK, work), 2000);
    work.ops = FULL_OPS(1000);
    assert_int_equal(alone(&p, 16, BLOCK, work), 2000);
    work.ops = FULL_OPS(3000);
    assert_int_equal(alone(&p, 16, BLOCK, work), 3000);
    /* One SM by itself gets no more than half of this memory. */
    work.ops = 0;
    assert_int_equal(alone(&p, 1, BLOCK, work), 4000);
    work.bytes = 0;
    assert_int_equal(alone(&p, 16, BLOCK, work), 0);
}

static void huge_work_does_not_overflow(void **state)
{
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = UINT64_MAX, .bytes = UINT64_MAX};

    (void)state;
    assert_true(alone(&p, INT64_MAX, BLOCK, work) > 1000 * GB);
    work.ops = 1;
    assert_true(alone(&p, INT64_MAX, 1, work) > 1000 * GB);
    work.bytes = 1;
    assert_true(alone(&p, INT64_MAX, 1024, work) > 0);
}

/* Two kernels of @blocks in two streams. Return: when both have ended. */
static int64_t both_end(const struct vgpu_profile *p, int64_t blocks,
                        struct vgpu_time_work *work)
{
    struct bench b;
    vgpu_time_id id[2];
    int64_t end[2];

    bench_open(&b, p, 1, 0);
    for (uint32_t s = 0; s < 2; s++)
        id[s] = kernel(&b, s, blocks, work);
    for (int s = 0; s < 2; s++)
        end[s] = end_of(&b, id[s]);
    bench_close(&b);
    return end[0] > end[1] ? end[0] : end[1];
}

static void small_kernels_overlap_and_full_ones_do_not(void **state)
{
    struct vgpu_profile p = plain_profile();

    (void)state;
    assert_int_equal(both_end(&p, 16, &full_us1), 2000);
    assert_int_equal(both_end(&p, 160, &full_us10), 20000);
    assert_int_equal(both_end(&p, 8, &half_us1), 1000);
    assert_int_equal(both_end(&p, 1, &full_us1), 16000);
    p.max_resident_kernels = 1;
    assert_int_equal(both_end(&p, 8, &half_us1), 2000);
}

static void full_kernels_follow_each_other(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id first;
    vgpu_time_id second;

    (void)state;
    bench_open(&b, &p, 1, 0);
    first = kernel(&b, 0, 160, &full_us10);
    second = kernel(&b, 1, 160, &full_us10);
    assert_int_equal(end_of(&b, first), 10000);
    assert_int_equal(start_of(&b, second), 10000);
    bench_close(&b);
}

/* 24 blocks: the last wave leaves half of the device to the next kernel. */
static void the_last_wave_leaves_room(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1500)};
    vgpu_time_id first;
    vgpu_time_id second;

    (void)state;
    bench_open(&b, &p, 1, 0);
    first = kernel(&b, 0, 24, &work);
    second = kernel(&b, 1, 8, &half_us1);
    assert_int_equal(end_of(&b, first), 2000);
    assert_int_equal(start_of(&b, second), 1000);
    assert_int_equal(end_of(&b, second), 2000);
    bench_close(&b);
}

/* Those that have nothing to do give their place away. */
static void blocks_without_work_take_no_share(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};

    (void)state;
    work.busy_blocks = 1;
    assert_int_equal(alone(&p, 2, BLOCK, work), 16000);
    assert_int_equal(alone(&p, 104, BLOCK, work), 16000);
    work.busy_blocks = 8;
    assert_int_equal(alone(&p, 10000, BLOCK, work), 2000);
    bench_open(&b, &p, 1, 0);
    work.busy_blocks = 1;
    kernel(&b, 0, 160, &work);
    assert_int_equal(end_of(&b, kernel(&b, 1, 15, &half_us1)), 534);
    bench_close(&b);
}

/* Blocks limited by shared memory: threads are free, but the next kernel's
 * blocks need shared memory as well. */
static void leftover_counts_every_resource(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    struct vgpu_time_work work = {.ops = FULL_OPS(250)};
    vgpu_time_id id[3];

    (void)state;
    bench_open(&b, &p, 1, 0);
    for (uint32_t s = 0; s < 3; s++) {
        op = make_op(&b, VGPU_TIME_KERNEL, s);
        op.blocks = 4;
        op.shared_per_block_bytes = s < 2 ? 40000 : 20000;
        op.user = &work;
        id[s] = submit(&b, &op);
    }
    assert_int_equal(end_of(&b, id[0]), 1000);
    assert_int_equal(start_of(&b, id[1]), 1000);
    assert_int_equal(start_of(&b, id[2]), 1000);
    bench_close(&b);
}

static void priority_goes_before_pending_blocks(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id low;
    vgpu_time_id equal;
    vgpu_time_id high;

    (void)state;
    bench_open(&b, &p, 1, 0);
    low = kernel(&b, 0, 160, &full_us10);
    equal = kernel(&b, 1, 16, &full_us1);
    b.clock_ns = 2500;
    op = make_op(&b, VGPU_TIME_KERNEL, 2);
    op.priority = -1;
    op.user = &full_us1;
    high = submit(&b, &op);
    /* Not at once (no pre-emption), but when the wave under way has ended. */
    assert_int_equal(start_of(&b, high), 3000);
    assert_int_equal(end_of(&b, high), 4000);
    assert_int_equal(end_of(&b, low), 11000);
    assert_int_equal(start_of(&b, equal), 11000);
    bench_close(&b);
}

static void a_kernel_grows_into_what_becomes_free(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(10500)};
    vgpu_time_id small;
    vgpu_time_id large;

    (void)state;
    bench_open(&b, &p, 1, 0);
    small = kernel(&b, 0, 8, &half_us1);
    large = kernel(&b, 1, 168, &work);
    assert_int_equal(end_of(&b, small), 1000);
    assert_int_equal(start_of(&b, large), 0);
    assert_int_equal(end_of(&b, large), 11000); /* 8, then 10 times 16 */
    bench_close(&b);
}

static void resident_kernels_are_limited(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = 1024};
    vgpu_time_id id[8];
    int64_t last = 0;

    (void)state;
    p.max_resident_kernels = 4;
    bench_open(&b, &p, 1, 0);
    for (uint32_t s = 0; s < 8; s++) {
        struct vgpu_time_op op = make_op(&b, VGPU_TIME_KERNEL, s);

        op.blocks = 1;
        op.threads_per_block = 32;
        op.user = &work;
        id[s] = submit(&b, &op);
    }
    for (int s = 0; s < 8; s++)
        last = end_of(&b, id[s]) > last ? end_of(&b, id[s]) : last;
    assert_int_equal(last, 64000);
    bench_close(&b);
}

static void memory_is_shared_evenly(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work light = {.ops = FULL_OPS(500), .bytes = 500};
    struct vgpu_time_work heavy = {.ops = 0, .bytes = 7000};
    vgpu_time_id id[2];

    (void)state;
    bench_open(&b, &p, 1, 0);
    id[0] = kernel(&b, 0, 8, &light);
    id[1] = kernel(&b, 1, 8, &heavy);
    /* The light one asks for 0.5 of 4 and is not slowed; the other has 3.5. */
    assert_int_equal(end_of(&b, id[0]), 1000);
    assert_in_range(end_of(&b, id[1]), 1875, 2000);
    bench_close(&b);
}

static void fixed_costs_and_gap(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[4];

    (void)state;
    p.kernel_fixed_ns = 100;
    p.kernel_idle_ns = 500;
    p.kernel_gap_ns = 40;
    bench_open(&b, &p, 1, 0);
    for (uint32_t i = 0; i < 4; i++)
        id[i] = kernel(&b, i < 3 ? 0 : 1, 16, &full_us1);
    /* Stream 0's second kernel waits for the gap: stream 1's is next. */
    assert_int_equal(start_of(&b, id[0]), 0);
    assert_int_equal(end_of(&b, id[0]), 1500);
    assert_int_equal(end_of(&b, id[3]), 2500);
    assert_int_equal(end_of(&b, id[1]), 3500);
    /* Gap 40, and half of it again for a device that idled so long. */
    assert_int_equal(start_of(&b, id[2]), 3540);
    assert_int_equal(end_of(&b, id[2]), 3540 + 120 + 1000);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy),
        cmocka_unit_test(speed_follows_resident_threads),
        cmocka_unit_test(open_until_finished),
        cmocka_unit_test(threads_hinder_each_other),
        cmocka_unit_test(threads_do_not_while_blocks_wait),
        cmocka_unit_test(blocks_begin_one_after_the_other),
        cmocka_unit_test(the_cache_is_quicker),
        cmocka_unit_test(math_has_a_rate_of_its_own),
        cmocka_unit_test(memory_limits_too),
        cmocka_unit_test(huge_work_does_not_overflow),
        cmocka_unit_test(small_kernels_overlap_and_full_ones_do_not),
        cmocka_unit_test(full_kernels_follow_each_other),
        cmocka_unit_test(the_last_wave_leaves_room),
        cmocka_unit_test(blocks_without_work_take_no_share),
        cmocka_unit_test(leftover_counts_every_resource),
        cmocka_unit_test(priority_goes_before_pending_blocks),
        cmocka_unit_test(a_kernel_grows_into_what_becomes_free),
        cmocka_unit_test(resident_kernels_are_limited),
        cmocka_unit_test(memory_is_shared_evenly),
        cmocka_unit_test(fixed_costs_and_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
