/* test_timeline_stats.c: regions, busy times, overlaps, the path, the words */
#include "test_timeline.h"

#include "cause.h"
#include "difference.h"
#include "explain.h"

#define H2D STATS_SET(TRACE_ENGINE_H2D)
#define SM  STATS_SET(TRACE_ENGINE_SM)
#define D2H STATS_SET(TRACE_ENGINE_D2H)

struct fixture {
    struct trace t;
    struct view v;
    struct stats s;
};

static void measure(const char *body, struct fixture *f)
{
    view_body(body, VIEW_BY_ENGINE, &f->t, &f->v);
    assert_true(tl_stats_make(&f->v, &f->s));
}

static void release(struct fixture *f)
{
    tl_stats_free(&f->s);
    tl_view_free(&f->v);
    trace_free(&f->t);
}

static void assert_explained(struct fixture *f, const char *words)
{
    struct out o = {0};

    tl_explain_run(&f->s, &o);
    if (!strstr(o.data, words))
        fail_msg("'%s' does not say '%s'", o.data, words);
    tl_out_free(&o);
    release(f);
}

/*   0    10   20   30   40   50
 *   HHHHHHHHHH                    H2D  0-20 and 10-30: 30 busy
 *             KKKKKKKKKK          sm  20-40
 *                  DD     DD      D2H 25-30, 40-50
 */
static const char sample[] =
    OP(1, h2d, h2d, 1, 100, 120) OP(2, h2d, h2d, 2, 110, 130)
        OP(3, kernel, sm, 1, 120, 140) OP(4, d2h, d2h, 1, 125, 130)
            OP(5, d2h, d2h, 2, 140, 150) OP(6, sync, none, 2, 100, 500);

static void test_overlaps_are_exact(void **state)
{
    struct fixture f;
    const struct stats_device *d;

    (void)state;
    measure(sample, &f);
    d = &f.s.devices[0];
    assert_int_equal(f.v.zero_ns, 100);
    assert_int_equal(f.s.num_engines, 3);
    assert_int_equal(f.s.engines[0].busy_ns, 30);
    assert_int_equal(f.s.engines[1].busy_ns, 20);
    assert_int_equal(f.s.engines[2].busy_ns, 15);
    assert_int_equal(tl_stats_overlap_ns(d, H2D | SM), 10);
    assert_int_equal(tl_stats_overlap_ns(d, H2D | D2H), 5);
    assert_int_equal(tl_stats_overlap_ns(d, SM | D2H), 5);
    assert_int_equal(tl_stats_overlap_ns(d, H2D | SM | D2H), 5);
    assert_int_equal(tl_stats_any_ns(d, H2D | SM | D2H), 50);
    assert_int_equal(tl_stats_two_or_more_ns(d), 10);
    assert_int_equal(d->exactly_ns[0], f.v.span_ns - 50);
    assert_int_equal(f.s.engines[2].num_gaps, 1);
    assert_int_equal(f.s.engines[2].longest_gap_ns, 10);
    release(&f);
}

static void test_touching_is_not_overlapping(void **state)
{
    struct fixture f;

    (void)state;
    measure(OP(1, h2d, h2d, 1, 0, 10) OP(2, kernel, sm, 1, 10, 20)
                OP(3, memset, sm, 1, 10, 10),
            &f);
    assert_int_equal(tl_stats_two_or_more_ns(&f.s.devices[0]), 0);
    assert_int_equal(f.s.devices[0].exactly_ns[0], 0);
    release(&f);
}

static void test_path_follows_engines_and_streams(void **state)
{
    struct fixture f;

    (void)state;
    measure(OP(1, h2d, h2d, 1, 0, 10) OP(2, h2d, h2d, 2, 10, 20)
                OP(3, kernel, sm, 1, 10, 15) OP(4, kernel, sm, 2, 22, 30)
                    OP(5, d2h, d2h, 2, 30, 45),
            &f);
    assert_int_equal(f.s.path.num_ops, 4);
    assert_int_equal(f.s.path.ops[0]->id, 1);
    assert_int_equal(f.s.path.ops[1]->id, 2);
    assert_int_equal(f.s.path.ops[2]->id, 4);
    assert_int_equal(f.s.path.engine_ns[TRACE_ENGINE_H2D], 20);
    assert_int_equal(f.s.path.engine_ns[TRACE_ENGINE_D2H], 15);
    assert_int_equal(f.s.path.wait_ns, 2);
    release(&f);
}

