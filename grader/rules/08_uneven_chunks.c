/*
 * 08_uneven_chunks.c: rules of lab 08. Shapes, points, and how the mistakes
 * that students make there look from outside.
 */
#include "evidence.h"

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

static bool all(const struct cells *cells, enum cell kind, uint64_t entries)
{
    return cells->count[kind] == entries;
}

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

/* Seen on the virtual GPU, with the uneven shape. */
static const struct trace_facts *facts(const struct evidence *ev)
{
    return &ev->order[0].trace;
}

/* Entries [from, to) hold only @kind. */
static bool covers(const struct cells *cells, enum cell kind, uint64_t from,
                   uint64_t to)
{
    return cells->count[kind] == to - from && to > from &&
           cells->first[kind] == from && cells->last[kind] == to - 1;
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

static struct finding explain_api_error(const struct evidence *ev,
                                        const struct run_result *run,
                                        size_t shape)
{
    const struct api_error *error = &run->error;

    /* CUDA 13 on an H200 says InvalidValue to a launch of 0 blocks. */
    if (strcmp(error->name, "cudaErrorInvalidConfiguration") == 0 ||
        (strcmp(error->name, "cudaErrorInvalidValue") == 0 &&
         strncmp(error->call, "cudaGetLastError", 16) == 0))
        return finding_make(
            "empty-launch", WHY,
            "%s: a kernel is launched with 0 blocks. A stream whose chunk is "
            "empty has nothing to do: queue nothing for it.",
            error->at);
    if (right(ev, DIVISIBLE) && past_end(shape))
        return explain_underflow(error->at);
    return finding_make("cuda-error", NULL,
                        "%s returned %s at %s, and CHECK ended the program.",
                        error->call, error->name, error->at);
}

static struct finding explain_end(const struct evidence *ev,
                                  const struct run_result *run, size_t shape)
{
    if (run->error.at[0] != '\0')
        return explain_api_error(ev, run, shape);
    if (run->end == CHILD_TIMEOUT)
        return finding_make("hang", NULL,
                            "The function does not return: look for a loop "
                            "whose condition never becomes false. A step of 0 "
                            "entries never gets anywhere.");
    if (run->end == CHILD_MEMORY)
        return finding_make("too-much-memory", NULL,
                            "The program takes more and more memory: nothing "
                            "needs to be allocated here.");
    if (run->end == CHILD_FLOOD)
        return finding_make("output-flood", NULL,
                            "The program prints without end. Take the "
                            "printing out of the loop.");
    if (run->end == CHILD_EXITED && run->late[0] == '\0')
        return finding_make("early-exit", NULL,
                            "The program ended itself with status %d before "
                            "the function returned. Return to the caller "
                            "instead of calling exit.",
                            run->code);
    if (right(ev, DIVISIBLE) && past_end(shape))
        return explain_underflow(run->late[0] ? run->late : "It crashes");
    if (run->end == CHILD_SIGNALLED)
        return finding_make("crash", NULL,
                            "The host code crashed: look at every index and "
                            "pointer that it uses.");
    return finding_none();
}

/* ---- the basic operations, seen with chunks that all fit ----------------- */

static struct finding explain_nothing_done(const struct evidence *ev)
{
    if (ev->first_todo > 0)
        return finding_make("open-todo", TODO,
                            "TODO %d is the first that is still open: nothing "
                            "is decrypted yet.",
                            ev->first_todo);
    return finding_make("nothing-done", TODO,
                        "No chunk is copied to the device, decrypted or "
                        "copied back.");
}

static struct finding explain_not_waited(const struct evidence *ev)
{
    const struct trace_facts *trace = facts(ev);

    if (trace->copies_default > 0 && trace->waits > 0)
        return finding_make(
            "copy-default-stream", CHUNK,
            "%s: the copy is in the default stream, not in the chunk's, and "
            "nothing waits for it there. The stream is the last argument.",
            trace->copy_at);
    if (trace->kernels_default > 0 && trace->waits > 0)
        return finding_make(
            "kernel-default-stream", CHUNK,
            "%s: the kernel is in the default stream, not in the chunk's, "
            "and nothing waits for it there. The stream is the fourth launch "
            "argument.",
            trace->kernel_at);
    if (trace->waits > 0)
        return finding_make("partial-sync", TODO,
                            "The function waits for some of its streams "
                            "only: wait for every one.");
    return finding_make("no-final-sync", TODO,
                        "The function returns before its work is done. Its "
                        "calls only queue: wait for the streams at the "
                        "end.");
}

/* The device's buffer is as it should be; the host's is not. */
static struct finding explain_copy_back(const struct run_result *run,
                                        uint64_t chunk, uint64_t entries)
{
    if (all(&run->host, CELL_CIPHER, entries))
        return finding_make("no-copy-back", TODO,
                            "The device holds the right entries, but nothing "
                            "is copied back to the host.");
    if (covers(&run->host, CELL_CIPHER, chunk, entries))
        return finding_make(
            "copy-back-host-offset", CHUNK,
            "Every chunk is copied back to the start of `data_host`: add "
            "`lower` to the destination of the copy back.");
    if (run->host.count[CELL_MOVED] > 0 || run->host.count[CELL_UNKNOWN] > 0)
        return finding_make(
            "copy-back-device-offset", CHUNK,
            "Every chunk of the host gets the start of `data_device`: add "
            "`lower` to the source of the copy back.");
    return finding_none();
}

static struct finding explain_kernel(const struct run_result *run,
                                     uint64_t chunk, uint64_t entries)
{
    const struct cells *device = &run->device;

    if (all(device, CELL_CIPHER, entries))
        return finding_make("no-kernel", TODO,
                            "The entries are copied to the device and back, "
                            "still encrypted: no kernel decrypts them.");
    if (device->count[CELL_CIPHER] > 0 && device->first[CELL_CIPHER] >= chunk &&
        device->count[CELL_RIGHT] < entries - device->count[CELL_CIPHER] + 1)
        return finding_make(
            "kernel-offset", CHUNK,
            "Only the start of `data_device` is decrypted, over and over: "
            "the kernel's pointer needs `+ lower`.");
    if (device->count[CELL_ROUNDS] > 0)
        return finding_make("wrong-rounds", TODO,
                            "The entries are decrypted with another number "
                            "of rounds: hand `num_iters` to the kernel.");
    if (device->count[CELL_AGAIN] > 0)
        return finding_make(
            "decrypted-again", CHUNK,
            "Entries are decrypted more than once: each kernel must get the "
            "`width` entries of its own chunk, no more.");
    return finding_none();
}

static struct finding explain_copy_in(const struct run_result *run,
                                      uint64_t chunk, uint64_t entries)
{
    const struct cells *device = &run->device;
    const uint64_t stale =
        device->count[CELL_UNTOUCHED_RUN] + device->count[CELL_UNTOUCHED];

    if (stale == entries && device->count[CELL_UNTOUCHED_RUN] > 0)
        return finding_make("no-copy-in", TODO,
                            "The kernel decrypts memory that nothing was "
                            "copied to: copy the chunk in first.");
    if (stale > 0 && stale >= entries - chunk &&
        device->count[CELL_UNTOUCHED_RUN] > 0)
        return finding_make(
            "copy-in-device-offset", CHUNK,
            "Every chunk is copied to the start of `data_device`: add "
            "`lower` to the destination of the copy in.");
    if (device->count[CELL_MOVED] + device->count[CELL_AGAIN] +
                device->count[CELL_UNKNOWN] >
            0 &&
        device->first_wrong >= chunk && stale == 0)
        return finding_make(
            "copy-in-host-offset", CHUNK,
            "Every chunk gets the start of `data_host`: add `lower` to the "
            "source of the copy in.");
    return finding_none();
}

static struct finding explain_basics(const struct evidence *ev)
{
    const struct run_result *run = &ev->shapes[DIVISIBLE];
    const uint64_t entries = shapes[DIVISIBLE].entries;
    const uint64_t chunk = entries / shapes[DIVISIBLE].streams;
    struct finding found = finding_none();

    if (run->pending[0] != '\0')
        return finding_make("cuda-error", NULL,
                            "A CUDA call failed with %s and nobody looked: "
                            "wrap every call in CHECK.",
                            run->pending);
    if (all(&run->device, CELL_UNTOUCHED, entries) &&
        all(&run->host, CELL_CIPHER, entries))
        return explain_nothing_done(ev);
    if (run->running > 0)
        return explain_not_waited(ev);
    if (all(&run->device, CELL_RIGHT, entries))
        return explain_copy_back(run, chunk, entries);
    found = explain_copy_in(run, chunk, entries);
    if (found.id == NULL)
        found = explain_kernel(run, chunk, entries);
    return found;
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
    const uint64_t entries = shapes[i].entries, streams = shapes[i].streams;
    const uint64_t floor = entries / streams, up = div_up(entries, streams);
    const bool first_left =
        covers(&run->host, CELL_CIPHER, floor * streams, entries);

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
        covers(&run->host, CELL_CIPHER, entries / up * up, entries))
        return finding_make(
            "tail-skipped", WHY,
            "The last chunk, which is shorter than the others, is left out.");
    if (run->running > 0)
        return explain_not_waited(ev);
    return finding_none();
}

