/*
 * pool.c: stream-ordered allocation. The memory may be used by work that is
 * ordered after the allocation and before the free; the checker sees both as
 * writes to the whole range.
 *
 * The address is given out at the call, as CUDA does. It is that of memory that
 * was freed, where the allocation is ordered after the free or the free is over
 * (pool_room.c). What a pool lacks comes from the device in pieces, which takes
 * the host as long as cudaMalloc does; where the device has no more, or the
 * pool may not have it, the stream waits for frees that are not over, if the
 * pool's attributes allow that (tests/conformance/memory_pool_limit.cu). A call
 * that waits gives back whole pieces, as long as more is held than the release
 * threshold says. What is freed is there as long as its pieces are
 * (pool_left.c); a second free is refused. Under the checker no address is
 * given out twice, so that it tells a use after the free; counts are the same.
 *
 * Source: guide, "Stream Ordered Memory Allocator".
 */
#include "capture.h"
#include "pool.h"

#include <stdlib.h>

#define MOST       ((uint64_t)1 << 48) /* bytes that nobody has */
#define GRAPH_UNIT ((size_t)512)
#define GRAPH_FROM ((size_t)2 << 20)

/* ---- what a pool holds --------------------------------------------------- */

/* Which devices have pools a program has to ask (guide, "Query for Support");
 * of those before Pascal no document says that they do. */
uint64_t vgpu_pool_piece_bytes(int device)
{
    const struct vgpu_profile *const profile = vgpu_rt.devices[device].profile;

    if (profile->pool_piece_bytes)
        return (uint64_t)profile->pool_piece_bytes;
    return profile->compute_major < 6 ? 0 : (uint64_t)32 << 20;
}

bool vgpu_pool_exists(int device)
{
    return vgpu_pool_piece_bytes(device) > 0;
}

/* The host's memory comes in the same ones. */
uint64_t vgpu_pool_piece(const struct pool *pool)
{
    return vgpu_pool_piece_bytes(pool->device < 0 ? 0 : pool->device);
}

/* Bytes that the device can still give to @pool, which may have no more than
 * its maximum, in whole pieces. */
static uint64_t left_for(const struct pool *pool)
{
    const struct vgpu_device *d = &vgpu_rt.devices[pool->device];
    const uint64_t most = round_up(pool->most, vgpu_pool_piece(pool));
    uint64_t left = UINT64_MAX;

    if (pool->device >= 0)
        left = vgpu_device_bytes(d->profile) - d->used_bytes;
    if (!pool->most)
        return left;
    if (pool->reserved >= most)
        return 0;
    return left < most - pool->reserved ? left : most - pool->reserved;
}

/* @bytes more are the pool's. */
static void hold(struct pool *pool, uint64_t bytes)
{
    pool->reserved += bytes;
    if (pool->device >= 0)
        vgpu_rt.devices[pool->device].used_bytes += bytes;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
}

/* Of what is more than @keep; in @whole pieces, so that more is kept. */
static bool give_back(struct pool *pool, uint64_t keep, bool whole)
{
    const uint64_t piece = vgpu_pool_piece(pool);
    const uint64_t more = pool->reserved > keep ? pool->reserved - keep : 0;
    const uint64_t bytes =
        more ? vgpu_rooms_give_back(pool, whole ? more : round_up(more, piece),
                                    !whole)
             : 0;

    pool->reserved -= bytes;
    if (pool->device >= 0)
        vgpu_rt.devices[pool->device].used_bytes -= bytes;
    return bytes > 0;
}

/* @stream waits for frees of other streams, the oldest first, until @lacking
 * more bytes are ready. Not for any, where all together would be too little. */
static cudaError_t wait_for_frees(struct pool *pool, uint64_t lacking,
                                  struct vgpu_stream *stream,
                                  struct vgpu_call *call)
{
    struct vgpu_op *oldest;
    const uint64_t pending = vgpu_rooms_pending(pool, stream, &oldest);

    if (pending < lacking ||
        pool->no_reuse[cudaMemPoolReuseAllowInternalDependencies])
        return cudaErrorMemoryAllocation;
    return vgpu_op_join(stream, oldest, "wait for a free", call);
}

/* Of what @pool has and of what the device has left. @lacked: the device had to
 * give some. */
