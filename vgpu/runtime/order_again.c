/*
 * order_again.c: a run that was kept (order.c), again on paper, without what
 * one line of the program makes things wait for.
 *
 * The time model is told the same operations with the same work. The host's
 * clock goes on by what it took between two of its steps, and stands still
 * where it waits. Without a line the host does not wait there, the line's
 * events and default stream order nothing, and its memory is there already.
 * What data needs stays in order all the same, as far as the checker has seen
 * it: so a saving is none that a right program could not have.
 */
#include "order_again.h"

#include <stdlib.h>
#include <string.h>

#define MOST_AFTER 512 /* that one operation comes after */

static const struct vgpu_order *const order = &vgpu_order;

static void work_of(void *arg, void *user, struct vgpu_time_work *work)
{
    const struct vgpu_order_step *const step = user;

    (void)arg;
    *work = step->work;
}

/* One that is gone through. */
struct again {
    const struct vgpu_known *was;
    const struct vgpu_without *without;
    struct vgpu_time *time;
    vgpu_time_id *ids;              /* of each step; 0: no operation */
    int64_t *host_ns, *last_ns;     /* each thread's clock; and as it was */
    vgpu_time_id after[MOST_AFTER]; /* of the operation under way */
    int after_count;
    bool is_good;
};

static void add_after(void *again, uint32_t step)
{
    struct again *const a = again;

    if (a->after_count == MOST_AFTER)
        a->is_good = false;
    else
        a->after[a->after_count++] = a->ids[step - 1];
}

static bool is_without(const struct vgpu_without *without, uint64_t pc)
{
    for (size_t i = 0; i < without->count; i++)
        if (without->pcs[i] == pc)
            return true;
    return false;
}

static bool leaves_out(const struct vgpu_without *without,
                       const struct vgpu_order_edge *edge)
{
    return edge->why != VGPU_ORDER_STREAM && is_without(without, edge->pc);
}

bool vgpu_again_skips(const struct vgpu_without *without,
                      const struct vgpu_order_step *step)
{
    return without->waits && !step->measured && is_without(without, step->pc);
}

/* The one ahead of it in the legacy default stream, or 0. */
static uint32_t default_before(uint32_t number)
{
    const struct vgpu_order_step *const step = &order->steps[number - 1];

    for (size_t e = 0; e < step->edges; e++) {
        const struct vgpu_order_edge *const edge =
            &order->edges[step->edge + e];

        if (edge->why == VGPU_ORDER_STREAM &&
            order->steps[edge->from - 1].is_default)
            return edge->from;
    }
    return 0;
}

/* Of operations ahead in the legacy default stream those that are not there:
 * what they would have waited for, the next one that is there does. */
static void tell_missed(const struct vgpu_without *without, uint32_t number,
                        vgpu_before_fn *fn, void *arg)
{
    for (; number && is_without(without, order->steps[number - 1].pc);
         number = default_before(number)) {
        const struct vgpu_order_step *const step = &order->steps[number - 1];

        for (size_t e = 0; e < step->edges; e++)
            if (order->edges[step->edge + e].why == VGPU_ORDER_DEFAULT)
                fn(arg, order->edges[step->edge + e].from);
    }
}

void vgpu_again_before(const struct vgpu_without *without,
                       const struct vgpu_order_step *step, vgpu_before_fn *fn,
                       void *arg)
{
    const bool missed = step->is_default && !is_without(without, step->pc);

    for (size_t e = 0; e < step->edges; e++) {
        const struct vgpu_order_edge *const edge =
            &order->edges[step->edge + e];
        uint32_t from = edge->from;

        if (leaves_out(without, edge)) {
            if (edge->why == VGPU_ORDER_EVENT || step->is_default)
                continue;
            while (from && is_without(without, order->steps[from - 1].pc))
                from = default_before(from);
        } else if (missed && edge->why == VGPU_ORDER_STREAM &&
                   order->steps[from - 1].is_default) {
            tell_missed(without, from, fn, arg);
        }
        if (from)
            fn(arg, from);
    }
}

/* Uses come by the later one: see vgpu_order_tell. */
static void add_uses(struct again *a, uint32_t number, size_t *use)
{
    for (; *use < order->use_count && order->uses[*use].to <= number; ++*use)
        if (order->uses[*use].to == number && a->without->count)
            add_after(a, order->uses[*use].from);
}

