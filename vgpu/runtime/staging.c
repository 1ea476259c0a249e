/*
 * staging.c: where pageable bytes lie until an engine fetches them.
 *
 * The host puts them there, and a copy to the device that has found room goes
 * ahead of what its stream waits for. Room is measured on an H200: copies of up
 * to 64 KiB have a place in each stream, larger ones one on each device, in two
 * halves of which each copy takes one or both; one that is larger still is
 * staged piece by piece, so that it holds the host until its stream has come to
 * it. A profile that knows of no such places has none, and nothing holds the
 * host there: all that the manual says is that a call with up to 64 KB may
 * return before they have arrived.
 */
#include "copy.h"

#include <stdlib.h>

/* Copies whose bytes wait in a place, in the order of the calls. */
struct vgpu_staged {
    struct vgpu_op *op;
    size_t bytes;
    struct vgpu_staged *next;
};

static struct vgpu_staging large[VGPU_MAX_DEVICES];

static struct vgpu_staging *place_of(struct vgpu_stream *stream, size_t bytes)
{
    return bytes <= VGPU_CAPTURE_BYTES ? &stream->staging
                                       : &large[stream->device];
}

/* What a copy of @bytes takes of its place. */
static size_t share_of(const struct vgpu_profile *p, size_t bytes)
{
    const size_t half = (size_t)p->staging_bytes / 2;

    if (bytes <= VGPU_CAPTURE_BYTES)
        return bytes;
    return bytes <= half ? half : (size_t)p->staging_bytes;
}

static void leave(struct vgpu_staging *place)
{
    struct vgpu_staged *first = place->first;

    place->first = first->next;
    if (!place->first)
        place->last = NULL;
    place->used -= first->bytes;
    vgpu_op_unref(first->op);
    free(first);
}

void vgpu_staging_clear(struct vgpu_staging *place)
{
    while (place->first)
        leave(place);
}

/* The host waits, and knows no more for it: whatever it waited for may go on.
 */
cudaError_t vgpu_staging_wait(struct vgpu_stream *stream, size_t bytes,
                              struct vgpu_thread *thread)
{
    const struct vgpu_profile *p = vgpu_rt.devices[stream->device].profile;
    struct vgpu_staging *const place = place_of(stream, bytes);
    const size_t room = bytes <= VGPU_CAPTURE_BYTES
                            ? (size_t)p->staging_small_bytes
                            : (size_t)p->staging_bytes;
    const size_t share = share_of(p, bytes);
    cudaError_t error = cudaSuccess;

    while (!error && place->first && place->used + share > room) {
        error = vgpu_wait_op(thread, place->first->op, false);
        leave(place);
    }
    if (!error && bytes > (size_t)p->staging_bytes)
        error = vgpu_wait_stream(thread, stream, false);
    return error;
}

cudaError_t vgpu_staging_add(struct vgpu_stream *stream, struct vgpu_op *op)
{
    const struct vgpu_profile *p = vgpu_rt.devices[stream->device].profile;
    const size_t bytes = vgpu_extent_bytes(&op->copy.extent);
    struct vgpu_staging *const place = place_of(stream, bytes);
    struct vgpu_staged *staged;

    staged = malloc(sizeof *staged);
    if (!staged)
        return cudaErrorMemoryAllocation;
    *staged = (struct vgpu_staged){vgpu_op_ref(op), share_of(p, bytes), NULL};
    *(place->first ? &place->last->next : &place->first) = staged;
    place->last = staged;
    place->used += staged->bytes;
    return cudaSuccess;
}