static struct finding explain_shape(const struct evidence *ev, size_t i)
{
    const struct run_result *run = &ev->shapes[i];

    if (!run->ran)
        return explain_end(ev, run, i);
    if (!right(ev, DIVISIBLE))
        return explain_basics(ev);
    if (run->late[0] != '\0' && past_end(i))
        return explain_underflow(run->late);
    if (run->overrun.any)
        return explain_overrun(&run->overrun);
    return explain_tail(ev, i);
}

/* ---- order, speed, clean ------------------------------------------------- */

static struct finding explain_order(const struct evidence *ev)
{
    const struct order_result *order = &ev->order[0];

    for (size_t i = 0;
         i < 2 && order->checked.hazards + order->checked.faults == 0; i++)
        order = &ev->order[i];
    if (order->checked.by_driver)
        return explain_not_waited(ev);
    if (order->checked.hazards > 0)
        return finding_make("hazard", CHUNK,
                            "Two operations on the same entries are in "
                            "different streams. The copy in, the kernel and "
                            "the copy back of a chunk belong in one stream.");
    if (facts(ev)->there && facts(ev)->kernels == 0 && right(ev, UNEVEN))
        return finding_make("host-decrypt", TODO,
                            "The entries are right, but no kernel ran: they "
                            "were not decrypted on the device.");
    if (!order->run.ran)
        return explain_end(ev, &order->run, order->shape);
    return finding_none();
}

