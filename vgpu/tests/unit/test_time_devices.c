/*
 * test_time_devices.c: the virtual devices show what was published or
 * measured for the real ones.
 */
#include <inttypes.h>
#include <stdio.h>

#include "test_time.h"

#define MIB         (INT64_C(1) << 20)
#define PERCENT(x)  ((x) / 100)
#define MAX_STREAMS 64

enum order { DEPTH_FIRST, BREADTH_FIRST, FLUSHED };

static void assert_near(int64_t got, int64_t want, int percent)
{
    if (got < want - PERCENT(want * percent) ||
        got > want + PERCENT(want * percent))
        print_message("got %" PRId64 ", want %" PRId64 " within %d %%\n", got,
                      want, percent);
    assert_in_range(got, want - PERCENT(want * percent),
                    want + PERCENT(want * percent));
}

static void load(struct bench *bench, const char *name, int devices)
{
    struct vgpu_profile p;

    assert_int_equal(vgpu_profile_load(name, &p, NULL, 0), 0);
    bench_open(bench, &p, devices, 0);
}

/* A call that takes the host @host_ns, then the operation is issued. */
static vgpu_time_id call(struct bench *b, int device, enum vgpu_time_kind kind,
                         uint32_t stream, int64_t bytes,
                         struct vgpu_time_work *work)
{
    struct vgpu_time_op op;

    b->clock_ns += kind == VGPU_TIME_KERNEL ? b->profile.host_launch_ns
                                            : b->profile.host_copy_async_ns;
    op = make_op(b, kind, stream + 1000 * (uint32_t)device);
    op.stream_index = stream;
    op.device = device;
    op.bytes = bytes;
    op.blocks = 8 * b->profile.sms;
    op.user = work;
    return submit(b, &op);
}

/*
 * Copy @bytes in, work @total_ops on them, copy them out, in @streams equal
 * parts. Return: the time from the first call to the last end, ns.
 */
static int64_t pipeline(const char *name, int64_t bytes, uint64_t total_ops,
                        uint32_t streams, enum order order)
{
    struct bench b;
    struct vgpu_time_work work = {.ops = total_ops / streams,
                                  .bytes = (uint64_t)(2 * bytes / streams)};
    vgpu_time_id last[MAX_STREAMS];
    int64_t part = bytes / streams;
    int64_t end = 0;

    load(&b, name, 1);
    for (uint32_t s = 0; order != BREADTH_FIRST && s < streams; s++) {
        call(&b, 0, VGPU_TIME_H2D, s, part, NULL);
        call(&b, 0, VGPU_TIME_KERNEL, s, 0, &work);
        last[s] = call(&b, 0, VGPU_TIME_D2H, s, part, NULL);
        if (order == FLUSHED)
            vgpu_time_flush(b.time, 0, b.clock_ns);
    }
    for (uint32_t s = 0; order == BREADTH_FIRST && s < streams; s++)
        call(&b, 0, VGPU_TIME_H2D, s, part, NULL);
    for (uint32_t s = 0; order == BREADTH_FIRST && s < streams; s++)
        call(&b, 0, VGPU_TIME_KERNEL, s, 0, &work);
    for (uint32_t s = 0; order == BREADTH_FIRST && s < streams; s++)
        last[s] = call(&b, 0, VGPU_TIME_D2H, s, part, NULL);
    for (uint32_t s = 0; s < streams; s++) {
        vgpu_time_wait(b.time, last[s]);
        if (vgpu_time_end(b.time, last[s]) > end)
            end = vgpu_time_end(b.time, last[s]);
    }
    bench_close(&b);
    return end;
}

/*
 * One program on three devices: 4 Mi floats, 16 MiB each way, four streams.
 * Its kernel takes 512 operations for each: sines and cosines of large
 * arguments.
 */
#define BLOG_BYTES (16 * MIB)
#define BLOG_OPS   (UINT64_C(512) * 4 * 1024 * 1024)

static void one_copy_queue_wants_breadth_first(void **state)
{
    int64_t serial = pipeline("c1060", BLOG_BYTES, BLOG_OPS, 1, DEPTH_FIRST);
    int64_t depth = pipeline("c1060", BLOG_BYTES, BLOG_OPS, 4, DEPTH_FIRST);
    int64_t breadth = pipeline("c1060", BLOG_BYTES, BLOG_OPS, 4, BREADTH_FIRST);

    (void)state;
    assert_near(serial, 12900000, 5);
    assert_near(depth, serial, 6);
    assert_near(breadth, serial * 2 / 3, 8);
}

static void delayed_signals_want_depth_first(void **state)
{
    int64_t serial = pipeline("c2050", BLOG_BYTES, BLOG_OPS, 1, DEPTH_FIRST);
    int64_t depth = pipeline("c2050", BLOG_BYTES, BLOG_OPS, 4, DEPTH_FIRST);
    int64_t breadth = pipeline("c2050", BLOG_BYTES, BLOG_OPS, 4, BREADTH_FIRST);

    (void)state;
    assert_near(serial, 10000000, 5);
    assert_near(depth, 5700000, 5);
    assert_near(breadth, 8200000, 5);
}

