/*
 * 11_multi_parts.c: lab 11, before any work: which entries belong to which
 * GPU, and the memory for them, taken and given back
 */
#include <stdio.h>
#include <stdlib.h>

#include "11_multi.h"
#include "number.h"

unsigned multi_gpus(const struct case_run *run)
{
    return (unsigned)case_fact(run, "gpus");
}

void multi_print_gpus(struct text *words, unsigned set)
{
    const bool one = (set & (set - 1)) == 0;

    text_printf(words, one ? "GPU" : "GPUs");
    for (unsigned g = 0, shown = 0; g < MULTI_MOST_GPUS; g++) {
        if (!(set >> g & 1))
            continue;
        text_printf(words, "%s%u",
                    shown++ == 0    ? " "
                    : set >> g == 1 ? " and "
                                    : ", ",
                    g);
    }
}

/* ---- parts --------------------------------------------------------------- */

/* The parts of one number of entries on one number of GPUs. */
struct split {
    uint64_t n, gpus;
    const uint64_t *pairs; /* lower and width of each */
};

static bool is_floor(const struct split *split)
{
    for (uint64_t g = 0; g < split->gpus; g++)
        if (split->pairs[2 * g + 1] != split->n / split->gpus)
            return false;
    return split->n % split->gpus != 0;
}

static struct finding explain_width(const struct split *split, uint64_t gpu)
{
    const uint64_t lower = split->pairs[2 * gpu];
    const uint64_t width = split->pairs[2 * gpu + 1];

    if (width > UINT64_MAX / 2)
        return mistake_with("width-underflow", "gpu=%u\ngpus=%u\nn=%u",
                            (unsigned)gpu, (unsigned)split->gpus,
                            (unsigned)split->n);
    if (width > 0 && (lower > split->n || width > split->n - lower))
        return mistake_with("part-too-long/width", "n=%u\ngpus=%u\ngpu=%u",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)gpu);
    return finding_none();
}

/* Each entry must be in one part: @times counts in how many it is. */
static struct finding explain_cover(const struct split *split,
                                    const unsigned char *times)
{
    uint64_t left = 0, twice = 0;

    for (uint64_t i = 0; i < split->n; i++) {
        left += times[i] == 0;
        twice += times[i] > 1;
    }
    if (left > 0 && is_floor(split))
        return mistake_with("floor-division", "n=%u\ngpus=%u\nleft=%u",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)left);
    if (left > 0)
        return mistake_with("entries-left-out", "n=%u\ngpus=%u\nleft=%u",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)left);
    if (twice > 0)
        return mistake_with("parts-overlap", "n=%u\ngpus=%u\ntwice=%u",
                            (unsigned)split->n, (unsigned)split->gpus,
                            (unsigned)twice);
    return finding_none();
}

static struct finding explain_split(const struct split *split)
{
    unsigned char *const times = calloc(split->n + 1, 1);
    struct finding found = finding_none();
    uint64_t longest = 0, owner = 0;

    for (uint64_t g = 0; times && g < split->gpus && !found.id; g++) {
        const uint64_t lower = split->pairs[2 * g];
        const uint64_t width = split->pairs[2 * g + 1];

        found = explain_width(split, g);
        for (uint64_t i = 0; !found.id && i < width; i++)
            times[lower + i] += times[lower + i] < 2;
        if (width > longest) {
            longest = width;
            owner = g;
        }
    }
    if (times && !found.id)
        found = explain_cover(split, times);
    free(times);
    if (!found.id && longest > div_up(split->n, split->gpus))
        return mistake_with(
            "unbalanced", "n=%u\ngpus=%u\nowner=%u\nlongest=%u\ngpus2=%u",
            (unsigned)split->n, (unsigned)split->gpus, (unsigned)owner,
            (unsigned)longest, (unsigned)div_up(split->n, split->gpus));
    return found;
}

