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

/* ---- parts ----------------------------------------------------------------
 */

void difference_add_part(struct difference *found, uint64_t part)
{
    found->wrong_parts[part / 64] |= UINT64_C(1) << part % 64;
}

static bool is_part_wrong(const struct difference *found, uint64_t part)
{
    return found->wrong_parts[part / 64] >> part % 64 & 1;
}

/* Return: the part of element @i, or num_parts for none. */
static uint64_t part_of(const struct judge_arrays *arrays, uint64_t i)
{
    const uint64_t part = i < arrays->part_begin
                              ? arrays->num_parts
                              : (i - arrays->part_begin) / arrays->part_entries;

    return arrays->part_again ? part % arrays->num_parts
                              : min_u64(part, arrays->num_parts);
}

/* Those with a wrong element, and whether all others of theirs are, too. */
static void find_parts(struct difference *found,
                       const struct judge_arrays *arrays)
{
    uint64_t elements = 0, wrong = 0, parts = 0;

    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < arrays->count; i++) {
            const uint64_t part = part_of(arrays, i);
            const bool bad = !same(arrays, arrays->got, i, arrays->expected, i);

            if (part < found->num_parts && pass == 0 && bad)
                difference_add_part(found, part);
            if (part == found->num_parts || pass == 0 ||
                !is_part_wrong(found, part))
                continue;
            elements++;
            wrong += bad;
        }
    for (uint64_t p = 0; p < found->num_parts; p++)
        parts += is_part_wrong(found, p);
    found->whole_parts =
        parts > 0 && parts < found->num_parts && wrong == elements;
}

/* ---- arrays ---------------------------------------------------------------
 */

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
    found->part = arrays->part;
    found->num_parts = arrays->num_parts;
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
    if (arrays->part)
        find_parts(found, arrays);
    asked = 0;
    for (int k = -1; found->wrong > 0 && k <= 1; k++) {
        const uint64_t i = found->first + (uint64_t)k;

        if (i < arrays->count)
            found->around[k + 1] =
                kind_words(arrays, kind_of(arrays, i, &asked));
    }
}

void difference_in_parts(const struct case_run *run,
                         struct judge_arrays *arrays)
{
    const struct case_data *const data = &run->data;
    const uint64_t parts = data->parts ? case_param(run, data->parts) : 0;
    const uint64_t each =
        data->part_entries ? case_param(run, data->part_entries)
        : parts > 0        ? div_up(arrays->count - data->part_begin, parts)
                           : 0;
    const uint64_t number =
        parts > 0 || each == 0 ? parts : div_up(arrays->count, each);

    if (!data->part || each == 0 || number < 2 || number > MAX_PARTS)
        return;
    arrays->part = data->part;
    arrays->part_entries = each;
    arrays->num_parts = number;
    arrays->part_begin = data->part_begin;
    arrays->part_again = data->part_again;
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
        difference_in_parts(run, &arrays);
        difference_arrays(found, &arrays);
    }
}

/* Which of many parts: one, all but one, every second, from one on, or up to
 * one. Those of all parts, and other patterns, are told by their number. */
void difference_which(struct out *words, const struct difference *found)
{
    const uint64_t count = found->num_parts, end = count - 1;
    const char *const more = strcmp(found->part, "batch") == 0 ? "es" : "s";
    uint64_t wrong = 0, first = count, last = 0, right = 0;
    bool second = true;

    for (uint64_t p = 0; p < count; p++) {
        if (!is_part_wrong(found, p)) {
            right = p;
            continue;
        }
        first = min_u64(first, p);
        second = second && (p - first) % 2 == 0;
        last = p;
        wrong++;
    }
    if (wrong == 1)
        text_printf(words,
                    first == end ? "the last %s alone, %llu" : "%s %llu alone",
                    found->part, (unsigned long long)first);
    else if (wrong == end)
        text_printf(words,
                    right == end ? "all but the last %s, %llu"
                                 : "all but %s %llu",
                    found->part, (unsigned long long)right);
    else if (second && wrong == (count - first + 1) / 2)
        text_printf(words, "every second %s, from %llu on", found->part,
                    (unsigned long long)first);
    else if (last - first + 1 == wrong)
        text_printf(words, "%s%s %llu to %llu", found->part, more,
                    (unsigned long long)first, (unsigned long long)last);
    else
        text_printf(words, "%llu of %llu %s%s", (unsigned long long)wrong,
                    (unsigned long long)count, found->part, more);
}

struct finding finding_parts(const struct difference *found)
{
    OWNED_TEXT which = {0};

    difference_which(&which, found);
    return mistake_with("parts-wrong", "which=%s", text_string(&which));
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
    if (found->whole_parts) {
        text_printf(words, "; wrong: ");
        difference_which(words, found);
    }
}
