/* test_grade_reference.c: input and expected output, and what a wrong entry
 * is found to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../grader/case/reference.c"

enum { ENTRIES = 100, GUARD = 10, ITERS = 5 };

static struct reference ref;
static uint64_t host[ENTRIES], host_guard[GUARD], device_guard[GUARD];

static int setup(void **state)
{
    (void)state;
    if (!reference_make(&ref, ENTRIES, GUARD, ITERS))
        return -1;
    memcpy(host, ref.plain, sizeof host);
    memcpy(host_guard, ref.host_guard, sizeof host_guard);
    memcpy(device_guard, ref.device + ENTRIES, sizeof device_guard);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    reference_free(&ref);
    return 0;
}

static uint64_t twice(uint64_t entry)
{
    return decrypt_entry(decrypt_entry(entry, ITERS), ITERS);
}

static void test_cipher_is_undone(void **state)
{
    (void)state;
    for (int i = 0; i < ENTRIES; i++)
        assert_true(decrypt_entry(ref.cipher[i], ITERS) == ref.plain[i]);
}

static void test_right(void **state)
{
    struct cells cells;

    (void)state;
    reference_compare(&ref, host, &cells);
    assert_int_equal(cells.wrong, 0);
    assert_int_equal(cells.count[CELL_RIGHT], ENTRIES);
    assert_int_equal(reference_count_wrong(&ref, host), 0);
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
    assert_int_equal(cells.moved_by, -3);
    assert_int_equal(cells.first[CELL_MOVED_CIPHER], 60);
    assert_int_equal(cells.first[CELL_ROUNDS], 70);
    assert_int_equal(cells.first[CELL_UNKNOWN], 80);
    assert_int_equal(cells.around[0], CELL_RIGHT);
    assert_int_equal(cells.around[1], CELL_CIPHER);
    assert_int_equal(cells.around[2], CELL_RIGHT);
    assert_int_equal(reference_count_wrong(&ref, host), 8);
}

static void expect_overrun(bool in, bool kernel, bool back)
{
    struct overrun found;

    reference_find_overrun(&ref, host_guard, device_guard, &found);
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

/* More than one block of random numbers: still all different, still the
 * encrypted form of the same entry; a shuffle leaves hardly any in place. */
static void test_large(void **state)
{
    const uint64_t entries = (2 << 20) + 12345;
    struct reference large;
    uint64_t *before, same = 0, repeated = 0;

    (void)state;
    assert_true(reference_make(&large, entries, 0, 1));
    before = malloc(entries * sizeof *before);
    assert_non_null(before);
    memcpy(before, large.plain, entries * sizeof *before);
    assert_true(reference_shuffle(&large));
    for (uint64_t i = 0; i < entries; i++) {
        assert_true(decrypt_entry(large.cipher[i], 1) == large.plain[i]);
        same += large.plain[i] == before[i];
        repeated += i >= BLOCK && large.plain[i] == large.plain[i - BLOCK];
    }
    assert_true(same < 10);
    assert_true(repeated < 10);
    free(before);
    reference_free(&large);
}

static void test_nothing(void **state)
{
    struct reference none;
    struct cells cells;
    uint64_t word = 0;

    (void)state;
    assert_true(reference_make(&none, 0, 0, 1));
    reference_write(&none, &word);
    reference_compare(&none, &word, &cells);
    assert_int_equal(cells.wrong, 0);
    assert_true(reference_shuffle(&none));
    reference_free(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cipher_is_undone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_right, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overruns, setup, teardown),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
