/*
 * ops.c: the time model's memory: operations, edges between them, streams.
 *
 * Operations and edges come from slabs that never move; freed ones are used
 * again. An id is a slot and how often that slot was used, so that an id of
 * an operation that is gone finds nothing.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#define EDGE_SLAB 1024

/* Put a fresh slab on the free list. Return: false without memory. */
static bool grow_ops(struct vgpu_time *time)
{
    struct vtime_op *slab;

    if (!VGPU_GROW(time->slabs, time->slab_count, NULL))
        return false;
    slab = calloc(VTIME_SLAB_OPS, sizeof *slab);
    if (!slab)
        return false;
    for (uint32_t i = VTIME_SLAB_OPS; i-- > 0;) {
        slab[i].slot = (uint32_t)time->slab_count * VTIME_SLAB_OPS + i;
        slab[i].queue_next = time->free_ops;
        time->free_ops = &slab[i];
    }
    time->slabs[time->slab_count++] = slab;
    return true;
}

/* The slot and the count of its uses survive; all else begins anew. */
struct vtime_op *vtime_op_new(struct vgpu_time *time)
{
    struct vtime_op *op;
    uint64_t uses;
    uint32_t slot;

    if (!time->free_ops && !grow_ops(time))
        return NULL;
    op = time->free_ops;
    time->free_ops = op->queue_next;
    uses = (op->id >> 32) + 1;
    slot = op->slot;
    memset(op, 0, sizeof *op);
    op->slot = slot;
    op->id = uses << 32 | slot;
    op->start_ns = -1;
    op->end_ns = -1;
    op->done_ns = -1;
    time->live_ops++;
    return op;
}

/* The id stays in the slot, which is how vtime_op_new knows how often it was
 * used. */
void vtime_op_free(struct vgpu_time *time, struct vtime_op *op)
{
    op->state = VTIME_FREE;
    op->queue_next = time->free_ops;
    time->free_ops = op;
    time->live_ops--;
}

/* An id from outside may be of an operation that has long been released: its
 * count of uses then differs from the slot's. */
struct vtime_op *vtime_op_find(const struct vgpu_time *time, vgpu_time_id id)
{
    uint32_t slot = (uint32_t)id;
    struct vtime_op *op;

    if (id == 0 || slot / VTIME_SLAB_OPS >= time->slab_count)
        return NULL;
    op = &time->slabs[slot / VTIME_SLAB_OPS][slot % VTIME_SLAB_OPS];
    return op->id == id && op->state != VTIME_FREE ? op : NULL;
}

/* By the host's calls and by what each waits for, not by when it became ready;
 * two of one moment by which was submitted first. So no order depends on
 * addresses, and two runs of one program are alike. */
bool vtime_op_before(const struct vtime_op *a, const struct vtime_op *b)
{
    if (a->order_ns != b->order_ns)
        return a->order_ns < b->order_ns;
    return a->seq < b->seq;
}

void vtime_op_take_place(struct vtime_op *op)
{
    op->has_place = op->in.kind == VGPU_TIME_MARK
                        ? op->in.timed
                        : !op->in.by_device &&
                              op->engine != VTIME_ENGINE_NONE &&
                              op->in.kind != VGPU_TIME_HOSTFN;
    op->stream->places[vtime_lane_of(op->engine)] += op->has_place;
}

void vtime_op_leave_place(struct vtime_op *op)
{
    op->stream->places[vtime_lane_of(op->engine)] -= op->has_place;
    op->has_place = false;
}

/* Reserving apart from adding lets a submission fail before it has begun. */
bool vtime_edges_reserve(struct vgpu_time *time, size_t count)
{
    while (time->free_edge_count < count) {
        struct vtime_edge *slab;

        if (!VGPU_GROW(time->edge_slabs, time->edge_slab_count, NULL))
            return false;
        slab = malloc(EDGE_SLAB * sizeof *slab);
        if (!slab)
            return false;
        time->edge_slabs[time->edge_slab_count++] = slab;
        for (int i = 0; i < EDGE_SLAB; i++) {
            slab[i].next = time->free_edges;
            time->free_edges = &slab[i];
        }
        time->free_edge_count += EDGE_SLAB;
    }
    return true;
}

