/*
 * 08_uneven_chunks.c: rules of lab 08. Its sizes, and the mistakes that sizes
 * which do not fit bring; the others stand in chunk_lab.c and chunks.c.
 */
#include "chunk_lab.h"

#include <inttypes.h>
#include <string.h>

#include "number.h"

#define UNEVEN "uneven"
#define FEWER  "fewer entries than streams"

/* Some chunks of this size would begin behind the last entry. */
static bool is_past_end(const struct case_run *run)
{
    const uint64_t entries = case_param(run, "entries");
    const uint64_t streams = case_param(run, "streams");

    return div_up(entries, streams) * (streams - 1) > entries;
}

/* ---- a function that did not return -------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const bool fits = !chunk_is_right(chunk_first(run)) || !is_past_end(run);
    const char *const where = run->error.at[0]         ? run->error.at
                              : run->late[0]           ? run->late
                              : finding_is_memory(run) ? "It crashes"
                                                       : NULL;

    if (chunks_is_empty_launch(run))
        return mistake("empty-launch");
    return fits || !where ? chunks_explain_end(run)
                          : mistake_with("width-underflow", "where=%s", where);
}

/* ---- sizes that do not fit ----------------------------------------------- */

/* Of the tail something is missing: what both sides hold says what. */
static struct finding explain_skipped(const struct chunks_left *left,
                                      uint64_t from, uint64_t entries)
{
    const char *const missing = chunks_short_operation(left, entries);

    if (!cells_cover(&left->host, CELL_CIPHER, from, entries) &&
        !cells_cover(&left->host, CELL_UNTOUCHED_RUN, from, entries))
        return finding_none();
    return missing ? mistake_with("tail-skipped/one", "missing=%s", missing)
                   : mistake("tail-skipped");
}

static struct finding explain_tail(const struct case_run *run,
                                   const struct chunks_left *left)
{
    const struct cells *const host = &left->host;
    const uint64_t entries = case_param(run, "entries");
    const uint64_t streams = case_param(run, "streams");
    const uint64_t chunk = div_up(entries, streams);
    const struct finding tail = cipher_explain_tail(entries, streams, host);

    if (host->count[CELL_AGAIN] > 0)
        return mistake_with("chunks-overlap", "first=%" PRIu64,
                            host->first[CELL_AGAIN]);
    if (!finding_is(&tail, "floor-division"))
        return chunk == 0
                   ? tail
                   : explain_skipped(left, entries / chunk * chunk, entries);
    if (entries < streams && chunk_is_right(case_other(run, "right: " UNEVEN)))
        return mistake("zero-chunk");
    return mistake_with(tail.id, "left=%" PRIu64, entries % streams);
}

/* What goes wrong with chunks of one size is told by the first case. Of the
 * three operations that take too much, the first one brings the others. */
static struct finding explain_right(const struct case_run *run,
                                    const struct chunks_left *left)
{
    if (!chunk_is_right(chunk_first(run)))
        return finding_none();
    if (run->late[0] != '\0' && is_past_end(run))
        return mistake_with("width-underflow", "where=%s", run->late);
    if (chunks_explain_shift(left).id)
        return chunks_explain_shift(left);
    if (left->overrun.any)
        return mistake(left->overrun.apart     ? "width-underflow/apart"
                       : left->overrun.copy_in ? "tail-copy-in"
                       : left->overrun.kernel  ? "tail-kernel"
                                               : "tail-copy-back");
    return left->running ? finding_none() : explain_tail(run, left);
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_case cases[] = {
    {CHUNK_RIGHT("divisible", 5, 8192, 8), CHUNK_CHECKED(8192, 8)},
    {CHUNK_RIGHT(UNEVEN, 5, 10000, 7), CHUNK_CHECKED(10000, 7)},
    {CHUNK_RIGHT("prime", 5, 10007, 16)},
    {CHUNK_RIGHT("more streams than chunks", 5, 9, 7)},
    {CHUNK_RIGHT(FEWER, 5, 5, 8), CHUNK_CHECKED(5, 8)},
    {CHUNK_RIGHT("one entry", 5, 1, 4)},
    {CHUNK_RIGHT("one stream", 2, 70001, 1)},
    {CHUNK_RIGHT("no entries", 1, 0, 4), .skip = chunk_skip},
    CHUNK_LARGE(UNEVEN, "499707..548859/16", "16252923..17301499/32", 30),
    {.name = "right: many entries",
     .points = 2,
     .params = "job=many many=16777217 streams=16 entries=64 iters=1",
     .data = &cipher_host_data,
     .seconds = CHUNK_SECONDS,
     .needs = CHUNK_ORDERED,
     .mistake = "too-narrow/float"},
};

static const struct chunk_lab own = {
    .ordered = {"right: " UNEVEN, "right: " FEWER},
    .explain_end = explain_end,
    .explain_right = explain_right,
    .empty_left = "empty-launch/clean",
};

LAB_RULES(.name = "08_uneven_chunks", .own = &own,
          .explain_end = chunk_explain_end,
          .undone = LAB_UNDONE({"floor-division", LAB_TODO(1)},
                               {"empty-launch", LAB_TODO(2)},
                               {"no-kernel", LAB_TODO(3)},
                               {"no-final-sync", LAB_TODO(4)}));
