/* test_time_links.c: what copies cost, alone and together. */
#include "test_time.h"

static void rate_and_rounding(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    p.h2d_bytes_per_s = 3 * GB;
    bench_open(&b, &p, 1, 0);
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 3000)), 1000);
    b.clock_ns = 1000;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 1)), 1001);
    b.clock_ns = 2000;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 0)), 2000);
    b.clock_ns = 3000;
    /* A terabyte: no overflow. */
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 3000 * GB)),
                     1000 * GB + 3000);
    bench_close(&b);
}

static void fixed_costs_queued_and_idle(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[3];

    (void)state;
    p.h2d_queued_ns = 100;
    p.h2d_idle_ns = 400;
    p.d2h_queued_ns = 50;
    p.d2h_idle_ns = 70;
    bench_open(&b, &p, 1, 0);
    for (int i = 0; i < 2; i++)
        id[i] = copy(&b, VGPU_TIME_H2D, (uint32_t)i, 1000);
    b.clock_ns = 2600;
    id[2] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    assert_int_equal(end_of(&b, id[0]), 1400);            /* idle */
    assert_int_equal(end_of(&b, id[1]), 2500);            /* at once */
    assert_int_equal(end_of(&b, id[2]), 3600 + 100 + 50); /* 100 later */
    b.clock_ns = 10000;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 1000)), 11400);
    b.clock_ns = 20000;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_D2H, 1, 1000)), 21070);
    bench_close(&b);
}

static void pageable_copies_are_slower(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;

    (void)state;
    bench_open(&b, &p, 1, 0);
    op = make_op(&b, VGPU_TIME_H2D, 1);
    op.bytes = 1000;
    op.pageable = 1;
    assert_int_equal(end_of(&b, submit(&b, &op)), 2000);
    op.kind = VGPU_TIME_D2H;
    op.issue_ns = 2000;
    assert_int_equal(end_of(&b, submit(&b, &op)), 6000);
    bench_close(&b);
}

static void duplex_slows_both_ways_while_it_lasts(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id in;
    vgpu_time_id out;

    (void)state;
    p.duplex_permille = 800;
    bench_open(&b, &p, 1, 0);
    in = copy(&b, VGPU_TIME_H2D, 1, 1000);
    out = copy(&b, VGPU_TIME_D2H, 2, 400);
    assert_int_equal(end_of(&b, out), 500);
    assert_int_equal(end_of(&b, in), 1100); /* 400 by 500, then 600 */
    bench_close(&b);
}

/* @devices copy 1,000 bytes @in, @out or both. Return: the last end. */
static int64_t total_end(const struct vgpu_profile *p, int devices, int in,
                         int out)
{
    struct bench b;
    vgpu_time_id id[16];
    int count = 0;
    int64_t last = 0;

    bench_open(&b, p, devices, 0);
    for (int i = 0; i < 2 * devices; i++) {
        int way = i % 2;
        struct vgpu_time_op op =
            make_op(&b, way ? VGPU_TIME_D2H : VGPU_TIME_H2D, (uint32_t)i);

        if (way ? !out : !in)
            continue;
        op.device = i / 2;
        op.bytes = 1000;
        id[count++] = submit(&b, &op);
    }
    for (int i = 0; i < count; i++) {
        int64_t end = end_of(&b, id[i]);

        last = end > last ? end : last;
    }
    bench_close(&b);
    return last;
}

static void devices_share_the_hosts_memory(void **state)
{
    struct vgpu_profile p = plain_profile();

    (void)state;
    p.host_h2d_bytes_per_s = 2 * GB;
    p.host_d2h_bytes_per_s = GB;
    p.host_duplex_bytes_per_s = 5 * GB / 2;
    assert_int_equal(total_end(&p, 2, 1, 0), 1000);
    assert_int_equal(total_end(&p, 4, 1, 0), 2000);
    assert_int_equal(total_end(&p, 1, 0, 1), 1000);
    assert_int_equal(total_end(&p, 4, 0, 1), 4000);
    assert_int_equal(total_end(&p, 1, 1, 1), 1000);
    /* In 2, out 1, together held to 2.5: in 1.667, out 0.833; the copies in
     * end at 1,200, those out have half left and then go at 1. */
    assert_in_range(total_end(&p, 2, 1, 1), 2200, 2202);
}

static void peer_copies(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id peer;
    vgpu_time_id out;

    (void)state;
    bench_open(&b, &p, 2, 0);
    op = make_op(&b, VGPU_TIME_PEER, 1);
    op.peer_device = 1;
    op.peer_direct = 1;
    op.bytes = 5000;
    peer = submit(&b, &op);
    out = copy(&b, VGPU_TIME_D2H, 2, 100); /* same engine */
    assert_int_equal(end_of(&b, peer), 1000);
    assert_int_equal(start_of(&b, out), 1000);
    op.peer_direct = 0;
    op.issue_ns = 2000;
    assert_int_equal(end_of(&b, submit(&b, &op)), 12000);
    bench_close(&b);
}

