/*
 * test_check_order.c: which edges order what, and what a report says.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check_state.h"

static const struct vgpu_actor by_copy = {.does = VGPU_DOES_h2d,
                                          .what = "copy"};

#define BYTES 65536

void __tsan_read4(void *at);
void __tsan_write4(void *at);
void __tsan_write1(void *at);

static struct vgpu_agent *host, *a, *b, *c;
static struct vgpu_memory *memory;
static char *base;
static FILE *lines; /* what the grader reads */
static uint64_t last_pc = 1 << 20;

/* A program counter of its own, so that no report counts as repeated. */
static uint64_t fresh_pc(void)
{
    return ++last_pc;
}

static int set_up(void **state)
{
    (void)state;
    host = vgpu_agent_new(VGPU_AGENT_HOST, -1, "the host thread");
    a = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream 1 of device 0");
    b = vgpu_agent_new(VGPU_AGENT_STREAM, 0, "stream 2 of device 0");
    c = vgpu_agent_new(VGPU_AGENT_STREAM, 1, "stream 3 of device 1");
    vgpu_check_set_host(host);
    memory = vgpu_memory_new(BYTES, VGPU_MEM_PINNED, 0, fresh_pc());
    base = memory->base;
    return 0;
}

static void wait_for(struct vgpu_agent *agent)
{
    struct vgpu_clock *clock = vgpu_clock_snapshot(agent);

    vgpu_agent_join(host, clock);
    vgpu_clock_release(clock);
}

static int tear_down(void **state)
{
    (void)state;
    wait_for(a);
    wait_for(b);
    wait_for(c);
    vgpu_memory_free(memory, 1);
    vgpu_agent_free(a);
    vgpu_agent_free(b);
    vgpu_agent_free(c);
    vgpu_agent_free(host);
    return 0;
}

static struct vgpu_check_op *enqueue(struct vgpu_agent *stream)
{
    return vgpu_check_enqueue(host, stream, &by_copy, fresh_pc());
}

static void run(struct vgpu_check_op *op, size_t lo, size_t hi,
                enum vgpu_access_kind kind)
{
    vgpu_check_op_begin(op, 0);
    vgpu_check_range(op, base + lo, hi - lo, kind);
    vgpu_check_op_end(op, NULL);
    vgpu_check_op_free(op);
}

static void work(struct vgpu_agent *stream, size_t lo, size_t hi,
                 enum vgpu_access_kind kind)
{
    run(enqueue(stream), lo, hi, kind);
}

static void host_work(size_t lo, size_t hi, enum vgpu_access_kind kind)
{
    vgpu_check_host_range(host, base + lo, hi - lo, kind, fresh_pc());
}

/* Hazards since the last call. */
static unsigned found(void)
{
    static unsigned before;
    unsigned now = vgpu_check_hazards(), new = now - before;

    before = now;
    return new;
}

/* ---- edges ------------------------------------------------------------- */

static void test_same_stream_is_ordered(void **state)
{
    (void)state;
    work(a, 0, BYTES, VGPU_WRITE);
    work(a, 0, BYTES, VGPU_READ);
    work(a, 0, BYTES, VGPU_WRITE);
    assert_int_equal(found(), 0);
}

static void test_kinds_that_conflict(void **state)
{
    static const enum vgpu_access_kind kinds[] = {VGPU_READ, VGPU_WRITE,
                                                  VGPU_ATOMIC};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            work(a, 0, 4096, kinds[i]);
            work(b, 0, 4096, kinds[j]);
            assert_int_equal(found(),
                             kinds[i] != kinds[j] || kinds[i] == VGPU_WRITE);
            wait_for(a);
            wait_for(b);
        }
}

static void test_one_byte_overlap(void **state)
{
    (void)state;
    work(a, 0, 5001, VGPU_WRITE);
    work(b, 5001, BYTES, VGPU_WRITE);
    assert_int_equal(found(), 0);
    work(c, 5000, 5001, VGPU_READ);
    assert_int_equal(found(), 1);
    work(c, 5001, 5002, VGPU_READ);
    assert_int_equal(found(), 1);
}

