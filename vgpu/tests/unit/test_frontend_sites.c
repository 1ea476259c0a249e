/* test_frontend_sites.c: the places of calls in WebAssembly's assembly */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sites.h"

#define HEAD "\t.globaltype\t__vgpu_pc, i32\n"
#define SITE(offset)                                                           \
    "\ti32.const\t.Lvgpu_places+" #offset "\n\tglobal.set\t__vgpu_pc\n"

static void assert_sites(const char *text, const char *wanted)
{
    struct buf out = {0};
    char *places;

    sites_add(text, strlen(text), &out);
    places = strstr(out.data, "\t.section\t.rodata..Lvgpu_places");
    if (places)
        *places = '\0';
    assert_string_equal(out.data, wanted);
    buf_free(&out);
}

/* In the data that is added. */
static void assert_data(const char *text, const char *wanted)
{
    struct buf out = {0};

    sites_add(text, strlen(text), &out);
    if (!strstr(out.data, wanted))
        fail_msg("'%s' is not in: %s", wanted, out.data);
    buf_free(&out);
}

static void test_calls_have_their_place(void **state)
{
    (void)state;
    assert_sites("\t.file\t\"lab.cu\"\n"
                 "\t.file\t1 \"/\" \"lab.cu\"\n"
                 "f:\n"
                 "\t.loc\t1 7 0                 # lab.cu:7:0\n"
                 "\tlocal.get\t0\n"
                 "\tcall\tg\n"
                 "\t.loc\t1 8 3 is_stmt 0\n"
                 "\tcall_indirect\t __indirect_function_table, () -> ()\n"
                 "\t.loc\t1 7 9\n"
                 "\tcall\tg\n",
                 HEAD "f:\n\tlocal.get\t0\n" SITE(0) "\tcall\tg\n" SITE(
                     8) "\tcall_indirect\t __indirect_function_table, () -> "
                        "()\n" SITE(0) "\tcall\tg\n");
}

/* Line 0 is what the compiler made up; a function begins without a place. */
static void test_divisions_have_their_place(void **state)
{
    (void)state;
    assert_sites("\t.file\t1 \"/\" \"lab.cu\"\n"
                 "\t.loc\t1 7 0\n\ti64.div_u\n\ti64.mul\n",
                 HEAD SITE(0) "\ti64.div_u\n\ti64.mul\n");
}

static void test_places_unknown(void **state)
{
    (void)state;
    assert_sites("\t.file\t1 \"/\" \"lab.cu\"\n"
                 "\t.loc\t1 7 0\n\t.loc\t1 0 0\n\tcall\tg\n"
                 "\tend_function\n"
                 "\tcall\tg\n",
                 HEAD SITE(0) "\tcall\tg\n\tend_function\n"
                              "\ti32.const\t0\n\tglobal.set\t__vgpu_pc\n"
                              "\tcall\tg\n");
    assert_sites("\t.loc\t9 7 0\n\tcall\tg",
                 HEAD "\ti32.const\t0\n\tglobal.set\t__vgpu_pc\n\tcall\tg\n");
}

static void test_files_are_named_as_given(void **state)
{
    (void)state;
    assert_data("\t.file\t2 \"/abs/dir\" \"a \\\"b\\\".cu\"\n"
                "\t.loc\t2 7 0\n\tcall\tg\n",
                ".Lvgpu_file2:\n\t.asciz\t\"a \\\"b\\\".cu\"\n");
    assert_data("\t.file\t1 \"/abs\" \"labs/08/lab.cu\"\n"
                "\t.loc\t1 7 0\n\tcall\tg\n",
                "\t.asciz\t\"labs/08/lab.cu\"\n");
    assert_data("\t.file\t1 \"rel/dir\" \"a.cu\"\n\t.loc\t1 7 0\n\tcall\tg\n",
                "\t.asciz\t\"rel/dir/a.cu\"\n");
    assert_data("\t.file\t1 \"/abs/dir/a.cu\"\n\t.loc\t1 7 0\n\tcall\tg\n",
                "\t.asciz\t\"a.cu\"\n");
    assert_data("\t.file\t1 \"/\" \"a.cu\"\n\t.loc\t1 70000 0\n\tcall\tg\n",
                "\t.int32\t.Lvgpu_file1\n\t.int32\t70000\n");
}

static void test_memory_functions_are_the_checkers(void **state)
{
    (void)state;
    assert_sites("\t.functype\tmemcpy (i32, i32, i32) -> (i32)\n"
                 "\ti32.const\tbcmp\n"
                 "\t.int32\tmemset\n"
                 "\ti32.const\tmemcpy_of_mine\n"
                 "memcpy:\n",
                 HEAD "\t.functype\tvgpu_memcpy (i32, i32, i32) -> (i32)\n"
                      "\ti32.const\tvgpu_memcmp\n"
                      "\t.int32\tvgpu_memset\n"
                      "\ti32.const\tmemcpy_of_mine\n"
                      "memcpy:\n");
}

static void test_no_debuggers_sections(void **state)
{
    (void)state;
    assert_sites("\t.section\t.data.x,\"\",@\n\t.int8\t1\n"
                 "\t.section\t.debug_info,\"\",@\n\t.int8\t2\n"
                 "\t.section\t.rodata.y,\"\",@\n\t.int8\t3\n",
                 HEAD "\t.section\t.data.x,\"\",@\n\t.int8\t1\n"
                      "\t.section\t.rodata.y,\"\",@\n\t.int8\t3\n");
}

/* No text of this kind comes from clang; none may read past its end. */
static void test_cut_short(void **state)
{
    static const char text[] = "\t.file\t1 \"/a\\\" \"b\\\\\" x\n\t.loc\t1 7\n"
                               "\tcall\tmemcpy\n\t.section\t.debug_\n\t.file";

    (void)state;
    for (size_t size = 0; size <= strlen(text); size++) {
        char *copy = malloc(size + 1);
        struct buf out = {0};

        memcpy(copy, text, size);
        sites_add(copy, size, &out);
        assert_non_null(out.data);
        buf_free(&out);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_have_their_place),
        cmocka_unit_test(test_divisions_have_their_place),
        cmocka_unit_test(test_places_unknown),
        cmocka_unit_test(test_files_are_named_as_given),
        cmocka_unit_test(test_memory_functions_are_the_checkers),
        cmocka_unit_test(test_no_debuggers_sections),
        cmocka_unit_test(test_cut_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
