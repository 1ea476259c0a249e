/* test_time_queues.c: streams, hardware queues, signals, batches, the calls. */
#include "test_time.h"

#include "model.h"

static struct vgpu_time_work kernel_us1 = {.ops = FULL_OPS(1000)};
static struct vgpu_time_work kernel_us10 = {.ops = FULL_OPS(10000)};

static void stream_is_in_order(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id in;
    vgpu_time_id run;
    vgpu_time_id out;

    (void)state;
    bench_open(&b, &p, 1, 0);
    in = copy(&b, VGPU_TIME_H2D, 1, 500);
    run = kernel(&b, 1, FULL_BLOCKS, &kernel_us1);
    out = copy(&b, VGPU_TIME_D2H, 1, 300);
    assert_int_equal(vgpu_time_wait(b.time, out), 1800);
    assert_int_equal(vgpu_time_start(b.time, in), 0);
    assert_int_equal(vgpu_time_start(b.time, run), 500);
    assert_int_equal(vgpu_time_start(b.time, out), 1500);
    bench_close(&b);
}

static void nothing_starts_before_its_issue(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id late;

    (void)state;
    bench_open(&b, &p, 1, 0);
    b.clock_ns = 7000;
    late = copy(&b, VGPU_TIME_H2D, 1, 10);
    assert_int_equal(start_of(&b, late), 7000);
    bench_close(&b);
}

static void an_early_issue_time_is_raised(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id;

    (void)state;
    bench_open(&b, &p, 1, 0);
    assert_true(vgpu_time_done(b.time, 0, 5000));
    id = copy(&b, VGPU_TIME_H2D, 1, 10); /* issued at 0 */
    assert_int_equal(start_of(&b, id), 5000);
    b.clock_ns = 9000;
    copy(&b, VGPU_TIME_H2D, 2, 10);
    b.clock_ns = 8000;
    id = copy(&b, VGPU_TIME_D2H, 2, 10);
    assert_int_equal(start_of(&b, id), 9010);
    bench_close(&b);
}

static void explicit_predecessors_count(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id after[3];

    (void)state;
    bench_open(&b, &p, 1, 0);
    after[0] = copy(&b, VGPU_TIME_H2D, 1, 100);
    after[1] = copy(&b, VGPU_TIME_D2H, 2, 900);
    after[2] = 0;
    op = make_op(&b, VGPU_TIME_MARK, 3);
    op.after = after;
    op.after_count = 3;
    assert_int_equal(end_of(&b, submit(&b, &op)), 900);
    bench_close(&b);
}

static void copy_engines(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id in[2];
    vgpu_time_id out;

    (void)state;
    for (int queues = 1; queues <= 2; queues++) {
        p.copy_queues = queues;
        bench_open(&b, &p, 1, 0);
        in[0] = copy(&b, VGPU_TIME_H2D, 1, 1000);
        in[1] = copy(&b, VGPU_TIME_H2D, 2, 1000);
        out = copy(&b, VGPU_TIME_D2H, 3, 1000);
        assert_int_equal(end_of(&b, in[0]), 1000);
        assert_int_equal(start_of(&b, in[1]), 1000);
        assert_int_equal(start_of(&b, out), queues == 1 ? 2000 : 0);
        assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_D2H),
                         queues == 1 ? VGPU_ENGINE_H2D : VGPU_ENGINE_D2H);
        bench_close(&b);
    }
}

static void engine_names(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    bench_open(&b, &p, 1, 0);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_H2D),
                     VGPU_ENGINE_H2D);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_PEER),
                     VGPU_ENGINE_D2H);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_KERNEL),
                     VGPU_ENGINE_SM);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_D2D),
                     VGPU_ENGINE_SM);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_MEMSET),
                     VGPU_ENGINE_SM);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_HOSTFN),
                     VGPU_ENGINE_HOST);
    assert_int_equal(vgpu_time_engine_of(b.time, 0, VGPU_TIME_MARK),
                     VGPU_ENGINE_NONE);
    bench_close(&b);
}

