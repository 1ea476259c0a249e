/* test_timeline_recorder.c: what the recorder stores becomes a good trace
 *
 * The recorder is a library of its own, made only where CUPTI is; of its
 * objects, those that do not need CUPTI are linked with this test.
 */
#include "test_timeline.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/lines.h"
#include "recorder/store.h"

#define EPOCH UINT64_C(1700000000000000000) /* beyond the format's numbers */

static char path[64];

static void write_and_read(struct trace *t)
{
    struct trace_error err = {0, ""};

    snprintf(path, sizeof path, "/tmp/test_recorder.%ld", (long)getpid());
    assert_true(store_write(path));
    if (trace_read(path, false, t, &err) != TRACE_OK)
        fail_msg("line %zu: %s", err.line, err.text);
    unlink(path);
}

static void add_op(const char *kind, const char *engine, uint32_t stream,
                   uint32_t call, const char *name)
{
    struct store_op op = {.kind = kind,
                          .engine = engine,
                          .mem = "",
                          .name = name,
                          .context = 1,
                          .stream = stream,
                          .call = call,
                          .start_ns = EPOCH + 100 * call,
                          .end_ns = EPOCH + 100 * call + 50};

    store_add_op(&op);
}

static void test_streams_get_numbers(void **state)
{
    struct store_device device = {0, 132, 3};
    struct store_call call = {1, 4711, "cudaMemcpyAsync", EPOCH, EPOCH + 9};
    struct trace t;

    (void)state;
    store_add_device(&device, "NVIDIA H200 100%");
    store_add_device(&device, "again");
    store_add_stream(1, 21, false, false);
    store_add_stream(1, 13, false, false);
    store_add_call(&call);
    add_op("h2d", "h2d", 13, 1, "memcpy");
    add_op("kernel", "sm", 21, 2, "_Z7decryptPmm");
    add_op("kernel", "sm", 7, 3, "two words%");
    store_add_mark(true, EPOCH + 5);
    write_and_read(&t);
    assert_int_equal(t.num_devices, 1);
    assert_string_equal(t.devices[0].name, "NVIDIA H200 100%");
    assert_int_equal(t.ops[0].stream, 2); /* in the order of creation */
    assert_int_equal(t.ops[1].stream, 1);
    assert_int_equal(t.ops[2].stream, 0); /* nobody created it */
    assert_int_equal(t.ops[0].start_ns, 100);
    assert_string_equal(t.ops[1].name, "decrypt");
    assert_string_equal(t.ops[2].name, "two words%");
    assert_int_equal(t.calls[0].thread, 0);
    assert_int_equal(t.marks[0].t_ns, 5);
    trace_free(&t);
}

static void add_order(bool is_wait, uint32_t stream, uint32_t call,
                      uint64_t event)
{
    const struct store_order order = {.is_wait = is_wait,
                                      .call = call,
                                      .context = 1,
                                      .stream = stream,
                                      .event = event};

    store_add_order(&order);
}

/* What the operation of a call comes after, and by which waits: "1,2 via 0,3".
 */
static void check_after(const struct trace *t, uint64_t call, const char *want)
{
    char text[200] = "";
    size_t at = 0;

    for (size_t i = 0; i < t->num_ops; i++) {
        const struct trace_op *op = &t->ops[i];

        if (op->call != call)
            continue;
        for (size_t k = 0; k < op->num_after; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%d",
                                   k ? "," : "", (int)trace_after(t, op)[k]);
        for (size_t k = 0; k < op->num_via; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%d",
                                   k ? "," : " via ", (int)trace_via(t, op)[k]);
    }
    assert_string_equal(text, want);
}

/* Streams 13 and 14 are blocking, 15 is not, 7 is the default one. Calls come
 * in another order than that of their numbers, as CUPTI hands them over. */
