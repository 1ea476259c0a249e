/*
 * memory.c: allocation on devices and of pinned, registered, mapped and managed
 * host memory; what a pointer is.
 *
 * Memory comes from the checker's arena (check/arena.c), which knows each
 * allocation by its address; here it gets CUDA's rules: how much a device has,
 * who may reach it, what its making and freeing cost the host. cudaFree waits
 * for the device, as drivers do today, and gives the host no order for
 * it, since no manual promises that.
 *
 * Source: manual, "Memory Management"; guide, "Page-Locked Host Memory",
 * "Unified Memory Programming".
 */
#include "capture.h"
#include "rt.h"

#include <string.h>

#define PITCH 512
#define MIB   (1024.0 * 1024.0)

/* Page-locking costs the host by the page: time for it grows with the bytes,
 * where cudaMalloc has one price. */
int64_t vgpu_memory_per_mib(size_t bytes, int64_t ns_per_mib)
{
    return (int64_t)((double)bytes / MIB * (double)ns_per_mib);
}

static cudaError_t none_left(const struct vgpu_device *device, size_t bytes)
{
    const uint64_t all = vgpu_device_bytes(device->profile);
    const uint64_t idle = vgpu_pool_idle(device->index);
    char kept[160] = "";

    if (idle)
        snprintf(
            kept, sizeof kept,
            "; memory pools keep %s that nobody has: cudaMemPoolTrimTo, or "
            "a smaller cudaMemPoolAttrReleaseThreshold",
            vgpu_amount(idle));
    return vgpu_because(
        cudaErrorMemoryAllocation,
        "%s are asked for, and of the %s of device %d %s are free%s",
        vgpu_amount(bytes), vgpu_amount(all), device->index,
        vgpu_amount(all - device->used_bytes), kept);
}

/* What cudaFreeHost of @memory takes. */
static int64_t free_host_ns(const struct vgpu_memory *memory)
{
    const struct vgpu_profile *const host = vgpu_rt.host;

    return (host->host_free_host_ns > 0 ? host->host_free_host_ns
                                        : host->host_free_ns) +
           vgpu_memory_per_mib(memory->bytes, host->host_free_host_ns_per_mib);
}

/* Zero bytes succeed with a null pointer, as with the real runtime. */
cudaError_t vgpu_memory_allocate(struct vgpu_call *call, void **out,
                                 size_t bytes, enum vgpu_memory_kind kind,
                                 unsigned flags)
{
    struct vgpu_device *device = vgpu_device_current();
    bool on_device = kind == VGPU_MEM_DEVICE;
    struct vgpu_memory *memory;

    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes)
        return cudaSuccess;
    if (on_device &&
        bytes > vgpu_device_bytes(device->profile) - device->used_bytes)
        return none_left(device, bytes);
    memory = vgpu_memory_new(bytes, kind, device->index, call->pc);
    if (!memory)
        return vgpu_because(cudaErrorMemoryAllocation,
                            "%s are more than this machine has left",
                            vgpu_amount(bytes));
    memory->flags = flags;
    if (kind == VGPU_MEM_MANAGED)
        memory->owner = (void *)(intptr_t)cudaInvalidDeviceId;
    if (on_device) {
        device->used_bytes += bytes;
        for (int d = 0; d < vgpu_rt.device_count; d++)
            if (vgpu_rt.devices[d].peers >> device->index & 1)
                memory->peers |= 1ull << d;
    }
    *out = memory->base;
    return cudaSuccess;
}

API(cudaMalloc, void **pointer, size_t bytes)
{
    /* Within a host function, too, the place is looked at first (observed).
     */
    const cudaError_t error =
        vgpu_call_late(call, pointer ? VGPU_CALL_UNSAFE : VGPU_CALL_EVENT);

    return error
               ? error
               : vgpu_memory_allocate(call, pointer, bytes, VGPU_MEM_DEVICE, 0);
}

/* The bytes of rows that begin at multiples of PITCH, which is what devices of
 * today give: no program may rely on the number. Return: do so many exist? */