/* A kernel in stream 0, behind it @blocked; then @probe in stream 1. */
static int64_t probe_start(int connections, enum vgpu_time_kind blocked,
                           enum vgpu_time_kind probe)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    int64_t start;

    bench_open(&b, &p, 1, connections);
    kernel(&b, 0, 1, &kernel_us1);
    op = make_op(&b, blocked, 0);
    op.blocks = 1;
    op.bytes = 10;
    submit(&b, &op);
    op = make_op(&b, probe, 1);
    op.blocks = 1;
    op.bytes = 10;
    start = start_of(&b, submit(&b, &op));
    bench_close(&b);
    return start;
}

/* One block of sixteen: the kernel takes 16 us. */
static void a_blocked_head_blocks_its_engine_only(void **state)
{
    (void)state;
    assert_int_equal(probe_start(1, VGPU_TIME_H2D, VGPU_TIME_H2D), 16010);
    assert_int_equal(probe_start(1, VGPU_TIME_D2H, VGPU_TIME_D2H), 16010);
    assert_int_equal(probe_start(1, VGPU_TIME_KERNEL, VGPU_TIME_KERNEL), 16000);
    assert_int_equal(probe_start(1, VGPU_TIME_MEMSET, VGPU_TIME_KERNEL), 16000);
    assert_int_equal(probe_start(1, VGPU_TIME_HOSTFN, VGPU_TIME_KERNEL), 16000);
    assert_int_equal(probe_start(1, VGPU_TIME_H2D, VGPU_TIME_D2H), 0);
    assert_int_equal(probe_start(1, VGPU_TIME_H2D, VGPU_TIME_KERNEL), 0);
    assert_int_equal(probe_start(1, VGPU_TIME_KERNEL, VGPU_TIME_H2D), 0);
    assert_int_equal(probe_start(1, VGPU_TIME_MARK, VGPU_TIME_KERNEL), 0);
}

static void more_connections_unblock(void **state)
{
    (void)state;
    assert_int_equal(probe_start(2, VGPU_TIME_H2D, VGPU_TIME_H2D), 0);
    assert_int_equal(probe_start(2, VGPU_TIME_KERNEL, VGPU_TIME_KERNEL), 0);
}

/* @busy streams each with a blocked kernel, then one in stream @probe. */
static int64_t shared_queue_start(int connections, uint32_t busy,
                                  uint32_t probe)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    int64_t start;

    bench_open(&b, &p, 1, connections);
    for (uint32_t s = 0; s < busy; s++) {
        kernel(&b, s, 1, &kernel_us1);
        kernel(&b, s, 1, &kernel_us1);
    }
    start = start_of(&b, kernel(&b, probe, 1, NULL));
    bench_close(&b);
    return start;
}

static void streams_share_a_queue_when_none_is_free(void **state)
{
    (void)state;
    assert_int_equal(shared_queue_start(4, 3, 8), 0);
    assert_int_equal(shared_queue_start(4, 4, 8), 16000);
    assert_int_equal(shared_queue_start(8, 4, 8), 0);
}

/* With one more at work that took the queue of another, none of these has its
 * own: who finds none left is not sent to its own all the same, which its
 * neighbour has. So every fourth share one, as every fourth stream's copies. */
static void a_stream_too_many_gets_the_next_queue(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    bench_open(&b, &p, 1, 4);
    kernel(&b, 4, 1, &kernel_us1);
    for (uint32_t s = 0; s < 3; s++)
        kernel(&b, s, 1, &kernel_us1);
    kernel(&b, 2, 1, &kernel_us1); /* holds up its queue's others */
    assert_int_equal(start_of(&b, kernel(&b, 3, 1, NULL)), 0);
    assert_int_equal(start_of(&b, kernel(&b, 5, 1, NULL)), 0);
    assert_int_equal(start_of(&b, kernel(&b, 6, 1, NULL)), 0);
    assert_int_equal(start_of(&b, kernel(&b, 7, 1, NULL)), 16000);
    bench_close(&b);
}

static void connections_are_capped_by_the_device(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;

    (void)state;
    p.hardware_queues = 1;
    p.default_connections = 1;
    bench_open(&b, &p, 1, 32);
    kernel(&b, 0, 1, &kernel_us1);
    copy(&b, VGPU_TIME_H2D, 0, 10);
    op = make_op(&b, VGPU_TIME_H2D, 1);
    assert_int_equal(start_of(&b, submit(&b, &op)), 16010);
    bench_close(&b);
}

