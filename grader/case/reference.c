/* reference.c: the expected output, and what a wrong entry is */
#include "case/reference.h"

#include <string.h>

#include "base/cores.h"
#include "cipher_entry.h"
#include "number.h"

/* ALONE: so little work, in rounds of the cipher, is not worth threads.
 * MOVED_FROM: so many entries are searched for a value that moved. */
enum { MOVED_FROM = 1 << 20, ALONE = 1 << 14 };

/* ---- the expected output ------------------------------------------------- */

struct entries {
    const uint64_t *from;
    uint64_t *to, iters;
};

static void decrypt_part(void *work, uint64_t lower, uint64_t upper)
{
    const struct entries *const entries = work;

    decrypt_entries(entries->to + lower, entries->from + lower, upper - lower,
                    entries->iters);
}

void reference_decrypt(uint64_t *plain, const uint64_t *cipher, uint64_t count,
                       uint64_t iters)
{
    cores_share(count, ALONE / (iters + 1), decrypt_part,
                &(struct entries){cipher, plain, iters});
}

/* ---- comparison ---------------------------------------------------------- */

static bool decrypted_again(const struct reference *ref, uint64_t i,
                            uint64_t value)
{
    uint64_t again = ref->plain[i];

    for (int times = 0; times < 32; times++) {
        again = decrypt_entry(again, ref->iters);
        if (again == value)
            return true;
    }
    return false;
}

static bool other_rounds(const struct reference *ref, uint64_t i,
                         uint64_t value)
{
    const uint64_t iters = ref->iters;

    for (uint64_t rounds = 1; rounds <= 2 * iters + 2; rounds++)
        if (decrypt_entry(ref->cipher[i], rounds) == value ||
            decrypt_entry(ref->plain[i], rounds) == value)
            return true;
    return false;
}

static bool find_moved(const struct reference *ref, const uint64_t *from,
                       uint64_t value)
{
    for (uint64_t j = 0; j < min_u64(ref->entries, MOVED_FROM); j++)
        if (from[j] == value)
            return true;
    return false;
}

/* The slow questions are @asked for the first few wrong entries only. */
static enum cell classify(const struct reference *ref, uint64_t i,
                          uint64_t value, uint64_t *asked)
{
    if (value == ref->plain[i])
        return CELL_RIGHT;
    if (value == ref->cipher[i])
        return CELL_CIPHER;
    if (ref->device && value == ref->device[i])
        return CELL_UNTOUCHED;
    if (ref->device && value == decrypt_entry(ref->device[i], ref->iters))
        return CELL_UNTOUCHED_RUN;
    ++*asked;
    if (value == decrypt_entry(ref->plain[i], ref->iters))
        return CELL_AGAIN;
    if (*asked > 256)
        return CELL_UNKNOWN;
    if (decrypted_again(ref, i, value))
        return CELL_AGAIN;
    if (find_moved(ref, ref->plain, value))
        return CELL_MOVED;
    if (find_moved(ref, ref->cipher, value))
        return CELL_MOVED_CIPHER;
    return *asked <= 64 && other_rounds(ref, i, value) ? CELL_ROUNDS
                                                       : CELL_UNKNOWN;
}

static void look_around(const struct reference *ref, const uint64_t *values,
                        struct cells *cells)
{
    uint64_t asked = 0;

    for (int k = -1; k <= 1; k++) {
        const uint64_t i = cells->first_wrong + (uint64_t)k;

        cells->around[k + 1] =
            i < ref->entries ? classify(ref, i, values[i], &asked) : CELL_KINDS;
    }
}

void reference_compare(const struct reference *ref, const uint64_t *values,
                       struct cells *cells)
{
    uint64_t asked = 0;

    memset(cells, 0, sizeof *cells);
    /* All right is the usual case, and soon seen. */
    if (cores_same(values, ref->plain, ref->entries * sizeof *values)) {
        cells->count[CELL_RIGHT] = ref->entries;
        cells->last[CELL_RIGHT] = ref->entries > 0 ? ref->entries - 1 : 0;
        return;
    }
    for (uint64_t i = 0; i < ref->entries; i++) {
        const enum cell kind = classify(ref, i, values[i], &asked);

        if (kind != CELL_RIGHT) {
            if (cells->wrong++ == 0)
                cells->first_wrong = i;
            cells->last_wrong = i;
        }
        if (cells->count[kind]++ == 0)
            cells->first[kind] = i;
        cells->last[kind] = i;
    }
    if (cells->wrong > 0)
        look_around(ref, values, cells);
}

const char *reference_cell_words(enum cell cell)
{
    static const char *const words[] = {
        [CELL_RIGHT] = "right",
        [CELL_CIPHER] = "still encrypted",
        [CELL_UNTOUCHED] = "device memory that nothing was copied to",
        [CELL_UNTOUCHED_RUN] = "decrypted from memory nothing was copied to",
        [CELL_AGAIN] = "decrypted more than once",
        [CELL_ROUNDS] = "decrypted with another number of rounds",
        [CELL_MOVED] = "another entry's value",
        [CELL_MOVED_CIPHER] = "another entry, still encrypted",
        [CELL_UNKNOWN] = "wrong",
        [CELL_KINDS] = NULL,
    };

    return words[cell];
}