static void test_all_readers_are_kept(void **state)
{
    (void)state;
    work(a, 0, 100, VGPU_READ);
    work(b, 0, 100, VGPU_READ);
    work(c, 0, 100, VGPU_READ);
    assert_int_equal(found(), 0);
    host_work(0, 100, VGPU_WRITE);
    assert_int_equal(found(), 3);
}

static void test_event_orders_what_was_recorded(void **state)
{
    struct vgpu_check_op *op;
    struct vgpu_clock *event;

    (void)state;
    work(a, 0, 100, VGPU_WRITE);
    event = vgpu_clock_snapshot(a);
    work(a, 100, 200, VGPU_WRITE); /* after the record: no credit */
    vgpu_agent_join(b, event);
    vgpu_clock_release(event);
    work(b, 0, 100, VGPU_WRITE);
    assert_int_equal(found(), 0);
    work(b, 100, 200, VGPU_READ);
    assert_int_equal(found(), 1);
    op = enqueue(a);
    event = vgpu_check_op_clock(op);
    run(op, 300, 400, VGPU_WRITE);
    vgpu_agent_join(host, event);
    vgpu_clock_release(event);
    host_work(0, 400, VGPU_READ); /* but b read and wrote too */
    assert_int_equal(found(), 1);
}

static void test_ordering_is_transitive(void **state)
{
    struct vgpu_clock *event;

    (void)state;
    work(a, 0, 100, VGPU_WRITE);
    event = vgpu_clock_snapshot(a);
    vgpu_agent_join(b, event);
    vgpu_clock_release(event);
    work(b, 200, 300, VGPU_WRITE);
    wait_for(b);
    host_work(0, 100, VGPU_WRITE);
    work(c, 0, 100, VGPU_WRITE);
    assert_int_equal(found(), 0);
}

static void test_host_before_and_after(void **state)
{
    struct vgpu_check_op *op;

    (void)state;
    host_work(0, 100, VGPU_WRITE);
    op = enqueue(a); /* runs late */
    host_work(100, 200, VGPU_WRITE);
    run(op, 0, 100, VGPU_READ);
    assert_int_equal(found(), 0);
    op = enqueue(a);
    host_work(0, 100, VGPU_WRITE);
    run(op, 0, 100, VGPU_READ);
    assert_int_equal(found(), 2); /* the first reader and this one */
    wait_for(a);
    host_work(0, 200, VGPU_WRITE);
    assert_int_equal(found(), 0);
}

static void hand_over(struct vgpu_agent *from, struct vgpu_agent *to)
{
    struct vgpu_clock *clock = vgpu_clock_snapshot(from);

    vgpu_agent_join(to, clock);
    vgpu_clock_release(clock);
}

static void thread_work(struct vgpu_agent *thread, enum vgpu_access_kind kind)
{
    vgpu_check_host_range(thread, base, 100, kind, fresh_pc());
}

/* Host threads are ordered by what they tell one another and by nothing else.
 */
static void test_host_threads(void **state)
{
    struct vgpu_agent *second =
        vgpu_agent_new(VGPU_AGENT_HOST, -1, "host thread 1");
    struct vgpu_check_op *op;

    (void)state;
    hand_over(host, second);
    work(a, 0, 100, VGPU_WRITE);
    wait_for(a);
    thread_work(second, VGPU_READ); /* the other one has waited */
    assert_int_equal(found(), 1);
    hand_over(host, second);
    thread_work(second, VGPU_WRITE);
    assert_int_equal(found(), 0);
    host_work(0, 100, VGPU_READ);
    assert_int_equal(found(), 1);
    hand_over(second, host);
    host_work(0, 100, VGPU_WRITE);
    assert_int_equal(found(), 0);

    /* Of what another has put into a stream a wait for it knows nothing, unless
     * that came before: what it did itself it does. */
    op = enqueue(a);
    run(op, 0, 100, VGPU_READ);
    hand_over(host, second);
    op = vgpu_check_enqueue(second, a, &by_copy, fresh_pc());
    vgpu_check_op_begin(op, 0);
    vgpu_check_range(op, base + 100, 100, VGPU_WRITE);
    vgpu_check_op_end(op, NULL);
    vgpu_agent_waited(host, op);
    host_work(0, 100, VGPU_WRITE);
    assert_int_equal(found(), 0);
    host_work(100, 200, VGPU_READ);
    assert_int_equal(found(), 1);
    hand_over(second, host);
    vgpu_agent_waited(host, op);
    host_work(100, 200, VGPU_READ);
    assert_int_equal(found(), 0);
    vgpu_check_op_free(op);
    vgpu_agent_end(second);
}

