/*
 * test_time_random.c: what must hold for any work on any device, tried on
 * random work; and how fast the model is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "test_time.h"

#define MAX_OPS    120
#define STREAMS    10
#define ROUNDS     40
#define MAX_AFTER  3
#define PER_DEVICE 100

struct planned {
    struct vgpu_time_op op;
    struct vgpu_time_work work;
    int after[MAX_AFTER]; /* indices */
    int stream_pred;      /* index or -1 */
    vgpu_time_id id;
    int64_t start_ns;
    int64_t end_ns;
    int64_t seen_ns;
};

struct plan {
    struct vgpu_profile profile;
    int devices;
    int connections;
    int count;
    struct planned ops[MAX_OPS];
};

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

/* Every field at random, also where the kind has no use for it: then it must
 * make no difference. */
static void plan_op(struct plan *plan, int i, int last[], int64_t clock_ns)
{
    static const enum vgpu_time_kind kinds[] = {
        VGPU_TIME_H2D,    VGPU_TIME_H2D,    VGPU_TIME_D2H,  VGPU_TIME_D2H,
        VGPU_TIME_KERNEL, VGPU_TIME_KERNEL, VGPU_TIME_D2D,  VGPU_TIME_PEER,
        VGPU_TIME_MEMSET, VGPU_TIME_HOSTFN, VGPU_TIME_MARK,
    };
    struct planned *p = &plan->ops[i];
    struct vgpu_time_op *op = &p->op;
    int stream = (int)random_below(STREAMS);

    memset(p, 0, sizeof *p);
    op->kind = kinds[random_below(sizeof kinds / sizeof kinds[0])];
    op->device = stream % plan->devices;
    op->peer_device = (int)random_below((uint64_t)plan->devices);
    op->peer_direct = (int)random_below(2);
    op->stream = (uint32_t)stream;
    op->stream_index = (uint32_t)stream;
    op->issue_ns = clock_ns;
    op->bytes = (int64_t)random_below(random_below(4) ? 100000 : 10000000);
    op->pageable = random_below(4) == 0;
    op->after_count = i > 0 ? (int)random_below(MAX_AFTER + 1) : 0;
    for (int k = 0; k < op->after_count; k++)
        p->after[k] = (int)random_below((uint64_t)i);
    p->stream_pred = last[stream];
    last[stream] = i;
    op->blocks = (int64_t)(1 + random_below(random_below(2) ? 20 : 2000));
    op->threads_per_block = (int)(1 + random_below(512));
    op->regs_per_thread = (int)random_below(32);
    op->shared_per_block_bytes = (int64_t)random_below(16000);
    p->work.ops = random_below(100000000);
    p->work.bytes = random_below(3) ? random_below(1000000) : 0;
    p->work.fixed_ns = op->kind == VGPU_TIME_HOSTFN ? 1000 : 0;
}

static void make_plan(struct plan *plan, const char *name)
{
    int last[STREAMS];
    int64_t clock_ns = 0;

    assert_int_equal(vgpu_profile_load(name, &plan->profile, NULL, 0), 0);
    plan->devices = 1 + (int)random_below(3);
    plan->connections = (int)random_below(34);
    plan->count = 1 + (int)random_below(MAX_OPS);
    for (int s = 0; s < STREAMS; s++)
        last[s] = -1;
    for (int i = 0; i < plan->count; i++) {
        clock_ns += (int64_t)random_below(random_below(8) ? 5000 : 500000);
        plan_op(plan, i, last, clock_ns);
    }
}

/* @poll: ask now and then on the way, as a host does that looks. */
static void run_plan(struct plan *plan, int poll)
{
    struct bench b;

    bench_open(&b, &plan->profile, plan->devices, plan->connections);
    for (int i = 0; i < plan->count; i++) {
        struct planned *p = &plan->ops[i];
        struct vgpu_time_op op = p->op;
        vgpu_time_id after[MAX_AFTER];

        for (int k = 0; k < op.after_count; k++)
            after[k] = plan->ops[p->after[k]].id;
        op.after = after;
        op.user = &p->work;
        if (poll)
            vgpu_time_done(b.time, i > 0 ? plan->ops[i / 2].id : 0,
                           op.issue_ns);
        p->id = submit(&b, &op);
    }
    for (int i = 0; i < plan->count; i++) {
        struct planned *p = &plan->ops[i];

        p->seen_ns = vgpu_time_wait(b.time, p->id);
        p->start_ns = vgpu_time_start(b.time, p->id);
        p->end_ns = vgpu_time_end(b.time, p->id);
        assert_true(p->seen_ns >= 0);
    }
    bench_close(&b);
}

static int64_t fastest_ns(const struct vgpu_profile *p,
                          const struct vgpu_time_op *op)
{
    int64_t rate = 0;

    switch (op->kind) {
    case VGPU_TIME_H2D:
        rate = op->pageable ? p->pageable_h2d_bytes_per_s : p->h2d_bytes_per_s;
        break;
    case VGPU_TIME_D2H:
        rate = op->pageable ? p->pageable_d2h_bytes_per_s : p->d2h_bytes_per_s;
        break;
    case VGPU_TIME_D2D:
        rate = p->d2d_bytes_per_s;
        break;
    case VGPU_TIME_MEMSET:
        rate = p->memory_bytes_per_s;
        break;
    default:
        return 0;
    }
    return p->unit_ns ? p->unit_ns : op->bytes * 1000 / (rate / 1000000);
}

