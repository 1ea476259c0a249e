/*
 * pool.c: stream-ordered allocation. The memory may be used by work that is
 * ordered after the allocation and before the free; the checker sees both as
 * writes to the whole range.
 *
 * The address is given out at the call, as CUDA does. It is never one that was
 * given out before, so that the checker tells a use after the free. Bytes are
 * another matter: those of memory that was freed stay with the pool, and an
 * allocation takes them, at once and from whatever pieces, where it is ordered
 * after the free or the free is over. What it lacks comes from the device,
 * which takes the host as long as cudaMalloc does; where the device has no
 * more, or the pool may not have it, the stream waits for frees that are not
 * over, if the pool's attributes allow that
 * (tests/conformance/memory_pool_limit.cu). A call that waits gives back what
 * is over the release threshold. The free takes effect when the operation is
 * done for real; until then the memory is marked and a second free is refused.
 *
 * Source: guide, "Stream Ordered Memory Allocator".
 */
#include "pool.h"

#include <stdlib.h>

/*
 * Bytes that were freed and that the pool still holds: for those who come after
 * @freed, and for everybody when it is done. A pool joins what lies side by
 * side and was freed in one stream: all of it is as free as the last of it. So
 * what several frees of a stream give is one piece here. What cudaFree frees
 * counts as used until the pool is trimmed. Source: observed on an H200,
 * tests/conformance/memory_pool_held.cu, memory_pool_streams.cu and
 * memory_pool_free.cu.
 */
struct spare {
    uint64_t bytes;
    struct vgpu_op *freed; /* NULL: done */
    bool counts;           /* as used */
    struct spare *next;
};

/* A device has a default pool from the start and a current one, which is the
 * default until cudaDeviceSetMemPool. */
static struct pool defaults[VGPU_MAX_DEVICES];
static struct pool *created;
static struct pool *current[VGPU_MAX_DEVICES];

static struct pool *current_pool(int device)
{
    defaults[device].device = device;
    return current[device] ? current[device] : &defaults[device];
}

struct pool *vgpu_pool_find(cudaMemPool_t handle)
{
    for (int i = 0; i < vgpu_rt.device_count; i++)
        if ((struct pool *)handle == &defaults[i])
            return &defaults[i];
    for (struct pool *p = created; p; p = p->next)
        if ((struct pool *)handle == p)
            return p;
    return NULL;
}

/* ---- what a pool holds --------------------------------------------------- */

static bool is_over(const struct spare *spare)
{
    return !spare->freed || spare->freed->done;
}

/* May work that is queued in @stream now have the bytes, without a wait of its
 * own? NULL: may the device have them back? */
static bool is_ready(const struct pool *pool, const struct spare *spare,
                     const struct vgpu_stream *stream)
{
    if (spare->counts || is_over(spare) || !stream)
        return !spare->counts && is_over(spare);
    if (pool->no_reuse[cudaMemPoolReuseFollowEventDependencies] &&
        spare->freed->time_stream != stream->time_stream)
        return false;
    return vgpu_agent_knows(stream->agent, spare->freed->check);
}

/* Take up to @wanted of the bytes that are ready, or of all that were freed by
 * cudaFreeAsync, the oldest first. Return: how many. */
static uint64_t spares_take(struct pool *pool, uint64_t wanted,
                            const struct vgpu_stream *stream, bool all)
{
    struct spare **link = &pool->spares, *spare;
    uint64_t taken = 0;

    while ((spare = *link) && taken < wanted) {
        uint64_t part =
            spare->bytes < wanted - taken ? spare->bytes : wanted - taken;

        if (all ? spare->counts : !is_ready(pool, spare, stream)) {
            link = &spare->next;
            continue;
        }
        taken += part;
        spare->bytes -= part;
        if (spare->bytes)
            break;
        *link = spare->next;
        vgpu_op_unref(spare->freed);
        free(spare);
    }
    return taken;
}