static void a_wait_blocks_only_what_is_behind_it(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id run;
    vgpu_time_id held;
    vgpu_time_id next;
    vgpu_time_id out;

    (void)state;
    bench_open(&b, &p, 1, 1);
    run = kernel(&b, 0, 1, &kernel_us1);
    mark(&b, 1, run);
    assert_int_equal(start_of(&b, copy(&b, VGPU_TIME_H2D, 2, 10)), 0);
    held = copy(&b, VGPU_TIME_H2D, 1, 10);
    next = copy(&b, VGPU_TIME_H2D, 2, 10);
    out = copy(&b, VGPU_TIME_D2H, 2, 10);
    assert_int_equal(start_of(&b, held), 16000);
    assert_int_equal(start_of(&b, next), 16010);
    assert_int_equal(start_of(&b, out), 16020);
    bench_close(&b);
}

static void host_functions_are_serialised(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = 3000, .fixed_ns = 500};
    vgpu_time_id id[2];

    (void)state;
    p.host_ops_per_us = 3000;
    bench_open(&b, &p, 2, 0);
    for (int i = 0; i < 2; i++) {
        struct vgpu_time_op op = make_op(&b, VGPU_TIME_HOSTFN, (uint32_t)i);

        op.device = i;
        op.user = &work;
        id[i] = submit(&b, &op);
    }
    assert_int_equal(end_of(&b, id[0]), 1500);
    assert_int_equal(start_of(&b, id[1]), 1500);
    assert_int_equal(end_of(&b, id[1]), 3000);
    bench_close(&b);
}

static void the_device_wakes_who_runs_host_functions(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[4];

    (void)state;
    p.host_function_ns = 10;
    p.host_wake_ns = 100;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 1000);
    for (uint32_t i = 0; i < 4; i++) {
        struct vgpu_time_op op = make_op(&b, VGPU_TIME_HOSTFN, i < 2 ? 2 : 1);

        id[i] = submit(&b, &op);
    }
    assert_int_equal(end_of(&b, id[0]), 10); /* by the host's call */
    assert_int_equal(end_of(&b, id[1]), 20);
    assert_int_equal(start_of(&b, id[2]), 1000);
    assert_int_equal(end_of(&b, id[2]), 1110);
    assert_int_equal(end_of(&b, id[3]), 1120); /* awake */
    bench_close(&b);
}

static void work_is_asked_for_at_the_start(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_work work = {.ops = FULL_OPS(1000)};
    vgpu_time_id id;

    (void)state;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 4000);
    id = kernel(&b, 1, FULL_BLOCKS, &work);
    assert_false(vgpu_time_done(b.time, id, 3999));
    assert_int_equal(b.calls, 0);
    work.ops = FULL_OPS(2000);
    assert_int_equal(end_of(&b, id), 6000);
    assert_int_equal(b.calls, 1);
    assert_int_equal(b.called_ns[0], 4000);
    assert_ptr_equal(b.called_user[0], &work);
    bench_close(&b);
}

static void done_start_and_end(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id;

    (void)state;
    bench_open(&b, &p, 1, 0);
    id = copy(&b, VGPU_TIME_H2D, 1, 1000);
    assert_int_equal(vgpu_time_start(b.time, id), -1);
    assert_false(vgpu_time_done(b.time, id, 999));
    assert_int_equal(vgpu_time_now(b.time), 999);
    assert_int_equal(vgpu_time_end(b.time, id), -1);
    assert_true(vgpu_time_done(b.time, id, 1000));
    assert_int_equal(vgpu_time_end(b.time, id), 1000);
    assert_int_equal(vgpu_time_wait(b.time, id), 1000);
    assert_int_equal(vgpu_time_wait(b.time, 12345), -1);
    bench_close(&b);
}

