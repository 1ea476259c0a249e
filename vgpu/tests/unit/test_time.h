/*
 * test_time.h: a small bench for tests of the time model.
 *
 * The plain device has round figures: a copy takes 1 ns a byte each way, no
 * fixed costs, 4 SMs of 1,024 threads, each thread 1 operation a microsecond
 * and each SM 1,024, so that speed is in proportion to resident threads.
 */
#ifndef TEST_TIME_H
#define TEST_TIME_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vgpu_time.h"

#define GB           INT64_C(1000000000)
#define BLOCK        256
#define FULL_BLOCKS  16 /* of BLOCK threads fill the device */
#define FULL_OPS(ns) ((uint64_t)(ns)*4096 / 1000)

struct bench {
    struct vgpu_profile profile;
    struct vgpu_time *time;
    int64_t clock_ns;      /* issue time of the next operation */
    int calls;             /* of the work function */
    int64_t called_ns[64]; /* when, by the model's clock */
    const void *called_user[64];
};

static inline void bench_work(void *arg, void *user,
                              struct vgpu_time_work *work)
{
    struct bench *bench = arg;

    if (bench->calls < 64) {
        bench->called_ns[bench->calls] = vgpu_time_now(bench->time);
        bench->called_user[bench->calls] = user;
    }
    bench->calls++;
    if (user)
        *work = *(const struct vgpu_time_work *)user;
}

static inline struct vgpu_profile plain_profile(void)
{
    struct vgpu_profile p;

    assert_int_equal(vgpu_profile_load("unit", &p, NULL, 0), 0);
    p.unit_ns = 0;
    p.sms = 4;
    p.max_threads_per_sm = 1024;
    p.max_blocks_per_sm = 8;
    p.regs_per_sm = 65536;
    p.shared_per_sm_bytes = 65536;
    p.shared_per_block_bytes = 49152;
    p.sm_ops_per_us = 1024;
    p.thread_ops_per_us = 1;
    p.h2d_bytes_per_s = GB;
    p.d2h_bytes_per_s = GB;
    p.pageable_h2d_bytes_per_s = GB / 2;
    p.pageable_d2h_bytes_per_s = GB / 4;
    p.d2d_bytes_per_s = 2 * GB;
    p.memory_bytes_per_s = 4 * GB;
    p.peer_bytes_per_s = 5 * GB;
    p.peer_staged_bytes_per_s = GB / 2;
    return p;
}

static inline void bench_open(struct bench *bench,
                              const struct vgpu_profile *profile, int devices,
                              int connections)
{
    struct vgpu_profile all[16];

    for (int i = 0; i < devices; i++)
        all[i] = *profile;
    memset(bench, 0, sizeof *bench);
    bench->profile = *profile;
    bench->time = vgpu_time_new(all, devices, connections, bench_work, bench);
    assert_non_null(bench->time);
}

static inline void bench_close(struct bench *bench)
{
    vgpu_time_free(bench->time);
}

/* An operation of @kind in stream @stream of device 0, issued now. */
static inline struct vgpu_time_op
make_op(const struct bench *bench, enum vgpu_time_kind kind, uint32_t stream)
{
    return (struct vgpu_time_op){
        .kind = kind,
        .stream = stream,
        .stream_index = stream,
        .issue_ns = bench->clock_ns,
        .blocks = FULL_BLOCKS,
        .threads_per_block = BLOCK,
        .regs_per_thread = 32,
    };
}

static inline vgpu_time_id submit(struct bench *bench,
                                  const struct vgpu_time_op *op)
{
    vgpu_time_id id = vgpu_time_submit(bench->time, op);

    assert_true(id != 0);
    return id;
}

static inline vgpu_time_id copy(struct bench *bench, enum vgpu_time_kind kind,
                                uint32_t stream, int64_t bytes)
{
    struct vgpu_time_op op = make_op(bench, kind, stream);

    op.bytes = bytes;
    return submit(bench, &op);
}

/* @work must live until the kernel has run. */
static inline vgpu_time_id kernel(struct bench *bench, uint32_t stream,
                                  int64_t blocks, struct vgpu_time_work *work)
{
    struct vgpu_time_op op = make_op(bench, VGPU_TIME_KERNEL, stream);

    op.blocks = blocks;
    op.user = work;
    return submit(bench, &op);
}

/* A mark; it waits for @after too unless that is 0. */
static inline vgpu_time_id mark(struct bench *bench, uint32_t stream,
                                vgpu_time_id after)
{
    struct vgpu_time_op op = make_op(bench, VGPU_TIME_MARK, stream);

    op.after = &after;
    op.after_count = after != 0;
    return submit(bench, &op);
}

static inline int64_t end_of(struct bench *bench, vgpu_time_id id)
{
    vgpu_time_wait(bench->time, id);
    return vgpu_time_end(bench->time, id);
}

static inline int64_t start_of(struct bench *bench, vgpu_time_id id)
{
    vgpu_time_wait(bench->time, id);
    return vgpu_time_start(bench->time, id);
}

#endif
