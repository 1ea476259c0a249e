/*
 * whose_wasm.c: whose.c by what the linker says of a module's only memory.
 */
#include "check_state.h"
#include "lab_wasm.h"

extern char __global_base[], __data_end[];

bool whose_program(uintptr_t address)
{
    return address >= (uintptr_t)__global_base &&
           address < (uintptr_t)__data_end;
}

void whose_stack(uintptr_t *lo, uintptr_t *hi)
{
    vgpu_wasm_stack(lo, hi);
}

void whose_end(void)
{
    lab_end(LAB_SIGSEGV);
}

/* Nothing is there before a buffer, where the C library keeps its books. */
void whose_free(const void *memory)
{
    if (arena_contains(memory))
        whose_end();
}
