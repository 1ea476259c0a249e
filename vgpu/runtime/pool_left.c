/*
 * pool_left.c: memory that was freed in the order of a stream, and that its
 * pool has not given back; and memory of cudaMalloc that was freed so
 *
 * It stays where it is: who uses it still, in another stream that nothing
 * orders or behind the free, finds bytes there as on a GPU, and the checker
 * knows what the free was. It goes when the pieces under it are the device's
 * again and nothing is queued that may use it, or when its address is given
 * out again.
 */
#include "pool.h"

#include <stdlib.h>

/* Of more than that, in bytes or in pieces of memory, the oldest goes. */
#define MOST  (sizeof(void *) < 8 ? (uint64_t)16 << 20 : (uint64_t)256 << 20)
#define COUNT 256

struct vgpu_left {
    struct vgpu_memory *memory;
    struct pool *pool; /* NULL: it is gone, or the memory is cudaMalloc's */
    uintptr_t at;      /* in the pool's rooms, which may be numbers */
    uint64_t bytes;
    bool begun; /* the free is done */
    struct vgpu_left *next;
};

static struct vgpu_left *first, **last = &first;
static uint64_t left_bytes;
static unsigned left_count;

struct vgpu_left *vgpu_left_new(struct vgpu_memory *memory,
                                const struct vgpu_block *block)
{
    struct vgpu_left *left = calloc(1, sizeof *left);

    if (!left)
        return NULL;
    left->memory = memory;
    left->pool = block ? block->pool : NULL;
    left->at = block ? block->at : 0;
    left->bytes = memory->bytes;
    *last = left;
    last = &left->next;
    return left;
}

/* What @link holds goes, and its memory with it. */
static void drop(struct vgpu_left **link)
{
    struct vgpu_left *const left = *link;

    *link = left->next;
    if (last == &left->next)
        last = link;
    left_bytes -= left->begun ? left->bytes : 0;
    left_count -= left->begun;
    left->memory->owner = NULL;
    vgpu_memory_release(left->memory, left->memory->left_pc);
    free(left);
}

static struct vgpu_left **link_of(const struct vgpu_left *left)
{
    struct vgpu_left **link = &first;

    while (*link != left)
        link = &(*link)->next;
    return link;
}

void vgpu_left_begin(const struct vgpu_op *op)
{
    struct vgpu_left *const left = op->memory->owner;

    if (!(op->memory->flags & VGPU_MEMORY_POOL)) {
        vgpu_pool_forget(op->memory);
        op->memory->flags |= VGPU_MEMORY_TAKEN;
    }
    vgpu_memory_leave(op->memory, op->check, op->pc);
    left->begun = true;
    left_bytes += left->bytes;
    left_count++;
    if (!left->pool && (op->memory->flags & VGPU_MEMORY_POOL))
        drop(link_of(left));
    for (struct vgpu_left **link = &first;
         *link && (left_bytes > MOST || left_count > COUNT);)
        if ((*link)->begun)
            drop(link);
        else
            link = &(*link)->next;
}

void vgpu_left_settle(const struct pool *pool)
{
    for (struct vgpu_left **link = &first; *link && !vgpu_rt.pending;) {
        const struct vgpu_left *const l = *link;

        if (l->begun && (!l->pool || l->pool == pool) &&
            !(l->pool && vgpu_rooms_hold(pool, l->at, l->bytes)))
            drop(link);
        else
            link = &(*link)->next;
    }
}

void vgpu_left_again(uintptr_t at, uint64_t bytes)
{
    for (struct vgpu_left **link = &first; *link;) {
        const struct vgpu_left *const l = *link;

        if (l->begun && l->at && l->at < at + bytes && at < l->at + l->bytes)
            drop(link);
        else
            link = &(*link)->next;
    }
}

void vgpu_left_forget(const struct pool *pool)
{
    for (struct vgpu_left **link = &first; *link;) {
        struct vgpu_left *const l = *link;

        if (l->pool == pool)
            l->pool = NULL;
        if (!l->pool && l->begun)
            drop(link);
        else
            link = &l->next;
    }
}