void multi_judge_parts(const struct case_run *run, struct judgement *judgement)
{
    const unsigned sizes = (unsigned)case_param(run, "sizes");
    const uint64_t *pairs = run->output;

    for (unsigned i = 0; i < sizes; i++) {
        char n[16], g[16];
        struct split split;
        struct finding found;

        snprintf(n, sizeof n, "n%u", i);
        snprintf(g, sizeof g, "g%u", i);
        split = (struct split){case_param(run, n), case_param(run, g), pairs};
        pairs += 2 * split.gpus;
        found = explain_split(&split);
        if (found.id == NULL)
            continue;
        judge_fail(judgement,
                   case_is_open(run, 1) ? finding_open_todo(run->evidence)
                                        : found,
                   "%u entries on %u GPUs: not each entry once, or not evenly",
                   (unsigned)split.n, (unsigned)split.gpus);
        return;
    }
    judge_pass(judgement, "%u sizes, each entry in one part", sizes);
}

/* ---- memory -------------------------------------------------------------- */

static struct finding explain_place(const struct case_run *run, unsigned wrong)
{
    const int64_t first = case_numbered_fact(run, "device", 0);
    struct text words = {0};
    struct finding found;
    bool same = true;

    for (unsigned g = 0; g < multi_gpus(run); g++)
        same &= case_numbered_fact(run, "device", g) == first;
    multi_print_gpus(&words, wrong);
    if (same)
        found = mistake_with("all-on-one-gpu", "first=%d", (int)first);
    else
        found = mistake_with("wrong-gpu", "words=%s", text_string(&words));
    text_free(&words);
    return found;
}

/* Which GPUs' memory is not there, is elsewhere, is too small? */
static struct finding explain_memory(const struct case_run *run)
{
    const unsigned gpus = multi_gpus(run);
    unsigned none = 0, wrong = 0, small = 0;

    for (unsigned g = 0; g < gpus; g++) {
        const int64_t device = case_numbered_fact(run, "device", g);

        none |= (unsigned)(device < 0) << g;
        wrong |= (unsigned)(device >= 0 && device != g) << g;
        small |= (unsigned)(device == g && !case_numbered_fact(run, "room", g))
                 << g;
    }
    if (none == (1u << gpus) - 1 && case_is_open(run, 2))
        return finding_open_todo(run->evidence);
    if (none)
        return mistake("no-memory");
    if (case_fact(run, "beyond") > 0)
        return mistake("too-many-gpus");
    if (wrong)
        return explain_place(run, wrong);
    if (small)
        return mistake("memory-too-small");
    return finding_none();
}

void multi_judge_memory(const struct case_run *run, struct judgement *judgement)
{
    const struct finding found = explain_memory(run);

    if (found.id)
        judge_fail(judgement, found, "not on each GPU for its own part");
    else if (judge_order(run, judgement))
        judge_pass(judgement, "on each of %u GPUs for its part",
                   multi_gpus(run));
}

void multi_judge_given_back(const struct case_run *run,
                            struct judgement *judgement)
{
    const struct case_run *const memory = case_other(run, MEMORY);
    const unsigned gpus = multi_gpus(memory);
    unsigned left = 0, count = 0;
    struct text words = {0};

    for (unsigned g = 0; g < gpus; g++) {
        left |= (unsigned)(case_numbered_fact(memory, "left", g) != 0) << g;
        count += case_numbered_fact(memory, "left", g) != 0;
    }
    multi_print_gpus(&words, left);
    if (left == 0)
        judge_pass(judgement, "on all %u GPUs", gpus);
    else if (case_is_open(run, 3))
        judge_fail(judgement, finding_open_todo(run->evidence), "not on %s",
                   text_string(&words));
    else
        judge_fail(judgement,
                   count == gpus ? mistake("leak")
                                 : mistake_with("leak-on-some-gpus", "words=%s",
                                                text_string(&words)),
                   "not on %s", text_string(&words));
    text_free(&words);
}
