/*
 * pool_make.c: which pools there are: of each place a default one from the
 * start, and a current one, which is the default until another is set; and
 * those that a program makes.
 *
 * A place is a device, the host, one of its nodes, of which there is one, or,
 * for managed memory, none of them.
 *
 * Source: manual, "Stream Ordered Memory Allocator"; observed,
 * tests/conformance/memory_pool_host.cu and memory_pool_codes.cu.
 */
#include "capture.h"
#include "handle.h"
#include "pool.h"

#include <stdlib.h>
#include <string.h>

/* Pinned memory of each device, managed memory of each, pinned memory of the
 * host and of its node, and managed memory of host, node, and no place. */
enum {
    MANAGED = VGPU_MAX_DEVICES,
    HOST = 2 * VGPU_MAX_DEVICES,
    MANAGED_HOST = HOST + 2,
    MANAGED_NOWHERE = MANAGED_HOST + 2,
    HOMES
};

static struct home {
    struct pool own, *current; /* NULL: the own one */
} homes[HOMES];
static struct pool *created;

/* ---- places -------------------------------------------------------------- */

/* Return: the number of a home; -1 where there can be no pool, and -2 for where
 * the calling thread is, of which nothing is known. */
static int home_of(const struct cudaMemLocation *at,
                   enum cudaMemAllocationType type)
{
    const bool managed = type == cudaMemAllocationTypeManaged;

    if (at->type == cudaMemLocationTypeHostNumaCurrent)
        return -2;
    if (!managed && type != cudaMemAllocationTypePinned)
        return -1;
    if (at->type == cudaMemLocationTypeDevice && vgpu_device_exists(at->id))
        return at->id + (managed ? MANAGED : 0);
    if (at->type == cudaMemLocationTypeHost)
        return managed ? MANAGED_HOST : HOST;
    if (at->type == cudaMemLocationTypeHostNuma && at->id == 0)
        return (managed ? MANAGED_HOST : HOST) + 1;
    return at->type == cudaMemLocationTypeNone && managed ? MANAGED_NOWHERE
                                                          : -1;
}

/* Its pool from the start. */
static struct pool *own_of(int home)
{
    struct pool *const own = &homes[home].own;

    own->home = home;
    own->device = home < MANAGED ? home : -1;
    own->managed = home >= MANAGED && home != HOST && home != HOST + 1;
    return own;
}

static struct pool *current_of(int home)
{
    return homes[home].current ? homes[home].current : own_of(home);
}

/* Pools of the host are as those of the first device. */
static bool home_exists(int home)
{
    return vgpu_pool_exists(home < HOST ? home % MANAGED : 0);
}

struct pool *vgpu_pool_current(int device)
{
    return current_of(device);
}

struct pool *vgpu_pool_find(cudaMemPool_t handle)
{
    for (int i = 0; i < HOMES; i++)
        if ((struct pool *)handle == &homes[i].own)
            return home_exists(i) ? own_of(i) : NULL;
    for (struct pool *p = created; p; p = p->next)
        if ((struct pool *)handle == p && !p->gone)
            return p;
    return NULL;
}

uint64_t vgpu_pool_idle(int device)
{
    uint64_t bytes = 0;

    for (const struct pool *p = vgpu_pool_next(NULL); p; p = vgpu_pool_next(p))
        if (p->device == device && p->reserved > p->used)
            bytes += p->reserved - p->used;
    return bytes;
}

struct pool *vgpu_pool_next(const struct pool *pool)
{
    int home = pool ? pool->home + 1 : 0;

    if (pool && pool->own)
        return pool->next;
    while (home < HOMES && !homes[home].own.rooms)
        home++;
    return home < HOMES ? own_of(home) : created;
}

void vgpu_pool_remove(struct pool *pool)
{
    struct pool **link = &created;

    vgpu_pool_empty(pool);
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    free(pool);
}

/* ---- the pool of a place ------------------------------------------------- */

#define NO_HOME                                                                \
    "no pool can be there: the location and the sort of memory are to be "     \
    "those of a device or the host, and pinned or managed"

static cudaError_t no_pools(void)
{
    return vgpu_because(cudaErrorNotSupported,
                        "the device is older than memory pools");
}

cudaError_t vgpu_pool_imported(void)
{
    return vgpu_invalid("the pool was imported: its memory is not given out "
                        "here");
}

