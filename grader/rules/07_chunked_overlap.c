/*
 * 07_chunked_overlap.c: rules of lab 07. Shapes, points, and the mistakes that
 * only this lab knows; those of every chunk stand in chunks.c.
 */
#include "chunks.h"

#include <signal.h>
#include <string.h>

#define CHUNK  "Why chunks"
#define PINNED "Why pinned memory"
#define TODO   "What to do"

/* All of them divide. Their order matters below. */
enum { EVEN, ODD_CHUNK, MANY, EACH_ONE, ALONE, SHAPES };

static const struct lab_shape shapes[SHAPES] = {
    [EVEN] = {.name = "even", .entries = 8192, .streams = 8, .points = 5},
    [ODD_CHUNK] = {.name = "an odd chunk",
                   .entries = 7063,
                   .streams = 7,
                   .points = 5},
    [MANY] = {.name = "many streams",
              .entries = 6400,
              .streams = 64,
              .points = 5},
    [EACH_ONE] = {.name = "one entry a chunk",
                  .entries = 16,
                  .streams = 16,
                  .points = 5},
    [ALONE] = {.name = "one stream",
               .entries = 1000,
               .streams = 1,
               .points = 5},
};

static const size_t order_shapes[] = {ODD_CHUNK, EACH_ONE};

/* The evidence as chunks.c looks at it. */
static struct chunks view(const struct evidence *ev)
{
    return (struct chunks){
        .idea = CHUNK,
        .task = TODO,
        .entries = shapes[EVEN].entries,
        .streams = shapes[EVEN].streams,
        .trace = &ev->order[0].trace,
        .trace_entries = shapes[ODD_CHUNK].entries,
        .trace_streams = shapes[ODD_CHUNK].streams,
        .first_todo = ev->first_todo,
    };
}

static bool even_right(const struct evidence *ev)
{
    return ev->shapes[EVEN].ran && ev->shapes[EVEN].right;
}

/* ---- memory -------------------------------------------------------------- */

static struct finding explain_memory(const struct evidence *ev,
                                     const struct run_result *run)
{
    if (strcmp(run->late, "cudaErrorInvalidHostPointer") == 0)
        return finding_make("bad-host-memory", PINNED,
                            "What `host_memory_new` returns is no memory of "
                            "the host.");
    if (strncmp(run->error.call, "cudaFreeHost", 12) == 0 ||
        strncmp(run->error.call, "cudaHostUnregister", 18) == 0 ||
        (run->end == CHILD_SIGNALLED && run->code == SIGABRT) ||
        (run->end == CHILD_SIGNALLED && even_right(ev)))
        return finding_make(
            "free-mismatch", PINNED,
            "The memory is given back in another way than it was taken: "
            "cudaMallocHost goes with cudaFreeHost, malloc with free.");
    return finding_none();
}

/* ---- shapes -------------------------------------------------------------- */

static struct finding explain_overrun(const struct overrun *overrun)
{
    const char *const what = overrun->copy_in  ? "copy in"
                             : overrun->kernel ? "kernel"
                                               : "copy back";

    return finding_make("whole-array", CHUNK,
                        "The %s of a chunk takes more than the chunk and runs "
                        "past the end of the array: `chunk` entries, not "
                        "`num_entries`.",
                        what);
}

static struct finding explain_shape(const struct evidence *ev, size_t i)
{
    const struct run_result *run = &ev->shapes[i];
    const uint64_t entries = shapes[i].entries, streams = shapes[i].streams;
    const struct chunks chunks = view(ev);
    struct finding found;

    if (!run->ran) {
        found = explain_memory(ev, run);
        return found.id ? found : chunks_explain_end(&chunks, run);
    }
    if (run->overrun.any)
        return explain_overrun(&run->overrun);
    if (run->running == 0 && run->device.wrong > 0 &&
        cells_cover(&run->host, CELL_CIPHER, entries - entries / streams,
                    entries))
        return finding_make("chunk-missing", CHUNK,
                            "The last chunk is left out: the loop ends one "
                            "too early.");
    if (!even_right(ev))
        return chunks_explain_wrong(&chunks, &ev->shapes[EVEN]);
    if (run->running > 0)
        return chunks_explain_not_waited(&chunks);
    return finding_none();
}