static void test_what_comes_after_what(void **state)
{
    struct trace t;

    (void)state;
    store_add_stream(1, 13, false, false);
    store_add_stream(1, 14, false, false);
    store_add_stream(1, 15, false, true);
    add_op("kernel", "sm", 14, 4, "after_a");
    add_op("h2d", "h2d", 13, 1, "a");
    add_order(false, 13, 2, 0xe);
    add_order(true, 14, 3, 0xe);
    add_order(true, 14, 3, 0xf); /* never recorded */
    add_op("kernel", "sm", 14, 5, "next");
    add_op("d2h", "d2h", 13, 6, "a_too");
    add_op("kernel", "sm", 7, 7, "default");
    add_op("kernel", "sm", 15, 8, "beside");
    add_order(false, 13, 9, 0xe); /* again: after the default stream's */
    add_order(true, 15, 10, 0xe);
    add_op("d2h", "d2h", 15, 11, "after_default");
    add_op("kernel", "sm", 14, 12, "after_default_too");
    write_and_read(&t);
    check_after(&t, 1, "");
    check_after(&t, 4, "1 via 2");
    check_after(&t, 5, "2");
    check_after(&t, 6, "1");
    check_after(&t, 7, "4,3 via 6,6");
    check_after(&t, 8, "");
    check_after(&t, 11, "6,4,5 via 0,5,5");
    check_after(&t, 12, "3,5 via 0,6");
    assert_int_equal(t.num_events, 2);
    assert_int_equal(t.events[0].t_ns, 50); /* when "a" ended */
    assert_int_equal(t.num_waits, 3);
    assert_int_equal(t.waits[0].event, t.events[0].id);
    assert_int_equal(t.waits[1].event, t.events[1].id);
    assert_int_equal(t.waits[2].event, 0);
    trace_free(&t);
}

/* Nodes of a graph: all after what was before, and the next one after all. */
static void test_graphs_have_their_own_order(void **state)
{
    struct store_op node = {.kind = "kernel",
                            .engine = "sm",
                            .mem = "",
                            .context = 1,
                            .stream = 13,
                            .call = 2,
                            .graph = true};
    struct trace t;

    (void)state;
    store_add_stream(1, 13, false, false);
    add_op("h2d", "h2d", 13, 1, "before");
    for (uint64_t i = 0; i < 2; i++) {
        node.start_ns = EPOCH + 300 + i;
        node.end_ns = EPOCH + 400;
        store_add_op(&node);
    }
    add_op("d2h", "d2h", 13, 5, "behind");
    write_and_read(&t);
    check_after(&t, 2, "11"); /* two of them: "1" and "1" */
    check_after(&t, 5, "2,3");
    trace_free(&t);
}

/* An event that is destroyed takes its name along: the next one may have its
 * handle. A stream keeps the last name that it was given. */
static void test_names(void **state)
{
    const void *const nowhere[STORE_FRAMES] = {NULL};
    struct store_call call = {1, 4711, "cudaMemcpyAsync", EPOCH, EPOCH + 9};
    struct trace t;

    (void)state;
    store_add_stream(1, 13, false, false);
    store_add_stream(1, 14, false, false);
    store_add_call(&call);
    store_name_stream(1, 14, "wrong");
    store_name_stream(1, 14, "streams[1]");
    store_name_stream(2, 13, "of no stream");
    store_end_range(store_begin_range("first", EPOCH - 40, nowhere), 4711,
                    EPOCH + 500);
    store_begin_range("never ends", EPOCH, nowhere);
    store_end_range(store_begin_range("100%", EPOCH + 7, nowhere), 4712,
                    EPOCH + 8);
    store_end_range(0, 4711, EPOCH);
    add_op("h2d", "h2d", 13, 1, "memcpy");
    add_order(false, 13, 2, 0xe);
    store_name_event(0xe, "copied[1]");
    add_order(false, 13, 3, 0xe);
    store_name_event(0xe, NULL);
    add_order(false, 13, 4, 0xe);
    write_and_read(&t);
    assert_int_equal(t.num_streams, 1);
    assert_int_equal(t.streams[0].number, 2);
    assert_string_equal(t.streams[0].name, "streams[1]");
    assert_int_equal(t.num_ranges, 2);
    assert_string_equal(t.ranges[0].name, "first");
    assert_int_equal(t.ranges[0].start_ns, 0); /* before all calls */
    assert_int_equal(t.ranges[0].end_ns, 540);
    assert_int_equal(t.ranges[0].thread, 0); /* that of the call */
    assert_string_equal(t.ranges[1].name, "100%");
    assert_int_equal(t.ranges[1].thread, 1);
    assert_int_equal(t.num_events, 3);
    assert_string_equal(t.events[0].name, "");
    assert_string_equal(t.events[1].name, "copied[1]");
    assert_string_equal(t.events[2].name, "");
    trace_free(&t);
}

