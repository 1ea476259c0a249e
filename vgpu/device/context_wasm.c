/*
 * context_wasm.c: context.c in a browser, by JavaScript Promise Integration.
 *
 * The page suspends the WebAssembly frames of one context in an import and lets
 * those of another go on. What C has on a stack of its own in memory, this
 * puts in place: there is one stack pointer for all contexts. To begin a
 * context is dear, so one that came to its end waits there to be made again.
 */
#include "context.h"

#include <stdint.h>
#include <stdlib.h>

#include "lab_wasm.h"
#include "vgpu/caller.h"

/* Of the program's call that is under way: see vgpu/caller.h. */
__asm__(".globaltype __vgpu_pc, i32\n"
        ".globl __vgpu_pc\n"
        "__vgpu_pc:\n");

static inline void *stack_pointer(void)
{
    void *sp;

    __asm__ volatile(".globaltype __stack_pointer, i32\n\t"
                     "global.get __stack_pointer\n\t"
                     "local.set %0"
                     : "=r"(sp));
    return sp;
}

static inline void stack_pointer_set(void *sp)
{
    __asm__ volatile("local.get %0\n\t"
                     "global.set __stack_pointer"
                     :
                     : "r"(sp));
}

static inline void caller_set(void *pc)
{
    __asm__ volatile("local.get %0\n\t"
                     "global.set __vgpu_pc"
                     :
                     : "r"(pc));
}

void context_clean(void *stack, size_t stack_bytes)
{
    (void)stack;
    (void)stack_bytes;
}

void context_make(struct context *context, void *stack, size_t stack_bytes,
                  context_entry_fn *entry, void *arg)
{
    context->fresh =
        !context->parked || context->entry != entry || context->arg != arg;
    context->parked = false;
    context->sp = (char *)stack + stack_bytes;
    context->entry = entry;
    context->arg = arg;
}

__attribute__((export_name("vgpu_context_enter"), used)) void
vgpu_context_enter(struct context *context);
void vgpu_context_enter(struct context *context)
{
    context->fresh = 0;
    lab_begun();
    stack_pointer_set(context->sp);
    context->entry(context->arg);
}

void context_switch(struct context *from, struct context *to)
{
    void *const sp = stack_pointer(), *const pc = vgpu_caller();

    lab_switch(from, to);
    stack_pointer_set(sp);
    caller_set(pc);
}

void context_end(struct context *from, struct context *to)
{
    from->parked = true;
    context_switch(from, to);
}

void context_leave(struct context *from, struct context *to)
{
    (void)from;
    lab_leave(to);
    abort();
}
