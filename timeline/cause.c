/* cause.c: what an operation waited for
 *
 * For each the one that held it up must be found quickly: a trace may have a
 * million operations and a path as long. So they are sorted once for each
 * group by their ends, and each answer is a binary search.
 */
#include "cause.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TIES 64 /* operations without duration that end at one time */

/* Where a predecessor is looked for. */
enum group { ON_ENGINE, IN_STREAM, ANYWHERE, BY_ID, NUM_LISTS };
enum { NUM_GROUPS = BY_ID };

_Static_assert(NUM_LISTS == CAUSE_NUM_LISTS, "the lists of struct causes");

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

/* What op waited for, by the guess that stats_path.h describes. */
static const struct trace_op *guess_predecessor(const struct causes *f,
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

/* By which wait an operation comes after another one. */
static void name_order(const struct causes *f, const struct trace_op *op,
                       size_t i, struct cause *cause)
{
    const uint64_t *via = trace_via(f->trace, op);

    cause->wait = via ? trace_find_wait(f->trace, via[i]) : NULL;
    if (cause->wait)
        cause->why = cause->wait->event ? CAUSE_EVENT : CAUSE_DEFAULT;
    else if (cause->op->device == op->device && cause->op->stream == op->stream)
        cause->why = CAUSE_STREAM;
    else
        cause->why = CAUSE_ORDER;
}

/* Of those that op comes after, the one that ended last. */
static struct cause find_after(const struct causes *f,
                               const struct trace_op *op)
{
    const uint64_t *ids = trace_after(f->trace, op);
    struct cause best = {CAUSE_NOTHING, NULL, NULL};

    for (size_t i = 0; i < op->num_after; i++) {
        const struct trace_op *found = tl_causes_op(f, ids[i]);

        if (found && comes_before(found, op) && found->end_ns <= op->start_ns &&
            (!best.op || found->end_ns > best.op->end_ns)) {
            best.op = found;
            name_order(f, op, i, &best);
        }
    }
    return best;
}

struct cause tl_cause_find(const struct causes *f, const struct trace_op *op)
{
    const struct trace_op *engine;
    const struct trace_call *call;
    struct cause best;

    if (f->trace->num_after == 0)
        return (struct cause){CAUSE_GUESS, guess_predecessor(f, op), NULL};
    best = find_after(f, op);
    engine = find_before(ON_ENGINE, f->sorted[ON_ENGINE], f->num, op);
    if (engine && (!best.op || engine->end_ns > best.op->end_ns))
        best = (struct cause){CAUSE_ENGINE, engine, NULL};
    call = trace_find_call(f->trace, op->call);
    if (call && (!best.op || best.op->end_ns < call->start_ns))
        /* the host came late: after what? */
        best = (struct cause){CAUSE_HOST, guess_predecessor(f, op), NULL};
    return best;
}

const struct trace_op *tl_causes_op(const struct causes *f, uint64_t id)
{
    /* The array holds pointers: so the key is a pointer, too. */
    struct trace_op key = {.id = id}, *wanted = &key;
    const struct trace_op **found =
        bsearch(&wanted, f->sorted[BY_ID], f->num, sizeof *found, order_op_ids);

    return found ? *found : NULL;
}

bool tl_causes_make(const struct view *v, struct causes *f)
{
    static int (*const orders[NUM_LISTS])(const void *, const void *) = {
        order_engine_ends, order_stream_ends, order_all_ends, order_op_ids};

    *f = (struct causes){.trace = v->trace, .num = v->num_ops};
    for (int i = 0; i < NUM_LISTS; i++) {
        f->sorted[i] = malloc((f->num + 1) * sizeof *f->sorted[i]);
        if (!f->sorted[i]) {
            tl_causes_free(f);
            return false;
        }
        if (f->num == 0)
            continue;
        memcpy(f->sorted[i], v->ops, f->num * sizeof *v->ops);
        qsort(f->sorted[i], f->num, sizeof *v->ops, orders[i]);
    }
    return true;
}

void tl_causes_free(struct causes *f)
{
    for (int i = 0; i < NUM_LISTS; i++)
        free(f->sorted[i]);
    *f = (struct causes){0};
}