static bool pitched(size_t width, size_t rows, size_t slices, size_t *pitch,
                    size_t *bytes)
{
    if (width > SIZE_MAX - PITCH)
        return false;
    *pitch = rows ? round_up(width, PITCH) : 0;
    return !__builtin_mul_overflow(*pitch, rows, bytes) &&
           !__builtin_mul_overflow(*bytes, slices, bytes);
}

API(cudaMallocPitch, void **pointer, size_t *pitch, size_t width, size_t height)
{
    size_t bytes;

    if (!pitch || !pitched(width, height, 1, pitch, &bytes))
        return pitch ? vgpu_invalid("so many bytes cannot be counted")
                     : cudaErrorInvalidValue;
    return vgpu_memory_allocate(call, pointer, bytes, VGPU_MEM_DEVICE, 0);
}

API(cudaMalloc3D, struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    size_t bytes;

    if (!pointer || !pitched(extent.width, extent.height, extent.depth,
                             &pointer->pitch, &bytes))
        return pointer ? vgpu_invalid("so many bytes cannot be counted")
                       : cudaErrorInvalidValue;
    pointer->xsize = extent.width;
    pointer->ysize = extent.height;
    return vgpu_memory_allocate(call, &pointer->ptr, bytes, VGPU_MEM_DEVICE, 0);
}

/* All page-locked memory is mapped and portable, as unified addressing makes
 * it; flags are kept to be asked for. */
API(cudaHostAlloc, void **pointer, size_t bytes, unsigned int flags)
{
    const unsigned known = cudaHostAllocPortable | cudaHostAllocMapped |
                           cudaHostAllocWriteCombined;

    call->cost_ns +=
        vgpu_memory_per_mib(bytes, vgpu_rt.host->host_malloc_host_ns_per_mib);
    if (flags & ~known)
        return vgpu_because(cudaErrorInvalidValue,
                            "flags has a bit that is no flag of cudaHostAlloc");
    return vgpu_memory_allocate(call, pointer, bytes, VGPU_MEM_MAPPED, flags);
}

API(cudaMallocHost, void **pointer, size_t bytes)
{
    return vgpu_do_cudaHostAlloc(call, pointer, bytes, 0);
}

/* Does not count against the device's memory: managed memory may be more than
 * that (guide, "GPU Memory Oversubscription"). */
API(cudaMallocManaged, void **pointer, size_t bytes, unsigned int flags)
{
    const bool inside = vgpu_thread_self()->in_host_function;
    cudaError_t error = vgpu_call_late(
        call, inside && !pointer ? VGPU_CALL_EVENT : VGPU_CALL_UNSAFE);

    if (error || (inside && !pointer))
        return error ? error : cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return vgpu_because(cudaErrorInvalidValue,
                            "flags is neither cudaMemAttachGlobal nor "
                            "cudaMemAttachHost");
    error = vgpu_memory_allocate(call, pointer, bytes, VGPU_MEM_MANAGED, flags);
    if (!error && bytes)
        vgpu_memory_find(*pointer)->attached = flags == cudaMemAttachHost;
    return error;
}

bool vgpu_memory_of_host_pool(const struct vgpu_memory *memory)
{
    return memory && memory->kind == VGPU_MEM_MAPPED &&
           (memory->flags & VGPU_MEMORY_POOL);
}

bool vgpu_memory_of_graph(const struct vgpu_memory *memory)
{
    return memory->kind == VGPU_MEM_DEVICE &&
           (memory->flags & VGPU_MEMORY_GRAPH);
}

/* The pool first: what it knows of the memory must not outlive it. */
void vgpu_memory_release(struct vgpu_memory *memory, uint64_t pc)
{
    if (vgpu_memory_of_graph(memory))
        return;
    if ((memory->kind == VGPU_MEM_DEVICE ||
         (memory->flags & VGPU_MEMORY_POOL)) &&
        !(memory->flags & VGPU_MEMORY_TAKEN))
        vgpu_pool_forget(memory);
    vgpu_ipc_freed(memory);
    vgpu_memory_free(memory, pc);
}