/* ---- shapes ------------------------------------------------------------ */

static void test_chunks_do_not_meet(void **state)
{
    struct vgpu_agent *streams[3] = {a, b, c};

    (void)state;
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 3; i++) {
            work(streams[i], i * 20001, (i + 1) * 20001, VGPU_WRITE);
            work(streams[i], i * 20001, (i + 1) * 20001, VGPU_READ);
        }
    assert_int_equal(found(), 0);
}

static void stride(struct vgpu_agent *stream, size_t first, size_t step)
{
    struct vgpu_check_op *op = enqueue(stream);

    vgpu_check_op_begin(op, 0);
    for (size_t i = first; i < BYTES / 4; i += step) {
        __tsan_read4(base + 4 * i);
        __tsan_write4(base + 4 * i);
    }
    vgpu_check_op_end(op, NULL);
    vgpu_check_op_free(op);
}

static void test_strides_do_not_meet(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        stride(a, 0, 3);
        stride(b, 1, 3);
        stride(c, 2, 3);
    }
    assert_int_equal(found(), 0);
    host_work(4 * 7, 4 * 8, VGPU_READ);
    assert_int_equal(found(), 1);
}

static void test_rows_do_not_meet(void **state)
{
    struct vgpu_agent *streams[2] = {a, b};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct vgpu_check_op *op = enqueue(streams[i]);

        vgpu_check_op_begin(op, 0);
        vgpu_check_range_2d(op, base + 50 * i, 100, 50, 600, VGPU_WRITE);
        vgpu_check_op_end(op, NULL);
        vgpu_check_op_free(op);
    }
    assert_int_equal(found(), 0);
    host_work(100 * 599 + 99, 100 * 599 + 101, VGPU_READ);
    assert_int_equal(found(), 1);
}

/* ---- reports ----------------------------------------------------------- */

/* The value of @key in the last line for the grader. */
static char *last_value(const char *key, char *value, size_t size)
{
    char line[4096], last[4096] = "", wanted[64], *at;

    fseek(lines, 0, SEEK_SET);
    while (fgets(line, sizeof line, lines))
        strcpy(last, line);
    last[strcspn(last, "\n")] = '\0';
    snprintf(wanted, sizeof wanted, "\t%s=", key);
    at = strstr(last, wanted);
    snprintf(value, size, "%s", at ? at + strlen(wanted) : last);
    if (at)
        value[strcspn(value, "\t")] = '\0';
    return value;
}

__attribute__((noinline)) static void read_all(void)
{
    for (size_t i = 0; i < BYTES / 4; i++)
        __tsan_read4(base + 4 * i);
}

static void test_report_for_the_grader(void **state)
{
    struct vgpu_check_op *op = enqueue(a);
    char text[1024];

    (void)state;
    read_all();
    run(op, 4096, 20000, VGPU_WRITE);
    assert_int_equal(found(), 1);
    assert_string_equal(last_value("kind", text, sizeof text), "unordered");
    assert_string_equal(last_value("first_access", text, sizeof text), "write");
    assert_string_equal(last_value("second_access", text, sizeof text), "read");
    assert_string_equal(last_value("first_does", text, sizeof text), "h2d");
    assert_string_equal(last_value("second_does", text, sizeof text), "host");
    assert_string_equal(last_value("first_what", text, sizeof text), "copy");
    assert_string_equal(last_value("first_agent", text, sizeof text),
                        "stream 1 of device 0");
    assert_string_equal(last_value("second_agent", text, sizeof text),
                        "the host thread");
    assert_string_equal(last_value("lo", text, sizeof text), "4096");
    assert_string_equal(last_value("hi", text, sizeof text), "20000");
    assert_int_equal(atoi(last_value("buffer", text, sizeof text)), memory->id);
    assert_non_null(
        strstr(last_value("why", text, sizeof text), "does not wait"));
    assert_non_null(
        strstr(last_value("second", text, sizeof text), "test_check_order.c:"));
}