/* Another free of the same stream is not over? */
static bool is_joined(const struct spare *spare, const struct vgpu_op *freed)
{
    return freed && !is_over(spare) &&
           spare->freed->time_stream == freed->time_stream;
}

/* What is freed by cudaFree has no @freed. Without memory for its book the pool
 * gives the bytes back at once. */
static void spares_add(struct pool *pool, uint64_t bytes, struct vgpu_op *freed)
{
    struct spare **link = &pool->spares, *spare;

    while (*link && !is_joined(*link, freed))
        link = &(*link)->next;
    spare = *link ? *link : calloc(1, sizeof *spare);
    if (!spare) {
        pool->reserved -= bytes;
        vgpu_rt.devices[pool->device].used_bytes -= bytes;
    }
    if (!spare || freed)
        pool->used -= bytes;
    if (!spare)
        return;
    *link = spare;
    spare->bytes += bytes;
    vgpu_op_unref(spare->freed);
    spare->freed = freed ? vgpu_op_ref(freed) : NULL;
    spare->counts = !freed;
}

static bool give_back(struct pool *pool, uint64_t keep)
{
    const uint64_t more = pool->reserved > keep ? pool->reserved - keep : 0;
    const uint64_t bytes = spares_take(pool, more, NULL, false);

    pool->reserved -= bytes;
    vgpu_rt.devices[pool->device].used_bytes -= bytes;
    return bytes > 0;
}

/* Bytes that the device can still give to @pool, which may have no more than
 * its maximum, spare ones among them. */
static uint64_t left_for(const struct pool *pool)
{
    const struct vgpu_device *d = &vgpu_rt.devices[pool->device];
    const uint64_t left = vgpu_device_bytes(d->profile) - d->used_bytes;

    if (!pool->most)
        return left;
    if (pool->reserved >= pool->most)
        return 0;
    return left < pool->most - pool->reserved ? left
                                              : pool->most - pool->reserved;
}

static uint64_t count_ready(const struct pool *pool,
                            const struct vgpu_stream *stream)
{
    uint64_t ready = 0;

    for (const struct spare *s = pool->spares; s; s = s->next)
        ready += is_ready(pool, s, stream) ? s->bytes : 0;
    return ready;
}

/* @stream waits for frees of other streams, the oldest first, until @lacking
 * more bytes are ready. Not for any, where all together would be too little. */
static cudaError_t wait_for_frees(struct pool *pool, uint64_t lacking,
                                  struct vgpu_stream *stream,
                                  struct vgpu_call *call)
{
    uint64_t pending = 0;
    cudaError_t error = cudaSuccess;

    for (const struct spare *s = pool->spares; s; s = s->next)
        pending += s->counts || is_ready(pool, s, stream) ? 0 : s->bytes;
    if (pending < lacking ||
        pool->no_reuse[cudaMemPoolReuseAllowInternalDependencies])
        return cudaErrorMemoryAllocation;
    for (struct spare *s = pool->spares; s && lacking && !error; s = s->next)
        if (!s->counts && !is_ready(pool, s, stream)) {
            error = vgpu_op_join(stream, s->freed, "wait for a free", call);
            lacking -= s->bytes < lacking ? s->bytes : lacking;
        }
    return error;
}

/* Of what @pool has and of what the device has left. @lacked: the device had to
 * give some. */
static cudaError_t reserve(struct pool *pool, uint64_t bytes,
                           struct vgpu_stream *stream, struct vgpu_call *call,
                           bool *lacked)
{
    const uint64_t ready = count_ready(pool, stream), left = left_for(pool);
    uint64_t more = bytes > ready ? bytes - ready : 0;
    cudaError_t error = cudaSuccess;

    if (more > left) {
        error = wait_for_frees(pool, more - left, stream, call);
        more = left;
    }
    if (error)
        return error;
    vgpu_rt.devices[pool->device].used_bytes += more;
    pool->reserved += more;
    pool->used += bytes;
    bytes -= more + spares_take(pool, bytes - more, stream, false);
    spares_take(pool, bytes, stream, true); /* waited for */
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    *lacked = more > 0;
    return cudaSuccess;
}

