/* test_check_words.c: the table of reports, and what is written of one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "words.h"

#define TEST cmocka_unit_test

static const char *const fields[] = {
#define NUMBER(NAME, MEANING) #NAME,
#define TEXT(NAME, MEANING)   #NAME,
#include "vgpu/report.def"
};

static const struct {
    const char *name, *words, *also;
} kinds[] = {
#define REPORT(SORT, NAME, WORDS, ALSO) {#NAME, WORDS, ALSO},
#include "vgpu/report.def"
};

static int is_field(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i]) == length && !memcmp(fields[i], name, length))
            return 1;
    print_error("no field \"%.*s\"\n", (int)length, name);
    return 0;
}

/* A field that is misspelt would be left out, in silence. */
static void test_table_names_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = kinds[i].words;

        while ((at = strchr(at, '{')) != NULL) {
            const size_t length = strcspn(++at, "}");

            assert_int_equal(at[length], '}');
            assert_true(is_field(at, length));
        }
        for (at = kinds[i].also; *at; at += strspn(at, " ")) {
            const size_t length = strcspn(at, " ");

            assert_true(is_field(at, length));
            at += length;
        }
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(kinds[i].name, kinds[k].name);
    }
}

static const struct vgpu_report left = {.stream = 3, .owner = 1, .call = "f"};

static void test_words(void **state)
{
    char text[80], little[9];

    (void)state;
    assert_string_equal(
        vgpu_report_words(text, sizeof text, VGPU_REPORT_stream_left, &left),
        "stream 3 of device 1 is never destroyed");
    assert_string_equal(vgpu_report_words(little, sizeof little,
                                          VGPU_REPORT_stream_left, &left),
                        "stream 3");
    /* What is missing is not said; what is there is no format. */
    assert_string_equal(
        vgpu_report_words(text, sizeof text, VGPU_REPORT_refused, &left),
        "f: ");
    assert_string_equal(
        vgpu_report_words(text, sizeof text, VGPU_REPORT_kernel_ended,
                          &(struct vgpu_report){.reason = "%s {call}\n"}),
        "%s {call} ");
}

static void test_fields(void **state)
{
    char text[80], little[12];
    size_t length =
        vgpu_report_fields(text, sizeof text, VGPU_REPORT_stream_left, &left);

    (void)state;
    assert_string_equal(text, "\towner=1\tstream=3");
    assert_int_equal(length, strlen(text));
    /* A field has room as a whole, or is not there. */
    length = vgpu_report_fields(little, sizeof little, VGPU_REPORT_stream_left,
                                &left);
    assert_string_equal(little, "\towner=1");
    assert_int_equal(length, strlen(little));
    vgpu_report_fields(text, sizeof text, VGPU_REPORT_refused,
                       &(struct vgpu_report){.call = "a\tb", .reason = "c\nd"});
    assert_string_equal(text, "\tcall=a b\treason=c d");
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(vgpu_report_name(VGPU_REPORT_past_end), "past_end");
    assert_string_equal(vgpu_report_sort(VGPU_REPORT_past_end), "fault");
    assert_string_equal(vgpu_does_name(VGPU_DOES_h2d), "h2d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_table_names_fields),
        TEST(test_words),
        TEST(test_fields),
        TEST(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