static cudaError_t reserve(struct pool *pool, uint64_t bytes,
                           struct vgpu_stream *stream, struct vgpu_call *call,
                           bool *lacked, struct vgpu_block **block)
{
    uint64_t lacking, taken;
    cudaError_t error = cudaSuccess;

    if (bytes > MOST)
        return vgpu_because(cudaErrorMemoryAllocation,
                            "no pool can have the %s that are asked for",
                            vgpu_amount(bytes));
    while (!(*block = vgpu_pool_take(pool, bytes, stream, left_for(pool),
                                     &lacking, &taken)) &&
           lacking && !error)
        error = wait_for_frees(pool, lacking, stream, call);
    if (!*block)
        return error && error != cudaErrorMemoryAllocation
                   ? error
                   : vgpu_because(cudaErrorMemoryAllocation,
                                  "%s are asked for, and its pool can have %s "
                                  "more",
                                  vgpu_amount(bytes),
                                  vgpu_amount(left_for(pool)));
    hold(pool, taken);
    pool->used += bytes;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    (*block)->given = true;
    (*block)->asked = bytes;
    *lacked = taken > 0;
    return cudaSuccess;
}

bool vgpu_pool_trim(struct pool *pool, uint64_t keep)
{
    bool gave;

    pool->used -= pool->late;
    pool->late = 0;
    gave = give_back(pool, keep, true);
    vgpu_left_settle(pool);
    return gave;
}

static bool pool_waited(struct pool *pool)
{
    bool gave;

    vgpu_rooms_waited(pool);
    gave = give_back(pool, pool->release_threshold, false);
    vgpu_left_settle(pool);
    return gave;
}

int64_t vgpu_pool_waited(int device)
{
    bool gave = false;

    for (struct pool *p = vgpu_pool_next(NULL); p; p = vgpu_pool_next(p))
        if ((p->device == device || p->device < 0) && pool_waited(p))
            gave = true;
    vgpu_left_settle(NULL);
    return gave ? vgpu_rt.host->host_free_ns : 0;
}

void vgpu_pool_empty(struct pool *pool)
{
    vgpu_pool_trim(pool, 0);
    if (pool->device >= 0)
        vgpu_rt.devices[pool->device].used_bytes -= pool->reserved;
    vgpu_left_forget(pool);
    vgpu_rooms_free(pool);
}

/* @block is free after @freed, or was freed by cudaFree. A pool that has been
 * destroyed goes with the last of its memory. */
static void give(struct vgpu_block *block, struct vgpu_op *freed)
{
    struct pool *const pool = block->pool;

    if (freed || pool->gone)
        pool->used -= block->asked;
    else
        pool->late += block->asked;
    vgpu_pool_give(block, freed);
    if (pool->gone && !pool->used)
        vgpu_pool_remove(pool);
}

/* Memory that is freed by cudaFree: what is freed in stream order the pool has
 * taken at the call. */
void vgpu_pool_forget(struct vgpu_memory *memory)
{
    if ((memory->flags & VGPU_MEMORY_POOL) && memory->owner)
        give(memory->owner, NULL);
    else if (!(memory->flags & VGPU_MEMORY_POOL))
        vgpu_rt.devices[memory->device].used_bytes -= memory->bytes;
}

/* ---- allocation and free ------------------------------------------------- */

/* The operation is the allocation's or the free's place in its stream's order;
 * whoever touches the memory must be ordered after the one and before the
 * other. A free's bytes are the pool's from now on. */
static cudaError_t enqueue(enum vgpu_op_kind kind, struct vgpu_memory *memory,
                           struct vgpu_stream *stream, struct vgpu_call *call)
{
    struct vgpu_op *op = vgpu_op_new(kind);
    struct vgpu_block *const block = memory->owner;
    cudaError_t error;

    if (!op)
        return cudaErrorMemoryAllocation;
    op->memory = memory;
    error = vgpu_op_enqueue(op, stream,
                            kind == VGPU_OP_ALLOC ? "stream-ordered allocation"
                                                  : "stream-ordered free",
                            call);
    if (!error && (memory->flags & VGPU_MEMORY_PENDING) &&
        (memory->flags & VGPU_MEMORY_POOL)) {
        memory->owner = vgpu_left_new(memory, block);
        memory->flags |= VGPU_MEMORY_TAKEN;
        give(block, op);
    } else if (!error && (memory->flags & VGPU_MEMORY_PENDING)) {
        memory->owner = vgpu_left_new(memory, NULL);
    }
    vgpu_op_unref(op);
    return error;
}