static struct finding explain_speed(const struct evidence *ev)
{
    const struct trace_facts *trace = facts(ev);
    const uint64_t bytes = shapes[UNEVEN].entries * sizeof(uint64_t);

    if (ev->speed.impossible)
        return finding_make("impossible-time", NULL,
                            "This is faster than the copies alone take here: "
                            "the time cannot be right.");
    if (ev->speed.eta >= ev->lab->speed.eta_needed || !trace->there)
        return finding_none();
    if (trace->kernels == 0)
        return finding_make("host-decrypt", TODO,
                            "No kernel ran: the entries were not decrypted "
                            "on the device.");
    if (trace->blocking_copies > 0)
        return finding_make("blocking-copy", CHUNK,
                            "%s: cudaMemcpy holds the host until the copy is "
                            "done. Use cudaMemcpyAsync in the chunk's stream.",
                            trace->copy_at);
    if (trace->kernels_default > 0)
        return finding_make("kernel-default-stream", CHUNK,
                            "%s: the kernel is in the default stream, which "
                            "waits for all other streams and holds them. The "
                            "stream is the fourth launch argument.",
                            trace->kernel_at);
    if (trace->copies_default > 0)
        return finding_make("copy-default-stream", CHUNK,
                            "%s: the copy is in the default stream, which "
                            "waits for all other streams and holds them. The "
                            "stream is the last argument.",
                            trace->copy_at);
    if (trace->bytes_in > bytes * 3 / 2 || trace->bytes_back > bytes * 3 / 2)
        return finding_make("whole-array", CHUNK,
                            "More is copied than there is: each chunk must "
                            "copy its own `width` entries, not the whole "
                            "array.");
    if (trace->waits_between > 0)
        return finding_make("sync-in-loop", CHUNK,
                            "%s: the host waits before it queues the next "
                            "chunk, so nothing overlaps. Wait once, after "
                            "the loop.",
                            trace->wait_at);
    if (trace->streams < shapes[UNEVEN].streams)
        return finding_make("few-streams", CHUNK,
                            "Only %u of %u streams get work. Each chunk has "
                            "its own: `streams[s]`.",
                            trace->streams, (unsigned)shapes[UNEVEN].streams);
    return finding_none();
}

static struct finding explain_clean(const struct evidence *ev)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const struct run_result *run = &ev->shapes[i];

        if (run->running > 0)
            return explain_not_waited(ev);
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