static void bad_arguments_get_no_id(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;

    (void)state;
    assert_null(vgpu_time_new(&p, 0, 0, bench_work, NULL));
    bench_open(&b, &p, 1, 0);
    op = make_op(&b, VGPU_TIME_H2D, 1);
    op.device = 1;
    assert_int_equal(vgpu_time_submit(b.time, &op), 0);
    op = make_op(&b, VGPU_TIME_H2D, 1);
    op.bytes = -1;
    assert_int_equal(vgpu_time_submit(b.time, &op), 0);
    op = make_op(&b, VGPU_TIME_PEER, 1);
    op.peer_device = 1;
    assert_int_equal(vgpu_time_submit(b.time, &op), 0);
    op = make_op(&b, VGPU_TIME_KERNEL, 1);
    op.blocks = 0;
    assert_int_equal(vgpu_time_submit(b.time, &op), 0);
    op = make_op(&b, VGPU_TIME_KERNEL, 1);
    op.threads_per_block = 1025;
    assert_int_equal(vgpu_time_submit(b.time, &op), 0);
    bench_close(&b);
}

/* Two kernels of one block in streams 0 and 1, @between in stream 2 between
 * them, and a copy out in stream 0. Return: when that copy starts. */
static int64_t signal_seen(int delayed, enum vgpu_time_kind between)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id first;
    int64_t start;

    p.delayed_signals = delayed;
    bench_open(&b, &p, 1, 1);
    first = kernel(&b, 0, 1, &kernel_us1);
    if (between != VGPU_TIME_KERNEL)
        copy(&b, between, 2, 10);
    kernel(&b, 1, 1, &kernel_us10);
    start = start_of(&b, copy(&b, VGPU_TIME_D2H, 0, 10));
    assert_int_equal(vgpu_time_end(b.time, first), 16000);
    assert_int_equal(vgpu_time_wait(b.time, first), start);
    bench_close(&b);
    return start;
}

static void signals_of_kernels_back_to_back_are_delayed(void **state)
{
    (void)state;
    assert_int_equal(signal_seen(0, VGPU_TIME_KERNEL), 16000);
    assert_int_equal(signal_seen(1, VGPU_TIME_KERNEL), 160000);
    assert_int_equal(signal_seen(1, VGPU_TIME_H2D), 16000);
}

/* A, B, then A again, back to back: the third waits for the first's signal,
 * so it cannot belong to the same group. */
static void delayed_signals_do_not_lock_up(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id first;
    vgpu_time_id last;

    (void)state;
    p.delayed_signals = 1;
    bench_open(&b, &p, 1, 1);
    first = kernel(&b, 0, 1, &kernel_us1);
    kernel(&b, 1, 1, &kernel_us1);
    last = kernel(&b, 0, 1, &kernel_us1);
    assert_int_equal(start_of(&b, last), 16000);
    first = kernel(&b, 2, 1, &kernel_us1);
    op = make_op(&b, VGPU_TIME_KERNEL, 3);
    op.after = &first;
    op.after_count = 1;
    last = submit(&b, &op);
    assert_true(vgpu_time_wait(b.time, last) > 0);
    bench_close(&b);
}

static struct vgpu_profile batching_profile(int commands)
{
    struct vgpu_profile p = plain_profile();

    p.batch_commands = commands;
    p.batch_submit_ns = 50;
    return p;
}

static void a_batch_waits_for_a_flush_or_enough(void **state)
{
    struct bench b;
    struct vgpu_profile p = batching_profile(3);
    vgpu_time_id id;

    (void)state;
    bench_open(&b, &p, 1, 0);
    id = copy(&b, VGPU_TIME_H2D, 1, 100);
    assert_false(vgpu_time_done(b.time, id, 100000));
    vgpu_time_flush(b.time, 0, 100000);
    assert_int_equal(start_of(&b, id), 100050);
    b.clock_ns = 200000;
    id = copy(&b, VGPU_TIME_H2D, 1, 100);
    b.clock_ns = 201000;
    copy(&b, VGPU_TIME_H2D, 2, 100);
    assert_false(vgpu_time_done(b.time, id, 201000));
    copy(&b, VGPU_TIME_H2D, 3, 100);
    assert_true(vgpu_time_done(b.time, id, 202000));
    assert_int_equal(start_of(&b, id), 201050);
    b.clock_ns = 300000;
    id = copy(&b, VGPU_TIME_D2H, 1, 100);
    b.clock_ns = 301000;
    copy(&b, VGPU_TIME_D2H, 2, 100);
    assert_int_equal(start_of(&b, id), 301050); /* waiting flushes */
    bench_close(&b);
}

