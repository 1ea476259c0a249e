/*
 * 07_chunked_overlap.c: rules of lab 07. Its sizes, all of which divide, and
 * the mistakes that only this lab knows; the others stand in chunk_lab.c and
 * chunks.c.
 */
#include "chunk_lab.h"

#include <signal.h>
#include <string.h>

/* ---- a function that did not return -------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const bool died = finding_is_memory(run);
    const struct sign signs[] = {
        {strcmp(run->late, "cudaErrorInvalidHostPointer") == 0,
         "bad-host-memory"},
        {case_failed(run, "cudaFreeHost*", NULL) ||
             case_failed(run, "cudaHostUnregister*", NULL) ||
             (died && run->code == SIGABRT) ||
             (died && chunk_is_right(chunk_first(run))),
         "free-mismatch"},
        {true, NULL},
    };
    const struct finding found = mistake_first(signs);

    return found.id ? found : chunks_explain_end(run);
}

/* ---- one size ------------------------------------------------------------ */

static struct finding explain_right(const struct case_run *run,
                                    const struct chunks_left *left)
{
    (void)run;
    if (left->overrun.any)
        return mistake_with("whole-array", "back=%s",
                            left->overrun.copy_in  ? "copy in"
                            : left->overrun.kernel ? "kernel"
                                                   : "copy back");
    return finding_none();
}

/* ---- fast, clean --------------------------------------------------------- */

static struct finding explain_fast(const struct case_run *run,
                                   const struct trace_facts *trace)
{
    if (trace->pageable + trace->blocking_copies > 0 &&
        run->evidence->first_todo > 0)
        return finding_open_todo(run->evidence);
    if (trace->kernels == 1)
        return mistake("one-piece");
    return trace->pageable > 0 ? mistake("pageable-memory") : finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_case cases[] = {
    {CHUNK_RIGHT("even", 5, 8192, 8), CHUNK_CHECKED(8192, 8)},
    {CHUNK_RIGHT("an odd chunk", 5, 7063, 7), CHUNK_CHECKED(7063, 7)},
    {CHUNK_RIGHT("many streams", 5, 6400, 64)},
    {CHUNK_RIGHT("one entry a chunk", 5, 16, 16), CHUNK_CHECKED(16, 16)},
    {CHUNK_RIGHT("one stream", 5, 1000, 1)},
    /* The skeleton is right already: what it lacks is the overlap. */
    CHUNK_LARGE(524288, 16777216, 40),
};

static const struct chunk_lab own = {
    .ordered = {"right: an odd chunk", "right: one entry a chunk"},
    .explain_end = explain_end,
    .explain_right = explain_right,
    .explain_fast = explain_fast,
    .pageable = {true, "pageable-memory"},
};

LAB_RULES(.name = "07_chunked_overlap", .own = &own,
          .explain_end = chunk_explain_end);
