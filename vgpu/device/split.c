/*
 * split.c: blocks whose threads are done in a loop from one barrier to the next
 * (vgpu/split.h), all on one fiber.
 *
 * From begin to end no thread waits: the front end has seen to that. What would
 * have one give its turn away, since it looks at the same thing again and again
 * (spin.c), goes on: there it is the last thing that a thread does.
 */
#include "block.h"

#include <stdlib.h>

/* Where threads come in another order than theirs, each has its fiber; and
 * where one has begun. Functions that would have a thread wait for others of
 * its kind do not (gang.c). */
int vgpu_split_begin(struct vgpu_block *block)
{
    if (!block->plain_order || block->current != -1 ||
        block->num_simple != block->num_threads)
        return 0;
    block->current = 0;
    block->split = true;
    block->split_counts[0] = block->ops;
    block->split_counts[1] = block->slots;
    block->split_counts[2] = block->doubles;
    block->gang.busy = true;
    return 1;
}

void vgpu_split_end(struct vgpu_block *block)
{
    block->split = false;
    block->gang.busy = false;
    block->current = -1;
    block->num_simple = 0;
    block->num_started = block->num_ended = block->num_threads;
    vgpu_block_news(block);
}

void vgpu_split_forget(struct vgpu_block *block)
{
    block->ops = block->split_counts[0];
    block->slots = block->split_counts[1];
    block->doubles = block->split_counts[2];
}

/* As large as any block of the state's has needed. */
void *vgpu_split_find(struct vgpu_block *block, unsigned number, size_t bytes)
{
    struct split_room *const room = &block->rooms[number];

    if (room->bytes < bytes) {
        free(room->at);
        room->bytes = (bytes + SPLIT_ALIGN - 1) / SPLIT_ALIGN * SPLIT_ALIGN;
        room->at = aligned_alloc(SPLIT_ALIGN, room->bytes);
    }
    if (!room->at) {
        room->bytes = 0;
        vgpu_exec_abort(VGPU_EXEC_NO_MEMORY, "no memory for what the threads "
                                             "of a block keep");
    }
    return room->at;
}

void vgpu_split_free(struct vgpu_block *block)
{
    for (int i = 0; i < VGPU_SPLIT_ROOMS; i++)
        free(block->rooms[i].at);
}
