/*
 * order_need.c: who needs an order
 *
 * Each operation, and the host at each time, knows how far every stream has
 * come: as the checker's clocks, but of the run on paper (order_again.c), with
 * a line or without it. Without it an order is not needed where of two
 * operations that use the same memory, one of them writing, the later still
 * knows the earlier; and where at each of its waits the host knows what it did
 * with it, since what it reads then nobody has seen.
 */
#include "order_again.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CELLS ((size_t)1 << 22)

static const struct vgpu_order *const order = &vgpu_order;

uint32_t *vgpu_known_row(const struct vgpu_known *k, uint32_t step)
{
    return &k->cells[(step - 1) * k->streams];
}

static void learn(const struct vgpu_known *k, uint32_t *into,
                  const uint32_t *from)
{
    for (size_t i = 0; i < k->streams; i++)
        if (into[i] < from[i])
            into[i] = from[i];
}

/* Streams get their columns in the order of their first operations. */
static bool number_streams(struct vgpu_known *k)
{
    uint32_t *seen = calloc(order->step_count + 1, sizeof *seen);

    k->columns = calloc(order->step_count + 1, sizeof *k->columns);
    for (size_t i = 0; i < order->step_count && seen && k->columns; i++) {
        size_t at = 0;

        if (order->steps[i].sort != VGPU_STEP_OP)
            continue;
        while (at < k->streams && seen[at] != order->steps[i].in.stream)
            at++;
        if (at == k->streams)
            seen[k->streams++] = order->steps[i].in.stream;
        k->columns[i] = (uint32_t)at;
        if (k->streams * order->step_count > MOST_CELLS)
            break;
    }
    free(seen);
    return seen && k->columns && k->streams * order->step_count <= MOST_CELLS;
}

static void learn_step(void *known, uint32_t step)
{
    const struct vgpu_known *const k = known;

    learn(k, k->now, vgpu_known_row(k, step));
}

static void know_step(struct vgpu_known *k, const struct vgpu_without *without,
                      size_t i)
{
    const struct vgpu_order_step *const step = &order->steps[i];
    const uint32_t number = (uint32_t)i + 1;

    if (step->sort == VGPU_STEP_COST)
        return;
    if (step->sort != VGPU_STEP_OP) {
        if (!vgpu_again_skips(without, step))
            learn(k, k->host, vgpu_known_row(k, step->op));
        memcpy(vgpu_known_row(k, number), k->host,
               k->streams * sizeof *k->host);
        return;
    }
    learn(k, vgpu_known_row(k, number), k->host);
    k->now = vgpu_known_row(k, number);
    vgpu_again_before(without, step, learn_step, k);
    vgpu_known_row(k, number)[k->columns[i]] = number;
}

bool vgpu_known_make(struct vgpu_known *k, const struct vgpu_without *without)
{
    *k = (struct vgpu_known){0};
    if (!number_streams(k))
        return false;
    k->cells = calloc(k->streams * (order->step_count + 1), sizeof *k->cells);
    if (!k->cells)
        return false;
    k->host = vgpu_known_row(k, (uint32_t)order->step_count + 1);
    for (size_t i = 0; i < order->step_count; i++)
        know_step(k, without, i);
    return true;
}

void vgpu_known_free(struct vgpu_known *k)
{
    free(k->cells);
    free(k->columns);
    *k = (struct vgpu_known){0};
}

/* One call may wait for one stream after the other. */
static bool ends_wait(size_t i)
{
    const struct vgpu_order_step *const step = &order->steps[i];

    return (step->sort == VGPU_STEP_WAIT || step->sort == VGPU_STEP_SPIN) &&
           (i + 1 == order->step_count || step[1].call_id != step->call_id);
}

/* What the host reads after a wait nobody has seen. */
static bool host_knows_less(const struct vgpu_known *was,
                            const struct vgpu_known *is)
{
    for (size_t i = 0; i < order->step_count; i++)
        if (ends_wait(i) && memcmp(vgpu_known_row(was, (uint32_t)i + 1),
                                   vgpu_known_row(is, (uint32_t)i + 1),
                                   is->streams * sizeof *is->host) != 0)
            return true;
    return false;
}

static const struct vgpu_order_step *find_user(const struct vgpu_known *was,
                                               const struct vgpu_known *is)
{
    for (size_t i = 0; i < order->use_count; i++) {
        const struct vgpu_order_use *const use = &order->uses[i];
        const uint32_t at = was->columns[use->from - 1];

        if (vgpu_known_row(was, use->to)[at] >= use->from &&
            vgpu_known_row(is, use->to)[at] < use->from)
            return &order->steps[use->to - 1];
    }
    return NULL;
}

enum vgpu_need vgpu_order_need(const struct vgpu_known *was,
                               const struct vgpu_without *without,
                               const struct vgpu_order_step **by)
{
    struct vgpu_known is;
    enum vgpu_need need = VGPU_NEED_UNKNOWN;

    *by = NULL;
    if (!vgpu_known_make(&is, without)) {
        vgpu_known_free(&is);
        return need;
    }
    *by = find_user(was, &is);
    if (*by)
        need = VGPU_NEED_STEP;
    else if (order->uses_whole && !host_knows_less(was, &is))
        need = VGPU_NEED_NONE;
    vgpu_known_free(&is);
    return need;
}