static void room_is_made_when_a_batch_fills_the_stream(void **state)
{
    struct bench b;
    struct vgpu_profile p = batching_profile(100);

    (void)state;
    p.queue_depth = 2;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 1000);
    copy(&b, VGPU_TIME_H2D, 1, 1000);
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 0), 50);
    bench_close(&b);
}

/* Two streams, copy then kernel each. Return: when the last one ends. */
static int64_t batched_end(int commands, int flush)
{
    struct bench b;
    struct vgpu_profile p = batching_profile(commands);
    vgpu_time_id last = 0;
    int64_t end;

    bench_open(&b, &p, 1, 0);
    for (uint32_t s = 0; s < 2; s++) {
        copy(&b, VGPU_TIME_H2D, s, 1000);
        last = kernel(&b, s, FULL_BLOCKS, &kernel_us1);
        if (flush)
            vgpu_time_flush(b.time, 0, 0);
    }
    end = end_of(&b, last);
    bench_close(&b);
    return end;
}

static void within_a_batch_engines_take_turns(void **state)
{
    (void)state;
    assert_int_equal(batched_end(100, 0), 4050);
    assert_int_equal(batched_end(100, 1), 3050);
    assert_int_equal(batched_end(0, 0), 3000);
}

static void batches_on_several_devices_do_not_lock_up(void **state)
{
    struct bench b;
    struct vgpu_profile p = batching_profile(100);
    struct vgpu_time_op op;
    vgpu_time_id first;

    (void)state;
    bench_open(&b, &p, 2, 0);
    first = copy(&b, VGPU_TIME_H2D, 1, 1000);
    op = make_op(&b, VGPU_TIME_H2D, 2);
    op.device = 1;
    op.after = &first;
    op.after_count = 1;
    assert_true(vgpu_time_wait(b.time, submit(&b, &op)) >= 1000);
    bench_close(&b);
}

static void the_host_waits_for_room(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    p.queue_depth = 3;
    bench_open(&b, &p, 1, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, i), i);
        copy(&b, VGPU_TIME_H2D, 1, 1000);
    }
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 5), 5);
    copy(&b, VGPU_TIME_H2D, 1, 1000); /* the first has begun */
    assert_int_equal(vgpu_time_room(b.time, 2, VGPU_TIME_H2D, 10), 10);
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_KERNEL, 10), 10);
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 10), 1000);
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 5000), 5000);
    bench_close(&b);
}

static void marks_and_host_functions_take_no_place(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;

    (void)state;
    p.queue_depth = 5;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 1, 1000);
    copy(&b, VGPU_TIME_H2D, 1, 1000);
    for (int i = 0; i < 20; i++) {
        mark(&b, 1, 0);
        op = make_op(&b, VGPU_TIME_HOSTFN, 1);
        submit(&b, &op);
    }
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 0), 0);
    vgpu_time_scale_queues(b.time, 500); /* of 5 and the driver's 3 */
    assert_int_equal(vgpu_time_room(b.time, 1, VGPU_TIME_H2D, 0), 1000);
    vgpu_time_scale_queues(b.time, 2000);
    for (int i = 0; i < 13; i++) {
        assert_int_equal(vgpu_time_room(b.time, 2, VGPU_TIME_H2D, 1000), 1000);
        copy(&b, VGPU_TIME_H2D, 2, 1000);
    }
    assert_int_equal(vgpu_time_room(b.time, 2, VGPU_TIME_H2D, 1000), 2000);
    bench_close(&b);
}

/* Copies of streams 0, 1, ... again and again, all of which can start at once,
 * as they start: "0 4 0 4 1 1". */
