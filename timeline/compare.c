/* compare.c: a run's time beside that of the first one
 *
 * Who does less is done sooner. So a ratio is said only of runs that did the
 * same work, and of none whose result is known to be wrong: else what is
 * missing is said in its place. A grader knows better what is the same work.
 */
#include "compare.h"

#include "scale.h"

#include <stdio.h>

/* What reaches a device, what leaves one: data that go through the host and
 * data that do not are the same work. */
struct work {
    uint64_t in_bytes, out_bytes;
    size_t kernels;
};

static struct work work_of(const struct view *v)
{
    struct work work = {0};

    for (size_t i = 0; i < v->num_ops; i++) {
        const struct trace_op *op = v->ops[i];
        const bool peer = op->kind == TRACE_KIND_PEER;

        if (peer || op->kind == TRACE_KIND_H2D)
            work.in_bytes += op->bytes;
        if (peer || op->kind == TRACE_KIND_D2H)
            work.out_bytes += op->bytes;
        work.kernels += op->kind == TRACE_KIND_KERNEL;
    }
    return work;
}

/* Within a hundredth: a flag that one of them copies, too, is no work. */
static bool differs(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) > (a > b ? a : b) / 100;
}

static void say_bytes(const char *way, uint64_t bytes, uint64_t first,
                      char text[COMPARE_ROOM])
{
    char is[16], was[16];

    snprintf(text, COMPARE_ROOM, "not compared: copies %s %s, not %s",
             tl_scale_bytes(bytes, is), way, tl_scale_bytes(first, was));
}

/* The first difference of what they did. Return: is there one? */
static bool say_work(const struct view *first, const struct view *run,
                     char text[COMPARE_ROOM])
{
    const struct work was = work_of(first), is = work_of(run);

    if (run->num_rows == 0)
        snprintf(text, COMPARE_ROOM, "not compared: no work on the device");
    else if (differs(is.in_bytes, was.in_bytes))
        say_bytes("in", is.in_bytes, was.in_bytes, text);
    else if (differs(is.out_bytes, was.out_bytes))
        say_bytes("back", is.out_bytes, was.out_bytes, text);
    else if (!is.kernels != !was.kernels)
        snprintf(text, COMPARE_ROOM, "not compared: %s kernels, not %s",
                 is.kernels ? "some" : "no", was.kernels ? "some" : "none");
    else
        return false;
    return true;
}

/* The first of them is a baseline, or another run of a student. */
static bool say_wrong(const struct view *run, const char *which,
                      char text[COMPARE_ROOM])
{
    const struct trace *const t = run->trace;

    if (t->failed && *t->failed)
        snprintf(text, COMPARE_ROOM, "not compared: \"%s\" failed%s", t->failed,
                 which);
    else if (!t->failed && t->num_hazards > 0)
        snprintf(text, COMPARE_ROOM, "not compared: not well ordered%s", which);
    else
        return false;
    return true;
}

const char *tl_compare(const struct view *first, const struct view *run,
                       char text[COMPARE_ROOM])
{
    const char *const failed = run->trace->failed;
    const bool right = failed && !*failed && run->num_rows > 0;

    if ((right || !say_work(first, run, text)) && !say_wrong(run, "", text) &&
        !say_wrong(first, " above", text))
        tl_scale_compare(first->span_ns, run->span_ns, text);
    return text;
}