/* Where memory of graphs lies that is made next: behind the last one of the
 * same graph, or from where another one could. */
static void *graph_place(const void *graph, size_t bytes)
{
    static const void *last;
    static char *base;
    static size_t used, size;
    size_t from = round_up(used, last == graph ? GRAPH_UNIT : GRAPH_FROM);

    if (from > size || bytes > size - from) {
        size = bytes;
        base = vgpu_room_new(&size);
        size = base ? size : 0;
        from = 0;
    }
    used = from + bytes;
    last = graph;
    return base ? base + from : NULL;
}

/* Addresses of a graph. What is under them is counted by its launches. */
static struct vgpu_memory *take(int device, size_t bytes, const void *graph,
                                uint64_t pc)
{
    struct vgpu_device *d = &vgpu_rt.devices[device];
    struct vgpu_memory *memory = NULL;
    void *place = NULL;

    if (bytes > vgpu_device_bytes(d->profile))
        return NULL;
    if (!vgpu_check_reports())
        place = graph_place(graph, bytes);
    memory = place
                 ? vgpu_memory_place(place, bytes, VGPU_MEM_DEVICE, device, pc)
                 : vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device, pc);
    if (memory)
        memory->flags = VGPU_MEMORY_POOL | VGPU_MEMORY_GRAPH;
    return memory;
}

static cudaError_t node_op(enum vgpu_op_kind kind, struct vgpu_memory *memory,
                           struct vgpu_op **op)
{
    *op = memory ? vgpu_op_new(kind) : NULL;
    if (!*op)
        return cudaErrorMemoryAllocation;
    (*op)->memory = memory;
    return cudaSuccess;
}

cudaError_t vgpu_pool_graph_alloc(int device, size_t bytes,
                                  struct vgpu_memory *again, const void *graph,
                                  uint64_t pc, struct vgpu_op **op)
{
    if (!vgpu_pool_exists(device))
        return cudaErrorNotSupported;
    return node_op(VGPU_OP_ALLOC,
                   again ? again : take(device, bytes, graph, pc), op);
}

cudaError_t vgpu_pool_graph_free(const void *address, struct vgpu_op **op)
{
    struct vgpu_memory *memory = vgpu_memory_find(address);

    if (!memory || memory->base != address || !vgpu_memory_of_graph(memory))
        return cudaErrorInvalidValue;
    return node_op(VGPU_OP_FREE, memory, op);
}

/* Where @block is. What was freed there is gone for real before that; under the
 * checker, and where that waits for a flag, it has addresses of its own. */
static struct vgpu_memory *memory_at(const struct vgpu_block *block,
                                     uint64_t pc)
{
    const struct pool *const pool = block->pool;
    const enum vgpu_memory_kind kind = pool->managed      ? VGPU_MEM_MANAGED
                                       : pool->device < 0 ? VGPU_MEM_MAPPED
                                                          : VGPU_MEM_DEVICE;
    const int device = pool->device < 0 ? 0 : pool->device;

    if (vgpu_check_reports() || (block->freed && !vgpu_op_run(block->freed)))
        return vgpu_memory_new((size_t)block->asked, kind, device, pc);
    vgpu_left_again(block->at, block->asked);
    return vgpu_memory_place((void *)block->at, (size_t)block->asked, kind,
                             device, pc);
}

static cudaError_t take_from(struct pool *pool, size_t bytes,
                             struct vgpu_stream *stream, struct vgpu_call *call,
                             bool *lacked, struct vgpu_memory **memory)
{
    struct vgpu_block *block;
    const cudaError_t error =
        reserve(pool, bytes, stream, call, lacked, &block);

    if (error)
        return error;
    *memory = memory_at(block, call->pc);
    vgpu_op_unref(block->freed);
    block->freed = NULL;
    if (!*memory) {
        give(block, NULL);
        return cudaErrorMemoryAllocation;
    }
    (*memory)->flags = VGPU_MEMORY_POOL;
    (*memory)->guarded = pool->device < 0 && !pool->managed;
    (*memory)->owner = block;
    (*memory)->peers = pool->peers;
    return cudaSuccess;
}

