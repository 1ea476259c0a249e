/*
 * context.c: switching between stacks.
 *
 * A kernel with barriers switches twice for each thread and barrier, so this is
 * its speed. On x86-64 and arm64 a switch stores what a function must preserve
 * and changes the stack pointer, a few nanoseconds; elsewhere ucontext does it,
 * with a system call. Floating-point modes are not changed by kernels and not
 * stored.
 */
#include "context.h"

#include <stdint.h>
#include <stdlib.h>

#ifdef VGPU_CONTEXT_ASAN
#include <sanitizer/asan_interface.h>

/* The address sanitizer keeps track of the stack that is in use. Where the
 * scheduler's stack lies is learnt when it is left for the first time. */
static _Thread_local struct context *leaving;

static void switch_begin(struct context *from, struct context *to)
{
    leaving = from;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack,
                                   to->stack_bytes);
}

static void switch_end(struct context *self)
{
    struct context *from = leaving;
    const void *stack;
    size_t stack_bytes;

    __sanitizer_finish_switch_fiber(self->fake_stack, &stack, &stack_bytes);
    if (!from->stack) {
        from->stack = stack;
        from->stack_bytes = stack_bytes;
    }
}
#elif !defined(VGPU_CONTEXT_JUMP)
static inline void switch_begin(struct context *from, struct context *to)
{
    (void)from;
    (void)to;
}

static inline void switch_end(struct context *self)
{
    (void)self;
}
#endif

#ifdef VGPU_CONTEXT_UCONTEXT

/* makecontext passes ints only: a pointer travels in two halves. */
static void start(unsigned int hi, unsigned int lo, unsigned int arg_hi,
                  unsigned int arg_lo, unsigned int self_hi,
                  unsigned int self_lo)
{
    uintptr_t entry = (uintptr_t)((uint64_t)hi << 32 | lo);
    uintptr_t arg = (uintptr_t)((uint64_t)arg_hi << 32 | arg_lo);
    uintptr_t self = (uintptr_t)((uint64_t)self_hi << 32 | self_lo);

    switch_end((struct context *)self);
    ((context_entry_fn *)entry)((void *)arg);
}

static void prepare(struct context *context, void *stack, size_t stack_bytes,
                    context_entry_fn *entry, void *arg)
{
    uint64_t e = (uintptr_t)entry;
    uint64_t a = (uintptr_t)arg;
    uint64_t s = (uintptr_t)context;

    getcontext(&context->saved);
    context->saved.uc_stack.ss_sp = stack;
    context->saved.uc_stack.ss_size = stack_bytes;
    context->saved.uc_link = NULL;
    makecontext(&context->saved, (void (*)(void))start, 6,
                (unsigned int)(e >> 32), (unsigned int)e,
                (unsigned int)(a >> 32), (unsigned int)a,
                (unsigned int)(s >> 32), (unsigned int)s);
}

static inline void jump(struct context *from, struct context *to)
{
    swapcontext(&from->saved, &to->saved);
}

#else

/* Where a new context begins: calls its entry, kept in preserved registers. */
__attribute__((visibility("hidden"))) void vgpu_context_begin(void);

#ifdef __x86_64__
#define SAVED_WORDS 9 /* 6 registers, pc, 2 so that a call is aligned */

/* clang-format off */
#define SWITCH(name)              \
    ".p2align 4\n"                \
    ".globl " name "\n"           \
    name ":\n"                    \
    "    pushq %rbp\n"            \
    "    pushq %rbx\n"            \
    "    pushq %r12\n"            \
    "    pushq %r13\n"            \
    "    pushq %r14\n"            \
    "    pushq %r15\n"            \
    "    movq %rsp, (%rdi)\n"     \
    "    movq %rsi, %rsp\n"       \
    "    popq %r15\n"             \
    "    popq %r14\n"             \
    "    popq %r13\n"             \
    "    popq %r12\n"             \
    "    popq %rbx\n"             \
    "    popq %rbp\n"

__asm__(
    ".text\n"
    SWITCH("vgpu_context_jump")
    "    popq %rdx\n"
    "    jmpq *%rdx\n"
    SWITCH("vgpu_context_return")
    "    retq\n"
    ".p2align 4\n"
    "vgpu_context_begin:\n"
    "    movq %r12, %rdi\n"
    "    xorl %ebp, %ebp\n"
    "    callq *%rbx\n"
    "    ud2\n"
);
/* clang-format on */

static void place(void **sp, void (*entry)(void *), void *arg)
{
    sp[3] = arg;                      /* r12 */
    sp[4] = (void *)(uintptr_t)entry; /* rbx */
    sp[6] = (void *)(uintptr_t)vgpu_context_begin;
}

