/*
 * stuck.c: why a kernel waits in vain, for people
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>

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

int64_t vgpu_op_resident(const struct vgpu_op *op)
{
    const struct vgpu_exec *const exec = &op->kernel.exec;
    const struct vgpu_profile *const p = vgpu_rt.devices[op->device].profile;

    return (int64_t)p->sms *
           vgpu_time_blocks_per_sm(
               p, (int)(exec->block[0] * exec->block[1] * exec->block[2]),
               VGPU_REGISTERS,
               (int64_t)(exec->dynamic_shared_bytes +
                         vgpu_kernel_static_shared(exec->kernel)));
}

/* All of @op's blocks are to begin together, and have no place. */
static const char *apart_words(const struct vgpu_op *op, char text[1024])
{
    const struct vgpu_op *first = vgpu_op_waiting();
    char at[2][200];

    while (first->kernel.no_room || first->device != op->device)
        first = first->kernel.next_waiting;
    snprintf(text, 1024,
             "all %lld blocks of the cooperative kernel %.80s, launched at %s, "
             "must run at once, and there is room for %lld beside those of "
             "kernel %.80s, launched at %s, which waits itself",
             (long long)vgpu_op_blocks(op), op->kernel.exec.kernel->name,
             vgpu_line_format(op->pc, at[0], sizeof at[0]),
             (long long)op->kernel.exec.room, first->kernel.exec.kernel->name,
             vgpu_line_format(first->pc, at[1], sizeof at[1]));
    return text;
}

/* The writer of what the kernel @op waits for has no place on the device. */
static const char *full_words(const struct vgpu_op *op, char text[1024])
{
    static const char *const full[] = {
        [VGPU_FULL_NOT] = "it comes after other work that waits",
        [VGPU_FULL_QUEUE] = "their streams share a hardware queue "
                            "(CUDA_DEVICE_MAX_CONNECTIONS), whose first is "
                            "the call at ",
        [VGPU_FULL_GRIDS] = "as many kernels run as can at once",
        [VGPU_FULL_SLOTS] = ("the multiprocessors have no room beside the "
                             "blocks of the kernel launched at "),
    };
    const struct vgpu_op *const writer =
        vgpu_time_user(vgpu_rt.time, op->kernel.writers[0]);
    void *user = NULL;
    const enum vgpu_time_full which =
        vgpu_time_full_of(vgpu_rt.time, op->kernel.writers[0], &user);
    const struct vgpu_op *const first = user;
    char at[3][200];

    if (!writer) /* it has begun since, and will be seen to have */
        return "a kernel waits for another one";
    vgpu_line_format(op->pc, at[0], sizeof at[0]);
    vgpu_line_format(writer->pc, at[1], sizeof at[1]);
    vgpu_line_format(first ? first->pc : 0, at[2], sizeof at[2]);
    snprintf(text, 1024,
             "kernel %.80s, launched at %s, waits for what kernel %.80s "
             "writes, launched at %s, which cannot begin: %s%s",
             op->kernel.exec.kernel->name, at[0],
             writer->kernel.exec.kernel->name, at[1], full[which],
             first ? at[2] : "");
    return text;
}

/* Of the kernels that wait the one that says most. */
const struct vgpu_op *vgpu_stuck_op(void)
{
    const struct vgpu_op *best = vgpu_op_waiting();

    for (const struct vgpu_op *op = best; op; op = op->kernel.next_waiting) {
        if (op->kernel.is_over || op->kernel.no_room)
            return op;
        if (vgpu_op_blocks(op) > (int64_t)op->kernel.exec.room)
            best = op;
    }
    return best;
}

/* What is behind @op; a call of copies that waits for what it is behind has
 * issued nothing yet. */
static void say_behind(const struct vgpu_op *op, char *text, size_t bytes)
{
    const struct vgpu_op *const next = behind(op);
    const struct vgpu_call *const call = vgpu_thread_self()->calling;
    char at[256];

    if (next)
        snprintf(text, bytes, "; the %s of %s is behind it",
                 vgpu_does_words(vgpu_op_does(next)),
                 vgpu_line_format(next->pc, at, 256));
    else if (call && (!strncmp(call->name, "cudaMemcpy", 10) ||
                      !strncmp(call->name, "cudaMemset", 10)))
        snprintf(text, bytes, "; %s of %s is behind it", call->name,
                 vgpu_line_format(call->pc, at, 256));
}

/* What the kernel @op waits in vain for, as far as is known. */
const char *vgpu_stuck_words(const struct vgpu_op *op, char text[1024])
{
    const struct vgpu_exec *const exec = &op->kernel.exec;
    const int64_t blocks = vgpu_op_blocks(op);
    const int64_t room = (int64_t)exec->room;
    char at[256];
    int n;

    if (op->kernel.is_over)
        return full_words(op, text);
    if (op->kernel.no_room)
        return apart_words(op, text);
    if (vgpu_time_crowded(vgpu_rt.time, op->device))
        return "a kernel reads a flag that does not change, and so do as many "
               "as run at once, while others wait for a place";
    n = snprintf(text, 1024,
                 "%.200s, and the host waits for the kernel: %.80s, "
                 "launched at %s",
                 op->kernel.lost ? op->kernel.lost
                                 : "a kernel reads a flag that does not "
                                   "change",
                 exec->kernel->name, vgpu_line_format(op->pc, at, 256));

    if (op->kernel.lost)
        return text;
    if (blocks > room)
        snprintf(text + n, 1024 - (size_t)n,
                 "; of its %lld blocks %lld run at once%s, and no other "
                 "begins before one of them ends",
                 (long long)blocks, (long long)room,
                 room < vgpu_op_resident(op)
                     ? " beside those of other kernels that wait"
                     : "");
    else
        say_behind(op, text + n, 1024 - (size_t)n);
    return text;
}

const char *vgpu_stuck_beside(const char *what, char text[1024])
{
    const struct vgpu_op *const op = vgpu_stuck_op();
    char at[256];
    int n;

    if (!op || op->kernel.is_over || op->kernel.no_room)
        return what;
    n = snprintf(text, 1024,
                 "%.300s, and kernel %.80s, launched at %s, waits, too", what,
                 op->kernel.exec.kernel->name,
                 vgpu_line_format(op->pc, at, sizeof at));
    say_behind(op, text + n, 1024 - (size_t)n);
    return text;
}