/* A live allocation that begins at @pointer and may be freed as @host. cudaFree
 * for device and managed memory and that of any pool, cudaFreeHost for pinned
 * memory: one for the other is an error, and so is a pointer into the middle.
 */
static struct vgpu_memory *find_to_free(const void *pointer, bool host)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    bool is_host;

    if (!memory || memory->free_pc || memory->base != pointer || !memory->id ||
        (memory->flags & (VGPU_MEMORY_PENDING | VGPU_MEMORY_OPENED)))
        return NULL;
    is_host =
        (memory->kind == VGPU_MEM_PINNED || memory->kind == VGPU_MEM_MAPPED) &&
        !(memory->flags & VGPU_MEMORY_POOL);
    if (memory->kind == VGPU_MEM_REGISTERED || is_host != host)
        return NULL;
    return memory;
}

cudaError_t vgpu_memory_refuse(const void *pointer,
                               const struct vgpu_memory *memory)
{
    const char *why = "it is memory of a graph, and no launch has left it";

    if (!memory || !memory->id)
        why = "no call of CUDA's has allocated it";
    else if (memory->free_pc)
        why = "it has been freed already";
    else if (memory->flags & VGPU_MEMORY_PENDING)
        why = "cudaFreeAsync has freed it already";
    else if (memory->kind == VGPU_MEM_REGISTERED)
        why = "it is the program's own, and registered: cudaHostUnregister";
    else if (memory->base != pointer)
        why = "only the address that the allocation returned can be freed";
    else if (memory->flags & VGPU_MEMORY_OPENED)
        why = "it is another process's: cudaIpcCloseMemHandle";
    else if (memory->kind == VGPU_MEM_PINNED || memory->kind == VGPU_MEM_MAPPED)
        why = "it is pinned host memory: cudaFreeHost";
    else if (!vgpu_memory_of_graph(memory))
        why = "cudaFree gives it back";
    return vgpu_because(cudaErrorInvalidValue, "%s", why);
}

/* Only where work may run: a cudaFree at a program's end, after it has
 * synchronised, is right and gets no warning. */
static void warn_pending(const struct vgpu_call *call)
{
    if (vgpu_rt.checking && vgpu_op_works())
        vgpu_warn(freed_at_work, call->pc, .call = call->name);
}

/* May work of device @device be about to use @memory? That of another device
 * than the memory's own is waited for only where it reaches or copies it:
 * hardware waits for the own one (observed: implicit_sync_more). */
static bool may_use(int device, const struct vgpu_memory *memory)
{
    if (memory->kind == VGPU_MEM_MANAGED ||
        memory->kind == VGPU_MEM_REGISTERED || device == memory->device ||
        (memory->peers >> device & 1))
        return true;
    for (const struct vgpu_op *op = vgpu_op_oldest(); op; op = op->next_pending)
        if (op->device == device && op->kind == VGPU_OP_COPY &&
            (op->copy.dst.memory == memory || op->copy.src.memory == memory))
            return true;
    return false;
}

/* Memory of a pool is given back without waiting. */
cudaError_t vgpu_memory_drain(struct vgpu_call *call,
                              const struct vgpu_memory *memory)
{
    if (memory->flags & VGPU_MEMORY_POOL)
        return cudaSuccess;
    warn_pending(call);
    for (int d = 0; d < vgpu_rt.device_count; d++)
        if (may_use(d, memory))
            vgpu_wait_drain(call->thread, &vgpu_rt.devices[d]);
    return vgpu_device_current()->sticky;
}

/* A null pointer is freed without a word, as free() has it. The memory goes
 * even where draining found an error: it is the error of the work, not of this
 * call, and the program gave the memory up. */
