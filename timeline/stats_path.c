/* stats_path.c: the chain of operations that leads to the last one
 *
 * It answers what a busy time cannot: an engine may work all the time and yet
 * not be what the run waits for. To walk back from the last operation, for each
 * the one that held it up must be found quickly: a trace may have a million
 * operations and a path as long. So they are sorted once for each group by
 * their ends, and each step is a binary search.
 */
#include "stats_path.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TIES 64 /* operations without duration that end at one time */

/* Where a predecessor is looked for. */
enum group { ON_ENGINE, IN_STREAM, ANYWHERE, NUM_GROUPS };

static int order_groups(enum group group, const struct trace_op *x,
                        const struct trace_op *y)
{
    int order;

    if (group == ANYWHERE)
        return 0;
    order = order_u64(x->device, y->device);
    if (order)
        return order;
    return group == IN_STREAM ? order_u64(x->stream, y->stream)
                              : order_u64(x->engine, y->engine);
}

/* By group first, so that a group is one stretch of the array. */
static int order_ends(enum group group, const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;
    int order = order_groups(group, x, y);

    if (!order)
        order = order_u64(x->end_ns, y->end_ns);
    return order ? order : order_u64(x->start_ns, y->start_ns);
}

static int order_engine_ends(const void *a, const void *b)
{
    return order_ends(ON_ENGINE, a, b);
}

static int order_stream_ends(const void *a, const void *b)
{
    return order_ends(IN_STREAM, a, b);
}

static int order_all_ends(const void *a, const void *b)
{
    return order_ends(ANYWHERE, a, b);
}

static int order_op_ids(const void *a, const void *b)
{
    const struct trace_op *x = *(const struct trace_op *const *)a;
    const struct trace_op *y = *(const struct trace_op *const *)b;

    return order_u64(x->id, y->id);
}

/* The operations of a view, in several orders. */
struct finder {
    const struct trace *trace;
    const struct trace_op **sorted[NUM_GROUPS];
    const struct trace_op **by_id;
    size_t num;
};

/* A path must come to an end: it goes only to what is earlier in the trace. An
 * operation that takes no time could otherwise wait for itself, over another
 * one that ends when it starts.
 */
static bool comes_before(const struct trace_op *x, const struct trace_op *op)
{
    return x->start_ns < op->start_ns ||
           (x->start_ns == op->start_ns && x < op);
}

/* Of op's group, the last operation that had ended when op started. Several may
 * have ended at one time, and those that are not earlier do not count: of them
 * MAX_TIES are looked at, so that a made-up trace cannot make this slow.
 * @ops  num operations by group, end and start
 */
static const struct trace_op *find_before(enum group group,
                                          const struct trace_op **ops,
                                          size_t num, const struct trace_op *op)
{
    size_t low = 0, high = num;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = order_groups(group, ops[middle], op);

        if (!order)
            order = ops[middle]->end_ns > op->start_ns ? 1 : -1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t tie = 0; low > 0 && tie < MAX_TIES; tie++) {
        const struct trace_op *before = ops[--low];

        if (order_groups(group, before, op) != 0)
            return NULL;
        if (comes_before(before, op))
            return before;
    }
    return NULL;
}

/* Events and waits are no work, and end no run. */
static const struct trace_op *find_last(const struct view *v)
{
    const struct trace_op *last = NULL;

    for (size_t i = 0; i < v->num_ops; i++)
        if (v->ops[i]->engine != TRACE_ENGINE_NONE &&
            (!last || v->ops[i]->end_ns >= last->end_ns))
            last = v->ops[i];
    return last;
}

/* What op waited for, by the guess that stats_path.h describes. */
static const struct trace_op *guess_predecessor(const struct finder *f,
                                                const struct trace_op *op)
{
    const struct trace_op *best = NULL;

    for (int group = 0; group < NUM_GROUPS; group++) {
        const struct trace_op *before =
            find_before((enum group)group, f->sorted[group], f->num, op);

        if (before && (!best || before->end_ns > best->end_ns))
            best = before;
    }
    return best;
}

