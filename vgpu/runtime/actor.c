/*
 * actor.c: who makes the accesses of an operation, for the checker's reports
 */
#include "rt.h"

#include <stdio.h>

enum vgpu_does vgpu_op_does(const struct vgpu_op *op)
{
    static const enum vgpu_does kinds[] = {
        [VGPU_OP_SET] = VGPU_DOES_memset,  [VGPU_OP_KERNEL] = VGPU_DOES_kernel,
        [VGPU_OP_HOST] = VGPU_DOES_hostfn, [VGPU_OP_MARK] = VGPU_DOES_mark,
        [VGPU_OP_ALLOC] = VGPU_DOES_alloc, [VGPU_OP_FREE] = VGPU_DOES_free,
        [VGPU_OP_BRANCH] = VGPU_DOES_mark,
    };
    static const enum vgpu_does ways[] = {
        [VGPU_TIME_H2D] = VGPU_DOES_h2d,
        [VGPU_TIME_D2H] = VGPU_DOES_d2h,
        [VGPU_TIME_D2D] = VGPU_DOES_d2d,
        [VGPU_TIME_PEER] = VGPU_DOES_peer,
    };

    if (op->kind != VGPU_OP_COPY)
        return kinds[op->kind];
    return op->copy.dst.device || op->copy.src.device ? ways[op->copy.way]
                                                      : VGPU_DOES_h2h;
}

struct vgpu_actor vgpu_op_actor(const struct vgpu_op *op, const char *what)
{
    const char *const kernel =
        op->kind == VGPU_OP_KERNEL ? op->kernel.exec.kernel->name : NULL;

    return (struct vgpu_actor){
        .does = vgpu_op_does(op), .kernel = kernel, .what = what};
}

void vgpu_actor_of_graph(struct vgpu_actor *actor, const struct vgpu_call *call,
                         char text[VGPU_WHAT])
{
    const struct vgpu_call *const launch = call->thread->calling;

    if (!vgpu_rt.checking)
        return;
    if (actor->kernel) {
        snprintf(text, VGPU_WHAT, "kernel %s of a graph", actor->kernel);
        actor->what = text;
    }
    actor->launched =
        (struct vgpu_launched){launch->id, launch->pc, launch->stream->agent};
}
