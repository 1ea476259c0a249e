/*
 * test_walk.c: every block of a grid has its turn, once, in any order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include "walk.h"

#define MOST 3000

static void test_walk(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < MOST; count += 1 + count / 7) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            uint64_t random = seed;
            struct walk walk = walk_make(count, &random);
            unsigned char seen[MOST] = {0};

            for (uint64_t i = 0; i < count; i++) {
                uint64_t at = walk_at(&walk, i);

                assert_true(at < count);
                assert_int_equal(seen[at]++, 0);
                if (!seed)
                    assert_int_equal(at, i);
            }
        }
    }
}

/* Products of numbers beyond 32 bits. */
static void test_large(void **state)
{
    const struct walk walk = {UINT64_C(1) << 62, UINT64_C(1) << 62,
                              (UINT64_C(1) << 62) - 1, (UINT64_C(1) << 61) + 3};

    (void)state;
    assert_int_equal(walk_at(&walk, 0), walk.first);
    assert_int_equal(walk_at(&walk, 2), 5);
    assert_int_equal(walk_at(&walk, UINT64_C(1) << 40),
                     (UINT64_C(3) << 40) - 1);
}

static void test_sample(void **state)
{
    struct walk walk = walk_sample(1000, 10);

    (void)state;
    assert_int_equal(walk.count, 10);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(walk_at(&walk, i), 50 + 100 * i);
}

static void test_spread(void **state)
{
    (void)state;
    for (uint64_t count = SPREAD_LEAST; count < MOST; count += 1 + count / 9) {
        struct spread spread = spread_make(count);
        unsigned char seen[MOST] = {0};

        assert_int_equal(spread_at(&spread, 0), 0);
        assert_int_equal(spread_at(&spread, 1), count - 1);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t at = spread_at(&spread, i);

            assert_true(at < count);
            assert_int_equal(seen[at]++, 0);
            assert_int_equal(spread_place(&spread, at), i);
        }
    }
    for (uint64_t i = 0; i < 100; i++) {
        struct spread spread = spread_make(SPREAD_MOST);

        assert_int_equal(spread_place(&spread, spread_at(&spread, i)), i);
    }
}

/* Of a grid of rows and columns, the first few are of different ones. */
static void test_spread_is_even(void **state)
{
    struct spread spread = spread_make(48 * 48);
    unsigned char row[48] = {0}, column[48] = {0};
    int rows = 0, columns = 0;

    (void)state;
    for (uint64_t i = 0; i < 32; i++) {
        uint64_t at = spread_at(&spread, i);

        rows += !row[at / 48]++;
        columns += !column[at % 48]++;
    }
    assert_true(rows > 24);
    assert_true(columns > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),           cmocka_unit_test(test_large),
        cmocka_unit_test(test_sample),         cmocka_unit_test(test_spread),
        cmocka_unit_test(test_spread_is_even),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