/* @current  or the one from the start */
static cudaError_t ask(cudaMemPool_t *pool, int home, bool current)
{
    if (home < 0)
        return home == -1 ? vgpu_invalid(NO_HOME)
                          : vgpu_because(cudaErrorNotSupported,
                                         "of the NUMA node of the calling "
                                         "thread nothing is known");
    if (!home_exists(home))
        return no_pools();
    *pool = (cudaMemPool_t)(current ? current_of(home) : own_of(home));
    return cudaSuccess;
}

static cudaError_t set(int home, cudaMemPool_t handle)
{
    struct pool *const pool = vgpu_pool_find(handle);

    if (home < 0 || !pool || pool->home != home || pool->imported)
        return home < 0         ? vgpu_invalid(NO_HOME)
               : !pool          ? cudaErrorInvalidValue
               : pool->imported ? vgpu_pool_imported()
                                : vgpu_invalid("the pool is of another place");
    homes[home].current = pool;
    return cudaSuccess;
}

API(cudaDeviceGetDefaultMemPool, cudaMemPool_t *pool, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    return pool ? ask(pool, device, false) : cudaErrorInvalidValue;
}

API(cudaDeviceGetMemPool, cudaMemPool_t *pool, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidValue;
    return pool ? ask(pool, device, true) : cudaErrorInvalidValue;
}

/* A pool of another device would give out memory that the device cannot reach.
 */
API(cudaDeviceSetMemPool, int device, cudaMemPool_t pool)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidValue;
    return set(device, pool);
}

API(cudaMemGetDefaultMemPool, cudaMemPool_t *pool,
    struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    if (!pool || !location)
        return cudaErrorInvalidValue;
    return ask(pool, home_of(location, type), false);
}

API(cudaMemGetMemPool, cudaMemPool_t *pool, struct cudaMemLocation *location,
    enum cudaMemAllocationType type)
{
    if (!pool || !location)
        return cudaErrorInvalidValue;
    return ask(pool, home_of(location, type), true);
}

API(cudaMemSetMemPool, struct cudaMemLocation *location,
    enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    return location ? set(home_of(location, type), pool)
                    : cudaErrorInvalidValue;
}

/* ---- a program's own ----------------------------------------------------- */

/* Handles for other processes, which may be asked for and are not given here:
 * of a file, and of a machine's fabric. The host's memory has none. */
static bool has_handles(const struct cudaMemPoolProps *properties)
{
    const unsigned known =
        cudaMemHandleTypePosixFileDescriptor | cudaMemHandleTypeFabric;

    return !((unsigned)properties->handleTypes & ~known) &&
           (!properties->handleTypes ||
            properties->location.type != cudaMemLocationTypeHost);
}

static bool is_reserved(const struct cudaMemPoolProps *properties)
{
    for (size_t i = 0; i < sizeof properties->reserved; i++)
        if (properties->reserved[i])
            return true;
    return false;
}

API(cudaMemPoolCreate, cudaMemPool_t *out,
    const struct cudaMemPoolProps *properties)
{
    struct pool *pool;
    int home, device;

    if (!out || !properties)
        return cudaErrorInvalidValue;
    if (!has_handles(properties) || is_reserved(properties))
        return vgpu_invalid(is_reserved(properties)
                                ? "what is reserved in the properties is not 0"
                                : "handleTypes has one that such a pool does "
                                  "not have");
    home = home_of(&properties->location, properties->allocType);
    if (home < 0)
        return vgpu_invalid(NO_HOME);
    if (!home_exists(home))
        return no_pools();
    /* The host's memory is not known to end. */
    device = home < HOST ? home % MANAGED : 0;
    if (properties->maxSize >
        vgpu_device_bytes(vgpu_rt.devices[device].profile))
        return vgpu_because(
            cudaErrorMemoryAllocation,
            "maxSize is more than the device has: %s",
            vgpu_amount(vgpu_device_bytes(vgpu_rt.devices[device].profile)));
    pool = malloc(sizeof *pool);
    if (!pool)
        return cudaErrorMemoryAllocation;
    *pool = (struct pool){.home = home,
                          .own = true,
                          .device = own_of(home)->device,
                          .managed = own_of(home)->managed,
                          .handles = (unsigned)properties->handleTypes,
                          .most = properties->maxSize,
                          .next = created};
    created = pool;
    *out = (cudaMemPool_t)pool;
    return cudaSuccess;
}