/* What each operation by itself must satisfy. */
static void check_each(const struct plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        const struct planned *p = &plan->ops[i];

        assert_true(p->start_ns >= p->op.issue_ns);
        assert_true(p->end_ns >= p->start_ns);
        assert_true(p->seen_ns >= p->end_ns);
        assert_true(p->end_ns - p->start_ns >=
                    fastest_ns(&plan->profile, &p->op));
        if (p->stream_pred >= 0)
            assert_true(p->start_ns >= plan->ops[p->stream_pred].seen_ns);
        for (int k = 0; k < p->op.after_count; k++)
            assert_true(p->start_ns >= plan->ops[p->after[k]].seen_ns);
    }
}

/* A number for each engine that does one thing at a time, or -1. */
static int exclusive_engine(const struct plan *plan,
                            const struct vgpu_time_op *op)
{
    int engine = PER_DEVICE * op->device;

    switch (op->kind) {
    case VGPU_TIME_H2D:
        return engine;
    case VGPU_TIME_D2H:
    case VGPU_TIME_PEER:
        return engine + (plan->profile.copy_queues == 2);
    case VGPU_TIME_KERNEL:
        return plan->profile.max_resident_kernels == 1 ? engine + 2 : -1;
    case VGPU_TIME_HOSTFN:
        return 3;
    default:
        return -1;
    }
}

static void check_engines(const struct plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        const struct planned *a = &plan->ops[i];
        int engine = exclusive_engine(plan, &a->op);

        for (int j = 0; engine >= 0 && j < i; j++) {
            const struct planned *b = &plan->ops[j];

            if (exclusive_engine(plan, &b->op) == engine)
                assert_true(a->start_ns >= b->end_ns ||
                            b->start_ns >= a->end_ns);
        }
    }
}

/* Something is always under way: not longer than all one after another. */
static void check_bound(const struct plan *plan)
{
    const struct vgpu_profile *p = &plan->profile;
    int64_t bound = plan->ops[plan->count - 1].op.issue_ns;
    int64_t last = 0;

    for (int i = 0; i < plan->count; i++) {
        const struct planned *op = &plan->ops[i];

        bound +=
            op->end_ns - op->start_ns + p->kernel_gap_ns + p->batch_submit_ns;
        last = op->seen_ns > last ? op->seen_ns : last;
    }
    assert_true(last <= bound);
}

static void check_same(const struct plan *a, const struct plan *b)
{
    for (int i = 0; i < a->count; i++) {
        assert_int_equal(a->ops[i].start_ns, b->ops[i].start_ns);
        assert_int_equal(a->ops[i].end_ns, b->ops[i].end_ns);
        assert_int_equal(a->ops[i].seen_ns, b->ops[i].seen_ns);
    }
}

static void random_work_keeps_the_rules(void **state)
{
    static struct plan plan;
    static struct plan again;

    (void)state;
    for (int i = 0; vgpu_profile_names[i]; i++) {
        for (int round = 0; round < ROUNDS; round++) {
            make_plan(&plan, vgpu_profile_names[i]);
            again = plan;
            run_plan(&plan, 0);
            check_each(&plan);
            check_engines(&plan);
            check_bound(&plan);
            run_plan(&again, 0);
            check_same(&plan, &again);
            run_plan(&again, 1);
            check_same(&plan, &again);
        }
    }
}

/* @count operations in 8 streams. Return: operations per second of CPU. */
static double speed(int count, const char *name, int release)
{
    struct bench b;
    struct vgpu_profile p;
    struct vgpu_time_work work = {.ops = 50000000, .bytes = 100000};
    clock_t start = clock();
    double seconds;

    assert_int_equal(vgpu_profile_load(name, &p, NULL, 0), 0);
    bench_open(&b, &p, 1, 0);
    for (int i = 0; i < count; i++) {
        static const enum vgpu_time_kind kinds[] = {
            VGPU_TIME_H2D, VGPU_TIME_KERNEL, VGPU_TIME_D2H, VGPU_TIME_MARK};
        struct vgpu_time_op op =
            make_op(&b, kinds[i % 4], (uint32_t)(i / 4 % 8));
        vgpu_time_id id;

        op.bytes = 100000;
        op.blocks = 1000;
        op.user = &work;
        b.clock_ns =
            vgpu_time_room(b.time, op.stream, op.kind, b.clock_ns + 1000);
        op.issue_ns = b.clock_ns;
        id = submit(&b, &op);
        if (release)
            vgpu_time_release(b.time, id);
        else if (i == count - 1)
            vgpu_time_wait(b.time, id);
    }
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    bench_close(&b);
    return count / (seconds > 1e-6 ? seconds : 1e-6);
}

/* The aim is 500,000 a second; slow and busy machines get a tenth. */
static void it_is_fast(void **state)
{
    (void)state;
    for (int i = 0; vgpu_profile_names[i]; i++) {
        double rate = speed(10000, vgpu_profile_names[i], i % 2);

        if (getenv("VERBOSE"))
            print_message("%s: %.0f operations a second\n",
                          vgpu_profile_names[i], rate);
#ifndef __SANITIZE_ADDRESS__
        assert_true(rate > 50000);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_work_keeps_the_rules),
        cmocka_unit_test(it_is_fast),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
