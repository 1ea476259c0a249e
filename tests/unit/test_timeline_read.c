/* test_timeline_read.c: the reader takes what is good and says what is not */
#include "test_timeline.h"

#include <stdio.h>

static const char good_op[] = OP(1, h2d, h2d, 1, 10, 20);

static void test_reads_every_record(void **state)
{
    static const char body[] =
        "device index=0 name=NVIDIA%20H200 backend=vgpu copy_engines=3 "
        "sms=132\n"
        "call id=7 name=cudaMemcpyAsync start_ns=1 end_ns=5 at=lab.cu:31 "
        "stream=2 thread=1\n"
        "call id=9 name=cudaDeviceGetAttribute start_ns=0 end_ns=1 asked=3\n"
        "\n# a comment\n"
        "op id=2 kind=kernel engine=sm device=0 stream=2 start_ns=20 "
        "end_ns=30 name=f(int%2C%20%25) grid=8 block=256 future=1 after=1,7\n"
        "op id=1 kind=h2d engine=h2d device=0 stream=2 start_ns=10 end_ns=20 "
        "bytes=64 mem=pageable call=7 at=lab.cu:31\n"
        "mark what=stop t_ns=40\nmark what=start t_ns=5\n"
        "hazard kind=write-read first_op=1 second_op=2 first_at=a.cu:1 "
        "second_at=a.cu:2 buffer=3 lo=0 hi=64 why=no%20order\n"
        "note text=\nx-later anything=1\n";
    struct trace t;
    struct trace_error err;

    (void)state;
    assert_int_equal(
        read_body(body, "end records=10 ops=2 calls=2\n", false, &t, &err),
        TRACE_OK);
    assert_string_equal(t.devices[0].name, "NVIDIA H200");
    assert_int_equal(t.devices[0].sms, 132);
    assert_int_equal(t.num_ops, 2);
    assert_int_equal(t.ops[0].id, 1); /* by start */
    assert_int_equal(t.ops[0].mem, TRACE_MEM_PAGEABLE);
    assert_string_equal(t.ops[0].name, "h2d"); /* the kind, without a name */
    assert_string_equal(t.ops[1].name, "f(int, %)");
    assert_string_equal(trace_find_call(&t, 7)->name, "cudaMemcpyAsync");
    assert_int_equal(t.ops[0].num_after, 0);
    assert_int_equal(t.ops[1].num_after, 2);
    assert_int_equal(trace_after(&t, &t.ops[1])[1], 7);
    assert_int_equal(trace_find_call(&t, 7)->asked, TRACE_NO_DEVICE);
    assert_int_equal(trace_find_call(&t, 9)->asked, 3);
    assert_null(trace_find_call(&t, 8));
    assert_true(t.marks[0].start);
    assert_string_equal(t.hazards[0].why, "no order");
    assert_true(t.hazards[0].has_range);
    assert_string_equal(t.notes[0], "");
    assert_true(t.complete);
    trace_free(&t);
}

/* What older readers pass over: names, events, waits, ranges. */
static void test_reads_what_came_later(void **state)
{
    static const char body[] = OP(
        1, h2d, h2d, 1, 10,
        20) "op id=2 kind=kernel engine=sm device=0 stream=2 start_ns=20 "
            "end_ns=30 after=1,9 via=4,0\n"
            "op id=3 kind=kernel engine=sm device=0 stream=2 start_ns=30 "
            "end_ns=40 after=2,1 via=4\n"
            "x-event id=7 device=0 stream=1 name=copied[1] t_ns=20 at=a.cu:5\n"
            "x-event id=2 device=0 stream=1\nx-wait id=5\n"
            "x-wait id=4 event=7 stream=2 at=a.cu:6 future=1\n"
            "x-stream number=2 device=0 name=streams[1]\n"
            "x-range name=in start_ns=3 end_ns=4\n"
            "x-range name=out start_ns=3 end_ns=9 thread=1\n";
    struct trace_error err;
    struct trace t;

    (void)state;
    assert_int_equal(read_body(body, "", true, &t, &err), TRACE_OK);
    assert_null(trace_via(&t, &t.ops[0]));
    assert_int_equal(trace_via(&t, &t.ops[1])[0], 4);
    assert_null(trace_via(&t, &t.ops[2])); /* not one for each */
    assert_int_equal(trace_find_wait(&t, 4)->event, 7);
    assert_int_equal(trace_find_wait(&t, 5)->event, 0);
    assert_int_equal(t.num_events, 2); /* by id */
    assert_true(t.events[0].t_ns == TRACE_NO_TIME);
    assert_string_equal(t.events[1].name, "copied[1]");
    assert_string_equal(t.streams[0].name, "streams[1]");
    assert_string_equal(t.ranges[0].name, "out");
    trace_free(&t);
}

/* A body is refused: at this line (the first of the body is 2), for this
 * reason.
 */
static void assert_refused(const char *body, size_t line, const char *reason)
{
    struct trace t;
    struct trace_error err = {0, ""};

    assert_int_equal(read_body(body, "", true, &t, &err), TRACE_DAMAGED);
    if (!strstr(err.text, reason))
        fail_msg("'%s' instead of '%s'", err.text, reason);
    assert_int_equal(err.line, line);
    assert_null(t.text);
}

#define AFTER_OP(after)                                                        \
    "op id=1 kind=h2d engine=h2d device=0 stream=1 start_ns=1 end_ns=2 "       \
    "after=" after "\n"

