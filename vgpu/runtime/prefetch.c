/*
 * prefetch.c: where managed memory should be, and that its contents are needed
 * no longer, one range at a time or several.
 *
 * A prefetch moves pages and changes no contents: a place in the stream, no
 * more. What a discarded range holds nobody knows: here other bytes than
 * before, so that a program that goes on reading it is found out.
 *
 * Source: manual, Memory Management; what is refused: observed
 * (batch_managed).
 */
#include "capture.h"
#include "copy.h"

#define DISCARDED 0xcd

static bool is_managed(const void *pointer, size_t bytes)
{
    const struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!bytes)
        return false;
    if (!memory)
        return vgpu_symbols_managed(pointer);
    return memory->kind == VGPU_MEM_MANAGED &&
           bytes <= memory->bytes - (size_t)((const char *)pointer -
                                             (const char *)memory->base);
}

/* Does the device use managed memory while the host does, too? Else pages are
 * not moved on request (manual, cudaMemPrefetchAsync). */
static bool moves_pages(struct vgpu_call *call, int device)
{
    const int asked = call->asked;
    int value = 0;
    const cudaError_t error = vgpu_do_cudaDeviceGetAttribute(
        call, &value, cudaDevAttrConcurrentManagedAccess, device);

    call->asked = asked;
    return !error && value;
}

cudaError_t vgpu_numa_check(const struct cudaMemLocation *location)
{
    return location->type == cudaMemLocationTypeHostNuma && location->id
               ? vgpu_invalid("there is no NUMA node of the host %d",
                              location->id)
               : cudaSuccess;
}

static cudaError_t check_location(struct vgpu_call *call,
                                  const struct cudaMemLocation *location)
{
    if (location->type < cudaMemLocationTypeDevice ||
        location->type > cudaMemLocationTypeHostNumaCurrent)
        return vgpu_invalid("the location's type is none of a device or the "
                            "host");
    if (vgpu_numa_check(location))
        return cudaErrorInvalidValue;
    return moves_pages(call, location->type == cudaMemLocationTypeDevice
                                 ? location->id
                                 : call->thread->device)
               ? cudaSuccess
               : vgpu_because(cudaErrorInvalidDevice,
                              "it is no device, or one that cannot use managed "
                              "memory while the host does "
                              "(concurrentManagedAccess)");
}

static cudaError_t not_managed(const void *pointer)
{
    return vgpu_invalid("it is to be a range within managed memory, and is %s",
                        vgpu_memory_words(pointer));
}

static void move(const void *pointer, const struct cudaMemLocation *location)
{
    const int to = location->type == cudaMemLocationTypeDevice
                       ? location->id
                       : cudaCpuDeviceId;
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (memory && !(memory->flags & VGPU_MEMORY_POOL))
        memory->owner = (void *)(intptr_t)to;
}

static cudaError_t enqueue_prefetch(struct vgpu_call *call, cudaStream_t stream)
{
    return vgpu_op_join(vgpu_stream_find(stream), NULL, "prefetch", call);
}

static cudaError_t enqueue_discard(struct vgpu_call *call, void *pointer,
                                   size_t bytes, cudaStream_t stream)
{
    struct vgpu_op *op = vgpu_op_new(VGPU_OP_SET);
    cudaError_t error;

    if (!op)
        return cudaErrorMemoryAllocation;
    op->set.extent = (struct vgpu_extent){bytes, 1, 1};
    op->set.value = DISCARDED;
    op->set.element = 1;
    op->set.discard = true;
    error =
        vgpu_place_find(&op->set.dst, pointer, bytes, bytes, &op->set.extent);
    if (!error)
        error = vgpu_op_enqueue(op, vgpu_stream_find(stream), "discard", call);
    vgpu_op_unref(op);
    return error;
}

API(cudaMemPrefetchAsync, const void *pointer, size_t bytes,
    struct cudaMemLocation location, unsigned int flags, cudaStream_t stream)
{
    struct vgpu_stream *const in = vgpu_stream_find(stream);
    cudaError_t error;

