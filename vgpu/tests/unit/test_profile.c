/* test_profile.c: reading device profiles, and what is said of bad ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile.h"

#define TEXT_MAX 16384

static const char *builtin_text(const char *name)
{
    for (int i = 0; vgpu_profile_names[i]; i++) {
        if (strcmp(vgpu_profile_names[i], name) == 0)
            return vgpu_profile_texts[i];
    }
    fail_msg("no built-in profile %s", name);
    return NULL;
}

/* The unit profile with the line that sets @key replaced by @line. */
static const char *edited(const char *key, const char *line)
{
    static char text[TEXT_MAX];
    const char *source = builtin_text("unit");
    char start[80];
    const char *at;
    const char *rest;

    snprintf(start, sizeof start, "\n%s =", key);
    at = strstr(source, start);
    assert_non_null(at);
    rest = strchr(at + 1, '\n');
    snprintf(text, sizeof text, "%.*s\n%s%s", (int)(at - source), source, line,
             rest);
    return text;
}

static void expect(const char *text, enum vgpu_profile_error error,
                   const char *said, const char *advice)
{
    struct vgpu_profile p;
    char message[256] = "";

    assert_int_equal(vgpu_profile_parse(text, &p, message, sizeof message),
                     error);
    if (error == VGPU_PROFILE_OK)
        return;
    if (strncmp(message, "line ", 5) != 0 || !strstr(message, said) ||
        !strstr(message, advice))
        fail_msg("message is: %s", message);
    assert_int_equal(vgpu_profile_parse(text, &p, NULL, 0), error);
}

static void built_in_profiles_are_complete(void **state)
{
    static const char *const wanted[] = {
        "h200", "c1060",     "c2050",     "k20",   "rtx2070mq-wddm",
        "unit", "v100-pcie", "a100-pcie", "gtx580"};

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        builtin_text(wanted[i]);
    for (int i = 0; vgpu_profile_names[i]; i++) {
        struct vgpu_profile p;
        char message[256] = "";

        if (vgpu_profile_load(vgpu_profile_names[i], &p, message,
                              sizeof message) != VGPU_PROFILE_OK)
            fail_msg("%s", message);
        assert_true(p.name[0] != '\0');
        assert_true(p.d2d_bytes_per_s * 2 <= p.memory_bytes_per_s ||
                    p.unit_ns > 0);
    }
}

static void values_arrive(void **state)
{
    struct vgpu_profile p;

    (void)state;
    assert_int_equal(vgpu_profile_load("h200", &p, NULL, 0), 0);
    assert_string_equal(p.name, "NVIDIA H200");
    assert_int_equal(p.sms, 132);
    assert_int_equal(p.h2d_bytes_per_s, 55400000000);
    assert_int_equal(p.unit_ns, 0);
    assert_int_equal(vgpu_profile_load(NULL, &p, NULL, 0), 0);
    assert_string_equal(p.name, "NVIDIA H200");
    assert_int_equal(vgpu_profile_load("", &p, NULL, 0), 0);
    assert_string_equal(p.name, "NVIDIA H200");
    assert_int_equal(
        vgpu_profile_parse(edited("sms", "\t sms=1_0 # ten\r"), &p, NULL, 0),
        0);
    assert_int_equal(p.sms, 10);
}

/* What a profile may leave out is 0; profile.h says what counts then. */
static void some_keys_may_be_missing(void **state)
{
    struct vgpu_profile p;

    (void)state;
    assert_int_equal(vgpu_profile_load("unit", &p, NULL, 0), 0);
    assert_int_equal(p.kernel_reads_bytes_per_s, 0);
    assert_int_equal(
        vgpu_profile_parse(edited("sms", "sms = 1\nhost_event_mark_ns = 7"), &p,
                           NULL, 0),
        0);
    assert_int_equal(p.host_event_mark_ns, 7);
    expect(edited("sms", "sms = 1\nhost_event_mark_ns = 7\n"
                         "host_event_mark_ns = 7"),
           VGPU_PROFILE_REPEATED_KEY, "already set on line", "remove one");
}

static void errors_name_the_line_and_the_cure(void **state)
{
    (void)state;
    expect(edited("sms", "# no sms"), VGPU_PROFILE_MISSING_KEY, "'sms'",
           "add 'sms = ...'");
    expect("", VGPU_PROFILE_MISSING_KEY, "'name'", "other keys");
    expect(edited("sms", "sms = 4\nsms = 4"), VGPU_PROFILE_REPEATED_KEY,
           "already set on line", "remove one");
    expect(edited("name", "name = a\nname = b"), VGPU_PROFILE_REPEATED_KEY,
           "'name'", "remove one");
    expect(edited("sms", "sms = 4\nsmms = 4"), VGPU_PROFILE_UNKNOWN_KEY,
           "'smms'", "correct or remove");
    expect(edited("sms", "sms 4"), VGPU_PROFILE_SYNTAX, "'sms 4'",
           "key = value");
    expect(edited("sms", "= 4"), VGPU_PROFILE_SYNTAX, "'= 4'", "key = value");
}

