/*
 * 08_uneven_chunks.c: rules of lab 08. Shapes, points, and the mistakes that
 * sizes which do not fit bring; those of every chunk stand in chunks.c.
 */
#include "chunks.h"

#include <string.h>

#define WHY   "What this lab is about: the sizes do not fit"
#define TODO  "What to do"
#define CHUNK "Why chunks"

/* Their order matters to the predicates below. */
enum { DIVISIBLE, UNEVEN, PRIME, TOO_MANY, FEWER, ONE, ALONE, ZERO, SHAPES };

static const struct lab_shape shapes[SHAPES] = {
    [DIVISIBLE] = {.name = "divisible",
                   .entries = 8192,
                   .streams = 8,
                   .points = 5},
    [UNEVEN] = {.name = "uneven", .entries = 10000, .streams = 7, .points = 5},
    [PRIME] = {.name = "prime", .entries = 10007, .streams = 16, .points = 5},
    [TOO_MANY] = {.name = "more streams than chunks",
                  .entries = 10,
                  .streams = 7,
                  .points = 5},
    [FEWER] = {.name = "fewer entries than streams",
               .entries = 5,
               .streams = 8,
               .points = 5},
    [ONE] = {.name = "one entry", .entries = 1, .streams = 4, .points = 5},
    [ALONE] = {.name = "one stream",
               .entries = 1000,
               .streams = 1,
               .points = 3},
    [ZERO] = {.name = "no entries", .entries = 0, .streams = 4, .points = 2},
};

static const size_t order_shapes[] = {UNEVEN, FEWER};

/* ---- predicates ---------------------------------------------------------- */

