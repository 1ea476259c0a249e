/*
 * host_side.c: host memory that a copy of a graph uses at each launch, long
 * after the line that made the node
 *
 * With VGPU_CHECK=1 only. What the program gives back before is kept, as it is
 * for copies that are queued (loan.c), and a launch that uses it is told. Of
 * memory that is read a sum is taken when the node is made: other bytes at a
 * launch are what a program may want, or not.
 */
#include "graph.h"

#include <stdlib.h>

#define WHOLE ((size_t)1 << 20) /* of more bytes than that a part is summed */
#define STRIP ((size_t)64)

struct vgpu_host_side {
    unsigned refs;           /* nodes that were made of each other */
    struct vgpu_place place; /* its memory may be gone: asked for by @id */
    struct vgpu_extent extent;
    uint64_t sum;
    bool read, told;
    bool own;                         /* the program's, not CUDA's */
    bool framed;                      /* on a stack: */
    const struct vgpu_thread *thread; /* ... of this one */
};

static uint64_t sum_of(const struct vgpu_place *place,
                       const struct vgpu_extent *e)
{
    const size_t step = (vgpu_extent_bytes(e) / WHOLE + 1) * STRIP;
    uint64_t sum = 0;

    for (size_t z = 0; z < e->slices; z++)
        for (size_t y = 0; y < e->rows; y++)
            for (size_t x = 0; x < e->width; x += step)
                sum = 31 * sum +
                      vgpu_repeat_hash(
                          place->base + z * place->slice + y * place->pitch + x,
                          e->width - x < STRIP ? e->width - x : STRIP);
    return sum;
}

void vgpu_host_side_begin(struct vgpu_node *node)
{
    const struct vgpu_op *const op = node->op;
    struct vgpu_host_side *side;

    if (!vgpu_rt.checking || !op || op->kind != VGPU_OP_COPY ||
        op->copy.src.device == op->copy.dst.device)
        return;
    side = calloc(1, sizeof *side);
    if (!side)
        return;
    side->refs = 1;
    side->read = op->copy.dst.device;
    side->place = side->read ? op->copy.src : op->copy.dst;
    side->extent = op->copy.extent;
    side->own =
        !side->place.memory || side->place.memory->kind == VGPU_MEM_REGISTERED;
    side->thread = vgpu_thread_self();
    side->framed = vgpu_check_on_stack(side->place.base);
    if (side->read)
        side->sum = sum_of(&side->place, &side->extent);
    if (side->own && !side->framed)
        vgpu_check_lend(side, side->place.base,
                        vgpu_place_reach(&side->place, &side->extent));
    node->host_side = side;
}

struct vgpu_host_side *vgpu_host_side_ref(struct vgpu_host_side *side)
{
    if (side)
        side->refs++;
    return side;
}

void vgpu_host_side_unref(struct vgpu_host_side *side)
{
    if (!side || --side->refs)
        return;
    vgpu_check_loan_end(side);
    free(side);
}

/* Frames of functions that have returned lie beyond that of the call. */
static bool has_returned(const struct vgpu_host_side *side)
{
    const struct vgpu_thread *const self = vgpu_thread_self();

    return side->framed && side->thread == self &&
           (uintptr_t)side->place.base < (uintptr_t)self->calling->frame;
}

static bool is_there(const struct vgpu_host_side *side)
{
    const struct vgpu_memory *memory;

    if (side->own)
        return true;
    memory = vgpu_memory_find(side->place.base);
    return memory && !memory->free_pc && memory->id == side->place.id;
}

void vgpu_host_side_look(const struct vgpu_node *node, const struct vgpu_op *op)
{
    struct vgpu_host_side *const side = node->host_side;
    const uint64_t launch = vgpu_thread_self()->calling->pc;

    if (!side || side->told || node->disabled)
        return;
    if (has_returned(side)) {
        side->told = true;
        vgpu_warn(host_side_left, node->pc,
                  .verb = side->read ? "reads" : "writes",
                  .bytes = (int64_t)vgpu_extent_bytes(&side->extent),
                  .from = vgpu_at(launch));
    } else if (vgpu_check_loan_tell(side, op->check,
                                    side->read ? VGPU_READ : VGPU_WRITE)) {
        side->told = true;
    } else if (side->read && is_there(side) &&
               sum_of(&side->place, &side->extent) != side->sum) {
        side->told = true;
        vgpu_warn(host_side_changed, node->pc, .from = vgpu_at(launch));
    }
}
