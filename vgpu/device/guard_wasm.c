/*
 * guard_wasm.c: guard.c in a browser. A trap ends the WebAssembly frames of the
 * context that ran; the page then asks here what is to go on instead.
 */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

#include "lab_wasm.h"
#include "stacks.h"
#include "vgpu/caller.h"

/* The runtime's: host code crashed. */
void vgpu_crash_tell(int signal_number, uint64_t pc);

struct fault_guard {
    int unused;
};

struct fault_guard *vgpu_fault_guard_begin(void)
{
    static struct fault_guard guard;

    return &guard;
}

void vgpu_fault_guard_end(struct fault_guard *guard)
{
    (void)guard;
}

void *vgpu_guarded_memory(size_t bytes, size_t guard_bytes)
{
    (void)guard_bytes;
    return calloc(1, bytes);
}

void vgpu_guard_met(const void *address)
{
    char text[128];

    vgpu_describe_address(address, text, sizeof text);
    vgpu_exec_abort_at(VGPU_EXEC_ILLEGAL_ADDRESS, (uintptr_t)VGPU_CALLER(),
                       text);
}

/* The words are those of guard.c. @full: the trap was for want of stack. */
__attribute__((export_name("vgpu_trapped"), used)) struct context *
vgpu_trapped(int signal_number, int full);
struct context *vgpu_trapped(int signal_number, int full)
{
    const uint64_t pc = (uintptr_t)VGPU_CALLER();
    struct vgpu_block *const block = vgpu_current;
    enum vgpu_exec_status status = VGPU_EXEC_TRAP;
    const char *words = "illegal instruction or trap";
    char text[128];

    if (!block || block->current < 0) {
        vgpu_crash_tell(full ? -signal_number : signal_number, pc);
        return NULL;
    }
    if (signal_number == LAB_SIGFPE) {
        words = "integer division by zero, or its result does "
                "not fit (a GPU goes on with a wrong value)";
    } else if (signal_number == LAB_SIGSEGV) {
        status = VGPU_EXEC_ILLEGAL_ADDRESS;
        words = text;
        if (full)
            snprintf(text, sizeof text, STACK_FULL_WORDS, STACK_BYTES / 1024);
        else
            snprintf(text, sizeof text,
                     "access to an address that is not "
                     "there");
    }
    return vgpu_block_stop(block, status, pc, words);
}