static void staged_peer_copies_use_both_links(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id out;

    (void)state;
    p.duplex_permille = 500;
    bench_open(&b, &p, 2, 0);
    op = make_op(&b, VGPU_TIME_PEER, 1);
    op.peer_device = 1;
    op.bytes = 5000;
    submit(&b, &op);
    op = make_op(&b, VGPU_TIME_D2H, 2);
    op.device = 1;
    op.bytes = 1000;
    out = submit(&b, &op);
    assert_int_equal(end_of(&b, out), 2000);
    bench_close(&b);
}

/* What a kernel reaches over a link takes as long as a copy of it would, beside
 * the kernel's other work, and shares the link with copies. */
static void kernels_reach_over_links(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work reads = {.from_host = 1000};
    struct vgpu_time_work both = {.from_host = 1000, .to_host = 1000};
    struct vgpu_time_work slow = {.to_host = 1000, .ops = FULL_OPS(5000)};
    struct vgpu_time_work other = {.between = 5000};
    vgpu_time_id id[2];

    (void)state;
    p.duplex_permille = 500;
    bench_open(&b, &p, 2, 0);
    assert_int_equal(end_of(&b, kernel(&b, 1, 1, &reads)), 1000);
    b.clock_ns = 10000;
    assert_int_equal(end_of(&b, kernel(&b, 1, 1, &both)), 12000);
    b.clock_ns = 20000;
    assert_int_equal(end_of(&b, kernel(&b, 1, FULL_BLOCKS, &slow)), 25000);
    b.clock_ns = 30000;
    assert_int_equal(end_of(&b, kernel(&b, 1, 1, &other)), 31000);
    b.clock_ns = 40000;
    id[0] = kernel(&b, 1, 1, &reads);
    id[1] = copy(&b, VGPU_TIME_H2D, 2, 2000);
    assert_int_equal(end_of(&b, id[0]), 42000);
    assert_int_equal(end_of(&b, id[1]), 43000);
    b.clock_ns = 50000;
    id[0] = kernel(&b, 1, 1, &reads);
    id[1] = copy(&b, VGPU_TIME_D2H, 2, 1000);
    assert_int_equal(end_of(&b, id[0]), 52000);
    assert_int_equal(end_of(&b, id[1]), 52000);
    bench_close(&b);
}

/* A kernel need not reach the rate of a copy. */
static void kernels_have_rates_of_their_own(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work reads = {.from_host = 1000};
    struct vgpu_time_work writes = {.to_host = 1000};
    vgpu_time_id id[2];

    (void)state;
    p.kernel_reads_bytes_per_s = GB / 2;
    p.kernel_writes_bytes_per_s = GB / 4;
    bench_open(&b, &p, 1, 0);
    assert_int_equal(end_of(&b, kernel(&b, 1, 1, &reads)), 2000);
    b.clock_ns = 10000;
    assert_int_equal(end_of(&b, kernel(&b, 1, 1, &writes)), 14000);
    b.clock_ns = 20000; /* shared: 250 bytes a us, and the copy's 500 */
    id[0] = kernel(&b, 1, 1, &reads);
    id[1] = copy(&b, VGPU_TIME_H2D, 2, 500);
    assert_int_equal(end_of(&b, id[1]), 21000);
    assert_int_equal(end_of(&b, id[0]), 22500);
    bench_close(&b);
}

/* A kernel's writes to the host leave little to copies in, a copy's do not. */
static void copies_in_wait_for_kernels_writes(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work writes = {.to_host = 1000};
    vgpu_time_id id;

    (void)state;
    p.beside_writes_permille = 100;
    bench_open(&b, &p, 1, 0);
    kernel(&b, 1, 1, &writes);
    id = copy(&b, VGPU_TIME_H2D, 2, 1000);
    assert_int_equal(end_of(&b, id), 1900); /* 100 by 1000 */
    b.clock_ns = 10000;
    copy(&b, VGPU_TIME_D2H, 1, 1000);
    id = copy(&b, VGPU_TIME_H2D, 2, 1000);
    assert_int_equal(end_of(&b, id), 11000);
    bench_close(&b);
}

/* Whoever finds the link in use the other way starts later. */
static void starting_beside_the_other_way(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[3];

    (void)state;
    p.duplex_fixed_ns = 30;
    bench_open(&b, &p, 1, 0);
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    id[1] = copy(&b, VGPU_TIME_D2H, 2, 1000);
    id[2] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    assert_int_equal(end_of(&b, id[0]), 1000);
    assert_int_equal(end_of(&b, id[1]), 1030);
    assert_int_equal(end_of(&b, id[2]), 2030);
    bench_close(&b);
}

/* Half of what the bytes take, at most. */
static void few_bytes_beside_the_other_way(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    p.duplex_fixed_ns = 300;
    p.duplex_fixed_permille = 500;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 5000);
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_D2H, 2, 100)), 150);
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_D2H, 2, 1000)), 1450);
    bench_close(&b);
}

/* What has been there for a while has begun to start; what comes to an idle
 * engine has not, however short it was idle. */