static void many_queues_want_nothing(void **state)
{
    int64_t serial = pipeline("k20", BLOG_BYTES, BLOG_OPS, 1, DEPTH_FIRST);
    int64_t depth = pipeline("k20", BLOG_BYTES, BLOG_OPS, 4, DEPTH_FIRST);
    int64_t breadth = pipeline("k20", BLOG_BYTES, BLOG_OPS, 4, BREADTH_FIRST);

    (void)state;
    assert_near(serial, 7100000, 5);
    assert_near(depth, 3970000, 15); /* published */
    assert_near(breadth, depth, 1);
}

static void a_batching_driver_wants_flushes(void **state)
{
    const char *name = "rtx2070mq-wddm";
    uint64_t ops = UINT64_C(40000000000);
    int64_t serial = pipeline(name, 128 * MIB, ops, 1, DEPTH_FIRST);
    int64_t depth = pipeline(name, 128 * MIB, ops, 4, DEPTH_FIRST);
    int64_t breadth = pipeline(name, 128 * MIB, ops, 4, BREADTH_FIRST);
    int64_t flushed = pipeline(name, 128 * MIB, ops, 4, FLUSHED);

    (void)state;
    assert_near(depth, serial, 2);
    assert_near(breadth, serial, 2);
    assert_true(flushed < serial * 65 / 100);
}

/* Copies of @bytes back to back in one stream. Return: ns for each. */
static int64_t queued(enum vgpu_time_kind kind, int64_t bytes)
{
    struct bench b;
    vgpu_time_id first;
    vgpu_time_id last = 0;
    int64_t each;

    load(&b, "h200", 1);
    first = copy(&b, kind, 1, bytes);
    for (int i = 0; i < 100; i++)
        last = copy(&b, kind, 1, bytes);
    each = (end_of(&b, last) - end_of(&b, first)) / 100;
    bench_close(&b);
    return each;
}

static void h200_copies(void **state)
{
    struct bench b;

    (void)state;
    assert_near(queued(VGPU_TIME_H2D, 1024), 2700, 5);
    assert_near(queued(VGPU_TIME_H2D, 64 << 10), 4200, 10);
    assert_near(queued(VGPU_TIME_H2D, MIB), 21600, 2);
    assert_near(queued(VGPU_TIME_H2D, 16 * MIB), 306900, 2);
    assert_near(queued(VGPU_TIME_D2H, 1024), 1900, 6);
    assert_near(queued(VGPU_TIME_D2H, 64 << 10), 2800, 8);
    assert_near(queued(VGPU_TIME_D2H, MIB), 20400, 3);
    assert_near(queued(VGPU_TIME_D2H, 16 * MIB), 306000, 2);
    load(&b, "h200", 1);
    assert_near(end_of(&b, copy(&b, VGPU_TIME_H2D, 1, 1024)), 4600, 2);
    bench_close(&b);
    load(&b, "h200", 1);
    assert_near(end_of(&b, copy(&b, VGPU_TIME_D2H, 1, 1024)), 3400, 2);
    bench_close(&b);
}

/* All of @devices copy 1 GiB @in, @out or both. Return: MB/s in total. */
static int64_t total_rate(int devices, int in, int out)
{
    struct bench b;
    vgpu_time_id id[8];
    int count = 0;
    int64_t end = 0;

    load(&b, "h200", devices);
    for (int d = 0; d < devices; d++) {
        if (in)
            id[count++] = call(&b, d, VGPU_TIME_H2D, 0, 1024 * MIB, NULL);
        if (out)
            id[count++] = call(&b, d, VGPU_TIME_D2H, 1, 1024 * MIB, NULL);
    }
    for (int i = 0; i < count; i++)
        end = end_of(&b, id[i]) > end ? end_of(&b, id[i]) : end;
    bench_close(&b);
    return count * 1024 * MIB * 1000 / end;
}

static void h200_links_together(void **state)
{
    (void)state;
    assert_near(total_rate(1, 1, 0), 55400, 1);
    assert_near(total_rate(1, 0, 1), 55300, 1);
    assert_near(total_rate(1, 1, 1), 100900, 2);
    assert_near(total_rate(2, 1, 0), 109000, 3);
    assert_near(total_rate(4, 1, 0), 167000, 2);
    assert_near(total_rate(2, 0, 1), 105000, 6);
    assert_near(total_rate(4, 0, 1), 133000, 2);
    assert_near(total_rate(2, 1, 1), 147000, 7);
    assert_near(total_rate(4, 1, 1), 163000, 7);
}