    if (!in)
        return cudaErrorInvalidResourceHandle;
    if (!is_managed(pointer, bytes) || flags)
        return flags ? vgpu_invalid("flags is not 0") : not_managed(pointer);
    error = check_location(call, &location);
    if (!error && in->capture)
        error = vgpu_capture_failed(in, cudaErrorStreamCaptureUnsupported);
    if (error)
        return error;
    move(pointer, &location);
    return enqueue_prefetch(call, stream);
}

/* ---- batches --------------------------------------------------------------
 */

struct ranges {
    void **pointers;
    size_t *sizes;
    size_t count;
    const struct cudaMemLocation *locations; /* NULL: discarded only */
    const size_t *first;                     /* that each of them is of */
    size_t num_locations;
    bool discard;
};

static cudaError_t check_ranges(struct vgpu_call *call, const struct ranges *r,
                                unsigned long long flags)
{
    cudaError_t error = cudaSuccess;

    if (!r->pointers || !r->sizes || !r->count || flags)
        return !r->pointers || !r->sizes
                   ? cudaErrorInvalidValue
                   : vgpu_invalid(flags ? "flags is not 0" : "count is 0");
    if (r->locations &&
        !vgpu_batch_indexed(r->first, r->num_locations, r->count))
        return vgpu_batch_unordered();
    for (size_t i = 0; i < r->count; i++)
        if (!is_managed(r->pointers[i], r->sizes[i]))
            return not_managed(r->pointers[i]);
    for (size_t i = 0; r->locations && i < r->num_locations && !error; i++)
        error = r->locations[i].type == cudaMemLocationTypeDevice &&
                        !vgpu_device_exists(r->locations[i].id)
                    ? vgpu_invalid("there is no device %d", r->locations[i].id)
                    : check_location(call, &r->locations[i]);
    return error;
}

static cudaError_t run(struct vgpu_call *call, const struct ranges *r,
                       unsigned long long flags, cudaStream_t stream)
{
    cudaError_t error = vgpu_batch_stream(stream);
    size_t at = 0;

    if (error == cudaErrorStreamCaptureUnsupported)
        vgpu_capture_failed(vgpu_stream_find(stream), error);
    if (!error)
        error = check_ranges(call, r, flags);
    for (size_t i = 0; i < r->count && !error; i++) {
        if (r->discard)
            error = enqueue_discard(call, r->pointers[i], r->sizes[i], stream);
        if (!r->locations)
            continue;
        if (at + 1 < r->num_locations && r->first[at + 1] == i)
            at++;
        move(r->pointers[i], &r->locations[at]);
    }
    return error || !r->locations ? error : enqueue_prefetch(call, stream);
}

API(cudaMemPrefetchBatchAsync, void **pointers, size_t *sizes, size_t count,
    struct cudaMemLocation *locations, size_t *first, size_t num_locations,
    unsigned long long flags, cudaStream_t stream)
{
    const struct ranges r = {pointers, sizes,         count, locations,
                             first,    num_locations, false};

    return locations ? run(call, &r, flags, stream) : cudaErrorInvalidValue;
}

API(cudaMemDiscardBatchAsync, void **pointers, size_t *sizes, size_t count,
    unsigned long long flags, cudaStream_t stream)
{
    const struct ranges r = {pointers, sizes, count, NULL, NULL, 0, true};

    return run(call, &r, flags, stream);
}

API(cudaMemDiscardAndPrefetchBatchAsync, void **pointers, size_t *sizes,
    size_t count, struct cudaMemLocation *locations, size_t *first,
    size_t num_locations, unsigned long long flags, cudaStream_t stream)
{
    const struct ranges r = {pointers, sizes,         count, locations,
                             first,    num_locations, true};

    return locations ? run(call, &r, flags, stream) : cudaErrorInvalidValue;
}