/* A kernel that begins before the one ahead in its stream ends waits for that
 * inside, and for other streams by an event. */
static void test_report_of_an_early_kernel(void **state)
{
    struct vgpu_agent *early =
        vgpu_agent_new(VGPU_AGENT_EARLY, 0, "stream 1 of device 0");
    char text[1024];

    (void)state;
    work(a, 0, 64, VGPU_WRITE);
    work(early, 0, 64, VGPU_READ);
    assert_int_equal(found(), 1);
    assert_non_null(strstr(last_value("help", text, sizeof text),
                           "cudaGridDependencySynchronize"));
    work(b, 128, 192, VGPU_WRITE);
    work(early, 128, 192, VGPU_READ);
    assert_int_equal(found(), 1);
    assert_non_null(
        strstr(last_value("help", text, sizeof text), "cudaStreamWaitEvent"));
    vgpu_agent_free(early);
}

static void test_lines_are_reported_once(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        struct vgpu_check_op *op = vgpu_check_enqueue(host, a, &by_copy, 42);

        run(op, 0, BYTES, VGPU_WRITE);
        read_all();
    }
    assert_int_equal(found(), 1);
}

static void test_use_after_free(void **state)
{
    struct vgpu_memory *gone = vgpu_memory_new(100, VGPU_MEM_DEVICE, 0, 1);
    struct vgpu_check_op *op = enqueue(a);
    char text[100];

    (void)state;
    vgpu_memory_free(gone, fresh_pc());
    vgpu_check_op_begin(op, 0);
    vgpu_check_range(op, gone->base, 100, VGPU_READ);
    vgpu_check_op_end(op, NULL);
    vgpu_check_op_free(op);
    assert_int_equal(found(), 1);
    assert_string_equal(last_value("kind", text, sizeof text), "freed_early");
    assert_string_equal(last_value("second_access", text, sizeof text), "read");
}

static void test_warnings_once_per_place(void **state)
{
    unsigned before = vgpu_check_warnings();
    char text[100];

    (void)state;
    for (int i = 0; i < 3; i++) {
        vgpu_warn(stream_left, 7, .stream = i, .owner = 1);
        vgpu_warn(refused, 7, .call = "f", .reason = "tab\tand\nline");
        vgpu_warn(refused, 8, .call = "f", .reason = "tab\tand\nline");
    }
    assert_int_equal(vgpu_check_warnings() - before, 3);
    assert_string_equal(last_value("text", text, sizeof text),
                        "f: tab and line");
    assert_string_equal(last_value("reason", text, sizeof text),
                        "tab and line");
}

static void test_summary(void **state)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    vgpu_check_summary(out);
    fclose(out);
    assert_non_null(strstr(text, "held back"));
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_same_stream_is_ordered),
        TEST(test_kinds_that_conflict),
        TEST(test_one_byte_overlap),
        TEST(test_all_readers_are_kept),
        TEST(test_event_orders_what_was_recorded),
        TEST(test_ordering_is_transitive),
        TEST(test_host_before_and_after),
        TEST(test_host_threads),
        TEST(test_chunks_do_not_meet),
        TEST(test_strides_do_not_meet),
        TEST(test_rows_do_not_meet),
        TEST(test_report_for_the_grader),
        TEST(test_report_of_an_early_kernel),
        TEST(test_lines_are_reported_once),
        TEST(test_use_after_free),
        TEST(test_warnings_once_per_place),
        TEST(test_summary),
    };
    char fd[16];

    lines = tmpfile();
    if (!lines)
        return 1;
    snprintf(fd, sizeof fd, "%d", fileno(lines));
    setenv("VGPU_REPORT_FD", fd, 1);
    if (vgpu_check_init(1))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