static bool right(const struct evidence *ev, size_t shape)
{
    return ev->shapes[shape].ran && ev->shapes[shape].right;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Some chunks of this shape would begin behind the last entry. */
static bool past_end(size_t shape)
{
    const uint64_t entries = shapes[shape].entries;
    const uint64_t streams = shapes[shape].streams;

    return div_up(entries, streams) * (streams - 1) > entries;
}

/* The evidence as chunks.c looks at it. */
static struct chunks view(const struct evidence *ev)
{
    return (struct chunks){
        .idea = CHUNK,
        .task = TODO,
        .entries = shapes[DIVISIBLE].entries,
        .streams = shapes[DIVISIBLE].streams,
        .trace = &ev->order[0].trace,
        .trace_entries = shapes[UNEVEN].entries,
        .trace_streams = shapes[UNEVEN].streams,
        .first_todo = ev->first_todo,
    };
}

/* ---- a function that did not return -------------------------------------- */

static struct finding explain_underflow(const char *where)
{
    return finding_make(
        "width-underflow", WHY,
        "%s: far more entries are asked for than there are. Where a chunk "
        "would begin behind the last entry, `upper - lower` is not negative "
        "but huge, because the type is unsigned: compare before subtracting.",
        where);
}

/* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
static bool empty_launch(const struct api_error *error)
{
    return strcmp(error->name, "cudaErrorInvalidConfiguration") == 0 ||
           (strcmp(error->name, "cudaErrorInvalidValue") == 0 &&
            strncmp(error->call, "cudaGetLastError", 16) == 0);
}

static struct finding explain_end(const struct evidence *ev,
                                  const struct run_result *run, size_t shape)
{
    const struct chunks chunks = view(ev);
    const bool fits = !right(ev, DIVISIBLE) || !past_end(shape);

    if (run->error.at[0] != '\0' && empty_launch(&run->error))
        return finding_make(
            "empty-launch", WHY,
            "%s: a kernel is launched with 0 blocks. A stream whose chunk is "
            "empty has nothing to do: queue nothing for it.",
            run->error.at);
    if (!fits && run->error.at[0] != '\0')
        return explain_underflow(run->error.at);
    if (!fits && (run->late[0] != '\0' || run->end == CHILD_SIGNALLED))
        return explain_underflow(run->late[0] ? run->late : "It crashes");
    return chunks_explain_end(&chunks, run);
}

/* ---- shapes that do not fit ---------------------------------------------- */

static struct finding explain_overrun(const struct overrun *overrun)
{
    if (overrun->copy_in)
        return finding_make(
            "tail-copy-in", WHY,
            "The last chunk's copy in is too long: it takes `chunk` entries "
            "where only `width` are left, and reads and writes past the end.");
    if (overrun->kernel)
        return finding_make(
            "tail-kernel", WHY,
            "The last chunk's kernel gets `chunk` entries where only `width` "
            "are left, and runs past the end of `data_device`.");
    return finding_make(
        "tail-copy-back", WHY,
        "The last chunk's copy back is too long: it takes `chunk` entries "
        "where only `width` are left, and writes past the end of "
        "`data_host`.");
}

static struct finding explain_tail(const struct evidence *ev, size_t i)
{
    const struct run_result *run = &ev->shapes[i];
    const struct chunks chunks = view(ev);
    const uint64_t entries = shapes[i].entries, streams = shapes[i].streams;
    const uint64_t floor = entries / streams, up = div_up(entries, streams);
    const bool first_left =
        cells_cover(&run->host, CELL_CIPHER, floor * streams, entries);

    if (first_left && floor == 0 && right(ev, UNEVEN))
        return finding_make(
            "zero-chunk", WHY,
            "With fewer entries than streams the chunk becomes 0 entries "
            "long and nothing is done: round up.");
    if (first_left)
        return finding_make(
            "floor-division", WHY,
            "The last %llu of %llu entries are left out: %llu / %llu rounds "
            "down, and the chunks do not reach the end. Round up (sdiv).",
            (unsigned long long)(entries - floor * streams),
            (unsigned long long)entries, (unsigned long long)entries,
            (unsigned long long)streams);
    if (run->host.count[CELL_CIPHER] > 0 && up > 0 &&
        cells_cover(&run->host, CELL_CIPHER, entries / up * up, entries))
        return finding_make(
            "tail-skipped", WHY,
            "The last chunk, which is shorter than the others, is left out.");
    if (run->running > 0)
        return chunks_explain_not_waited(&chunks);
    return finding_none();
}

static struct finding explain_shape(const struct evidence *ev, size_t i)
{
    const struct run_result *run = &ev->shapes[i];
    const struct chunks chunks = view(ev);

    if (!run->ran)
        return explain_end(ev, run, i);
    if (!right(ev, DIVISIBLE))
        return chunks_explain_wrong(&chunks, &ev->shapes[DIVISIBLE]);
    if (run->late[0] != '\0' && past_end(i))
        return explain_underflow(run->late);
    if (run->overrun.any)
        return explain_overrun(&run->overrun);
    return explain_tail(ev, i);
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
    if (chunks.trace->there && chunks.trace->kernels == 0 && right(ev, UNEVEN))
        return chunks_explain_slow(&chunks);
    return order->run.ran ? finding_none()
                          : explain_end(ev, &order->run, order->shape);
}

static struct finding explain_speed(const struct evidence *ev)
{
    const struct chunks chunks = view(ev);

    if (ev->speed.impossible)
        return finding_make("impossible-time", NULL,
                            "This is faster than the copies alone take here: "
                            "the time cannot be right.");
    if (ev->speed.eta >= ev->lab->speed.eta_needed)
        return finding_none();
    return chunks_explain_slow(&chunks);
}

static struct finding explain_clean(const struct evidence *ev)
{
    const struct chunks chunks = view(ev);

    for (size_t i = 0; i < SHAPES; i++) {
        const struct run_result *run = &ev->shapes[i];

        if (run->running > 0)
            return chunks_explain_not_waited(&chunks);
        if (strcmp(run->pending, "cudaErrorInvalidConfiguration") == 0)
            return finding_make("empty-launch", WHY,
                                "A kernel was launched with 0 blocks for an "
                                "empty chunk. Queue nothing for it, and ask "
                                "for the error after each launch.");
        if (run->pending[0] != '\0')
            return finding_make("cuda-error", NULL,
                                "A CUDA call failed with %s and nobody "
                                "looked: wrap every call in CHECK.",
                                run->pending);
    }
    if (strstr(text_string(&ev->order[0].checked.first_warning), "destroy"))
        return finding_make("leak", TODO,
                            "Something that the function makes is not "
                            "destroyed again.");
    return finding_none();
}

/* ---- the rules ----------------------------------------------------------- */

static const struct lab_rules lab_08 = {
    .name = "08_uneven_chunks",
    .virtual_device = "k20",
    .shapes = shapes,
    .num_shapes = SHAPES,
    .shape_iters = 12,
    .order_shapes = order_shapes,
    .num_order_shapes = sizeof order_shapes / sizeof *order_shapes,
    .points_builds = 5,
    .points_large = 5,
    .points_ordered = 15,
    .points_fast = 30,
    .points_clean = 10,
    /* Uneven, and large enough that the fixed costs of 32 chunks do not
     * matter; on the virtual GPU, that the processor runs it in little time. */
    .speed = {.entries_cuda = (1 << 25) - 5,
              .streams_cuda = 32,
              .entries_vgpu = (1 << 19) - 5,
              .streams_vgpu = 16,
              .most_rounds_vgpu = 1000,
              .eta_needed = 0.70},
    .explain_shape = explain_shape,
    .explain_order = explain_order,
    .explain_speed = explain_speed,
    .explain_clean = explain_clean,
};

LAB_RULES(lab_08);
