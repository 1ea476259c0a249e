/* stats_path.c: the chain of operations that leads to the last one
 *
 * It answers what a busy time cannot: an engine may work all the time and yet
 * not be what the run waits for.
 */
#include "stats_path.h"

#include "cause.h"

#include <stdlib.h>

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

/* Follow the path back from the last operation, then turn it round. */
static void walk(const struct view *v, const struct causes *f,
                 struct stats_path *path)
{
    const struct trace_op *op = find_last(v);

    while (op && path->num_ops < v->num_ops) {
        uint64_t start_ns = tl_view_start_ns(v, op), before_ns = 0;

        path->ops[path->num_ops++] = op;
        path->engine_ns[op->engine] += tl_view_end_ns(v, op) - start_ns;
        op = tl_cause_find(f, op).op;
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

bool tl_stats_path_make(const struct view *v, struct stats_path *path)
{
    struct causes f;

    *path =
        (struct stats_path){.ops = malloc((v->num_ops + 1) * sizeof *path->ops),
                            .exact = v->trace->num_after > 0};
    if (!path->ops || !tl_causes_make(v, &f)) {
        tl_stats_path_free(path);
        return false;
    }
    walk(v, &f, path);
    tl_causes_free(&f);
    return true;
}

void tl_stats_path_free(struct stats_path *path)
{
    free(path->ops);
    *path = (struct stats_path){0};
}