/* ---- order, speed, clean ------------------------------------------------- */

static struct finding explain_order(const struct evidence *ev)
{
    const struct chunks chunks = view(ev);
    const struct order_result *order = &ev->order[0];
    struct finding found;

    if (order->checked.hazards + order->checked.faults == 0)
        order = &ev->order[1];
    found = chunks_explain_order(&chunks, &order->checked);
    if (found.id)
        return found;
    if (chunks.trace->there && chunks.trace->kernels == 0 && even_right(ev))
        return chunks_explain_slow(&chunks);
    return order->run.ran ? finding_none()
                          : chunks_explain_end(&chunks, &order->run);
}

static struct finding explain_todo(const struct evidence *ev)
{
    return finding_make("open-todo", TODO,
                        "TODO %d is the first that is still open. What your "
                        "file does is right, but it does one thing after "
                        "another.",
                        ev->first_todo);
}

static struct finding explain_pageable(void)
{
    return finding_make("pageable-memory", PINNED,
                        "The host's memory is pageable: each copy holds the "
                        "host until it is done, whatever stream it is in. Pin "
                        "the memory (cudaMallocHost).");
}

static struct finding explain_speed(const struct evidence *ev)
{
    const struct chunks chunks = view(ev);
    const struct trace_facts *trace = chunks.trace;

    if (ev->speed.impossible)
        return finding_make("impossible-time", NULL,
                            "This is faster than the copies alone take here: "
                            "the time cannot be right.");
    if (ev->speed.eta >= ev->lab->speed.eta_needed)
        return finding_none();
    if (ev->first_todo > 0 && trace->pageable + trace->blocking_copies > 0)
        return explain_todo(ev);
    if (trace->kernels == 1)
        return finding_make("one-piece", CHUNK,
                            "The whole array is one piece, so each step waits "
                            "for the one before it: cut it into "
                            "`num_streams` chunks.");
    if (trace->pageable > 0)
        return explain_pageable();
    return chunks_explain_slow(&chunks);
}

static struct finding explain_clean(const struct evidence *ev)
{
    const struct chunks chunks = view(ev);

    for (size_t i = 0; i < SHAPES; i++) {
        const struct run_result *run = &ev->shapes[i];

        if (run->running > 0)
            return chunks_explain_not_waited(&chunks);
        if (run->pending[0] != '\0')
            return finding_make("cuda-error", NULL,
                                "A CUDA call failed with %s and nobody "
                                "looked: wrap every call in CHECK.",
                                run->pending);
    }
    if (strstr(text_string(&ev->order[0].checked.first_warning), "pageable"))
        return ev->first_todo > 0 ? explain_todo(ev) : explain_pageable();
    if (ev->order[0].checked.warnings > 0)
        return finding_make("leak", TODO,
                            "Something that your code makes is not destroyed "
                            "or given back again.");
    return finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_rules lab_07 = {
    .name = "07_chunked_overlap",
    .virtual_device = "k20",
    .shapes = shapes,
    .num_shapes = SHAPES,
    .shape_iters = 12,
    .order_shapes = order_shapes,
    .num_order_shapes = sizeof order_shapes / sizeof *order_shapes,
    /* The skeleton is right already: what it lacks is the overlap. */
    .points_builds = 5,
    .points_large = 5,
    .points_ordered = 15,
    .points_fast = 40,
    .points_clean = 10,
    /* As in lab 08, but even: the slow link of a K20 shows the same overlap
     * with a few MiB, and the processor runs that in little time. */
    .speed = {.entries_cuda = 1 << 25,
              .streams_cuda = 32,
              .entries_vgpu = 1 << 19,
              .streams_vgpu = 16,
              .most_rounds_vgpu = 1000,
              .eta_needed = 0.70},
    .explain_shape = explain_shape,
    .explain_order = explain_order,
    .explain_speed = explain_speed,
    .explain_clean = explain_clean,
};

LAB_RULES(lab_07);