static void h200_peer_copies(void **state)
{
    struct bench b;
    struct vgpu_time_op op;

    (void)state;
    for (int direct = 0; direct < 2; direct++) {
        load(&b, "h200", 2);
        op = make_op(&b, VGPU_TIME_PEER, 1);
        op.peer_device = 1;
        op.peer_direct = direct;
        op.bytes = GB;
        assert_near(GB * 1000 / end_of(&b, submit(&b, &op)),
                    direct ? 395000 : 38000, 1);
        bench_close(&b);
    }
}

static void h200_kernels(void **state)
{
    struct bench b;
    vgpu_time_id first;
    vgpu_time_id last = 0;

    (void)state;
    load(&b, "h200", 1); /* launch, then sync */
    first = call(&b, 0, VGPU_TIME_KERNEL, 0, 0, NULL);
    assert_near(vgpu_time_wait(b.time, first) + b.profile.host_sync_ns, 8150,
                2);
    bench_close(&b);
    load(&b, "h200", 1); /* back to back, as fast as the host goes */
    first = call(&b, 0, VGPU_TIME_KERNEL, 0, 0, NULL);
    for (int i = 0; i < 100; i++)
        last = call(&b, 0, VGPU_TIME_KERNEL, 0, 0, NULL);
    assert_near((end_of(&b, last) - end_of(&b, first)) / 100, 3270, 6);
    bench_close(&b);
}

/* @count one-block kernels in as many streams, 1 ms each. */
static int64_t one_block_kernels(uint32_t count, int connections)
{
    struct bench b;
    struct vgpu_profile p;
    struct vgpu_time_work work;
    vgpu_time_id id[256];
    int64_t end = 0;

    assert_int_equal(vgpu_profile_load("h200", &p, NULL, 0), 0);
    work = (struct vgpu_time_work){.ops = (uint64_t)p.thread_ops_per_us * 32 *
                                          1000};
    bench_open(&b, &p, 1, connections);
    for (uint32_t s = 0; s < count; s++) {
        struct vgpu_time_op op = make_op(&b, VGPU_TIME_KERNEL, s);

        op.blocks = 1;
        op.threads_per_block = 32;
        op.user = &work;
        id[s] = submit(&b, &op);
    }
    for (uint32_t s = 0; s < count; s++)
        end = end_of(&b, id[s]) > end ? end_of(&b, id[s]) : end;
    bench_close(&b);
    return end;
}

static void h200_resident_kernels(void **state)
{
    (void)state;
    for (int connections = 1; connections <= 32; connections *= 2) {
        assert_near(one_block_kernels(128, connections), 1000000, 2);
        assert_near(one_block_kernels(256, connections), 2000000, 2);
    }
}

static int64_t h200_chunks(uint32_t streams)
{
    uint64_t ops = UINT64_C(132) * 496000 * 4850;

    return pipeline("h200", 256 * MIB, ops, streams, DEPTH_FIRST);
}

static void h200_chunked_overlap(void **state)
{
    (void)state;
    assert_near(h200_chunks(1), 14600000, 2);
    assert_near(h200_chunks(4), 7600000, 4);
    assert_near(h200_chunks(8), 6500000, 4);
    assert_near(h200_chunks(16), 6000000, 4);
    assert_near(h200_chunks(32), 5850000, 5);
}

/* 64 chunks in 3 streams, and in so many parts that fixed costs show. */
static void h200_chunks_and_streams(void **state)
{
    int64_t time_ns[2];

    (void)state;
    for (int run = 0; run < 2; run++) {
        struct bench b;
        uint32_t chunks = run == 0 ? 64 : 1024;
        struct vgpu_time_work work = {.ops = UINT64_C(132) * 496000 * 4850 /
                                             chunks};
        vgpu_time_id last = 0;

        load(&b, "h200", 1);
        for (uint32_t c = 0; c < chunks; c++) {
            call(&b, 0, VGPU_TIME_H2D, c % 3, 256 * MIB / chunks, NULL);
            call(&b, 0, VGPU_TIME_KERNEL, c % 3, 0, &work);
            last = call(&b, 0, VGPU_TIME_D2H, c % 3, 256 * MIB / chunks, NULL);
        }
        time_ns[run] = end_of(&b, last);
        bench_close(&b);
    }
    assert_near(time_ns[0], 5740000, 5);
    assert_true(time_ns[1] > time_ns[0] * 4 / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_copy_queue_wants_breadth_first),
        cmocka_unit_test(delayed_signals_want_depth_first),
        cmocka_unit_test(many_queues_want_nothing),
        cmocka_unit_test(a_batching_driver_wants_flushes),
        cmocka_unit_test(h200_copies),
        cmocka_unit_test(h200_links_together),
        cmocka_unit_test(h200_peer_copies),
        cmocka_unit_test(h200_kernels),
        cmocka_unit_test(h200_resident_kernels),
        cmocka_unit_test(h200_chunked_overlap),
        cmocka_unit_test(h200_chunks_and_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