static void copies_start(int streams, int copies, int connections,
                         const char *wanted)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id id[32];
    char order[64] = "";

    p.copy_connections = 4;
    bench_open(&b, &p, 1, 0);
    vgpu_time_connect(b.time, 8, connections);
    for (int i = 0; i < streams * copies; i++)
        id[i] = copy(&b, VGPU_TIME_H2D, (uint32_t)(i % streams), 1000);
    for (int i = 0; i < streams * copies; i++)
        order[start_of(&b, id[i]) / 1000] = (char)('0' + i % streams);
    assert_string_equal(order, wanted);
    bench_close(&b);
}

/* The orders that an H200 shows. */
static void a_copy_engine_goes_on_with_its_queue(void **state)
{
    (void)state;
    copies_start(4, 3, 4, "000111222333");
    copies_start(8, 3, 4, "040404151515262626373737");
    copies_start(5, 3, 4, "041042104321323");
    copies_start(6, 3, 4, "041520431520431523");
    copies_start(5, 3, 2, "024130241302413");
    copies_start(6, 3, 1, "012345012345012345");
}

static void released_operations_still_order(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id first;
    vgpu_time_id second;

    (void)state;
    bench_open(&b, &p, 1, 0);
    first = copy(&b, VGPU_TIME_H2D, 1, 1000);
    op = make_op(&b, VGPU_TIME_D2H, 2);
    op.after = &first;
    op.after_count = 1;
    second = submit(&b, &op);
    vgpu_time_release(b.time, first);
    assert_int_equal(start_of(&b, second), 1000);
    op.issue_ns = 2000;
    assert_int_equal(start_of(&b, submit(&b, &op)), 2000); /* first gone */
    bench_close(&b);
}

static void memory_follows_what_is_unfinished(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();

    (void)state;
    bench_open(&b, &p, 1, 0);
    for (uint32_t i = 0; i < 50000; i++) {
        vgpu_time_id id = copy(&b, VGPU_TIME_H2D, i, 10);

        vgpu_time_release(b.time, id);
        b.clock_ns += 10;
        vgpu_time_done(b.time, id, b.clock_ns);
    }
    assert_true(b.time->slab_count <= 2);
    assert_true(b.time->edge_slab_count <= 2);
    assert_true(b.time->stream_count <= 256);
    assert_true(b.time->timers.capacity <= 64);
    bench_close(&b);
}

static void deep_chains_do_not_overflow(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    vgpu_time_id last = 0;

    (void)state;
    bench_open(&b, &p, 1, 0);
    copy(&b, VGPU_TIME_H2D, 0, 1000);
    for (int i = 0; i < 100000; i++)
        last = mark(&b, 0, last);
    assert_int_equal(end_of(&b, last), 1000);
    bench_close(&b);
}

/* Issue times of two host threads go back and forth, edges cross: nothing
 * locks up although queues are in order of issue. */
static void issue_times_out_of_order_do_not_lock_up(void **state)
{
    struct bench b;
    struct vgpu_profile p = plain_profile();
    struct vgpu_time_op op;
    vgpu_time_id a;
    vgpu_time_id after;

    (void)state;
    bench_open(&b, &p, 1, 1);
    b.clock_ns = 5000;
    a = copy(&b, VGPU_TIME_H2D, 1, 100);
    b.clock_ns = 100;
    op = make_op(&b, VGPU_TIME_H2D, 2);
    op.after = &a;
    op.after_count = 1;
    after = submit(&b, &op);
    assert_int_equal(start_of(&b, after), 5100);
    bench_close(&b);
}

static void unit_costs(void **state)
{
    struct bench b;
    struct vgpu_profile p;
    vgpu_time_id last = 0;

    (void)state;
    assert_int_equal(vgpu_profile_load("unit", &p, NULL, 0), 0);
    bench_open(&b, &p, 1, 0);
    for (uint32_t s = 0; s < 4; s++) {
        copy(&b, VGPU_TIME_H2D, s, 1 << (4 * s));
        kernel(&b, s, 100000, &kernel_us1);
        last = copy(&b, VGPU_TIME_D2H, s, 1);
    }
    assert_int_equal(end_of(&b, last), 6 * p.unit_ns);
    assert_int_equal(b.calls, 4);
    bench_close(&b);
}

