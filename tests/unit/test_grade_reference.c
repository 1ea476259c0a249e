/* test_grade_reference.c: the expected output, and what a wrong entry is found
 * to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "case/reference.h"
#include "cipher_entry.h"
#include "rules/chunks.h"

enum { ENTRIES = 100, GUARD = 10, ITERS = 5 };

/* The buffers before a run, each with its guard, and the host's after it. */
static uint64_t cipher[ENTRIES + GUARD], device[ENTRIES + GUARD];
static uint64_t plain[ENTRIES], host[ENTRIES];
static uint64_t host_guard[GUARD], device_guard[GUARD];
static const struct reference ref = {.entries = ENTRIES,
                                     .guard = GUARD,
                                     .iters = ITERS,
                                     .plain = plain,
                                     .cipher = cipher,
                                     .host_guard = cipher + ENTRIES,
                                     .device = device};

static int setup(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < ENTRIES + GUARD; i++) {
        cipher[i] = encrypt_entry(2 * i + 2, 1);
        device[i] = encrypt_entry(2 * i + 1, 7);
    }
    reference_decrypt(plain, cipher, ENTRIES, ITERS);
    memcpy(host, plain, sizeof host);
    memcpy(host_guard, cipher + ENTRIES, sizeof host_guard);
    memcpy(device_guard, device + ENTRIES, sizeof device_guard);
    return 0;
}

static uint64_t twice(uint64_t entry)
{
    return decrypt_entry(decrypt_entry(entry, ITERS), ITERS);
}

/* So many that all cores have a share; in place. */
static void test_decrypt(void **state)
{
    const uint64_t count = 50001;
    uint64_t *const all = malloc(count * sizeof *all);

    (void)state;
    assert_non_null(all);
    for (uint64_t i = 0; i < count; i++)
        all[i] = encrypt_entry(i, ITERS);
    reference_decrypt(all, all, count, ITERS);
    for (uint64_t i = 0; i < count; i++)
        assert_true(all[i] == i);
    free(all);
}

static void test_right(void **state)
{
    struct cells cells;

    (void)state;
    reference_compare(&ref, host, &cells);
    assert_int_equal(cells.wrong, 0);
    assert_int_equal(cells.count[CELL_RIGHT], ENTRIES);
}

/* One entry of each kind, ten apart: a neighbour that moved is another kind. */
static void test_kinds(void **state)
{
    struct cells cells;

    (void)state;
    host[10] = ref.cipher[10];
    host[20] = ref.device[20];
    host[30] = decrypt_entry(ref.device[30], ITERS);
    host[40] = twice(ref.plain[40]);
    host[50] = ref.plain[47];
    host[60] = ref.cipher[61];
    host[70] = decrypt_entry(ref.cipher[70], ITERS - 1);
    host[80] = 0;
    reference_compare(&ref, host, &cells);
    assert_int_equal(cells.wrong, 8);
    assert_int_equal(cells.first_wrong, 10);
    assert_int_equal(cells.last_wrong, 80);
    assert_int_equal(cells.first[CELL_CIPHER], 10);
    assert_int_equal(cells.first[CELL_UNTOUCHED], 20);
    assert_int_equal(cells.first[CELL_UNTOUCHED_RUN], 30);
    assert_int_equal(cells.first[CELL_AGAIN], 40);
    assert_int_equal(cells.first[CELL_MOVED], 50);
    assert_int_equal(cells.first[CELL_MOVED_CIPHER], 60);
    assert_int_equal(cells.first[CELL_ROUNDS], 70);
    assert_int_equal(cells.first[CELL_UNKNOWN], 80);
    assert_int_equal(cells.around[0], CELL_RIGHT);
    assert_int_equal(cells.around[1], CELL_CIPHER);
    assert_int_equal(cells.around[2], CELL_RIGHT);
}

static void expect_overrun(bool in, bool kernel, bool back)
{
    struct overrun found;

    chunks_find_overrun(&ref, host_guard, device_guard, &found);
    assert_int_equal(found.any, in || kernel || back);
    assert_int_equal(found.copy_in, in);
    assert_int_equal(found.kernel, kernel);
    assert_int_equal(found.copy_back, back);
}

/* What the three operations leave in a guard entry, one after the other. */
static void test_overruns(void **state)
{
    const int i = 3;

    (void)state;
    expect_overrun(false, false, false);
    device_guard[i] = ref.host_guard[i];
    expect_overrun(true, false, false);
    device_guard[i] = decrypt_entry(ref.host_guard[i], ITERS);
    expect_overrun(true, true, false);
    host_guard[i] = device_guard[i];
    expect_overrun(true, true, true);
    device_guard[i] = decrypt_entry(ref.device[ENTRIES + i], ITERS);
    host_guard[i] = ref.host_guard[i];
    expect_overrun(false, true, false);
    device_guard[i] = ref.device[ENTRIES + i];
    host_guard[i] = device_guard[i];
    expect_overrun(false, false, true);
}

static void test_nothing(void **state)
{
    const struct reference none = {.iters = 1};
    struct cells cells;

    (void)state;
    reference_decrypt(host, cipher, 0, 1);
    reference_compare(&none, host, &cells);
    assert_int_equal(cells.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decrypt),
        cmocka_unit_test_setup(test_right, setup),
        cmocka_unit_test_setup(test_kinds, setup),
        cmocka_unit_test_setup(test_overruns, setup),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
