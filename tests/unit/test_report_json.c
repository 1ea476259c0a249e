/* test_report_json.c: the report's reader of JSON and of grades */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../tools/report/json_read.h"
#include "../../tools/report/results.h"

static struct json parsed(const char *text)
{
    struct json_error err = {0, ""};
    struct json value;

    if (!json_parse(text, strlen(text), &value, &err))
        fail_msg("'%s' refused: %s", text, err.text);
    return value;
}

static void assert_refused(const char *text, size_t line, const char *why)
{
    struct json_error err = {0, ""};
    struct json value;

    if (json_parse(text, strlen(text), &value, &err))
        fail_msg("'%s' was taken", text);
    if (!strstr(err.text, why))
        fail_msg("'%s': '%s' instead of '%s'", text, err.text, why);
    assert_int_equal(err.line, line);
    assert_int_equal(value.num, 0);
}

static void test_values(void **state)
{
    struct json v = parsed(" {\"a\": [1, -2.5e1, 0, true, false, null],\n"
                           "  \"b\": \"x\\n\\u00e9\\ud83d\\ude00\\\"\", "
                           "\"c\": {}, \"d\": []}\n");
    const struct json *a = json_get(&v, "a");

    (void)state;
    assert_int_equal(a->num, 6);
    assert_true(a->items[1].number == -25);
    assert_int_equal(a->items[3].kind, JSON_TRUE);
    assert_int_equal(a->items[5].kind, JSON_NULL);
    assert_string_equal(json_string(&v, "b", ""),
                        "x\n\xc3\xa9\xf0\x9f\x98\x80\"");
    assert_int_equal(json_get(&v, "c")->kind, JSON_OBJECT);
    assert_null(json_get(&v, "e"));
    assert_null(json_get(a, "a"));
    assert_string_equal(json_string(&v, "a", "other"), "other");
    assert_true(json_number(&v, "b", 7) == 7);
    json_free(&v);
}

/* Each of these is taken by some reader of JSON. The line is what helps. */
static void test_refuses(void **state)
{
    (void)state;
    assert_refused("", 1, "not a JSON value");
    assert_refused("{\"a\":1,\n\"a\":2}", 2, "given twice");
    assert_refused("{\"a\":1,}", 1, "not a string");
    assert_refused("[1,]", 1, "not a JSON value");
    assert_refused("[1 2]", 1, "',' or ']'");
    assert_refused("{\"a\" 1}", 1, "':' is missing");
    assert_refused("{\"a\":1", 1, "',' or '}'");
    assert_refused("[1]\n\n[2]", 3, "behind the value");
    assert_refused("01", 1, "behind the value");
    assert_refused("+1", 1, "not a JSON value");
    assert_refused(".5", 1, "not a JSON value");
    assert_refused("5.", 1, "behind its point");
    assert_refused("5e", 1, "exponent");
    assert_refused("1e999", 1, "too large");
    assert_refused("NaN", 1, "not a JSON value");
    assert_refused("\"a", 1, "does not end");
    assert_refused("\"a\\", 1, "unknown escape");
    assert_refused("\"\\x\"", 1, "unknown escape");
    assert_refused("\"\\u00g0\"", 1, "four hexadecimal");
    assert_refused("\"\\u0000\"", 1, "u0000");
    assert_refused("\"\\ud800\"", 1, "surrogate");
    assert_refused("\"\\udc00\"", 1, "surrogate");
    assert_refused("\"a\tb\"", 1, "control character");
    assert_refused("\"\xff\"", 1, "not UTF-8");
    assert_refused("\"\xc0\x80\"", 1, "not UTF-8");
    assert_refused("\"\xed\xa0\x80\"", 1, "not UTF-8");
    assert_refused("tru", 1, "not a JSON value");
    assert_refused("// x\n1", 1, "not a JSON value");
}

static void test_depth(void **state)
{
    char text[2 * JSON_MAX_DEPTH + 3];

    (void)state;
    memset(text, '[', JSON_MAX_DEPTH);
    memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
    text[2 * JSON_MAX_DEPTH] = '\0';
    struct json v = parsed(text);

    json_free(&v);
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_refused(text, 1, "nested too deep");
}

static const char grade[] =
    "{\"labs\": [{\"lab\": \"08_uneven_chunks\", \"backend\": \"vgpu\", "
    "\"device\": \"Tesla K20\", \"passed\": false, \"score\": 85.5, "
    "\"max_score\": 100, \"eta\": null, \"speedup\": 1.5, \"checks\": [\n"
    "{\"name\": \"a\", \"passed\": false, \"line\": \"1 wrong\", "
    "\"diagnosis\": \"1 wrong. TODO 1 is open.\", \"diagnosis_id\": "
    "\"open-todo\", \"read\": null},\n"
    "{\"name\": \"b\", \"diagnosis\": \"not tried: a first\"}]}]}";

static void read_text(const char *text, size_t len, struct grade_result *g)
{
    char path[] = "/tmp/test_report.XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0 && write(fd, text, len) == (ssize_t)len);
    close(fd);
    results_read(path, "08_uneven_chunks", g);
    unlink(path);
}

static void test_grade(void **state)
{
    struct grade_result g;

    (void)state;
    read_text(grade, strlen(grade), &g);
    assert_true(g.graded);
    assert_string_equal(g.error, "");
    assert_true(g.score == 85.5);
    assert_true(isnan(g.eta) && isnan(g.bound) && g.speedup == 1.5);
    assert_int_equal(g.num_checks, 2);
    assert_string_equal(g.checks[0].diagnosis, "TODO 1 is open.");
    assert_string_equal(g.checks[0].read, "");
    assert_false(g.checks[1].tried);
    results_free(&g);
    results_read("/nonexistent/08.json", "08_uneven_chunks", &g);
    assert_false(g.graded);
    assert_string_equal(g.error, "");
    read_text("{\"labs\": []}", 12, &g);
    assert_false(g.graded);
    assert_non_null(strstr(g.error, "no grade of this lab"));
    results_free(&g);
}

/* Cut anywhere, and with any byte changed: refused or read, never a crash. */
static void test_damaged(void **state)
{
    char text[sizeof grade];
    struct json_error err;
    struct json v;

    (void)state;
    for (size_t len = 0; len + 1 < sizeof grade; len++)
        assert_false(json_parse(grade, len, &v, &err));
    for (size_t i = 0; i + 1 < sizeof grade; i++)
        for (int c = 0; c < 256; c += 5) {
            memcpy(text, grade, sizeof grade);
            text[i] = (char)c;
            if (json_parse(text, sizeof grade - 1, &v, &err))
                json_free(&v);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_depth),   cmocka_unit_test(test_grade),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
