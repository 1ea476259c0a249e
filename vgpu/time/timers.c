/*
 * timers.c: events at a known time, a binary heap.
 *
 * Order: time, kind (ends before arrivals), then the operations' own order,
 * so that the same calls always give the same sequence.
 */
#include "model.h"

#include <stdlib.h>

static bool timer_before(const struct vtime_timer *a,
                         const struct vtime_timer *b)
{
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return vtime_op_before(a->op, b->op);
}

/* Ahead of need: adding a timer in the middle of an event must not fail. */
bool vtime_timers_reserve(struct vtime_timers *timers, size_t count)
{
    size_t capacity = timers->capacity ? timers->capacity : 64;
    struct vtime_timer *heap;

    if (count <= timers->capacity)
        return true;
    while (capacity < count)
        capacity *= 2;
    heap = realloc(timers->heap, capacity * sizeof *heap);
    if (!heap)
        return false;
    timers->heap = heap;
    timers->capacity = capacity;
    return true;
}

void vtime_timers_add(struct vtime_timers *timers, int64_t at_ns,
                      enum vtime_timer_kind kind, struct vtime_op *op)
{
    struct vtime_timer timer = {at_ns, kind, op};
    size_t i = timers->count++;

    while (i > 0) {
        size_t parent = (i - 1) / 2;

        if (!timer_before(&timer, &timers->heap[parent]))
            break;
        timers->heap[i] = timers->heap[parent];
        i = parent;
    }
    timers->heap[i] = timer;
}

struct vtime_timer vtime_timers_take(struct vtime_timers *timers)
{
    struct vtime_timer *heap = timers->heap;
    struct vtime_timer first = heap[0];
    struct vtime_timer last = heap[--timers->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= timers->count)
            break;
        if (child + 1 < timers->count &&
            timer_before(&heap[child + 1], &heap[child]))
            child++;
        if (!timer_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}
