/*
 * ahead.c: kernels that begin before the one ahead of them in their stream has
 * ended (programmatic dependent launches).
 *
 * The kernel ahead says when the next may begin: a block does with the first of
 * its threads that says so, or with its end, and the grid with the last of its
 * blocks. The next one waits for the end of the kernel ahead where it asks to,
 * which is for a flag of the runtime's.
 *
 * Source: guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA,
 * griddepcontrol.
 */
#include "block.h"

#include "vgpu_check.h"

/* Until the runtime has set @flag, where there is one. */
static void hold(struct vgpu_block *block, const bool *flag, uint64_t pc)
{
    while (flag && !*(const volatile bool *)flag) {
        block->looks.pc = pc;
        block->looks.thread = block->current;
        vgpu_thread_spins(block);
    }
}

/* Every function here that is not static is for programs. */
#pragma GCC visibility push(default)

void vgpu_trigger(void);
void vgpu_dependency(void);

/*
 * How far the block has come, in thousandths of what its threads do. Until they
 * wait for each other one runs after the other, and the first to say so is as
 * far as it has got itself; from then on all are about equally far. Where the
 * next kernel is there, they wait while it runs as far as it can.
 */
void vgpu_trigger(void)
{
    struct vgpu_block *block =
        vgpu_block_required("cudaTriggerProgrammaticLaunchCompletion");

    if (!block->triggered) {
        vgpu_block_note(block);
        block->triggered = true;
        block->trigger_ops = block->ops - block->began_ops;
        block->trigger_threads = block->num_started ? block->num_started : 1;
    }
    hold(block, block->exec->let_go, (uint64_t)(uintptr_t)VGPU_CALLER());
}

void vgpu_dependency(void)
{
    struct vgpu_block *block =
        vgpu_block_required("cudaGridDependencySynchronize");

    hold(block, block->exec->ahead_over, (uint64_t)(uintptr_t)VGPU_CALLER());
}

#pragma GCC visibility pop

void vgpu_trigger_note(struct vgpu_block *block)
{
    const uint64_t all = block->ops - block->began_ops;
    uint64_t permille = 1000;

    if (block->triggered && all)
        permille = block->trigger_ops * block->num_threads * 1000 /
                   block->trigger_threads / all;
    if (permille > 1000)
        permille = 1000;
    if (permille > block->trigger_most)
        block->trigger_most = (uint32_t)permille;
}