static void a_device_may_prepare_ahead(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[3];

    (void)state;
    p.h2d_queued_ns = 20;
    p.h2d_idle_ns = 100;
    p.prepares_ahead = 1;
    bench_open(&b, &p, 1, 0);
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    b.clock_ns = 1050;
    id[1] = copy(&b, VGPU_TIME_H2D, 2, 1000);
    id[2] = copy(&b, VGPU_TIME_H2D, 3, 1000);
    assert_int_equal(end_of(&b, id[0]), 1100);
    assert_int_equal(end_of(&b, id[1]), 2150);
    assert_int_equal(end_of(&b, id[2]), 3170);
    b.clock_ns = 3180;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 1000)), 4280);
    bench_close(&b);
}

/* A few bytes are quicker behind another stream's. */
static void small_copies_in_many_streams(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[4];

    (void)state;
    p.h2d_queued_ns = p.h2d_idle_ns = 100;
    p.h2d_inline_ns = 10;
    p.host_inline_bytes = 50;
    bench_open(&b, &p, 1, 0);
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 50);
    id[1] = copy(&b, VGPU_TIME_H2D, 1, 50);
    id[2] = copy(&b, VGPU_TIME_H2D, 2, 50);
    id[3] = copy(&b, VGPU_TIME_H2D, 1, 51);
    assert_int_equal(end_of(&b, id[0]), 150);
    assert_int_equal(end_of(&b, id[1]), 300);
    assert_int_equal(end_of(&b, id[2]), 360);
    assert_int_equal(end_of(&b, id[3]), 511);
    bench_close(&b);
}

/* Each of two copies pays for a kernel between them, and what follows a copy
 * out waits the longer. */
static void kernels_between_copies(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};
    vgpu_time_id id[4];

    (void)state;
    p.copy_kernel_ns = 30;
    p.d2h_handoff_ns = 200;
    bench_open(&b, &p, 1, 0);
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    id[1] = kernel(&b, 1, FULL_BLOCKS, &work);
    id[2] = copy(&b, VGPU_TIME_D2H, 1, 1000);
    id[3] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    assert_int_equal(end_of(&b, id[0]), 1030);
    assert_int_equal(end_of(&b, id[1]), 2030);
    assert_int_equal(end_of(&b, id[2]), 3060);
    assert_int_equal(end_of(&b, id[3]), 4260);
    bench_close(&b);
}

/* From one engine to another, by the stream or by an event, but not where the
 * first was over before the second came. */
static void another_engine_starts_later(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};
    vgpu_time_id id[3];

    (void)state;
    p.handoff_ns = 100;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 500);
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 500);
    id[1] = kernel(&b, 1, FULL_BLOCKS, &work);
    id[2] = copy(&b, VGPU_TIME_D2H, 1, 1000);
    assert_int_equal(end_of(&b, id[0]), 1000);
    assert_int_equal(end_of(&b, id[1]), 2100);
    assert_int_equal(end_of(&b, id[2]), 3200);
    b.clock_ns = 10000;
    id[0] = copy(&b, VGPU_TIME_H2D, 1, 1000);
    mark(&b, 2, id[0]);
    id[1] = copy(&b, VGPU_TIME_D2H, 2, 1000);
    assert_int_equal(end_of(&b, id[1]), 12100);
    b.clock_ns = 13000;
    id[2] = copy(&b, VGPU_TIME_H2D, 2, 1000);
    assert_int_equal(end_of(&b, id[2]), 14000);
    bench_close(&b);
}

static void device_copies_and_memsets(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[2];

    (void)state;
    p.kernel_fixed_ns = 10;
    p.kernel_idle_ns = 10;
    bench_open(&b, &p, 1, 0);
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_D2D, 1, 2000)), 1010);
    b.clock_ns = 2000;
    assert_int_equal(end_of(&b, copy(&b, VGPU_TIME_MEMSET, 1, 4000)), 3010);
    b.clock_ns = 4000; /* both at once: the memory is shared */
    id[0] = copy(&b, VGPU_TIME_D2D, 1, 2000);
    id[1] = copy(&b, VGPU_TIME_MEMSET, 2, 4000);
    assert_int_equal(end_of(&b, id[0]), 6010);
    assert_int_equal(end_of(&b, id[1]), 6010);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_and_rounding),
        cmocka_unit_test(fixed_costs_queued_and_idle),
        cmocka_unit_test(pageable_copies_are_slower),
        cmocka_unit_test(duplex_slows_both_ways_while_it_lasts),
        cmocka_unit_test(devices_share_the_hosts_memory),
        cmocka_unit_test(peer_copies),
        cmocka_unit_test(staged_peer_copies_use_both_links),
        cmocka_unit_test(kernels_reach_over_links),
        cmocka_unit_test(kernels_have_rates_of_their_own),
        cmocka_unit_test(copies_in_wait_for_kernels_writes),
        cmocka_unit_test(starting_beside_the_other_way),
        cmocka_unit_test(few_bytes_beside_the_other_way),
        cmocka_unit_test(a_device_may_prepare_ahead),
        cmocka_unit_test(small_copies_in_many_streams),
        cmocka_unit_test(kernels_between_copies),
        cmocka_unit_test(another_engine_starts_later),
        cmocka_unit_test(device_copies_and_memsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