static void issue(struct again *a, size_t i, int64_t *host_ns, size_t *use)
{
    const struct vgpu_order_step *const step = &order->steps[i];
    struct vgpu_time_op in = step->in;

    a->after_count = 0;
    vgpu_again_before(a->without, step, add_after, a);
    add_uses(a, (uint32_t)i + 1, use);
    if (step->takes_place)
        *host_ns = vgpu_time_room(a->time, in.stream, in.kind, *host_ns);
    in.issue_ns = *host_ns;
    in.after = a->after;
    in.after_count = a->after_count;
    in.early = step->early ? a->ids[step->early - 1] : 0;
    in.user = (void *)step;
    a->ids[i] = vgpu_time_submit(a->time, &in);
    a->is_good = a->is_good && a->ids[i];
}

static void wait_for(struct again *a, uint32_t step, int64_t *host_ns)
{
    const int64_t end_ns = vgpu_time_wait(a->time, a->ids[step - 1]);

    if (end_ns < 0)
        a->is_good = false;
    if (end_ns > *host_ns)
        *host_ns = end_ns;
}

/* Without a line, too, the host has waited for all that it had with it: what
 * it does next may need that. */
static void wait_for_known(struct again *a, size_t i, int64_t *host_ns)
{
    const uint32_t *const known = vgpu_known_row(a->was, (uint32_t)i + 1);

    for (size_t s = 0; s < a->was->streams && a->is_good; s++)
        if (known[s])
            wait_for(a, known[s], host_ns);
}

/* The paper run is trusted where it is as the run was. */
static void go_through(struct again *a, int64_t tolerance_ns)
{
    size_t use = 0;

    for (size_t i = 0; i < order->step_count && a->is_good; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];
        int64_t *const host_ns = &a->host_ns[step->thread];
        const bool skip = vgpu_again_skips(a->without, step);

        *host_ns += step->from_ns - a->last_ns[step->thread];
        a->last_ns[step->thread] = step->to_ns;
        if (step->sort == VGPU_STEP_OP)
            issue(a, i, host_ns, &use);
        else if (step->sort == VGPU_STEP_COST)
            *host_ns += skip ? 0 : step->to_ns - step->from_ns;
        else if (!skip && a->without->count)
            wait_for_known(a, i, host_ns);
        else if (!skip)
            wait_for(a, step->op, host_ns);
        if (tolerance_ns && llabs(*host_ns - step->to_ns) > tolerance_ns)
            a->is_good = false;
    }
}

/* The device may still be at work when the host has done its last step. */
static int64_t finish(struct again *a, struct vgpu_span *spans)
{
    int64_t end_ns = 0;

    for (size_t i = 0; i < order->step_count && a->is_good; i++) {
        const int64_t one_ns =
            a->ids[i] ? vgpu_time_wait(a->time, a->ids[i]) : 0;

        if (one_ns < 0)
            a->is_good = false;
        if (one_ns > end_ns)
            end_ns = one_ns;
        if (spans && a->ids[i])
            spans[i] = (struct vgpu_span){vgpu_time_start(a->time, a->ids[i]),
                                          vgpu_time_end(a->time, a->ids[i])};
    }
    for (int t = 0; t < vgpu_rt.thread_count; t++)
        if (a->host_ns[t] > end_ns)
            end_ns = a->host_ns[t];
    return a->is_good ? end_ns : -1;
}

int64_t vgpu_again(const struct vgpu_known *was,
                   const struct vgpu_without *without, int queues,
                   int64_t tolerance_ns, struct vgpu_span *spans)
{
    const size_t threads = (size_t)vgpu_rt.thread_count;
    struct again a = {
        .was = was,
        .without = without,
        .time = vgpu_time_again(vgpu_rt.time, queues, work_of, NULL),
        .ids = calloc(order->step_count, sizeof *a.ids),
        .host_ns = calloc(threads, sizeof *a.host_ns),
        .last_ns = calloc(threads, sizeof *a.last_ns),
        .is_good = true,
    };
    int64_t end_ns = -1;

    if (a.time && a.ids && a.host_ns && a.last_ns) {
        go_through(&a, tolerance_ns);
        end_ns = finish(&a, spans);
    }
    vgpu_time_free(a.time);
    free(a.ids);
    free(a.host_ns);
    free(a.last_ns);
    return end_ns;
}