static void test_refuses_bad_lines(void **state)
{
    (void)state;
    assert_refused("op\n", 2, "key 'id' is missing");
    assert_refused("\nfoo a=1\n", 3, "not a kind of record");
    assert_refused("Op id=1\n", 2, "not a kind of record");
    assert_refused("note text=a  b=1\n", 2, "two spaces");
    assert_refused("note text=a \n", 2, "a space at the end");
    assert_refused("note word\n", 2, "not key=value");
    assert_refused("note text=a text=b\n", 2, "given twice");
    assert_refused("note text=%4\n", 2, "not followed by two digits");
    assert_refused("note text=%00\n", 2, "not followed by two digits");
    assert_refused("note text=a\tb\n", 2, "control character 0x09");
    assert_refused("note 1x=2\n", 2, "cannot be a key");
    assert_refused("mark what=begin t_ns=1\n", 2, "is not known");
    assert_refused("mark what=stop t_ns=-1\n", 2, "not a number");
    assert_refused("mark what=stop t_ns=\n", 2, "not a number");
    assert_refused("mark what=stop t_ns=9007199254740992\n", 2, "too large");
    assert_refused("device index=64 name=a backend=b\n", 2, "not below 64");
    assert_refused(AFTER_OP("1,,2"), 2, "is not a number");
    assert_refused(AFTER_OP("1,"), 2, "is not a number");
    assert_refused(AFTER_OP(""), 2, "is not a number");
    assert_refused(AFTER_OP("1,123456789012345678901234567890"), 2,
                   "is too large");
    assert_refused("call id=0 name=f start_ns=1 end_ns=2\n", 2, "not an id");
    assert_refused("call id=1 name=f start_ns=2 end_ns=1\n", 2,
                   "ends before it starts");
}

static void test_refuses_what_does_not_fit_together(void **state)
{
    (void)state;
    assert_refused(OP(1, h2d, h2d, 1, 0, 1) OP(1, d2h, d2h, 1, 1, 2), 0,
                   "op id 1 is given twice");
    assert_refused("call id=3 name=f start_ns=1 end_ns=2\n"
                   "call id=3 name=g start_ns=1 end_ns=2\n",
                   0, "call id 3 is given twice");
    assert_refused("device index=0 name=a backend=b\n"
                   "device index=0 name=a backend=b\n",
                   3, "described twice");
    assert_refused("end records=1\n", 2, "lines are lost");
    assert_refused("end records=0\nnote text=a\n", 3, "after the end");
}

static void test_limits(void **state)
{
    size_t room = TRACE_MAX_LINE + 100;
    char *body = malloc(room);

    (void)state;
    assert_non_null(body);
    memset(body, 'x', room);
    memcpy(body, "note text=", 10);
    strcpy(body + TRACE_MAX_LINE + 1, "\n");
    assert_refused(body, 2, "longer than 8191 bytes");

    strcpy(body, "note text=a");
    for (int i = 0; i < TRACE_MAX_KEYS; i++)
        snprintf(body + strlen(body), 16, " k%d=1", i);
    strcat(body, "\n");
    assert_refused(body, 2, "more than 32 keys");
    free(body);
}

static enum trace_status read_text(const char *text, bool partial,
                                   struct trace *t, struct trace_error *err)
{
    char *copy = malloc(strlen(text) + 1);

    assert_non_null(copy);
    strcpy(copy, text);
    return trace_read_memory(copy, strlen(copy), partial, t, err);
}

static void test_refuses_other_files(void **state)
{
    static const struct {
        const char *text, *reason;
    } files[] = {{"", "empty"},
                 {"hello\n", "not a trace"},
                 {"cuda-streams-lab trace 2\n", "version"},
                 {"cuda-streams-lab trace 1 \n", "version"},
                 {"cuda-streams-lab trace 1\n", "no end record"},
                 {"cuda-streams-lab trace 1\nend records=0", "cut"}};
    struct trace t;
    struct trace_error err;

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(read_text(files[i].text, false, &t, &err),
                         TRACE_DAMAGED);
        assert_non_null(strstr(err.text, files[i].reason));
    }
    assert_int_equal(trace_read("/nonexistent/file", false, &t, &err),
                     TRACE_NO_FILE);
    assert_int_equal(trace_read("/", false, &t, &err), TRACE_NO_FILE);
}

/* Cut a good trace at every byte: never accepted, never a crash; accepted
 * as partial once the first line is whole.
 */
static void test_cut_at_every_byte(void **state)
{
    char text[400];
    struct trace t;
    struct trace_error err;

    (void)state;
    snprintf(text, sizeof text, "%s\n%send records=1\n", TRACE_FIRST_LINE,
             good_op);
    for (size_t len = strlen(text) - 1; len > 0; len--) {
        text[len] = '\0';
        assert_int_equal(read_text(text, false, &t, &err), TRACE_DAMAGED);
        if (len < strlen(TRACE_FIRST_LINE))
            continue;
        assert_int_equal(read_text(text, true, &t, &err), TRACE_OK);
        assert_false(t.complete);
        trace_free(&t);
    }
}

/* Change bytes of a trace, always in the same way: no crash, no leak. Built
 * with a sanitizer this is a small fuzz test.
 */
static void test_damaged_bytes(void **state)
{
    unsigned long random = 1;
    struct trace t;
    struct trace_error err;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char text[300];

        snprintf(text, sizeof text, "%s\n%send records=1 ops=1\n",
                 TRACE_FIRST_LINE, good_op);
        for (int k = 0; k < 3; k++) {
            random = (random * 1103515245 + 12345) & 0x7fffffff;
            text[25 + (random >> 8) % (strlen(text) - 25)] =
                (char)(random >> 3 | 1);
        }
        if (read_text(text, i % 2, &t, &err) == TRACE_OK)
            trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_every_record),
        cmocka_unit_test(test_reads_what_came_later),
        cmocka_unit_test(test_refuses_bad_lines),
        cmocka_unit_test(test_refuses_what_does_not_fit_together),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refuses_other_files),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_damaged_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
