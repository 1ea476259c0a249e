/* difference.c: where two arrays differ, and what the wrong elements are */
#include "judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "number.h"

enum { KNOWN = MAX_KINDS - 3 };

/* Element @i of one array and element @j of another are the same. By their
 * bytes, real numbers too: the reference does the same operations in the same
 * order, so that a sum that differs in its last bit was made in another way. */
static bool same(const struct judge_arrays *arrays, const void *one, uint64_t i,
                 const void *other, uint64_t j)
{
    const size_t size = arrays->type;

    return memcmp((const char *)one + i * size, (const char *)other + j * size,
                  size) == 0;
}

/* ---- kinds --------------------------------------------------------------- */

static int num_known(const struct judge_arrays *arrays)
{
    int count = 0;

    while (count < KNOWN && arrays->known[count].words)
        count++;
    return count;
}

static bool is_another(const struct judge_arrays *arrays, uint64_t i)
{
    for (uint64_t j = 0; j < min_u64(arrays->count, 1 << 20); j++)
        if (same(arrays, arrays->got, i, arrays->expected, j))
            return true;
    return false;
}

/* The slow question is asked for the first few only. Return: -1 right, else
 * the index of found->kinds. */
static int kind_of(const struct judge_arrays *arrays, uint64_t i,
                   uint64_t *asked)
{
    static const unsigned char zero[8];
    const int known = num_known(arrays);

    if (same(arrays, arrays->got, i, arrays->expected, i))
        return -1;
    for (int k = 0; k < known; k++)
        if (same(arrays, arrays->got, i, arrays->known[k].values, i))
            return k;
    if (memcmp((const char *)arrays->got + i * arrays->type, zero,
               arrays->type) == 0)
        return known;
    if ((*asked)++ < 256 && is_another(arrays, i))
        return known + 1;
    return known + 2;
}

static const char *kind_words(const struct judge_arrays *arrays, int kind)
{
    static const char *const others[] = {"zero", "another element's value",
                                         "wrong"};
    const int known = num_known(arrays);

    return kind < 0       ? "right"
           : kind < known ? arrays->known[kind].words
                          : others[kind - known];
}

/* Right arrays are the usual case and cost one comparison. Around the first
 * wrong element the kinds are asked for once more: its neighbours may be right,
 * and are shown to say where the wrong ones begin. */
void difference_arrays(struct difference *found,
                       const struct judge_arrays *arrays)
{
    uint64_t asked = 0;

    memset(found, 0, sizeof *found);
    found->count = arrays->count;
    found->noun = arrays->noun ? arrays->noun : "element";
    if (cores_same(arrays->got, arrays->expected, arrays->count * arrays->type))
        return;
    for (uint64_t i = 0; i < arrays->count; i++) {
        const int kind = kind_of(arrays, i, &asked);

        if (kind < 0)
            continue;
        if (found->wrong++ == 0)
            found->first = i;
        found->last = i;
        found->kinds[kind]++;
    }
    asked = 0;
    for (int k = -1; found->wrong > 0 && k <= 1; k++) {
        const uint64_t i = found->first + (uint64_t)k;

        if (i < arrays->count)
            found->around[k + 1] =
                kind_words(arrays, kind_of(arrays, i, &asked));
    }
}

/* Known are the entries of the input, as far as there are any. */
void difference_expected(const struct case_run *run, struct difference *found)
{
    const struct case_data *const data = &run->data;
    const size_t bytes = run->output_bytes;
    OWNED void *const expected = calloc(1, bytes + 1);
    OWNED void *const still = calloc(1, bytes + 1);
    struct judge_arrays arrays = {
        .type = data->entry_bytes == sizeof(uint32_t) ? JUDGE_U32 : JUDGE_U64,
        .got = run->output,
        .expected = expected,
        .known = {{data->still, still}},
        .noun = data->noun};

    if (expected && still) {
        memcpy(still, run->input,
               run->input_bytes < bytes ? run->input_bytes : bytes);
        arrays.count = data->expect(run, expected);
        difference_arrays(found, &arrays);
    }
}

void difference_describe(struct out *words, const struct difference *found)
{
    const char *const noun = found->noun ? found->noun : "element";
    const unsigned long long first = found->first;
    const size_t length = strlen(noun);
    const bool one = found->count == 1;
    const bool is_y = !one && length > 0 && noun[length - 1] == 'y';
    int shown = 0;

    text_printf(words, "%llu of %llu ", (unsigned long long)found->wrong,
                (unsigned long long)found->count);
    /* "elements", "entries" */
    text_printf(words, "%.*s%s wrong", (int)length - is_y, noun,
                one    ? ""
                : is_y ? "ies"
                       : "s");
    for (int k = 0; k < 3; k++)
        if (found->around[k])
            text_printf(words, "%s %s %llu is %s", shown++ ? "," : ";", noun,
                        first + (unsigned long long)k - 1, found->around[k]);
}
