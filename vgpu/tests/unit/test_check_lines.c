/*
 * test_check_lines.c: source lines from line tables made by this compiler in
 * several versions of DWARF, and from damaged ones.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lines.h"
#include "vgpu_check.h"

static char directory[] = "/tmp/test_check_lines.XXXXXX";

__attribute__((noinline)) static uint64_t caller(void)
{
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void test_this_program(void **state)
{
    char text[100], wanted[100];
    uint64_t pc;
    const char *file;
    int line;

    (void)state;
    pc = caller(), line = __LINE__;
    assert_int_equal(vgpu_line_find(pc, &file), line);
    assert_non_null(strstr(file, "test_check_lines.c"));
    snprintf(wanted, sizeof wanted, "test_check_lines.c:%d", line);
    assert_non_null(strstr(vgpu_line_format(pc, text, sizeof text), wanted));
    assert_string_equal(vgpu_line_format(0, text, sizeof text), "?");
    assert_string_equal(vgpu_line_format(1, text, sizeof text), "?");
    assert_string_equal(
        vgpu_line_format((uint64_t)(uintptr_t)&file, text, sizeof text), "?");
    assert_int_equal(vgpu_line_find(UINT64_MAX, NULL), 0);
}

/* Compile a small file in sub/ with @options. Return: its table. */
static struct line_table compile(const char *options)
{
    struct line_table table = {0};
    char command[500], path[100];
    FILE *source;

    snprintf(path, sizeof path, "%s/sub/small.c", directory);
    source = fopen(path, "w");
    assert_non_null(source);
    fputs("int twice(int x);\n"
          "int twice(int x)\n"
          "{\n"
          "    return 2 * x;\n"
          "}\n"
          "int main(void)\n"
          "{\n"
          "    return twice(0);\n"
          "}\n",
          source);
    fclose(source);
    snprintf(command, sizeof command,
             "cd %s && cc %s sub/small.c -o small 2>/dev/null", directory,
             options);
    if (system(command))
        return table;
    snprintf(path, sizeof path, "%s/small", directory);
    assert_int_equal(line_table_read(&table, path), 0);
    return table;
}

static bool has_line(const struct line_table *table, unsigned line)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct line_row *row = &table->rows[i];

        if (row->file && row->line == line && !strcmp(row->file, "sub/small.c"))
            return line_table_find(table, row->address);
    }
    return false;
}

static void test_versions(void **state)
{
    static const char *const options[] = {
        "-gdwarf-2",
        "-gdwarf-3",
        "-gdwarf-4",
        "-gdwarf-5",
        "-gdwarf-4 -O2 -no-pie",
        "-gdwarf-5 -ffunction-sections",
    };

    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct line_table table = compile(options[i]);

        assert_true(has_line(&table, 4));
        assert_true(has_line(&table, 8));
        assert_null(line_table_find(&table, 0));
        line_table_free(&table);
    }
}

static void test_no_table(void **state)
{
    struct line_table table = compile("-g0 -s");
    char path[100];
    FILE *file;

    (void)state;
    assert_null(line_table_find(&table, 0x1000));
    assert_int_equal(line_table_read(&table, "/nonexistent"), -1);
    snprintf(path, sizeof path, "%s/text", directory);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("no program", file);
    fclose(file);
    assert_int_equal(line_table_read(&table, path), -1);
    line_table_free(&table);
}

/* The whole file, in memory. */
static uint8_t *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    end = ftell(file);
    rewind(file);
    bytes = malloc((size_t)end);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
}

/* Damaged tables yield lines or none, and never a crash. */
static void test_damage(void **state)
{
    struct line_table table = compile("-gdwarf-4");
    char path[100], damaged[100];
    uint8_t *good, *bad, *name;
    size_t size, middle;

    (void)state;
    line_table_free(&table);
    snprintf(path, sizeof path, "%s/small", directory);
    snprintf(damaged, sizeof damaged, "%s/damaged", directory);
    good = slurp(path, &size);
    bad = malloc(size);
    assert_non_null(bad);
    name = memmem(good, size, "small.c\0\1", 9);
    assert_non_null(name);
    middle = (size_t)(name - good);
    srand(1);
    for (int round = 0; round < 1000; round++) {
        size_t cut = round % 8 ? size : (size_t)rand() % size;

        memcpy(bad, good, size);
        for (int i = 0; i < 5; i++)
            bad[middle - 60 + (size_t)rand() % 160] = (uint8_t)rand();
        write_file(damaged, bad, cut);
        table = (struct line_table){0};
        line_table_read(&table, damaged);
        line_table_find(&table, 0x1130);
        line_table_free(&table);
    }
    free(good);
    free(bad);
}

static int set_up(void **state)
{
    char command[100];

    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(command, sizeof command, "mkdir %s/sub", directory);
    return system(command);
}

static int tear_down(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_program),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_no_table),
        cmocka_unit_test(test_damage),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