static cudaError_t release(struct vgpu_call *call, void *pointer, bool host)
{
    struct vgpu_memory *memory = pointer ? find_to_free(pointer, host) : NULL;
    cudaError_t error;

    if (!memory ||
        (vgpu_memory_of_graph(memory) && !(memory->flags & VGPU_MEMORY_LIVE)))
        return pointer ? vgpu_memory_refuse(pointer, vgpu_memory_find(pointer))
                       : cudaSuccess;
    memory->flags &= ~VGPU_MEMORY_LIVE;
    error = vgpu_memory_drain(call, memory);
    if (host)
        call->cost_ns = free_host_ns(memory);
    vgpu_memory_release(memory, call->pc);
    return error;
}

API(cudaFree, void *pointer)
{
    return release(call, pointer, false);
}

API(cudaFreeHost, void *pointer)
{
    return release(call, pointer, true);
}

/* Host memory that the device may reach: page-locked or registered. A pool's is
 * asked about as if it were the device's (observed). */
static struct vgpu_memory *find_host(const void *pointer)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!memory || memory->free_pc || memory->kind == VGPU_MEM_DEVICE ||
        memory->kind == VGPU_MEM_MANAGED || (memory->flags & VGPU_MEMORY_POOL))
        return NULL;
    return memory;
}

API(cudaHostGetDevicePointer, void **device, void *host, unsigned int flags)
{
    if (!device || flags || !find_host(host))
        return vgpu_because(cudaErrorInvalidValue,
                            flags ? "flags is not 0"
                            : device
                                ? "it is neither pinned nor registered memory"
                                : "there is no place for the pointer");
    *device = host; /* unified addressing */
    return cudaSuccess;
}

API(cudaHostGetFlags, unsigned int *flags, void *host)
{
    const struct vgpu_memory *memory = vgpu_memory_find(host);

    if (!flags || !memory || memory->free_pc ||
        memory->kind == VGPU_MEM_DEVICE || (memory->flags & VGPU_MEMORY_POOL))
        return flags ? vgpu_invalid("it is no pinned or registered memory: it "
                                    "is %s",
                                    vgpu_memory_words(host))
                     : cudaErrorInvalidValue;
    /* Unified addressing maps all; read-only is not told. */
    *flags =
        (memory->flags & (cudaHostAllocPortable | cudaHostAllocWriteCombined)) |
        cudaHostAllocMapped;
    return cudaSuccess;
}

/* Exact, where a real driver keeps some for itself and gives memory out by the
 * page: a program that divides by what is free gets the same answer each time.
 * */
API(cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes)
{
    size_t total = vgpu_device_bytes(vgpu_device_current()->profile);

    if (free_bytes)
        *free_bytes = total - vgpu_device_current()->used_bytes;
    if (total_bytes)
        *total_bytes = total;
    return cudaSuccess;
}

/* A pointer that CUDA has never seen is no error since CUDA 11: it is described
 * as unregistered (manual, cudaPointerGetAttributes). */
static void describe(struct cudaPointerAttributes *a, const void *pointer)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    void *p = (void *)(uintptr_t)pointer;

    memset(a, 0, sizeof *a);
    a->device = -2;
    if (vgpu_symbols_managed(pointer)) {
        a->device = vgpu_thread_self()->device;
        a->type = cudaMemoryTypeManaged;
        a->devicePointer = p;
        a->hostPointer = p;
        return;
    }
    if (!memory || vgpu_memory_is_freed(memory) ||
        (vgpu_memory_of_graph(memory) && !(memory->flags & VGPU_MEMORY_LIVE))) {
        a->type = cudaMemoryTypeUnregistered;
        a->hostPointer = p;
        return;
    }
    a->device = memory->device;
    a->devicePointer = p;
    if (memory->kind == VGPU_MEM_DEVICE) {
        a->type = cudaMemoryTypeDevice;
        return;
    }
    if (!vgpu_memory_reaches(memory, vgpu_thread_self()->device))
        a->devicePointer = NULL;
    a->hostPointer = p;
    a->type = memory->kind == VGPU_MEM_MANAGED ? cudaMemoryTypeManaged
                                               : cudaMemoryTypeHost;
}

