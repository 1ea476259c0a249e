/* test_cipher.c: one entry of the cipher, as the grader's parent uses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cipher_entry.h"

static const uint64_t entries[] = {
    0,
    1,
    2,
    UINT32_MAX,
    (uint64_t)UINT32_MAX + 1,
    UINT64_MAX,
    0x0123456789ABCDEFu,
};
static const uint64_t rounds[] = {0, 1, 2, 3, 7, 64, 1000};

#define COUNT(array) (sizeof array / sizeof((array)[0]))

static void decrypting_undoes_encrypting(void **state)
{
    (void)state;
    for (size_t e = 0; e < COUNT(entries); e++)
        for (size_t r = 0; r < COUNT(rounds); r++) {
            const uint64_t secret = encrypt_entry(entries[e], rounds[r]);

            assert_true(decrypt_entry(secret, rounds[r]) == entries[e]);
        }
}

static void no_rounds_change_nothing(void **state)
{
    (void)state;
    assert_true(encrypt_entry(42, 0) == 42);
    assert_true(decrypt_entry(42, 0) == 42);
}

static void one_round_off_is_wrong(void **state)
{
    (void)state;
    for (size_t r = 1; r < COUNT(rounds); r++) {
        const uint64_t secret = encrypt_entry(42, rounds[r]);

        assert_true(secret != 42);
        assert_true(decrypt_entry(secret, rounds[r] - 1) != 42);
        assert_true(decrypt_entry(secret, rounds[r] + 1) != 42);
    }
}

/* An entry that is left out must not pass by looking like its neighbour. */
static void neighbours_differ(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(encrypt_entry(i, 4) != encrypt_entry(i + 1, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decrypting_undoes_encrypting),
        cmocka_unit_test(no_rounds_change_nothing),
        cmocka_unit_test(one_round_off_is_wrong),
        cmocka_unit_test(neighbours_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
