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
    if (strcmp(run->late, "cudaErrorInvalidHostPointer") == 0)
        return mistake("bad-host-memory");
    if (strncmp(run->error.call, "cudaFreeHost", 12) == 0 ||
        strncmp(run->error.call, "cudaHostUnregister", 18) == 0 ||
        (run->end == CHILD_SIGNALLED && run->code == SIGABRT) ||
        (run->end == CHILD_SIGNALLED && chunk_is_right(chunk_first(run))))
        return mistake("free-mismatch");
    return chunks_explain_end(run);
}

/* ---- one size ------------------------------------------------------------ */

static struct finding explain_right(const struct case_run *run,
                                    const struct chunks_left *left)
{
    const uint64_t entries = case_param(run, "entries");
    const uint64_t chunk = entries / case_param(run, "streams");

    if (left->overrun.any)
        return mistake_with("whole-array", "back=%s",
                            left->overrun.copy_in  ? "copy in"
                            : left->overrun.kernel ? "kernel"
                                                   : "copy back");
    if (!left->running && left->device.wrong > 0 &&
        cells_cover(&left->host, CELL_CIPHER, entries - chunk, entries))
        return mistake("chunk-missing");
    return finding_none();
}

/* ---- fast, clean --------------------------------------------------------- */

static struct finding explain_todo(const struct chunks *chunks)
{
    return mistake_with("open-todo", "todo=%d", chunks->first_todo);
}

static struct finding explain_pageable(void)
{
    return mistake("pageable-memory");
}

static struct finding explain_fast(const struct chunks *chunks)
{
    const struct trace_facts *trace = chunks->trace;

    if (chunks->first_todo > 0 && trace->pageable + trace->blocking_copies > 0)
        return explain_todo(chunks);
    if (trace->kernels == 1)
        return mistake("one-piece");
    if (trace->pageable > 0)
        return explain_pageable();
    return chunks_explain_slow(chunks);
}

static struct finding explain_clean(const struct chunks *chunks,
                                    const char *error, const char *warning)
{
    if (error[0] != '\0' || warning[0] == '\0')
        return finding_none();
    if (strstr(warning, "pageable"))
        return chunks->first_todo > 0 ? explain_todo(chunks)
                                      : explain_pageable();
    return mistake("leak");
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_case cases[] = {
    {CHUNK_RIGHT("even", 5, 8192, 8), CHUNK_CHECKED(8192, 8)},
    {CHUNK_RIGHT("an odd chunk", 5, 7063, 7), CHUNK_CHECKED(7063, 7)},
    {CHUNK_RIGHT("many streams", 5, 6400, 64)},
    {CHUNK_RIGHT("one entry a chunk", 5, 16, 16), CHUNK_CHECKED(16, 16)},
    {CHUNK_RIGHT("one stream", 5, 1000, 1)},
    /* The skeleton is right already: what it lacks is the overlap. */
    CHUNK_LARGE(524288, 33554432, 40),
};

static const struct chunk_lab own = {
    .ordered = {"right: an odd chunk", "right: one entry a chunk"},
    .explain_end = explain_end,
    .explain_right = explain_right,
    .explain_fast = explain_fast,
    .explain_clean = explain_clean,
};

LAB_RULES(.name = "07_chunked_overlap", .own = &own,
          .explain_end = chunk_explain_end);
