/* test_grade_text.c: text that grows, and a student's compiler options */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "build/flags.h"

static void test_grows(void **state)
{
    struct text text = {0};

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
    text_free(&text);
    assert_null(text.data);
}

/* Longer than any room that a first guess would give. */
static void test_long_words(void **state)
{
    struct text text = {0};
    char word[5000];

    (void)state;
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    text_printf(&text, "<%s>", word);
    assert_int_equal(text.length, sizeof word + 1);
    assert_int_equal(text_string(&text)[text.length - 1], '>');
    text_free(&text);
}

static void test_files(void **state)
{
    char path[] = "/tmp/test_grade_text_XXXXXX";
    const int fd = mkstemp(path);
    struct text text = {0};

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    close(fd);
    assert_true(text_read_file(&text, path, 100));
    assert_string_equal(text_string(&text), "0123456789");
    text_clear(&text);
    assert_true(text_read_file(&text, path, 4));
    assert_true(text.length > 4); /* too large, and it shows */
    text_clear(&text);
    unlink(path);
    assert_false(text_read_file(&text, path, 4));
    text_free(&text);
}

/* ---- flags --------------------------------------------------------------- */

/* Return: what flags_read() says of a file x.flags with these lines. */
static bool read_flags(const char *lines, const char *allowed,
                       struct flags *flags, struct text *messages)
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
    struct text messages = {0};

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
        struct text messages = {0};

        assert_false(read_flags(bad[i],
                                "--default-stream=per-thread -maxrregcount=*",
                                &flags, &messages));
        assert_non_null(strstr(text_string(&messages), ":1: "));
        flags_free(&flags);
        text_free(&messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_flags_that_are_allowed),
        cmocka_unit_test(test_flags_that_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