void vtime_edge_add(struct vgpu_time *time, struct vtime_op *from,
                    struct vtime_op *to)
{
    struct vtime_edge *edge = time->free_edges;

    time->free_edges = edge->next;
    time->free_edge_count--;
    *edge = (struct vtime_edge){
        .from = from,
        .to = to,
        .next = from->edges,
        .next_in = to->edges_in,
        .early = 0,
    };
    if (to->edges_in)
        to->edges_in->prev_in = edge;
    to->edges_in = edge;
    from->edges = edge;
    to->preds++;
}

/* Unlinked from the operation that waits only: the other list is its caller's,
 * who drops it edge by edge and goes on with what is returned. */
struct vtime_edge *vtime_edge_drop(struct vgpu_time *time,
                                   struct vtime_edge *edge)
{
    struct vtime_edge *next = edge->next;

    if (edge->next_in)
        edge->next_in->prev_in = edge->prev_in;
    if (edge->prev_in)
        edge->prev_in->next_in = edge->next_in;
    else
        edge->to->edges_in = edge->next_in;
    edge->next = time->free_edges;
    time->free_edges = edge;
    time->free_edge_count++;
    return next;
}

/* Fibonacci hashing: stream numbers are small and follow each other. */
static size_t bucket_of(uint32_t number, size_t count)
{
    return (number * UINT32_C(2654435761)) & (count - 1);
}

/* Nothing can be told any more from @stream's entry. */
static bool stream_idle(const struct vgpu_time *time,
                        const struct vtime_stream *stream)
{
    return stream->unfinished == 0 && stream->last_issue_ns <= time->now_ns &&
           stream->kernel_gap_ns <= time->now_ns;
}

/* Forget idle streams, and spread the rest over @count buckets. */
static bool rehash_streams(struct vgpu_time *time, size_t count)
{
    struct vtime_stream **buckets = calloc(count, sizeof *buckets);

    if (!buckets)
        return false;
    for (size_t i = 0; i < time->bucket_count; i++) {
        struct vtime_stream *stream = time->buckets[i];

        while (stream) {
            struct vtime_stream *next = stream->next;
            size_t to = bucket_of(stream->number, count);

            if (stream_idle(time, stream)) {
                free(stream);
                time->stream_count--;
            } else {
                stream->next = buckets[to];
                buckets[to] = stream;
            }
            stream = next;
        }
    }
    free(time->buckets);
    time->buckets = buckets;
    time->bucket_count = count;
    return true;
}

struct vtime_stream *vtime_stream_find(const struct vgpu_time *time,
                                       uint32_t number)
{
    struct vtime_stream *stream;

    if (time->bucket_count == 0)
        return NULL;
    stream = time->buckets[bucket_of(number, time->bucket_count)];
    while (stream && stream->number != number)
        stream = stream->next;
    return stream;
}

/* A program may make a million streams, a few at a time: before the table
 * grows, those that nothing can be told of any more are forgotten. */
struct vtime_stream *vtime_stream_get(struct vgpu_time *time, uint32_t number)
{
    struct vtime_stream *stream = vtime_stream_find(time, number);
    size_t bucket;

    if (stream)
        return stream;
    if (time->stream_count >= time->bucket_count) {
        if (!rehash_streams(time, time->bucket_count ? time->bucket_count : 64))
            return NULL;
        if (time->stream_count * 2 > time->bucket_count &&
            !rehash_streams(time, time->bucket_count * 2))
            return NULL;
    }
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->number = number;
    bucket = bucket_of(number, time->bucket_count);
    stream->next = time->buckets[bucket];
    time->buckets[bucket] = stream;
    time->stream_count++;
    return stream;
}

/* Operations need no care of their own: they and their edges are in the slabs.
 * */
void vtime_ops_free_all(struct vgpu_time *time)
{
    for (size_t i = 0; i < time->slab_count; i++)
        free(time->slabs[i]);
    for (size_t i = 0; i < time->edge_slab_count; i++)
        free(time->edge_slabs[i]);
    for (size_t i = 0; i < time->bucket_count; i++) {
        while (time->buckets[i]) {
            struct vtime_stream *next = time->buckets[i]->next;

            free(time->buckets[i]);
            time->buckets[i] = next;
        }
    }
    free(time->slabs);
    free(time->edge_slabs);
    free(time->buckets);
}