#define AFTER(id, kind, engine, stream, start, end, after, call)               \
    "op id=" #id " kind=" #kind " engine=" #engine " device=0 stream=" #stream \
    " start_ns=" #start " end_ns=" #end " after=" #after " call=" #call "\n"
#define VIA(id, kind, engine, stream, start, end, after, via)                  \
    "op id=" #id " kind=" #kind " engine=" #engine " device=0 stream=" #stream \
    " start_ns=" #start " end_ns=" #end " after=" #after " via=" #via          \
    " call=1\n"
#define CALL(id, start, end)                                                   \
    "call id=" #id " name=f start_ns=" #start " end_ns=" #end "\n"

#define LAUNCH(id, name) "call id=" #id " name=" #name " start_ns=0 end_ns=5\n"

/* Those of a graph's nodes are not of the program. */
static void test_streams_of_a_graph_do_not_count(void **state)
{
    struct fixture f;

    (void)state;
    measure(AFTER(1, h2d, h2d, 1, 0, 50, 99, 1)
                AFTER(2, d2h, d2h, 2, 0, 55, 99, 1) LAUNCH(1, cudaMemcpyAsync),
            &f);
    assert_int_equal(f.s.num_streams, 2);
    release(&f);
    measure(AFTER(1, h2d, h2d, 1, 0, 50, 99, 1)
                AFTER(2, d2h, d2h, 7, 0, 55, 99, 1) LAUNCH(1, cudaGraphLaunch),
            &f);
    assert_int_equal(f.s.num_streams, 0);
    release(&f);
}

/* An event orders 3 after 1; by the times alone 2 would be what it waits for.
 */
static void test_path_follows_what_the_trace_says(void **state)
{
    static const char body[] =
        OP(1, h2d, h2d, 1, 0, 50) AFTER(2, d2h, d2h, 2, 0, 55, 99, 1)
            AFTER(3, kernel, sm, 3, 60, 90, 1, 1) CALL(1, 0, 5);
    struct fixture f;

    (void)state;
    measure(body, &f);
    assert_true(f.s.path.exact);
    assert_int_equal(f.s.path.num_ops, 2);
    assert_int_equal(f.s.path.ops[0]->id, 1);
    assert_int_equal(f.s.path.wait_ns, 10);
    release(&f);
}

/* 3 comes after 1 only, but its call came when 2 was over. */
static void test_path_through_a_late_host(void **state)
{
    static const char body[] =
        OP(1, h2d, h2d, 1, 0, 50) OP(2, d2h, d2h, 2, 0, 55)
            AFTER(3, kernel, sm, 3, 60, 90, 1, 1) CALL(1, 57, 58);
    struct fixture f;

    (void)state;
    measure(body, &f);
    assert_int_equal(f.s.path.num_ops, 2);
    assert_int_equal(f.s.path.ops[0]->id, 2);
    release(&f);
}

/* Each cause: 1 none but its call, 2 its stream, 3 an event although 2 is later
 * on another engine, 4 the engine although it comes after 1 alone, 5 the
 * default stream, 6 the host, 7 an order that has no wait. */
static void test_causes(void **state)
{
    static const char body[] = AFTER(1, h2d, h2d, 1, 0, 10, 99, 1)
        AFTER(2, kernel, sm, 1, 10, 12, 1, 1) VIA(3, d2h, d2h, 2, 11, 20, 1, 3)
            AFTER(4, d2h, d2h, 3, 20, 30, 1, 1)
                VIA(5, kernel, sm, 0, 32, 40, 4, 4)
                    AFTER(6, kernel, sm, 0, 60, 70, 5, 2)
                        AFTER(7, h2d, h2d, 5, 71, 80, 6, 1) CALL(1, 0, 5)
                            CALL(2, 50, 55) "x-event id=1 device=0 "
                                            "stream=1\n"
                                            "x-wait id=3 event=1\n"
                                            "x-wait id=4\n";
    static const struct {
        enum cause_why why;
        uint64_t op;
    } expected[] = {{CAUSE_HOST, 0},   {CAUSE_STREAM, 1},  {CAUSE_EVENT, 1},
                    {CAUSE_ENGINE, 3}, {CAUSE_DEFAULT, 4}, {CAUSE_HOST, 5},
                    {CAUSE_ORDER, 6}};
    struct causes causes;
    struct fixture f;

    (void)state;
    measure(body, &f);
    assert_true(tl_causes_make(&f.v, &causes));
    for (size_t i = 0; i < 7; i++) {
        struct cause c = tl_cause_find(&causes, f.v.ops[i]);

        assert_int_equal(c.why, expected[i].why);
        assert_int_equal(c.op ? c.op->id : 0, expected[i].op);
        assert_int_equal(c.wait ? c.wait->id : 0, i == 2 ? 3 : i == 4 ? 4 : 0);
    }
    tl_causes_free(&causes);
    release(&f);
}