/* Of those that op comes after, the one that ended last. */
static const struct trace_op *find_after(const struct finder *f,
                                         const struct trace_op *op)
{
    const uint64_t *ids = trace_after(f->trace, op);
    const struct trace_op *best = NULL;

    for (size_t i = 0; i < op->num_after; i++) {
        /* The array holds pointers: so the key is a pointer, too. */
        struct trace_op key = {.id = ids[i]}, *wanted = &key;
        const struct trace_op **found =
            bsearch(&wanted, f->by_id, f->num, sizeof *found, order_op_ids);

        if (found && comes_before(*found, op) &&
            (*found)->end_ns <= op->start_ns &&
            (!best || (*found)->end_ns > best->end_ns))
            best = *found;
    }
    return best;
}

/* What op waited for: those that it comes after, its engine, or the host. */
static const struct trace_op *find_predecessor(const struct finder *f,
                                               const struct trace_op *op)
{
    const struct trace_op *best, *engine;
    const struct trace_call *call;

    if (f->trace->num_after == 0)
        return guess_predecessor(f, op);
    best = find_after(f, op);
    engine = find_before(ON_ENGINE, f->sorted[ON_ENGINE], f->num, op);
    if (engine && (!best || engine->end_ns > best->end_ns))
        best = engine;
    call = trace_find_call(f->trace, op->call);
    if (call && (!best || best->end_ns < call->start_ns))
        best = guess_predecessor(f, op); /* the host came late: after what? */
    return best;
}

/* Follow the path back from the last operation, then turn it round. */
static void walk(const struct view *v, const struct finder *f,
                 struct stats_path *path)
{
    const struct trace_op *op = find_last(v);

    while (op && path->num_ops < v->num_ops) {
        uint64_t start_ns = tl_view_start_ns(v, op), before_ns = 0;

        path->ops[path->num_ops++] = op;
        path->engine_ns[op->engine] += tl_view_end_ns(v, op) - start_ns;
        op = find_predecessor(f, op);
        if (op)
            before_ns = tl_view_end_ns(v, op);
        path->wait_ns += start_ns - before_ns;
    }
    for (size_t i = 0; i < path->num_ops / 2; i++) {
        const struct trace_op *swap = path->ops[i];

        path->ops[i] = path->ops[path->num_ops - 1 - i];
        path->ops[path->num_ops - 1 - i] = swap;
    }
}

/* Four copies of the list of operations, each in its own order. They are freed
 * when the path is found; only that is kept.
 */
bool tl_stats_path_make(const struct view *v, struct stats_path *path)
{
    static int (*const orders[NUM_GROUPS + 1])(const void *, const void *) = {
        order_engine_ends, order_stream_ends, order_all_ends, order_op_ids};
    struct finder f = {.trace = v->trace, .num = v->num_ops};
    const struct trace_op **lists[NUM_GROUPS + 1];
    size_t num = v->num_ops, size = (num + 1) * sizeof *path->ops;
    bool good = true;

    *path = (struct stats_path){.ops = malloc(size),
                                .exact = v->trace->num_after > 0};
    for (int i = 0; i <= NUM_GROUPS; i++) {
        lists[i] = malloc(size);
        good = good && lists[i];
        if (!good || num == 0)
            continue;
        memcpy(lists[i], v->ops, num * sizeof *v->ops);
        qsort(lists[i], num, sizeof *v->ops, orders[i]);
    }
    good = good && path->ops;
    for (int i = 0; i < NUM_GROUPS; i++)
        f.sorted[i] = lists[i];
    f.by_id = lists[NUM_GROUPS];
    if (good)
        walk(v, &f, path);
    for (int i = 0; i <= NUM_GROUPS; i++)
        free(lists[i]);
    if (!good)
        tl_stats_path_free(path);
    return good;
}

void tl_stats_path_free(struct stats_path *path)
{
    free(path->ops);
    *path = (struct stats_path){0};
}
