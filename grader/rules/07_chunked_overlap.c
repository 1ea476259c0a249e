/*
 * 07_chunked_overlap.c: rules of lab 07. Its sizes, all of which divide, and
 * the mistakes that only this lab knows; the others stand in chunk_lab.c and
 * chunks.c.
 */
#include "chunk_lab.h"

#include <string.h>

/* ---- a function that did not return -------------------------------------- */

static struct finding explain_end(const struct case_run *run)
{
    const char *const crash =
        case_reported(run, REPORTED(crash_division) | REPORTED(crash_trap) |
                               REPORTED(crash_address) | REPORTED(host_access));

    if (crash && report_is_drivers(crash, "at"))
        return mistake("memory-too-small");
    if (case_is(run, "memory") &&
        (finding_is_memory(run) || run->error.at[0] != '\0'))
        return mistake("free-mismatch");
    if (strcmp(run->late, "cudaErrorInvalidHostPointer") == 0)
        return mistake("bad-host-memory");
    return chunks_explain_end(run);
}

/* ---- one size ------------------------------------------------------------ */

static struct finding explain_right(const struct case_run *run,
                                    const struct chunks_left *left)
{
    const struct overrun *const over = &left->overrun;
    const uint64_t wrong = left->host.wrong;
    const bool late = wrong > 0 && wrong == left->device.count[CELL_UNTOUCHED];

    (void)run;
    if (!over->any)
        return finding_none();
    if (!late && chunks_explain_shift(left).id)
        return chunks_explain_shift(left);
    return mistake_with(over->copy_in && late ? "chunks-too-late"
                        : over->copy_in && over->copy_back && wrong == 0
                            ? "chunk-too-long"
                            : "whole-array",
                        "back=%s",
                        over->copy_in                      ? "copy in"
                        : over->kernel || !over->copy_back ? "kernel"
                                                           : "copy back");
}

/* ---- fast, clean --------------------------------------------------------- */

static struct finding explain_fast(const struct case_run *run,
                                   const struct trace_facts *trace)
{
    if (trace->pageable + trace->blocking_copies > 0 &&
        run->evidence->first_todo > 0)
        return finding_todo_or(run, finding_none());
    if (trace->kernels == 1)
        return mistake("one-piece");
    return trace->pageable > 0 ? mistake("pageable-memory") : finding_none();
}

/* By itself: what cannot be given back takes nothing from other cases. */
static bool ask_pinned(const struct case_run *run, struct judgement *judgement)
{
    if (case_fact(run, "pageable"))
        return judge_no(run, judgement,
                        finding_todo_or(run, mistake("pageable-memory")),
                        "host_memory_new returns pageable memory");
    if (!case_fact(run, "pinned"))
        return judge_no(run, judgement, mistake("bad-host-memory"),
                        "host_memory_new returns no pinned memory");
    return !case_fact(run, "left") ||
           judge_no(run, judgement, mistake("leak/host-memory"),
                    "still pinned after host_memory_free");
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_case cases[] = {
    {CHUNK_RIGHT("even", 5, 8192, 8), CHUNK_CHECKED(8192, 8)},
    {CHUNK_RIGHT("an odd chunk", 5, 7063, 7), CHUNK_CHECKED(7063, 7)},
    {CHUNK_RIGHT("many streams", 5, 6400, 64)},
    {CHUNK_RIGHT("one entry a chunk", 5, 16, 16), CHUNK_CHECKED(16, 16)},
    {CHUNK_RIGHT("one stream", 5, 70001, 1)},
    {.name = "memory",
     .points = 5,
     .params = "job=memory entries=1000 guard=64",
     .checked = true,
     .asks = LAB_ASKS(judge_clean, ask_pinned),
     .passed = "pinned, and given back"},
    /* The skeleton is right already: what it lacks is the overlap. */
    CHUNK_LARGE("an odd chunk", "499712..548864/1024",
                "16252928..17301504/1024", 35),
};

static const struct chunk_lab own = {
    .ordered = {"right: an odd chunk", "right: one entry a chunk"},
    .explain_end = explain_end,
    .explain_right = explain_right,
    .explain_fast = explain_fast,
};

LAB_RULES(.name = "07_chunked_overlap", .own = &own,
          .undone = LAB_UNDONE({"free-mismatch", LAB_TODO(1) | LAB_TODO(2)}),
          .explain_end = chunk_explain_end);