#else
#define SAVED_WORDS 20 /* x19-x30, d8-d15 */

/* clang-format off */
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl vgpu_context_jump\n"
    "vgpu_context_jump:\n"
    "    sub sp, sp, #160\n"
    "    stp x19, x20, [sp, #0]\n"
    "    stp x21, x22, [sp, #16]\n"
    "    stp x23, x24, [sp, #32]\n"
    "    stp x25, x26, [sp, #48]\n"
    "    stp x27, x28, [sp, #64]\n"
    "    stp x29, x30, [sp, #80]\n"
    "    stp d8, d9, [sp, #96]\n"
    "    stp d10, d11, [sp, #112]\n"
    "    stp d12, d13, [sp, #128]\n"
    "    stp d14, d15, [sp, #144]\n"
    "    mov x9, sp\n"
    "    str x9, [x0]\n"
    "    mov sp, x1\n"
    "    ldp x19, x20, [sp, #0]\n"
    "    ldp x21, x22, [sp, #16]\n"
    "    ldp x23, x24, [sp, #32]\n"
    "    ldp x25, x26, [sp, #48]\n"
    "    ldp x27, x28, [sp, #64]\n"
    "    ldp x29, x30, [sp, #80]\n"
    "    ldp d8, d9, [sp, #96]\n"
    "    ldp d10, d11, [sp, #112]\n"
    "    ldp d12, d13, [sp, #128]\n"
    "    ldp d14, d15, [sp, #144]\n"
    "    add sp, sp, #160\n"
    "    ret\n"
    ".p2align 4\n"
    "vgpu_context_begin:\n"
    "    mov x0, x20\n"
    "    mov x29, xzr\n"
    "    mov x30, xzr\n"
    "    blr x19\n"
    "    brk #1\n"
);
/* clang-format on */

static void place(void **sp, void (*entry)(void *), void *arg)
{
    sp[0] = (void *)(uintptr_t)entry; /* x19 */
    sp[1] = arg;                      /* x20 */
    sp[11] = (void *)(uintptr_t)vgpu_context_begin;
}
#endif

#ifdef VGPU_CONTEXT_ASAN
/* The sanitizer must hear of the arrival on a new stack, so the entry and its
 * argument wait at the top of it. */
struct arrival {
    struct context *self;
    context_entry_fn *entry;
    void *arg;
};

__attribute__((no_sanitize("address"))) static void arrive(void *at)
{
    struct arrival arrival = *(struct arrival *)at;

    switch_end(arrival.self);
    arrival.entry(arrival.arg);
}
#endif

static void prepare(struct context *context, void *stack, size_t stack_bytes,
                    context_entry_fn *entry, void *arg)
{
    char *top = (char *)stack + stack_bytes;
    void **sp;
    int i;

#ifdef VGPU_CONTEXT_ASAN
    top -= 32;
    *(struct arrival *)top = (struct arrival){context, entry, arg};
    entry = arrive;
    arg = top;
#endif
    sp = (void **)top - SAVED_WORDS;
    for (i = 0; i < SAVED_WORDS; i++)
        sp[i] = NULL;
    place(sp, entry, arg);
    context->sp = sp;
}

#ifndef VGPU_CONTEXT_JUMP
static inline void jump(struct context *from, struct context *to)
{
    vgpu_context_jump(&from->sp, to->sp);
}
#endif
#endif

/* A stack that is used anew: the sanitizer still has the guards of functions
 * that never returned. */
void context_clean(void *stack, size_t stack_bytes)
{
#ifdef VGPU_CONTEXT_ASAN
    __asan_unpoison_memory_region(stack, stack_bytes);
#else
    (void)stack;
    (void)stack_bytes;
#endif
}

void context_make(struct context *context, void *stack, size_t stack_bytes,
                  context_entry_fn *entry, void *arg)
{
#ifdef VGPU_CONTEXT_ASAN
    context->fake_stack = NULL;
    context->stack = stack;
    context->stack_bytes = stack_bytes;
#endif
    context_clean(stack, stack_bytes);
    prepare(context, stack, stack_bytes, entry, arg);
}

#ifndef VGPU_CONTEXT_JUMP
void context_switch(struct context *from, struct context *to)
{
    switch_begin(from, to);
    jump(from, to);
    switch_end(from);
}
#endif

void context_end(struct context *from, struct context *to)
{
    context_switch(from, to);
    abort();
}

void context_leave(struct context *from, struct context *to)
{
    context_switch(from, to);
    abort();
}