static void bad_values_are_refused(void **state)
{
    static const char *const bad[] = {
        "sms =",     "sms = -4",  "sms = four",
        "sms = 4 4", "sms = 0",   "sms = 99999999999999999999999",
        "sms = 4_",  "sms = 4.5", "sms = _4",
        "sms = 4__4"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(edited("sms", bad[i]), VGPU_PROFILE_BAD_VALUE, "'sms'",
               "whole number from 1 to");
    expect(edited("name", "name ="), VGPU_PROFILE_BAD_VALUE, "'name'",
           "characters");
    expect(edited("duplex_permille", "duplex_permille = 1001"),
           VGPU_PROFILE_BAD_VALUE, "1001", "1 to 1000");
}

static void values_must_go_together(void **state)
{
    (void)state;
    expect(edited("hardware_queues", "hardware_queues = 1"),
           VGPU_PROFILE_BAD_VALUE, "default_connections", "change one");
    expect(edited("copy_engines", "copy_engines = 1"), VGPU_PROFILE_BAD_VALUE,
           "copy_queues", "change one");
    expect(edited("h2d_queued_ns", "h2d_queued_ns = 5"), VGPU_PROFILE_BAD_VALUE,
           "_idle_ns", "change one");
}

/* The line number is that of the file, comments and empty lines counted. */
static void the_line_number_is_right(void **state)
{
    struct vgpu_profile p;
    char message[256];

    (void)state;
    assert_int_equal(vgpu_profile_parse("# one\n\nname = x\nbad\n", &p, message,
                                        sizeof message),
                     VGPU_PROFILE_SYNTAX);
    assert_memory_equal(message, "line 4: ", 8);
}

static void files_are_read(void **state)
{
    char path[] = "/tmp/vgpu-profile-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    struct vgpu_profile p;
    char message[256];

    (void)state;
    assert_non_null(file);
    fputs(edited("sms", "sms = 7"), file);
    fclose(file);
    assert_int_equal(vgpu_profile_load(path, &p, NULL, 0), 0);
    assert_int_equal(p.sms, 7);
    file = fopen(path, "w");
    fputs("nonsense\n", file);
    fclose(file);
    assert_int_equal(vgpu_profile_load(path, &p, message, sizeof message),
                     VGPU_PROFILE_SYNTAX);
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(message, "line 1: "));
    unlink(path);
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
    struct vgpu_profile p;
    char message[512];

    (void)state;
    assert_int_equal(vgpu_profile_load("h2000", &p, message, sizeof message),
                     VGPU_PROFILE_NOT_FOUND);
    assert_non_null(strstr(message, "'h2000'"));
    for (int i = 0; vgpu_profile_names[i]; i++)
        assert_non_null(strstr(message, vgpu_profile_names[i]));
    assert_int_equal(vgpu_profile_load("/", &p, message, sizeof message),
                     VGPU_PROFILE_NOT_FOUND);
    assert_int_equal(vgpu_profile_load("h2000", &p, message, 8),
                     VGPU_PROFILE_NOT_FOUND);
    assert_int_equal(strlen(message), 7);
}

static void what_is_different_stands_behind(void **state)
{
    struct vgpu_profile p, whole;
    char message[256];

    (void)state;
    assert_int_equal(vgpu_profile_load("k20", &whole, NULL, 0),
                     VGPU_PROFILE_OK);
    assert_int_equal(vgpu_profile_load("k20:sms=5:name=Small one", &p, message,
                                       sizeof message),
                     VGPU_PROFILE_OK);
    assert_int_equal(p.sms, 5);
    assert_string_equal(p.name, "Small one");
    assert_int_equal(p.h2d_bytes_per_s, whole.h2d_bytes_per_s);
    assert_int_equal(
        vgpu_profile_load("k20:smx=5", &p, message, sizeof message),
        VGPU_PROFILE_UNKNOWN_KEY);
    assert_non_null(strstr(message, "'smx'"));
    assert_int_equal(vgpu_profile_load("k20:max_threads_per_sm=1000", &p,
                                       message, sizeof message),
                     VGPU_PROFILE_BAD_VALUE);
}

/* A profile cut off anywhere before its last key is refused, not read past. */
static void cut_off_profiles_are_refused(void **state)
{
    const char *text = builtin_text("h200");
    size_t end = (size_t)(strstr(text, "\nunit_ns") - text);
    char *cut = malloc(end + 1);

    (void)state;
    assert_non_null(cut);
    for (size_t n = 0; n <= end; n += 7) {
        struct vgpu_profile p;
        char message[64];

        memcpy(cut, text, n);
        cut[n] = '\0';
        assert_int_not_equal(
            vgpu_profile_parse(cut, &p, message, sizeof message),
            VGPU_PROFILE_OK);
    }
    free(cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_profiles_are_complete),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(some_keys_may_be_missing),
        cmocka_unit_test(errors_name_the_line_and_the_cure),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(values_must_go_together),
        cmocka_unit_test(the_line_number_is_right),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(what_is_different_stands_behind),
        cmocka_unit_test(cut_off_profiles_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
