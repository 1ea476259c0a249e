/* test_timeline_draw.c: what the writers make of a small trace */
#include "test_timeline.h"

#include "html.h"
#include "perfetto.h"
#include "scale.h"
#include "svg.h"
#include "terminal.h"

#include <stdio.h>

static const char serial[] = OP(1, h2d, h2d, 0, 0, 1000)
    OP(2, kernel, sm, 0, 1000, 2000) OP(3, d2h, d2h, 0, 2000, 3000);
static const char overlapped[] =
    OP(1, h2d, h2d, 1, 0, 500) OP(2, h2d, h2d, 2, 500, 1000)
        OP(3, kernel, sm, 1, 500, 1000) OP(4, kernel, sm, 2, 1000, 1500)
            OP(5, d2h, d2h, 1, 1000, 1500) OP(6, d2h, d2h, 2, 1500, 2000);

/* Names with everything that a writer must escape, and a call. */
static const char hostile[] =
    "device index=0 name=%3C/script%3E backend=cuda\n"
    "call id=9 name=f%22%5C%3C start_ns=1 end_ns=5 at=%1B%5B31m.cu:1\n"
    "op id=1 kind=kernel engine=sm device=0 stream=1 start_ns=3 end_ns=9 "
    "name=k%3Cint%3E%22%26%27%0A%FF call=9 at=a%20b.cu:3\n"
    "op id=2 kind=kernel engine=sm device=0 stream=2 start_ns=4 end_ns=8\n";

static char *draw_text(const char *first, const char *second, enum view_by by,
                       struct terminal_style style)
{
    struct trace t[2];
    struct view v[2];
    struct out o = {0};

    view_body(first, by, &t[0], &v[0]);
    view_body(second, by, &t[1], &v[1]);
    tl_terminal_draw(v, 2, &style, &o);
    for (int i = 0; i < 2; i++) {
        tl_view_free(&v[i]);
        trace_free(&t[i]);
    }
    assert_false(o.failed);
    return o.data;
}

static void assert_drawn(char *text, const char *golden)
{
    if (strcmp(text, golden) != 0)
        fail_msg("got\n%s\ninstead of\n%s", text, golden);
    free(text);
}

/* 30 columns: 100 ns each. */
static void test_ascii_by_engine(void **state)
{
    struct terminal_style style = {.width = 43, .ascii = true};

    (void)state;
    assert_drawn(draw_text(serial, overlapped, VIEW_BY_ENGINE, style),
                 "test  3.000 us\n"
                 "H2D     0#########....................  33%\n"
                 "Kernels ..........0#########..........  33%\n"
                 "D2H     ....................0#########  33%\n"
                 "test  2.000 us  (1.50x as fast)\n"
                 "H2D     1####2====..........            50%\n"
                 "Kernels .....1####2====.....            50%\n"
                 "D2H     ..........1####2====            50%\n"
                 "        0         1         2        3 us\n"
                 "# = one operation after the other, number: its stream, "
                 "%: busy\n");
}

/* 30 columns, 100 ns each: an overlap of less than one is none. */
static void test_ascii_lanes(void **state)
{
    static const char beside[] = OP(1, kernel, sm, 1, 0, 1000)
        OP(2, kernel, sm, 2, 500, 2000) OP(3, kernel, sm, 3, 950, 3000);
    struct terminal_style style = {.width = 43, .ascii = true};

    (void)state;
    assert_drawn(draw_text(beside, beside, VIEW_BY_ENGINE, style),
                 "test  3.000 us\n"
                 "Kernels 1#########3=================== 100%\n"
                 "        .....2##############..........\n"
                 "test  3.000 us  (1.00x as fast)\n"
                 "Kernels 1#########3=================== 100%\n"
                 "        .....2##############..........\n"
                 "        0         1         2        3 us\n"
                 "# = one operation after the other, number: its stream, "
                 "%: busy\n");
}

/* It is not how long the program takes without the recorder. */
static void test_recorded_on_a_gpu(void **state)
{
    struct terminal_style style = {.width = 43, .ascii = true};
    char *text = draw_text(hostile, serial, VIEW_BY_ENGINE, style);

    (void)state;
    assert_non_null(strstr(text, "\nrecorded on a GPU: recording takes time"));
    free(text);
}