/* Memory that is still in use stays usable until it is freed. */
API(cudaMemPoolDestroy, cudaMemPool_t handle)
{
    struct pool *pool = vgpu_pool_find(handle);

    if (!pool || !pool->own)
        return pool ? vgpu_invalid("a default pool cannot be destroyed")
                    : cudaErrorInvalidValue;
    if (homes[pool->home].current == pool)
        homes[pool->home].current = NULL;
    vgpu_pool_trim(pool, 0);
    pool->gone = true;
    vgpu_handle_ended(pool, call->pc);
    if (!pool->used)
        vgpu_pool_remove(pool);
    return cudaSuccess;
}

/* ---- handles ------------------------------------------------------------- */

/* A file that stands for the pool: it may be asked for and brought back in this
 * process. Others have virtual GPUs of their own. */
API(cudaMemPoolExportToShareableHandle, void *handle, cudaMemPool_t of,
    enum cudaMemAllocationHandleType type, unsigned int flags)
{
    struct pool *const pool = vgpu_pool_find(of);

    if (!pool || !handle || flags || !((unsigned)type & pool->handles))
        return pool ? vgpu_invalid(!handle ? "handle is NULL"
                                   : flags ? "flags is not 0"
                                           : "the pool was made without this "
                                             "type in handleTypes")
                    : cudaErrorInvalidValue;
    if (type != cudaMemHandleTypePosixFileDescriptor)
        return vgpu_call_refuse(call, "there is no fabric");
    if (!pool->file)
        pool->file = vgpu_ipc_file() + 1;
    if (!pool->file)
        return vgpu_call_refuse(call, "there are no other processes");
    *(int *)handle = vgpu_ipc_file_again(pool->file - 1);
    return cudaSuccess;
}

/* It gives out nothing: it is there for the pointers that the other exports. */
API(cudaMemPoolImportFromShareableHandle, cudaMemPool_t *out, void *handle,
    enum cudaMemAllocationHandleType type, unsigned int flags)
{
    const int file = (int)(intptr_t)handle;
    struct pool *pool = created, *own;

    if (!out || flags || type != cudaMemHandleTypePosixFileDescriptor)
        return !out ? cudaErrorInvalidValue
                    : vgpu_invalid(flags ? "flags is not 0"
                                         : "only file descriptors are here");
    if (!vgpu_ipc_is_file(file))
        return vgpu_because(cudaErrorUnknown, "%d is no open file", file);
    while (pool && !(pool->file && vgpu_ipc_same_file(pool->file - 1, file)))
        pool = pool->next;
    if (!pool)
        return vgpu_call_refuse(call,
                                "each process has a virtual GPU of its own");
    own = malloc(sizeof *own);
    if (!own)
        return cudaErrorMemoryAllocation;
    *own = (struct pool){.home = pool->home,
                         .own = true,
                         .imported = true,
                         .device = pool->device,
                         .managed = pool->managed,
                         .next = created};
    created = own;
    *out = (cudaMemPool_t)own;
    return cudaSuccess;
}

API(cudaMemPoolExportPointer, struct cudaMemPoolPtrExportData *data,
    void *pointer)
{
    const struct vgpu_memory *const memory = vgpu_memory_find(pointer);
    const struct vgpu_block *block = NULL;

    if (memory && !memory->free_pc && (memory->flags & VGPU_MEMORY_POOL) &&
        !(memory->flags & VGPU_MEMORY_TAKEN))
        block = memory->owner;
    if (!data || !block || !block->pool->handles)
        return data
                   ? vgpu_invalid("it is no memory of a pool with handleTypes: "
                                  "it is %s",
                                  vgpu_memory_words(pointer))
                   : cudaErrorInvalidValue;
    *data = (struct cudaMemPoolPtrExportData){{0}};
    memcpy(data->reserved, &pointer, sizeof pointer);
    return cudaSuccess;
}

API(cudaMemPoolImportPointer, void **pointer, cudaMemPool_t of,
    struct cudaMemPoolPtrExportData *data)
{
    const struct pool *const pool = vgpu_pool_find(of);

    if (!pointer || !data || !pool || !pool->imported)
        return pointer && data && pool
                   ? vgpu_invalid("the pool was not imported")
                   : cudaErrorInvalidValue;
    return vgpu_call_refuse(call, "memory of a pool has one address");
}
