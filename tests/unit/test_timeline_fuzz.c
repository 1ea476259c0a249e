/* test_timeline_fuzz.c: damaged traces through the reader and every writer
 *
 * TIMELINE_FUZZ=N makes N damaged traces instead of the few of a test run.
 */
#include "test_timeline.h"

#include "html.h"
#include "perfetto.h"
#include "explain.h"
#include "svg.h"
#include "terminal.h"

#include <stdio.h>

static const char sample[] = TRACE_FIRST_LINE
    "\ndevice index=0 name=NVIDIA%20H200 backend=vgpu copy_engines=3 sms=132\n"
    "device index=1 name=B backend=cuda\n"
    "call id=1 name=cudaMemcpyAsync thread=0 start_ns=900 end_ns=3000 "
    "at=lab.cu:31 device=0 stream=1\n"
    "op id=1 kind=h2d name=memcpy device=0 stream=1 engine=h2d bytes=1048576 "
    "mem=pinned start_ns=4600 end_ns=26200 at=lab.cu:31 call=1\n"
    "call id=2 name=cudaLaunchKernel thread=1 start_ns=3000 end_ns=7700\n"
    "op id=2 kind=kernel name=f device=0 stream=2 engine=sm start_ns=6200 "
    "end_ns=51200 grid=512 block=256 at=lab.cu:33 call=2 after=1\n"
    "op id=3 kind=peer device=1 stream=3 engine=peer peer=0 start_ns=51200 "
    "end_ns=61200 bytes=7 after=1,2\n"
    "mark what=start t_ns=1000\nmark what=stop t_ns=60000\n"
    "hazard kind=write-read first_op=1 second_op=2 first_at=lab.cu:31 "
    "second_at=lab.cu:33 buffer=1 lo=0 hi=64 why=no%20order\n"
    "hazard kind=read-write first_op=2 second_call=2 why=none\n"
    "note text=a%20note\n"
    "end records=12 ops=3 calls=2\n";

static uint64_t seed = 88172645463325252u;

static size_t below(size_t most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed % most);
}

/* Put a word that means something in place of some bytes. */
static size_t insert(char *text, size_t len, size_t room)
{
    static const char *const words[] = {"9007199254740991",
                                        "0",
                                        "18446744073709551616",
                                        "\n",
                                        " ",
                                        "=",
                                        "%00",
                                        "%",
                                        "op id=1",
                                        "hazard",
                                        "after=1,2,3",
                                        "via=1,2,3",
                                        "x-event id=1",
                                        "x-wait id=1 event=2",
                                        "x-range",
                                        "-1",
                                        "\xff\xfe",
                                        "stream",
                                        "device=63",
                                        "</script>"};
    const char *word = words[below(sizeof words / sizeof *words)];
    size_t at = below(len), drop = below(6), size = strlen(word);

    if (drop > len - at)
        drop = len - at;
    if (len + size - drop >= room)
        return len;
    memmove(text + at + size, text + at + drop, len - at - drop);
    memcpy(text + at, word, size);
    return len + size - drop;
}

static size_t damage(char *text, size_t len, size_t room)
{
    for (size_t n = 1 + below(4); n > 0 && len > 1; n--) {
        size_t at = below(len);

        switch (below(5)) {
        case 0:
            text[at] = (char)below(256);
            break;
        case 1:
            text[at] ^= (char)(1 << below(8));
            break;
        case 2: /* a digit makes times and ids that are still numbers */
            if (text[at] >= '0' && text[at] <= '9')
                text[at] = (char)('0' + below(10));
            break;
        case 3:
            len = insert(text, len, room);
            break;
        default:
            if (below(20) == 0)
                len = at + 1;
            break;
        }
    }
    return len;
}

static void write_all(const struct trace *t)
{
    const struct terminal_style style = {60, false, true};
    struct view engine, stream;
    struct stats s;
    struct out o = {0};

    assert_true(tl_view_make(t, VIEW_BY_ENGINE, "a", &engine));
    assert_true(tl_view_make(t, VIEW_BY_STREAM, "a", &stream));
    tl_terminal_draw(&engine, 1, &style, &o);
    tl_terminal_draw(&stream, 1, &style, &o);
    assert_true(tl_stats_make(&engine, &s));
    tl_explain_figures(&s, &o);
    tl_stats_free(&s);
    tl_svg_draw(&engine, 1, "a", &o);
    tl_svg_draw(&stream, 1, "b", &o);
    tl_html_draw(&engine, &stream, 1, VIEW_BY_ENGINE, NULL, NULL, &o);
    tl_perfetto_write(&engine, &stream, 1, &o);
    assert_false(o.failed);
    tl_out_free(&o);
    tl_view_free(&engine);
    tl_view_free(&stream);
}

static void test_damaged_traces(void **state)
{
    const char *wanted = getenv("TIMELINE_FUZZ");
    long left = wanted ? strtol(wanted, NULL, 10) : 4000, drawn = 0;

    (void)state;
    while (left-- > 0) {
        size_t room = sizeof sample + 200, len = sizeof sample - 1;
        char *text = malloc(room + 1);
        struct trace_error err;
        struct trace t;

        assert_non_null(text);
        memcpy(text, sample, len);
        len = damage(text, len, room);
        if (trace_read_memory(text, len, true, &t, &err) != TRACE_OK)
            continue;
        write_all(&t);
        trace_free(&t);
        drawn++;
    }
    assert_true(drawn > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged_traces)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