/* 28 columns. */
static void test_ascii_by_stream(void **state)
{
    struct terminal_style style = {.width = 42, .ascii = true};

    (void)state;
    assert_drawn(draw_text(overlapped, overlapped, VIEW_BY_STREAM, style),
                 "test  2.000 us\n"
                 "stream 1 H>>>>>>K######D<<<<<<.......  75%\n"
                 "stream 2 .......H>>>>>>K######D<<<<<<  75%\n"
                 "test  2.000 us  (1.00x as fast)\n"
                 "stream 1 H>>>>>>K######D<<<<<<.......  75%\n"
                 "stream 2 .......H>>>>>>K######D<<<<<<  75%\n"
                 "         0.0    0.5    1.0    1.5 2.0 us\n"
                 "H copy to device, K kernel, D copy to host, %: busy\n");
}

/* Every line of a drawing has the same width, whatever that is. */
static void test_every_width(void **state)
{
    (void)state;
    for (unsigned width = TERMINAL_MIN_WIDTH; width < 200; width++) {
        struct terminal_style style = {.width = width, .ascii = true};
        char *text = draw_text(serial, hostile, VIEW_BY_ENGINE, style);

        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (strncmp(line, "H2D", 3) == 0 ||
                strncmp(line, "Kernels", 7) == 0)
                assert_int_equal(strlen(line), width);
        free(text);
    }
}

static void test_colour_is_asked_for(void **state)
{
    struct terminal_style style = {.width = 60};
    char *text = draw_text(serial, hostile, VIEW_BY_ENGINE, style);

    (void)state;
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "\u2588"));
    free(text);
    style.color = true;
    text = draw_text(serial, hostile, VIEW_BY_ENGINE, style);
    assert_non_null(strstr(text, "\033[34m"));
    free(text);
}

/* ---- a reader of JSON, only to see whether a text is JSON ---- */

static const char *json_value(const char *p);

static const char *json_string(const char *p)
{
    assert_int_equal(*p, '"');
    for (p++; *p != '"'; p++) {
        assert_true((unsigned char)*p >= 0x20);
        if (*p == '\\') {
            p++;
            assert_non_null(strchr("\"\\/bfnrtu", *p));
        }
    }
    return p + 1;
}

static const char *json_list(const char *p, bool object)
{
    char close = object ? '}' : ']';

    p += 1 + strspn(p + 1, " \n");
    while (*p != close) {
        if (object) {
            p = json_string(p);
            assert_int_equal(*p++, ':');
        }
        p = json_value(p);
        p += strspn(p, " \n");
        if (*p == ',')
            p += 1 + strspn(p + 1, " \n");
        else
            assert_int_equal(*p, close);
    }
    return p + 1;
}

static const char *json_value(const char *p)
{
    if (*p == '{' || *p == '[')
        return json_list(p, *p == '{');
    if (*p == '"')
        return json_string(p);
    assert_non_null(strchr("-0123456789", *p));
    return p + strspn(p, "-0123456789.");
}

struct pair {
    struct trace t;
    struct view engines, streams;
};

static void make_pair(const char *body, struct pair *p)
{
    view_body(body, VIEW_BY_ENGINE, &p->t, &p->engines);
    assert_true(tl_view_make(&p->t, VIEW_BY_STREAM, "s", &p->streams));
}

static void free_pair(struct pair *p)
{
    tl_view_free(&p->engines);
    tl_view_free(&p->streams);
    trace_free(&p->t);
}

static void test_perfetto_is_json(void **state)
{
    static const char *const bodies[] = {serial, overlapped, hostile, ""};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pair p;
        struct out o = {0};

        make_pair(bodies[i], &p);
        tl_perfetto_write(&p.engines, &p.streams, 1, &o);
        assert_string_equal(json_value(o.data), "\n");
        if (i == 2) { /* an arrow, and a second track for what overlaps */
            assert_non_null(strstr(o.data, "\"ph\":\"s\""));
            assert_non_null(strstr(o.data, "\"ph\":\"f\""));
            assert_non_null(strstr(o.data, "Kernels (2)"));
        }
        tl_out_free(&o);
        free_pair(&p);
    }
}

/* Tags are closed in order, and nothing hostile is left as it was. */
static void assert_well_formed(const char *p)
{
    char open[32][16];
    int depth = 0;

    while ((p = strchr(p, '<'))) {
        size_t len = strcspn(p + 1, " >/");
        const char *end = strchr(p, '>');

        assert_non_null(end);
        if (p[1] == '/') {
            len = strcspn(p + 2, ">");
            assert_true(depth > 0);
            assert_int_equal(strncmp(open[--depth], p + 2, len), 0);
        } else if (end[-1] != '/') {
            assert_true(depth < 32 && len < 16);
            memset(open[depth], 0, 16);
            memcpy(open[depth++], p + 1, len);
        }
        p = end;
    }
    assert_int_equal(depth, 0);
}

