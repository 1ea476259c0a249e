/*
 * explain.c: why nothing orders the two sides of a hazard, and what would
 */
#include <stdio.h>
#include <string.h>
#include "check_state.h"

const char *hazard_label(const struct hazard *hazard, int side)
{
    return hazard->origin[side]->agent->label;
}

static void explain_threads(const char *first, const char *second,
                            struct words *words)
{
    snprintf(words->why, sizeof words->why,
             "%s and %s may run at the same time: between %s and %s neither "
             "waits for the other",
             first, second, words->at[0], words->at[1]);
    snprintf(
        words->help, sizeof words->help,
        "join the one before %s in the other; or both behind one mutex, or "
        "a condition, semaphore or atomic flag between them",
        words->at[1]);
}

/* A kernel and one behind it in the stream that it lets begin early. */
static void explain_early(const char *stream, struct words *words)
{
    snprintf(
        words->why, sizeof words->why,
        "in %s the second kernel may begin before the first has ended, and "
        "does not wait for its end",
        stream);
    snprintf(words->help, sizeof words->help,
             "cudaGridDependencySynchronize in the second kernel before %s",
             words->at[1]);
}

/* A loop that waits for the other side's write: nothing that orders the two is
 * wanted, or it would wait for ever. */
static void explain_flag(const struct hazard *hazard, struct words *words)
{
    const char *const reads = words->at[hazard->reader];
    const char *const writes = words->at[!hazard->reader];

    if (hazard->flag == FLAG_PLAIN_READ) {
        snprintf(words->why, sizeof words->why,
                 "the loop at %s waits for the write at %s, but reads its flag "
                 "by a plain access: a compiler may read it once, and then the "
                 "loop never ends",
                 reads, writes);
        snprintf(words->help, sizeof words->help,
                 "read the flag at %s through a pointer to volatile, or by an "
                 "atomic",
                 reads);
        return;
    }
    snprintf(words->why, sizeof words->why,
             "the loop at %s waits for the write at %s, which is a plain one: "
             "a compiler may move it, or leave it until later",
             reads, writes);
    snprintf(words->help, sizeof words->help,
             "write the flag at %s through a pointer to volatile, or by an "
             "atomic; behind __threadfence() where it says that other data is "
             "there",
             writes);
}

/* Between the host and a stream the host must wait; between two streams an
 * event is wanted. The help names the streams as the program has them. */
void hazard_explain(const struct hazard *hazard, struct words *words)
{
    const char *first = hazard_label(hazard, 0),
               *second = hazard_label(hazard, 1);
    bool host0 = hazard->origin[0]->is_host;
    bool host1 = hazard->origin[1]->is_host;

    if (hazard->flag) {
        explain_flag(hazard, words);
        return;
    }
    if (host0 && host1) {
        explain_threads(first, second, words);
        return;
    }
    if (host0 || host1) {
        const char *stream = host1 ? first : second;
        const char *call = words->call[host1 ? 0 : 1];
        const char *at = words->at[host1 ? 1 : 0];

        const enum vgpu_does does = hazard->origin[host1 ? 0 : 1]->does;
        const bool staged = !hazard->memory && !hazard->variable &&
                            (does == VGPU_DOES_h2d || does == VGPU_DOES_d2h);

        snprintf(words->why, sizeof words->why,
                 "the host does not wait for %s between %s and %s%s", stream,
                 call, at,
                 staged ? "; that a copy of pageable memory holds the host is "
                          "promised nowhere"
                        : "");
        snprintf(words->help, sizeof words->help,
                 "cudaStreamSynchronize on %s before %s", stream, at);
        return;
    }
    if (hazard->origin[1]->agent->early && !strcmp(first, second)) {
        explain_early(first, words);
        return;
    }
    snprintf(words->why, sizeof words->why,
             "%s and %s may run at the same time, no event orders them", first,
             second);
    snprintf(words->help, sizeof words->help,
             "cudaEventRecord in %s after %s, then cudaStreamWaitEvent in %s "
             "before %s; or one stream for both",
             first, words->call[0], second, words->call[1]);
}