static void test_one_copy_engine(void **state)
{
    struct store_device device = {0, 30, 1};
    struct trace t;

    (void)state;
    store_add_device(&device, "Tesla C1060");
    add_op("h2d", "h2d", 7, 1, "memcpy");
    write_and_read(&t);
    assert_int_equal(t.ops[0].engine, TRACE_ENGINE_COPY);
    trace_free(&t);
}

static void test_nothing_recorded(void **state)
{
    struct trace t;

    (void)state;
    write_and_read(&t);
    assert_int_equal(t.num_ops, 0);
    trace_free(&t);
    assert_false(store_write("/nonexistent/folder/trace"));
}

static void test_plain_names(void **state)
{
    char name[16];

    (void)state;
    store_plain_name("_ZN5outer5innerIiEEvT_", name, sizeof name);
    assert_string_equal(name, "inner");
    store_plain_name("_ZL3addPfi", name, sizeof name);
    assert_string_equal(name, "add");
    store_plain_name("_Z99x", name, sizeof name);
    assert_string_equal(name, "_Z99x");
    store_plain_name("plain", name, sizeof name);
    assert_string_equal(name, "plain");
}

/* As cudaMalloc of a type is: in a header of the toolkit, and inlined. */
#line 879 "/usr/local/cuda/include/cuda_runtime.h"
static inline __attribute__((always_inline)) void
capture_inlined(const void **frames)
{
    lines_capture(frames, STORE_FRAMES);
}
#line 127 "test_timeline_recorder.c"

/* As in a program that is recorded: where was this called? Return: whether the
 * answer is a line of this file. */
static bool finds_its_line(void)
{
    const void *frames[STORE_FRAMES];
    const char *line;
    bool found;

    capture_inlined(frames);
    store_add_frames(1, frames);
    lines_resolve();
    /* Here the recorder is a part of the program. */
    line = lines_of(frames, STORE_FRAMES, "lines_capture");
    found = line && strstr(line, "test_timeline_recorder.c:");
    if (!found)
        fprintf(stderr, "line: %s\n", line ? line : "unknown");
    lines_clear();
    return found;
}

static void test_lines(void **state)
{
    (void)state;
    assert_true(finds_its_line());
}

static void test_names_of_lines(void **state)
{
    static const char *const names[][2] = {
        {"/tmp/g/tmpxft_00000a55_00000000-6_my_lab.cudafe1.cpp:219",
         "my_lab.cu:219"},
        {"tmpxft_0_0-6_lab.cudafe1.cpp:7 (discriminator 2)", "lab.cu:7"},
        {"tmpxft_lab.cu:7", "tmpxft_lab.cu:7"},
        {"/elsewhere/lab.cu:7", "lab.cu:7"},
        {"/opt/cuda/include/cuda_runtime.h:879", NULL},
        {"/tmp/tmpxft_0_0-5_lab.cudafe1.stub.c:12", NULL},
        {"??:0", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *const given = strdup(names[i][0]);
        char *const line = lines_short(given);

        if (names[i][1])
            assert_string_equal(line, names[i][1]);
        else
            assert_null(line);
        free(given);
        free(line);
    }
}

#define NAMELESS "run-without-a-name"

/* A graded program has no name any more, and no folder to write to. */
static void test_lines_without_a_name(void **state)
{
    char *const argv[] = {NAMELESS, NULL}, *const env[] = {NULL};
    const int own = open("/proc/self/exe", O_RDONLY);
    const int copy = memfd_create("copy", 0);
    struct stat st;
    int status;
    pid_t pid;

    (void)state;
    assert_int_equal(fstat(own, &st), 0);
    assert_int_equal(sendfile(copy, own, NULL, (size_t)st.st_size), st.st_size);
    pid = fork();
    if (pid == 0) {
        fexecve(copy, argv, env);
        _exit(2);
    }
    close(own);
    close(copy);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_get_numbers),
        cmocka_unit_test(test_what_comes_after_what),
        cmocka_unit_test(test_graphs_have_their_own_order),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_one_copy_engine),
        cmocka_unit_test(test_nothing_recorded),
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_names_of_lines),
        cmocka_unit_test(test_lines_without_a_name),
    };

    if (argc > 0 && strcmp(argv[0], NAMELESS) == 0)
        return finds_its_line() ? 0 : 1;

    return cmocka_run_group_tests(tests, NULL, NULL);
}
