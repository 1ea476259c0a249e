/*
 * order_read.c: a host's clock that is read ahead of a launch and behind it,
 * with nothing between that waits: it has measured the call and not the kernel
 *
 * Who waits next and then reads the clock once more knows that, and so does one
 * who asks whether the kernel has ended, or events for times.
 */
#include "order_again.h"

#define MOST_READS 20000
#define LESS       2 /* of the time that it took: so little is measured */

static const struct vgpu_order *const order = &vgpu_order;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Readings without a step between them are one. */
static void add(struct vgpu_thread *thread)
{
    struct vgpu_order_read *last =
        thread->order.read ? &vgpu_order.reads[thread->order.read - 1] : NULL;

    if (last && last->step == vgpu_order.step_count) {
        last->last_ns = thread->now_ns;
        last->is_one = false;
        return;
    }
    if (vgpu_order.read_count == MOST_READS ||
        !VGPU_GROW(vgpu_order.reads, vgpu_order.read_count,
                   &vgpu_order.read_room))
        return;
    vgpu_order.reads[vgpu_order.read_count++] = (struct vgpu_order_read){
        thread->number, vgpu_order.step_count, thread->now_ns, thread->now_ns,
        true,           thread->order.asked};
    thread->order.read = vgpu_order.read_count;
    thread->order.asked = false;
}

void vgpu_order_read(struct vgpu_thread *thread)
{
    if (thread->in_host_function)
        return;
    vgpu_lock(&lock);
    add(thread);
    vgpu_unlock(&lock);
}

/* The thread's next reading, or NULL. */
static const struct vgpu_order_read *next_of(const struct vgpu_order_read *read)
{
    const struct vgpu_order_read *const end = order->reads + order->read_count;

    for (const struct vgpu_order_read *r = read + 1; r < end; r++)
        if (r->thread == read->thread)
            return r;
    return NULL;
}

/* What a thread did between two readings. */
struct between {
    bool waits, issues;
    const struct vgpu_order_step *first,
        *last; /* kernels since its last wait */
};

static struct between between(const struct vgpu_order_read *from,
                              const struct vgpu_order_read *to)
{
    const size_t end = to ? to->step : order->step_count;
    struct between b = {false, false, NULL, NULL};

    for (size_t i = from->step; i < end; i++) {
        const struct vgpu_order_step *const step = &order->steps[i];

        if (step->thread != from->thread || step->sort == VGPU_STEP_COST)
            continue;
        if (step->sort != VGPU_STEP_OP) {
            b = (struct between){true, b.issues, NULL, NULL};
            continue;
        }
        b.issues = true;
        if (step->in.kind != VGPU_TIME_KERNEL)
            continue;
        b.last = step;
        b.first = b.first ? b.first : step;
    }
    return b;
}

/* The reading behind the next wait belongs to the same measurement: no work
 * follows it. */
static bool is_read_again(const struct vgpu_order_read *to)
{
    const struct vgpu_order_read *const again = next_of(to);

    return again && (again->asked || between(to, again).waits) &&
           (!again->is_one || !between(again, next_of(again)).issues);
}

/* Of launches of a line the first that is measured so; @is_known: another one
 * of them is measured to its end, too. */
static struct line {
    struct vgpu_early early;
    bool is_known;
} lines[VGPU_EARLY];
static size_t line_count;

static struct line *line_of(const struct vgpu_order_step *launch)
{
    struct line *line = lines;

    while (line < lines + line_count && line->early.launch->pc != launch->pc)
        line++;
    if (line == lines + VGPU_EARLY)
        return NULL;
    if (line == lines + line_count) {
        line_count++;
        *line = (struct line){{launch, 0, 0}, false};
    }
    return line;
}

static void look_at(const struct vgpu_order_read *from,
                    const struct vgpu_order_read *to,
                    const struct vgpu_span *spans)
{
    const int64_t ns = to->first_ns - from->last_ns;
    const struct between b = between(from, to);
    struct line *const line = b.last ? line_of(b.first) : NULL;
    int64_t took_ns;

    if (!line)
        return;
    if (is_read_again(to)) {
        line->is_known = true;
        return;
    }
    took_ns =
        spans ? spans[b.last - order->steps].end_ns - from->last_ns : INT64_MAX;
    if (!line->early.took_ns && took_ns / LESS > ns)
        line->early = (struct vgpu_early){b.first, ns, took_ns};
}

size_t vgpu_order_read_early(const struct vgpu_span *spans,
                             struct vgpu_early found[VGPU_EARLY])
{
    size_t count = 0;

    line_count = 0;
    for (size_t i = 0; i < order->read_count && !order->measures; i++) {
        const struct vgpu_order_read *const to = next_of(&order->reads[i]);

        if (to && !to->asked)
            look_at(&order->reads[i], to, spans);
    }
    for (size_t i = 0; i < line_count; i++)
        if (lines[i].early.took_ns && !lines[i].is_known)
            found[count++] = lines[i].early;
    return count;
}
