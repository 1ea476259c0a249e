/*
 * explain.c: why nothing orders the two sides of a hazard, and what would
 */
#include <stdio.h>
#include <string.h>
#include "check_state.h"

/* A node is in a stream that nobody knows: whose launch it is of is told. */
char *origin_label(const struct origin *origin, char *text)
{
    char line[LINE];

    if (origin->launched.id)
        snprintf(text, LABEL, "the graph launched at %s into %s",
                 vgpu_line_format(origin->launched.pc, line, sizeof line),
                 origin->launched.agent->label);
    else
        snprintf(text, LABEL, "%s", origin->agent->label);
    return text;
}

static void explain_threads(const char *first, const char *second,
                            struct words *words)
{
    PUT(words->why,
        "%s and %s may run at the same time: between %s and %s neither "
        "waits for the other",
        first, second, words->at[0], words->at[1]);
    PUT(words->help,
        "join the one before %s in the other; or both behind one mutex, or "
        "a condition, semaphore or atomic flag between them",
        words->at[1]);
}

/* A kernel and one behind it in the stream that it lets begin early. */
static void explain_early(const char *stream, struct words *words)
{
    PUT(words->why,
        "in %s the second kernel may begin before the first has ended, and "
        "does not wait for its end",
        stream);
    PUT(words->help,
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
        PUT(words->why,
            "the loop at %s waits for the write at %s, but reads its flag "
            "by a plain access: a compiler may read it once, and then the "
            "loop never ends",
            reads, writes);
        PUT(words->help,
            "read the flag at %s through a pointer to volatile, or by an "
            "atomic",
            reads);
        return;
    }
    PUT(words->why,
        "the loop at %s waits for the write at %s, which is a plain one: "
        "a compiler may move it, or leave it until later",
        reads, writes);
    PUT(words->help,
        "write the flag at %s through a pointer to volatile, or by an "
        "atomic; behind __threadfence() where it says that other data is "
        "there",
        writes);
}

static bool frees(const struct hazard *hazard, int side)
{
    return hazard->origin[side]->does == VGPU_DOES_free &&
           !hazard->origin[side]->launched.id;
}

static bool same_launch(const struct hazard *hazard)
{
    const uint64_t id = hazard->origin[0]->launched.id;

    return id && id == hazard->origin[1]->launched.id;
}

/* A stream is of one device. */
static bool same_device(const struct hazard *hazard)
{
    return hazard->origin[0]->agent->device == hazard->origin[1]->agent->device;
}

/* Two nodes of one launch, which its edges do not order. */
static void explain_nodes(struct words *words)
{
    PUT(words->why,
        "both are nodes of the graph launched at %s, and no path of "
        "dependencies leads from one to the other",
        words->launch[0]);
    PUT(words->help,
        "a dependency between the two nodes: cudaGraphAddDependencies; in "
        "a capture cudaEventRecord after %s, then cudaStreamWaitEvent in "
        "the other stream before %s",
        words->call[0], words->call[1]);
}

/* Pageable memory that the host uses behind an asynchronous copy of it; of a
 * graph, no call holds it. */
bool hazard_is_relied(const struct hazard *hazard)
{
    const enum vgpu_does does = hazard->origin[0]->does;

    return hazard->origin[1]->is_host && !hazard->memory && !hazard->variable &&
           !hazard->origin[0]->launched.id &&
           (does == VGPU_DOES_h2d || does == VGPU_DOES_d2h);
}

/* Memory that one stream frees and another uses: the use has to come first, in
 * whichever order the calls are. */
static void explain_free(int use, struct words *words)
{
    PUT(words->why,
        "in %s the memory is free, and may be given out again, from %s "
        "on; no event puts %s in %s ahead of that",
        words->queue[!use], words->put[!use], words->put[use],
        words->queue[use]);
    PUT(words->help,
        "%scudaEventRecord in %s after %s, then cudaStreamWaitEvent in "
        "%s before cudaFreeAsync; or cudaFreeAsync in %s, behind %s",
        use ? "free it later than there: " : "", words->queue[use],
        words->put[use], words->queue[!use], words->queue[use],
        words->put[use]);
}

/* Between the host and a stream the host must wait; between two streams an
 * event is wanted. The help names the streams as the program has them. */
void hazard_explain(const struct hazard *hazard, struct words *words)
{
    const char *first = words->agent[0], *second = words->agent[1];
    bool host0 = hazard->origin[0]->is_host;
    bool host1 = hazard->origin[1]->is_host;
    bool near;

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
        const char *call = words->put[host1 ? 0 : 1];
        const char *at = words->at[host1 ? 1 : 0];

        PUT(words->help, "cudaStreamSynchronize on %s before %s",
            words->queue[host1 ? 0 : 1], at);
        near = host1 && events_explain(hazard, words);
        PUT(words->why, "the host does not wait for %s between %s and %s%s%s",
            stream, call, at, near ? ": " : "", near ? words->reason : "");
        return;
    }
    if (hazard->origin[1]->agent->early && !strcmp(first, second)) {
        explain_early(first, words);
        return;
    }
    if (frees(hazard, 0) || frees(hazard, 1)) {
        explain_free(frees(hazard, 0), words);
        return;
    }
    if (same_launch(hazard)) {
        explain_nodes(words);
        return;
    }
    near = events_explain(hazard, words);
    PUT(words->why, "%s and %s may run at the same time%s %s", first, second,
        near ? ":" : ",", near ? words->reason : "no event orders them");
    if (near)
        return;
    PUT(words->help,
        "cudaEventRecord in %s after %s, then cudaStreamWaitEvent in %s "
        "before %s%s",
        words->queue[0], words->put[0], words->queue[1], words->put[1],
        same_device(hazard) ? "; or one stream for both" : "");
}