bool vgpu_pool_trim(struct pool *pool, uint64_t keep)
{
    for (struct spare *s = pool->spares; s; s = s->next) {
        pool->used -= s->counts ? s->bytes : 0;
        s->counts = false;
    }
    return give_back(pool, keep);
}

int64_t vgpu_pool_waited(int device)
{
    struct pool *own = &defaults[device];
    bool gave = give_back(own, own->release_threshold);

    for (struct pool *p = created; p; p = p->next)
        if (p->device == device && give_back(p, p->release_threshold))
            gave = true;
    return gave ? vgpu_rt.host->host_free_ns : 0;
}

void vgpu_pool_reset(int device)
{
    vgpu_pool_trim(&defaults[device], 0);
    for (struct pool *p = created; p; p = p->next)
        if (p->device == device)
            vgpu_pool_trim(p, 0);
}

/* By the handle, since the pool may have been destroyed before its memory was
 * freed: then the device has it back. What is freed in stream order the pool
 * has taken at the call. */
void vgpu_pool_forget(struct vgpu_memory *memory)
{
    struct pool *pool = vgpu_pool_find((cudaMemPool_t)memory->owner);

    if (pool)
        spares_add(pool, memory->bytes, NULL);
    else
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
    struct pool *pool = vgpu_pool_find((cudaMemPool_t)memory->owner);
    cudaError_t error;

    if (!op)
        return cudaErrorMemoryAllocation;
    op->memory = memory;
    error = vgpu_op_enqueue(op, stream,
                            kind == VGPU_OP_ALLOC ? "stream-ordered allocation"
                                                  : "stream-ordered free",
                            call);
    if (!error && pool && (memory->flags & VGPU_MEMORY_PENDING)) {
        spares_add(pool, memory->bytes, op);
        memory->owner = NULL;
        memory->flags |= VGPU_MEMORY_TAKEN;
    }
    vgpu_op_unref(op);
    return error;
}

/* Memory of @device that no pool holds, if it has as much left. */
static struct vgpu_memory *take(int device, size_t bytes, uint64_t pc)
{
    struct vgpu_device *d = &vgpu_rt.devices[device];
    struct vgpu_memory *memory = NULL;

    if (bytes <= vgpu_device_bytes(d->profile) - d->used_bytes)
        memory = vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device, pc);
    if (memory)
        d->used_bytes += bytes;
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

cudaError_t vgpu_pool_graph_alloc(int device, size_t bytes, uint64_t pc,
                                  struct vgpu_op **op)
{
    struct vgpu_memory *memory = take(device, bytes, pc);

    if (memory)
        memory->flags = VGPU_MEMORY_POOL | VGPU_MEMORY_GRAPH;
    return node_op(VGPU_OP_ALLOC, memory, op);
}

cudaError_t vgpu_pool_graph_free(const void *address, struct vgpu_op **op)
{
    struct vgpu_memory *memory = vgpu_memory_find(address);

    if (!memory || memory->base != address || !vgpu_memory_of_graph(memory))
        return cudaErrorInvalidValue;
    return node_op(VGPU_OP_FREE, memory, op);
}

