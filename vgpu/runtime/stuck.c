/*
 * stuck.c: why a kernel waits in vain, for people
 */
#include "rt.h"

#include <stdio.h>

/* Who waits behind @op, which waits for a flag; NULL: nobody does. */
static const struct vgpu_op *behind(const struct vgpu_op *op)
{
    for (const struct vgpu_op *o = vgpu_op_oldest(); o; o = o->next_pending) {
        if (o->kind == VGPU_OP_MARK)
            continue;
        for (int i = 0; i < o->before_count; i++)
            if (o->before[i] == op)
                return o;
    }
    return NULL;
}

/* Blocks of @exec that run at once on @device. */
static int64_t resident(const struct vgpu_exec *exec, int device)
{
    const struct vgpu_profile *const p = vgpu_rt.devices[device].profile;

    return (int64_t)p->sms *
           vgpu_time_blocks_per_sm(
               p, (int)(exec->block[0] * exec->block[1] * exec->block[2]),
               VGPU_REGISTERS,
               (int64_t)(exec->dynamic_shared_bytes +
                         vgpu_kernel_static_shared(exec->kernel)));
}

/* What the kernel @op waits in vain for, as far as is known. */
const char *vgpu_stuck_words(const struct vgpu_op *op, char text[1024])
{
    const struct vgpu_exec *const exec = &op->kernel.exec;
    const int64_t blocks =
        (int64_t)exec->grid[0] * exec->grid[1] * exec->grid[2];
    const int64_t room = resident(exec, op->device);
    const struct vgpu_op *const next = behind(op);
    char at[256];
    int n = snprintf(text, 1024,
                     "a kernel reads a flag that does not change, and the host "
                     "waits for the kernel: %.80s, launched at %s",
                     exec->kernel->name, vgpu_line_format(op->pc, at, 256));

    if (blocks > room)
        snprintf(text + n, 1024 - (size_t)n,
                 "; of its %lld blocks %lld run at once, and no other begins "
                 "before one of them ends",
                 (long long)blocks, (long long)room);
    else if (next)
        snprintf(text + n, 1024 - (size_t)n, "; the %s of %s is behind it",
                 vgpu_does_words(vgpu_op_does(next)),
                 vgpu_line_format(next->pc, at, 256));
    return text;
}