API(cudaPointerGetAttributes, struct cudaPointerAttributes *attributes,
    const void *pointer)
{
    if (!attributes)
        return cudaErrorInvalidValue;
    describe(attributes, pointer);
    return cudaSuccess;
}

/* Advice may be given for managed memory only, which is checked; what it would
 * do to speed is not modelled. */
API(cudaMemAdvise, const void *pointer, size_t bytes,
    enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    struct vgpu_memory *memory;

    memory = vgpu_memory_find(pointer);
    if (!memory || memory->kind != VGPU_MEM_MANAGED || !bytes)
        return vgpu_because(cudaErrorInvalidValue,
                            bytes ? "it is no managed memory" : "0 bytes");
    return advice == cudaMemAdviseSetReadMostly ||
                   advice == cudaMemAdviseUnsetReadMostly
               ? cudaSuccess
               : vgpu_numa_check(&location);
}

/* Who may touch managed memory changes nothing here but what is told of devices
 * that have it apart from the host. */
API(cudaStreamAttachMemAsync, cudaStream_t stream, void *pointer, size_t bytes,
    unsigned int flags)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    struct vgpu_stream *const in = vgpu_stream_find(stream);
    cudaError_t error;

    if (!in)
        return cudaErrorInvalidResourceHandle;
    if (!memory || memory->free_pc || memory->kind != VGPU_MEM_MANAGED)
        return vgpu_invalid("it is no managed memory: it is %s",
                            vgpu_memory_words(pointer));
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
        flags != cudaMemAttachSingle)
        return vgpu_invalid("flags is not one of cudaMemAttachGlobal, Host and "
                            "Single");
    if (bytes && bytes != memory->bytes)
        return vgpu_invalid("%zu bytes: all of it, %zu or 0, or none", bytes,
                            (size_t)memory->bytes);
    if (flags == cudaMemAttachSingle && in->legacy)
        return vgpu_invalid("cudaMemAttachSingle is for a stream of one's own, "
                            "not for the default stream");
    error = in->capture
                ? vgpu_capture_failed(in, cudaErrorStreamCaptureUnsupported)
                : vgpu_capture_unsafe_in(call->thread, in);
    if (error)
        return error;
    memory->attached = flags != cudaMemAttachGlobal;
    return cudaSuccess;
}

/* Of managed memory only the last prefetch's target is kept. */
API(cudaMemRangeGetAttribute, void *data, size_t data_bytes,
    enum cudaMemRangeAttribute attribute, const void *pointer, size_t bytes)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!memory || memory->kind != VGPU_MEM_MANAGED)
        return vgpu_invalid("it is no managed memory: it is %s",
                            vgpu_memory_words(pointer));
    if (!data || data_bytes != sizeof(int) || !bytes)
        return vgpu_invalid(!data    ? "data is NULL"
                            : !bytes ? "0 bytes"
                                     : "an answer takes %zu bytes, and there "
                                       "is room for %zu",
                            sizeof(int), data_bytes);
    if (attribute != cudaMemRangeAttributeLastPrefetchLocation)
        return vgpu_because(cudaErrorNotSupported,
                            "the virtual GPU keeps only where memory was "
                            "prefetched to last");
    *(int *)data = (int)(intptr_t)memory->owner;
    return cudaSuccess;
}

/* Registered memory is the program's own and stays; so do variables, and pools
 * with what they have given out (observed). */
void vgpu_memory_reset(int device, uint64_t pc)
{
    struct vgpu_memory *next;

    for (struct vgpu_memory *m = vgpu_memory_first(); m; m = next) {
        next = vgpu_memory_next(m);
        if (m->device != device || !m->id ||
            ((m->flags & VGPU_MEMORY_POOL) && !vgpu_memory_of_graph(m)))
            continue;
        if (vgpu_memory_of_graph(m))
            m->flags &= ~VGPU_MEMORY_GRAPH;
        vgpu_memory_release(m, pc);
    }
    vgpu_graph_memory_reset(device);
}