static cudaError_t take_from(struct pool *pool, size_t bytes,
                             struct vgpu_stream *stream, struct vgpu_call *call,
                             bool *lacked, struct vgpu_memory **memory)
{
    const cudaError_t error = reserve(pool, bytes, stream, call, lacked);

    if (error)
        return error;
    *memory = vgpu_memory_new(bytes, VGPU_MEM_DEVICE, pool->device, call->pc);
    if (!*memory)
        return cudaErrorMemoryAllocation;
    (*memory)->flags = VGPU_MEMORY_POOL;
    (*memory)->owner = pool;
    (*memory)->peers = pool->peers;
    return cudaSuccess;
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
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    if (!pool)
        pool = current_pool(stream->device);
    if (stream->capture)
        memory = take(pool->device, bytes, call->pc);
    else
        error = take_from(pool, bytes, stream, call, &lacked, &memory);
    if (lacked)
        call->cost_ns = vgpu_rt.host->host_malloc_ns;
    if (!memory)
        return error ? error : cudaErrorMemoryAllocation;
    if (stream->capture)
        memory->flags = VGPU_MEMORY_POOL | VGPU_MEMORY_GRAPH;
    *pointer = memory->base;
    return enqueue(VGPU_OP_ALLOC, memory, stream, call);
}

/* Memory of cudaMalloc may be freed so too. A free that is captured is not
 * pending: it happens when the graph is launched. */
API(cudaFreeAsync, void *pointer, cudaStream_t handle)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!pointer)
        return cudaSuccess;
    if (!memory || memory->free_pc || memory->base != pointer ||
        memory->kind != VGPU_MEM_DEVICE ||
        (memory->flags & VGPU_MEMORY_PENDING))
        return cudaErrorInvalidValue;
    if (!stream->capture && !vgpu_memory_of_graph(memory))
        memory->flags |= VGPU_MEMORY_PENDING;
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
    return error ? error : alloc_async(call, pointer, bytes, found, stream);
}

API(cudaDeviceGetDefaultMemPool, cudaMemPool_t *pool, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (!pool)
        return cudaErrorInvalidValue;
    defaults[device].device = device;
    *pool = (cudaMemPool_t)&defaults[device];
    return cudaSuccess;
}

API(cudaDeviceGetMemPool, cudaMemPool_t *pool, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (!pool)
        return cudaErrorInvalidValue;
    *pool = (cudaMemPool_t)current_pool(device);
    return cudaSuccess;
}

/* A pool of another device would give out memory that the device cannot reach.
 * */
API(cudaDeviceSetMemPool, int device, cudaMemPool_t handle)
{
    struct pool *pool = vgpu_pool_find(handle);

    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    if (!pool || pool->device != device)
        return cudaErrorInvalidValue;
    current[device] = pool;
    return cudaSuccess;
}

/* Only what a course uses: pinned device memory of this process. Handles to
 * share with other processes and pools of host memory are refused by name. */
API(cudaMemPoolCreate, cudaMemPool_t *out,
    const struct cudaMemPoolProps *properties)
{
    struct pool *pool;

    if (!out || !properties ||
        properties->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone ||
        properties->location.type != cudaMemLocationTypeDevice)
        return cudaErrorNotSupported;
    if (!vgpu_device_exists(properties->location.id))
        return cudaErrorInvalidValue;
    pool = calloc(1, sizeof *pool);
    if (!pool)
        return cudaErrorMemoryAllocation;
    pool->own = true;
    pool->device = properties->location.id;
    pool->most = properties->maxSize;
    pool->next = created;
    created = pool;
    *out = (cudaMemPool_t)pool;
    return cudaSuccess;
}

/* What is spare goes back to the device, even where a free is not over yet:
 * from here on nobody could take it. */
static void pool_close(struct pool *pool)
{
    struct spare *spare;

    while ((spare = pool->spares)) {
        pool->spares = spare->next;
        vgpu_rt.devices[pool->device].used_bytes -= spare->bytes;
        vgpu_op_unref(spare->freed);
        free(spare);
    }
    free(pool);
}

/* Memory that is still in use stays usable until it is freed. */
API(cudaMemPoolDestroy, cudaMemPool_t handle)
{
    struct pool *pool = vgpu_pool_find(handle);

    if (!pool || !pool->own)
        return cudaErrorInvalidValue;
    struct pool **link = &created;

    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    if (current[pool->device] == pool)
        current[pool->device] = NULL;
    pool_close(pool);
    return cudaSuccess;
}