/* Later, overlapping, unknown and mutual predecessors make no endless path. */
static void test_path_ends_in_strange_traces(void **state)
{
    static const char body[] = AFTER(1, h2d, h2d, 1, 0, 10, 2, 0)
        AFTER(2, d2h, d2h, 2, 0, 10, 1, 0) AFTER(3, kernel, sm, 3, 5, 20, 3, 0)
            AFTER(4, kernel, sm, 3, 20, 20, 4, 0);
    struct fixture f;

    (void)state;
    measure(body, &f);
    assert_in_range(f.s.path.num_ops, 1, 4);
    assert_in_range(f.s.path.wait_ns, 0, 20);
    release(&f);
}

static void test_marks_select(void **state)
{
    struct fixture f;

    (void)state;
    measure(OP(1, h2d, h2d, 1, 0, 10) OP(2, h2d, h2d, 1, 50, 60) OP(3, h2d, h2d,
                                                                    1, 95, 120)
                OP(4, h2d, h2d, 1, 150, 160) OP(5, h2d, h2d, 1, 205, 210) OP(
                    6, h2d, h2d, 1, 300,
                    310) "mark what=start t_ns=40\nmark what=stop t_ns=100\n"
                         "mark what=start t_ns=200\nmark what=stop t_ns=220\n",
            &f);
    assert_int_equal(f.v.num_ops, 3);
    assert_int_equal(f.v.ops[0]->id, 2);
    assert_int_equal(f.v.ops[1]->id, 3);
    assert_int_equal(f.v.ops[2]->id, 5);
    assert_int_equal(f.v.zero_ns, 40);
    assert_int_equal(f.v.span_ns, 180);
    release(&f);

    /* Work left running after the stop makes the region longer. */
    measure(OP(1, h2d, h2d, 1, 0,
               90) "mark what=start t_ns=10\nmark what=stop t_ns=20\n",
            &f);
    assert_int_equal(f.v.span_ns, 80);
    assert_int_equal(f.s.engines[0].busy_ns, 80);
    release(&f);

    measure(OP(1, h2d, h2d, 1, 0, 9) "mark what=start t_ns=10\n", &f);
    assert_int_equal(f.v.num_ops, 0);
    assert_explained(&f, "no device work");
}

static void test_explains_what_bounds(void **state)
{
    struct fixture f;

    (void)state;
    measure(OP(1, h2d, h2d, 1, 0, 96) OP(2, kernel, sm, 1, 50, 100), &f);
    assert_explained(&f, "The copy engine to the device is busy 96% of the "
                         "time: it is the limit.");
    measure(OP(1, h2d, h2d, 1, 0, 50) OP(2, kernel, sm, 1, 50, 100), &f);
    assert_explained(&f, "all work is in one stream");
    measure(OP(1, h2d, h2d, 1, 0, 50) OP(2, kernel, sm, 2, 50, 100), &f);
    assert_explained(&f, "Nothing overlaps: at most one engine is busy");
    measure(OP(1, h2d, h2d, 1, 0, 50) OP(2, kernel, sm, 0, 50, 100), &f);
    assert_explained(&f, "legacy default stream wait");
    measure(OP(1, h2d, h2d, 1, 0, 20) OP(2, kernel, sm, 2, 10, 30)
                OP(3, h2d, h2d, 1, 90, 100),
            &f);
    assert_explained(&f, "idle 60% of the time");
}

#define DEVICE "device index=0 name=x backend=vgpu sms=132\n"
/* A kernel of @grid blocks all the time, which others may be beside. */
#define KERNEL(id, stream, grid)                                               \
    "op id=" #id " kind=kernel engine=sm device=0 stream=" #stream             \
    " start_ns=0 end_ns=100 grid=" #grid "\n"

static void test_explains_few_blocks(void **state)
{
    struct fixture f;

    (void)state;
    measure(DEVICE KERNEL(1, 1, 6) KERNEL(2, 2, 2x3), &f);
    assert_explained(&f, "have blocks for no more than 12 of the 132 "
                         "multiprocessors on average: the limit is how few "
                         "blocks are there at a time.");
    measure(DEVICE KERNEL(1, 1, 6) KERNEL(2, 2, 126), &f);
    assert_explained(&f, "they are the limit");
    measure(DEVICE KERNEL(
                1, 1,
                6) "x-order kind=order_queue saved_ns=50 run_ns=100 at=a.cu:1 "
                   "text=said\n",
            &f);
    assert_explained(&f, "in hardware queues, which are the limit");
}

