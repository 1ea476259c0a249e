/* test_grade_query.c: questions that rules ask of a trace */
#include "test_timeline.h"

#include "case/query.h"

/* Two streams: 3 copies in and computes, 4 copies back; a copy before the
 * marked region and a call of the grader's own. */
static const char body[] =
    "device index=0 name=K20 backend=vgpu\n"
    "op id=1 kind=h2d device=0 stream=3 engine=h2d start_ns=10 end_ns=20 "
    "bytes=64 mem=pageable call=1\n"
    "mark what=start t_ns=100\n"
    "op id=2 kind=h2d device=0 stream=3 engine=h2d start_ns=200 end_ns=300 "
    "bytes=80 mem=pinned call=2 at=/home/s/lab.cu:31\n"
    "op id=3 kind=kernel device=0 stream=3 engine=sm start_ns=300 end_ns=500 "
    "name=k work=70 call=3\n"
    "op id=4 kind=d2h device=0 stream=4 engine=d2h start_ns=400 end_ns=600 "
    "bytes=80 mem=pinned call=4\n"
    "op id=5 kind=kernel device=1 stream=0 engine=sm start_ns=450 end_ns=550 "
    "name=other work=5 call=5\n"
    "device index=1 name=K20 backend=vgpu\n"
    "call id=1 name=cudaMemcpy thread=1 start_ns=5 end_ns=20\n"
    "call id=2 name=cudaMemcpyAsync thread=1 start_ns=110 end_ns=120\n"
    "call id=3 name=cudaLaunchKernel thread=1 start_ns=120 end_ns=130\n"
    "call id=6 name=cudaStreamSynchronize thread=1 start_ns=131 end_ns=139 "
    "at=/home/s/lab.cu:40\n"
    "call id=4 name=cudaMemcpyAsync thread=1 start_ns=140 end_ns=150\n"
    "call id=5 name=cudaLaunchKernel thread=1 start_ns=160 end_ns=170\n"
    "call id=7 name=cudaDeviceSynchronize thread=1 start_ns=180 end_ns=600 "
    "at=/x/grader/drivers/y.cu:3\n"
    "mark what=stop t_ns=700\n";

static void setup_trace(struct trace *trace)
{
    struct trace_error err;

    assert_int_equal(read_body(body, "", true, trace, &err), TRACE_OK);
    trace_sort(trace);
}

static void test_counts(void **state)
{
    const struct query legacy = {.one_stream = true};
    const struct query pageable = {.mems = QUERY_MEM(TRACE_MEM_PAGEABLE)};
    const struct trace_op *op;
    struct trace t;

    (void)state;
    setup_trace(&t);
    /* What lies before the first mark is not the student's. */
    assert_int_equal(query_count(&t, 0), 4);
    assert_null(query_next(&t, &pageable, NULL));
    assert_int_equal(query_bytes(&t, QUERY_IN), 80);
    assert_int_equal(query_work(&t, QUERY_KERNELS), 75);
    /* One of the three streams is the legacy default one. */
    assert_int_equal(query_streams(&t, 0), 2);
    assert_int_equal(query_devices(&t, QUERY_KERNELS), 2);
    op = query_next(&t, &legacy, NULL);
    assert_non_null(op);
    assert_null(query_next(&t, &legacy, op));
    assert_int_equal(query_ahead(&t, QUERY_KIND(TRACE_KIND_KERNEL),
                                 query_first(&t, QUERY_KIND(TRACE_KIND_D2H))),
                     1);
    trace_free(&t);
}

static void test_times(void **state)
{
    struct trace t;

    (void)state;
    setup_trace(&t);
    assert_true(query_overlap(&t, QUERY_KERNELS, QUERY_BACK));
    assert_false(query_overlap(&t, QUERY_PEER, 0));
    trace_free(&t);
}

static void test_calls(void **state)
{
    struct trace t;
    const struct trace_call *wait;

    (void)state;
    setup_trace(&t);
    assert_int_equal(query_calls(&t, "cudaMemcpy"), 0);
    assert_int_equal(query_calls(&t, "cudaMemcpy*"), 2);
    assert_int_equal(
        query_calls_before(&t, "cudaStreamSynchronize", "cudaLaunchKernel"), 1);
    assert_int_equal(query_calls(&t, "cudaDeviceSynchronize"), 0);
    assert_non_null(query_call_between(&t, "cudaStreamSynchronize"));
    assert_null(query_call_between(&t, "cudaDeviceSynchronize"));
    wait = query_wait(&t, true);
    assert_non_null(wait);
    assert_string_equal(query_place(wait->at), "lab.cu:40");
    assert_ptr_equal(
        query_call_of(&t, query_next(&t, &(struct query){0}, NULL)),
        trace_find_call(&t, 2));
    trace_free(&t);
}

/* The driver waits for the device: by then the function has returned. */
static void test_threads_left(void **state)
{
    static const char late[] = "call id=8 name=cudaMemcpyAsync thread=2 "
                               "start_ns=610 end_ns=620 at=/home/s/lab.cu:9\n";
    struct trace_error err;
    struct trace t;

    (void)state;
    setup_trace(&t);
    assert_false(query_threads_left(&t));
    trace_free(&t);
    assert_int_equal(read_body(body, late, true, &t, &err), TRACE_OK);
    trace_sort(&t);
    assert_true(query_threads_left(&t));
    trace_free(&t);
}

static void test_last_event(void **state)
{
    static const char events[] =
        "x-event id=1 device=0 stream=4 t_ns=500 at=/home/s/lab.cu:7\n"
        "x-event id=2 device=0 stream=3 t_ns=600 at=/x/grader/drivers/y.cu:3\n";
    struct trace_error err;
    struct trace t;

    (void)state;
    assert_int_equal(read_body(body, events, true, &t, &err), TRACE_OK);
    trace_sort(&t);
    assert_int_equal(query_last_event(&t)->stream, 4);
    trace_free(&t);
}

/* A program that died before it wrote anything. */
static void test_empty(void **state)
{
    const struct query all = {0};
    struct trace t = {0};

    (void)state;
    assert_null(query_next(&t, &all, NULL));
    assert_int_equal(query_count(&t, 0), 0);
    assert_false(query_overlap(&t, 0, 0));
    assert_null(query_call_between(&t, "cudaMemcpy*"));
    assert_null(query_wait(&t, false));
    assert_null(query_last_event(&t));
    assert_false(query_threads_left(&t));
    assert_string_equal(query_place("lab.cu:1"), "lab.cu:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_times),
        cmocka_unit_test(test_calls),      cmocka_unit_test(test_threads_left),
        cmocka_unit_test(test_last_event), cmocka_unit_test(test_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
