/* test_grade_text.c: text that grows, and a student's compiler options */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "build/flags.h"
#include "case/draw.h"

static void test_grows(void **state)
{
    struct out text = {0};

    (void)state;
    assert_string_equal(text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_memory_equal(text_string(&text), "0,1,2,", 6);
    text_clear(&text);
    assert_string_equal(text_string(&text), "");
    text_add(&text, "a\0b", 3);
    assert_int_equal(text.length, 3);
    assert_int_equal(text.data[3], '\0');
    tl_out_free(&text);
    assert_null(text.data);
}

/* Longer than any room that a first guess would give. */
static void test_long_words(void **state)
{
    struct out text = {0};
    char word[5000];

    (void)state;
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    text_printf(&text, "<%s>", word);
    assert_int_equal(text.length, sizeof word + 1);
    assert_int_equal(text_string(&text)[text.length - 1], '>');
    tl_out_free(&text);
}

static void test_files(void **state)
{
    char path[] = "/tmp/test_grade_text_XXXXXX";
    const int fd = mkstemp(path);
    struct out text = {0};

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    close(fd);
    assert_true(text_read_file(&text, path, 100));
    assert_string_equal(text_string(&text), "0123456789");
    text_clear(&text);
    assert_true(text_read_file(&text, path, 4));
    assert_true(text.length > 4); /* too large, and it shows */
    tl_out_free(&text);
    assert_int_equal(truncate(path, 0), 0);
    assert_true(text_read_file(&text, path, 4));
    assert_non_null(text.data); /* nothing is there to be read, and that is */
    assert_string_equal(text.data, "");
    unlink(path);
    assert_false(text_read_file(&text, path, 4));
    tl_out_free(&text);
}

/* ---- flags --------------------------------------------------------------- */

/* Return: what flags_read() says of a file x.flags with these lines. */
static bool read_flags(const char *lines, const char *allowed,
                       struct flags *flags, struct out *messages)
{
    char folder[] = "/tmp/test_grade_flags_XXXXXX";
    char path[64], beside[64];
    bool good;
    FILE *file;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.cu", folder);
    snprintf(beside, sizeof beside, "%s/x.flags", folder);
    if (lines) {
        file = fopen(beside, "w");
        assert_non_null(file);
        fputs(lines, file);
        fclose(file);
    }
    memset(flags, 0, sizeof *flags);
    good = flags_read(flags, path, allowed, messages);
    unlink(beside);
    rmdir(folder);
    return good;
}

static void test_flags_that_are_allowed(void **state)
{
    static const char allowed[] = "--default-stream=per-thread -maxrregcount=*";
    struct flags flags;
    struct out messages = {0};

    (void)state;
    assert_true(read_flags(NULL, allowed, &flags, &messages));
    assert_int_equal(flags.count, 0);
    assert_true(read_flags("# mine\n--default-stream=per-thread\n"
                           "-maxrregcount=32 # fewer\n",
                           allowed, &flags, &messages));
    assert_int_equal(flags.count, 2);
    assert_string_equal(flags.words[1], "-maxrregcount=32");
    flags_free(&flags);
    /* As two words. */
    assert_true(read_flags("--default-stream per-thread\n", allowed, &flags,
                           &messages));
    flags_free(&flags);
    assert_int_equal(messages.length, 0);
}

static void test_flags_that_are_refused(void **state)
{
    static const char *const bad[] = {"-O0\n", "-maxrregcount=many\n",
                                      "--default-stream=per-threads\n",
                                      "-include /etc/passwd\n"};
    struct flags flags;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct out messages = {0};

        assert_false(read_flags(bad[i],
                                "--default-stream=per-thread -maxrregcount=*",
                                &flags, &messages));
        assert_non_null(strstr(text_string(&messages), ":1: "));
        flags_free(&flags);
        tl_out_free(&messages);
    }
}

static void test_draw(void **state)
{
    static const char *const words =
        "job=x entries=100..110 n=7 width=8..64/8 entries=100..110";
    bool seen[11] = {false};
    char drawn[100], again[100], source[20];
    unsigned entries, width, same;

    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(source, sizeof source, "student %d", i);
        draw(drawn, sizeof drawn, words, source);
        draw(again, sizeof again, words, source);
        assert_string_equal(drawn, again);
        assert_int_equal(sscanf(drawn,
                                "job=x entries=%u n=7 width=%u "
                                "entries=%u",
                                &entries, &width, &same),
                         3);
        assert_in_range(entries, 100, 110);
        assert_true(width >= 8 && width <= 64 && width % 8 == 0);
        assert_int_equal(entries, same);
        seen[entries - 100] = true;
    }
    for (int i = 0; i < 11; i++)
        assert_true(seen[i]);
    draw(drawn, sizeof drawn, "a:sms=5..5:name=A,b:sms=1..1/3;0-1", "");
    assert_string_equal(drawn, "a:sms=5:name=A,b:sms=1;0-1");
    draw(drawn, sizeof drawn, "n=8..64/8 m=10..12", NULL);
    assert_string_equal(drawn, "n=32 m=11");
    draw(drawn, 9, "entries=100..100", "");
    assert_string_equal(drawn, "entries=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_flags_that_are_allowed),
        cmocka_unit_test(test_flags_that_are_refused),
        cmocka_unit_test(test_draw),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