static void test_explains_order(void **state)
{
    struct fixture f;

    (void)state;
    measure(OP(1, h2d, h2d, 1, 0, 20) OP(2, kernel, sm, 2, 10, 30)
                OP(3, h2d, h2d, 1, 90, 100) "x-order kind=order_host "
                                            "saved_ns=40 run_ns=80 at=a.cu:1 "
                                            "text=said\n",
            &f);
    assert_explained(&f, "the order that a line makes: without it the time "
                         "with work would be 50% shorter");
}

static void test_explains_pageable(void **state)
{
    struct fixture f;

    (void)state;
    measure("op id=1 kind=h2d engine=h2d device=0 stream=1 start_ns=10 "
            "end_ns=50 mem=pageable call=1\n"
            "op id=2 kind=d2h engine=d2h device=0 stream=1 start_ns=50 "
            "end_ns=90 mem=pageable call=2\n"
            "call id=1 name=cudaMemcpyAsync start_ns=5 end_ns=20\n"
            "call id=2 name=cudaMemcpyAsync start_ns=21 end_ns=91\n",
            &f);
    assert_explained(&f, "the host is held during 1 of 2 copies");
}

/* What a second run does otherwise than the first one. */
static void assert_differs(const char *first, const char *second,
                           const char *words)
{
    struct fixture was, is;
    struct out o = {0};

    measure(first, &was);
    measure(second, &is);
    tl_difference_explain(&was.s, &is.s, &o);
    if (strcmp(o.data, words) != 0)
        fail_msg("'%s' instead of '%s'", o.data, words);
    tl_out_free(&o);
    release(&was);
    release(&is);
}

static void test_differences(void **state)
{
    static const char row[] = OP(1, kernel, sm, 1, 0, 10)
        OP(2, kernel, sm, 1, 10, 20) OP(3, kernel, sm, 1, 20, 30);
    static const char beside[] = OP(1, kernel, sm, 1, 0, 10)
        OP(2, kernel, sm, 1, 1, 11) OP(3, kernel, sm, 1, 2, 12);

    (void)state;
    assert_differs(row, row, "It takes as long.");
    assert_differs(row, beside,
                   "It takes 18 ns less. What differs: up to 3 kernels at "
                   "once, not 1.");
    assert_differs(beside, row,
                   "It takes 18 ns more. What differs: up to 1 kernel at "
                   "once, not 3.");
    /* A memset among them is no kernel. */
    assert_differs(row,
                   OP(1, kernel, sm, 1, 0, 10) OP(2, memset, sm, 1, 1, 11)
                       OP(3, kernel, sm, 1, 2, 12) OP(4, kernel, sm, 1, 12, 30),
                   "It takes as long.");
}

static void test_explains_devices(void **state)
{
    struct fixture f;

    (void)state;
    measure("op id=1 kind=kernel engine=sm device=0 stream=1 start_ns=0 "
            "end_ns=50\n"
            "op id=2 kind=h2d engine=h2d device=0 stream=1 start_ns=0 "
            "end_ns=50\n"
            "op id=3 kind=kernel engine=sm device=1 stream=2 start_ns=50 "
            "end_ns=100\n",
            &f);
    assert_int_equal(f.s.num_devices, 2);
    assert_int_equal(f.s.devices_busy_ns[1], 100);
    assert_int_equal(f.s.devices_busy_ns[2], 0);
    assert_string_equal(f.v.rows[2].label, "GPU 1 Kernels");
    assert_explained(&f, "The GPUs work one after the other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlaps_are_exact),
        cmocka_unit_test(test_touching_is_not_overlapping),
        cmocka_unit_test(test_path_follows_engines_and_streams),
        cmocka_unit_test(test_streams_of_a_graph_do_not_count),
        cmocka_unit_test(test_path_follows_what_the_trace_says),
        cmocka_unit_test(test_path_through_a_late_host),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_path_ends_in_strange_traces),
        cmocka_unit_test(test_marks_select),
        cmocka_unit_test(test_explains_what_bounds),
        cmocka_unit_test(test_explains_few_blocks),
        cmocka_unit_test(test_explains_order),
        cmocka_unit_test(test_explains_pageable),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_explains_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