static void test_svg_is_well_formed(void **state)
{
    static const char *const bodies[] = {serial, overlapped, hostile, ""};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pair p;
        struct out o = {0};

        make_pair(bodies[i], &p);
        tl_svg_draw(&p.engines, 1, "tl", &o);
        tl_svg_draw(&p.streams, 1, "tl", &o);
        assert_well_formed(o.data);
        assert_null(strstr(o.data, "k<int>"));
        assert_null(strchr(o.data, '\xff'));
        tl_out_free(&o);
        free_pair(&p);
    }
}

/* @y, @height  of the bar that begins at @start_ns */
static void find_bar(const char *svg, const char *from, double *y, int *height)
{
    char title[40];
    const char *bar = NULL, *next = svg;
    double x, width;

    snprintf(title, sizeof title, "from %s</title>", from);
    while ((next = strstr(next + 1, "<rect class=\"")) != NULL &&
           strstr(next, title))
        bar = next;
    assert_non_null(bar);
    assert_int_equal(sscanf(strstr(bar, " x="),
                            " x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%d",
                            &x, y, &width, height),
                     4);
}

/* No bar is drawn over another, and what is alone keeps its height. */
static void test_svg_lays_what_overlaps_in_lanes(void **state)
{
    struct pair p;
    struct out o = {0};
    double y[5];
    int height[5];
    static const char *const starts[] = {"100 ns", "200 ns", "300 ns", "400 ns",
                                         "500 ns"};

    (void)state;
    make_pair(OP(1, kernel, sm, 1, 0, 50) OP(2, kernel, sm, 1, 100, 300)
                  OP(3, kernel, sm, 2, 200, 450) OP(4, kernel, sm, 3, 300, 500)
                      OP(5, kernel, sm, 1, 400, 600)
                          OP(6, h2d, h2d, 1, 500, 600),
              &p);
    tl_svg_draw(&p.engines, 1, "tl", &o);
    for (int i = 0; i < 5; i++)
        find_bar(o.data, starts[i], &y[i], &height[i]);
    assert_int_equal(height[0], height[1]);
    assert_true(height[4] > height[0]);    /* a copy, alone in its row */
    assert_true(y[1] >= y[0] + height[0]); /* below the one before it */
    assert_true(y[2] == y[0]);             /* free again */
    assert_true(y[3] >= y[1] + height[1]); /* two are under way */
    tl_out_free(&o);
    free_pair(&p);
}

static void test_html_holds_hostile_names(void **state)
{
    struct pair p;
    struct out o = {0};
    const char *data, *end;

    (void)state;
    make_pair(hostile, &p);
    tl_html_draw(&p.engines, &p.streams, 1, VIEW_BY_ENGINE, NULL, NULL, &o);
    data = strstr(o.data, "id=\"data\">");
    assert_non_null(data);
    end = json_value(data + strlen("id=\"data\">"));
    assert_int_equal(strncmp(end, "</script>", 9), 0);
    assert_non_null(strstr(
        o.data, "<noscript><div class=\"static\" tabindex=\"0\">\n<svg"));
    assert_null(strstr(o.data, "http://www.example"));
    assert_null(strchr(o.data, '\033'));
    tl_out_free(&o);
    free_pair(&p);
}

static void test_scale(void **state)
{
    char text[40];
    struct scale s = tl_scale_make(14560000, 7);

    (void)state;
    assert_int_equal(s.step_ns, 5000000);
    assert_string_equal(s.unit, "ms");
    s = tl_scale_make(2400000, 5);
    tl_scale_label(&s, 500000, text, sizeof text);
    assert_string_equal(text, "0.5");
    assert_string_equal(tl_scale_time(999, text), "999 ns");
    assert_string_equal(tl_scale_time(0, text), "0 ns");
    assert_string_equal(tl_scale_time(14620000, text), "14.62 ms");
    assert_string_equal(tl_scale_bytes(1536, text), "1.500 KiB");
    assert_string_equal(tl_scale_bytes(1 << 20, text), "1 MiB");
    assert_string_equal(tl_scale_compare(100, 200, text),
                        "takes 2.00x as long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii_by_engine),
        cmocka_unit_test(test_recorded_on_a_gpu),
        cmocka_unit_test(test_ascii_lanes),
        cmocka_unit_test(test_ascii_by_stream),
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_colour_is_asked_for),
        cmocka_unit_test(test_perfetto_is_json),
        cmocka_unit_test(test_svg_is_well_formed),
        cmocka_unit_test(test_svg_lays_what_overlaps_in_lanes),
        cmocka_unit_test(test_html_holds_hostile_names),
        cmocka_unit_test(test_scale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