static struct vgpu_memory *take_captured(const struct vgpu_stream *stream,
                                         int device, size_t bytes, uint64_t pc)
{
    struct vgpu_memory *const again =
        vgpu_capture_memory(stream, device, bytes);

    return again ? again : take(device, bytes, stream->capture, pc);
}

/* An allocation of no bytes succeeds with NULL and leaves nothing in the
 * stream. Memory is short when the bytes given out would exceed the profile's,
 * pools of one device together with its cudaMalloc. */
static cudaError_t alloc_async(struct vgpu_call *call, void **pointer,
                               size_t bytes, struct pool *pool,
                               cudaStream_t handle)
{
    bool lacked = false;
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_memory *memory = NULL;
    cudaError_t error = cudaSuccess;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaErrorInvalidValue;
    if (!vgpu_pool_exists(stream->device))
        return vgpu_because(cudaErrorNotSupported,
                            "device %d is older than memory pools",
                            stream->device);
    if ((error = vgpu_capture_unsafe_in(call->thread, stream)))
        return error;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    if (!pool)
        pool = vgpu_pool_current(stream->device);
    if (stream->capture)
        memory = take_captured(stream, pool->device, bytes, call->pc);
    else
        error = take_from(pool, bytes, stream, call, &lacked, &memory);
    if (lacked)
        call->cost_ns = vgpu_rt.host->host_malloc_ns;
    if (!memory)
        return error ? error : cudaErrorMemoryAllocation;
    *pointer = memory->base;
    return enqueue(VGPU_OP_ALLOC, memory, stream, call);
}

/* That of cudaMallocManaged is no stream's to free (observed).
 */
static cudaError_t refuse_free(const void *pointer,
                               const struct vgpu_memory *memory)
{
    const bool managed = memory && memory->kind == VGPU_MEM_MANAGED &&
                         !(memory->flags & VGPU_MEMORY_POOL) &&
                         !memory->free_pc && memory->base == pointer;

    return managed ? vgpu_because(cudaErrorNotSupported,
                                  "cudaMallocManaged gave it: cudaFree")
                   : vgpu_memory_refuse(pointer, memory);
}

/* Memory of cudaMalloc may be freed so too. A free that is captured is not
 * pending: it happens when the graph is launched. */
API(cudaFreeAsync, void *pointer, cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if ((error = vgpu_capture_unsafe_in(call->thread, stream)))
        return error;
    if (!pointer)
        return cudaSuccess;
    if (!memory || memory->free_pc || memory->base != pointer ||
        (memory->kind != VGPU_MEM_DEVICE &&
         !(memory->flags & VGPU_MEMORY_POOL)) ||
        (memory->flags & VGPU_MEMORY_PENDING))
        return refuse_free(pointer, memory);
    if (stream->capture && !vgpu_capture_frees(stream, memory))
        return vgpu_invalid("a graph frees only memory that a graph allocates, "
                            "and once");
    if (!stream->capture && vgpu_memory_of_graph(memory)) {
        if (!(memory->flags & VGPU_MEMORY_LIVE))
            return vgpu_memory_refuse(pointer, memory);
        memory->flags &= ~VGPU_MEMORY_LIVE;
    } else if (!stream->capture) {
        memory->flags |= VGPU_MEMORY_PENDING;
    }
    return enqueue(VGPU_OP_FREE, memory, stream, call);
}

API(cudaMallocAsync, void **pointer, size_t bytes, cudaStream_t stream)
{
    return alloc_async(call, pointer, bytes, NULL, stream);
}

/* A bad pool is told by the name of the call that was made, not by that of
 * cudaMallocAsync. */
API(cudaMallocFromPoolAsync, void **pointer, size_t bytes, cudaMemPool_t pool,
    cudaStream_t stream)
{
    struct pool *found = vgpu_pool_find(pool);
    cudaError_t error =
        vgpu_call_late(call, found ? VGPU_CALL_CONTEXT : VGPU_CALL_PLAIN);

    if (!found) {
        call->cost_ns = 0;
        return cudaErrorInvalidValue;
    }
    call->name = "cudaMallocAsync";
    if (!error && found->imported)
        return vgpu_pool_imported();
    return error ? error : alloc_async(call, pointer, bytes, found, stream);
}