/* What a branch submits when it is asked comes between it and its end, and is
 * not held up by what waits for that at the head of the only queue. */
struct fork {
    struct bench *bench;
    vgpu_time_id branch, end, body;
    int64_t asked_ns;
};

static void submit_body(void *arg, void *user, struct vgpu_time_work *work)
{
    struct fork *fork = arg;
    struct vgpu_time_op op = make_op(fork->bench, VGPU_TIME_D2H, 7);

    if (!user) /* a kernel */
        return bench_work(fork->bench, &kernel_us1, work);
    fork->asked_ns = vgpu_time_now(fork->bench->time);
    op.bytes = 200;
    op.by_device = true;
    op.after = &fork->branch;
    op.after_count = 1;
    fork->body = submit(fork->bench, &op);
    assert_true(vgpu_time_after(fork->bench->time, fork->end, fork->body));
}

static void a_branch_is_asked_and_goes_on(void **state)
{
    struct bench b = {0};
    struct vgpu_profile p = plain_profile();
    struct fork fork = {.bench = &b};
    vgpu_time_id behind;
    struct vgpu_time_op op;

    (void)state;
    p.delayed_signals = 1;
    b.time = vgpu_time_new(&p, 1, 1, submit_body, &fork);
    kernel(&b, 1, FULL_BLOCKS, NULL);
    op = make_op(&b, VGPU_TIME_BRANCH, 1);
    op.user = &fork;
    fork.branch = submit(&b, &op);
    fork.end = mark(&b, 2, fork.branch);
    op = make_op(&b, VGPU_TIME_D2H, 3);
    op.bytes = 100;
    op.after = &fork.end;
    op.after_count = 1;
    behind = submit(&b, &op);
    assert_int_equal(vgpu_time_wait(b.time, behind), 1300);
    assert_int_equal(vgpu_time_end(b.time, fork.end), 1200);
    assert_int_equal(fork.asked_ns, 1000);
    assert_int_equal(vgpu_time_start(b.time, fork.body), 1000);
    assert_int_equal(vgpu_time_end(b.time, fork.branch), 1000);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_in_order),
        cmocka_unit_test(nothing_starts_before_its_issue),
        cmocka_unit_test(an_early_issue_time_is_raised),
        cmocka_unit_test(explicit_predecessors_count),
        cmocka_unit_test(copy_engines),
        cmocka_unit_test(engine_names),
        cmocka_unit_test(a_blocked_head_blocks_its_engine_only),
        cmocka_unit_test(more_connections_unblock),
        cmocka_unit_test(streams_share_a_queue_when_none_is_free),
        cmocka_unit_test(a_stream_too_many_gets_the_next_queue),
        cmocka_unit_test(connections_are_capped_by_the_device),
        cmocka_unit_test(a_wait_blocks_only_what_is_behind_it),
        cmocka_unit_test(host_functions_are_serialised),
        cmocka_unit_test(the_device_wakes_who_runs_host_functions),
        cmocka_unit_test(work_is_asked_for_at_the_start),
        cmocka_unit_test(done_start_and_end),
        cmocka_unit_test(bad_arguments_get_no_id),
        cmocka_unit_test(signals_of_kernels_back_to_back_are_delayed),
        cmocka_unit_test(delayed_signals_do_not_lock_up),
        cmocka_unit_test(a_batch_waits_for_a_flush_or_enough),
        cmocka_unit_test(room_is_made_when_a_batch_fills_the_stream),
        cmocka_unit_test(within_a_batch_engines_take_turns),
        cmocka_unit_test(batches_on_several_devices_do_not_lock_up),
        cmocka_unit_test(the_host_waits_for_room),
        cmocka_unit_test(released_operations_still_order),
        cmocka_unit_test(memory_follows_what_is_unfinished),
        cmocka_unit_test(deep_chains_do_not_overflow),
        cmocka_unit_test(issue_times_out_of_order_do_not_lock_up),
        cmocka_unit_test(unit_costs),
        cmocka_unit_test(marks_and_host_functions_take_no_place),
        cmocka_unit_test(a_copy_engine_goes_on_with_its_queue),
        cmocka_unit_test(a_branch_is_asked_and_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
