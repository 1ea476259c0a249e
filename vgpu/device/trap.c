/*
 * trap.c: how a kernel ends early: __trap, assert, a fault (guard.c).
 */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stacks.h"

struct context *vgpu_block_stop(struct vgpu_block *block,
                                enum vgpu_exec_status status, uint64_t pc,
                                const char *message)
{
    struct vgpu_exec_result *result = block->result;
    char name[96];

    result->status = status;
    result->pc = pc;
    snprintf(result->message, sizeof result->message, "%s: %s",
             vgpu_thread_name(block, block->current, name, sizeof name),
             message);
    block->stopped = true;
    return &block->scheduler;
}

/* Nothing is unwound: the kernel's frames are left where they are, and their
 * stacks are used again. Kernels own nothing that would leak. */
void vgpu_exec_abort_at(enum vgpu_exec_status status, uint64_t pc,
                        const char *message)
{
    struct context here;

    if (!vgpu_current) {
        fprintf(stderr, "vgpu: %s\n", message);
        abort();
    }
    memset(&here, 0, sizeof here);
    context_leave(&here, vgpu_block_stop(vgpu_current, status, pc, message));
}

void vgpu_exec_abort(enum vgpu_exec_status status, const char *message)
{
    vgpu_exec_abort_at(status, 0, message);
}

/* What a student can do something about: a recursion too deep, an index past
 * the end of shared memory. Device memory never gets here, the checker has seen
 * it before the access was made. */
void vgpu_describe_address(const void *address, char *text, size_t size)
{
    size_t beyond = 0;

    if (vgpu_stack_contains(address) == 2)
        snprintf(text, size, STACK_FULL_WORDS, STACK_BYTES / 1024);
    else if (vgpu_shared_contains(&vgpu_current->shared, address, &beyond))
        snprintf(text, size,
                 "access %zu bytes past the end of __shared__ "
                 "memory",
                 beyond);
    else
        snprintf(text, size, "access to address %p", address);
}

void vgpu_trap(void)
{
    vgpu_exec_abort_at(VGPU_EXEC_TRAP, (uint64_t)(uintptr_t)VGPU_CALLER(),
                       "__trap()");
}

void vgpu_assert_fail(const char *expression, const char *file,
                      unsigned int line, const char *function)
{
    char text[200];

    if (!vgpu_current) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line,
                function, expression);
        abort();
    }
    snprintf(text, sizeof text, "%s:%u: assertion `%s' failed", file, line,
             expression);
    vgpu_exec_abort(VGPU_EXEC_ASSERT, text);
}

long vgpu_clock(void)
{
    return vgpu_current ? (long)vgpu_clock_read(0) : (long)clock();
}
