/*
 * context.h: switching between stacks. The fastest way that the machine
 * offers: about 20 instructions on x86-64 and aarch64, ucontext elsewhere;
 * context_wasm.c in a browser.
 */
#ifndef VGPU_CONTEXT_H
#define VGPU_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Defining it on the command line tests the fallback. */
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__wasm__)
#define VGPU_CONTEXT_UCONTEXT 1
#endif
#ifdef VGPU_CONTEXT_UCONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define VGPU_CONTEXT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VGPU_CONTEXT_ASAN 1
#endif
#endif

/* A switch is a jump and nothing else. */
#if !defined(VGPU_CONTEXT_UCONTEXT) && !defined(VGPU_CONTEXT_ASAN) &&          \
    !defined(__wasm__)
#define VGPU_CONTEXT_JUMP 1
#endif

/* Pushes what a function must preserve, stores the stack pointer through its
 * first argument, takes the second as the new one, and pops. Without being
 * hidden arm64 takes a label's address from a table, whose entry is wrong once
 * all objects of the library have become one (libvgpu.a). */
__attribute__((visibility("hidden"))) void vgpu_context_jump(void **from_sp,
                                                             void *to_sp);

/* The same by a return, on x86-64: a processor guesses by the calls before
 * where returns go, and is right as long as whoever is switched to comes from
 * the same calls. */
__attribute__((visibility("hidden"))) void vgpu_context_return(void **from_sp,
                                                               void *to_sp);

typedef void context_entry_fn(void *arg);

struct context {
#if defined(__wasm__)
    int fresh; /* not begun: the page reads it */
    bool parked;
    void *sp;
    context_entry_fn *entry;
    void *arg;
#elif defined(VGPU_CONTEXT_UCONTEXT)
    ucontext_t saved;
#else
    void *sp;
#endif
#ifdef VGPU_CONTEXT_ASAN
    void *fake_stack;
    const void *stack;
    size_t stack_bytes;
#endif
};

/*
 * Make @context begin at @entry(@arg) on @stack when it is first switched to.
 * @entry must not return. No allocation: a context can be made again.
 * @stack_bytes  a multiple of 16
 */
void context_make(struct context *context, void *stack, size_t stack_bytes,
                  context_entry_fn *entry, void *arg);

/* Save the caller in @from and continue @to. Returns when something switches
 * back to @from. */
#ifdef VGPU_CONTEXT_JUMP
static inline void context_switch(struct context *from, struct context *to)
{
    vgpu_context_jump(&from->sp, to->sp);
}
#else
void context_switch(struct context *from, struct context *to);
#endif
/* The same. @to most likely waits at the same call, and its callers at the
 * same, too. */
static inline void context_switch_alike(struct context *from,
                                        struct context *to)
{
#if defined(VGPU_CONTEXT_JUMP) && defined(__x86_64__)
    vgpu_context_return(&from->sp, to->sp);
#else
    context_switch(from, to);
#endif
}

/* The same for good: nothing switches back, but @from may be made again. Where
 * that is all it takes (context_wasm.c), this returns then. */
void context_end(struct context *from, struct context *to);
/* ... and @from will not be made again either. */
void context_leave(struct context *from, struct context *to)
    __attribute__((noreturn));

/* @context comes next but one: fetch what is on its stack. The threads of a
 * block have more stacks than the nearest cache has room for. */
static inline void context_prefetch(const struct context *context)
{
#if !defined(VGPU_CONTEXT_UCONTEXT) && !defined(__wasm__)
    __builtin_prefetch(context->sp);
    __builtin_prefetch((const char *)context->sp + 64);
#else
    (void)context;
#endif
}

/* Nothing on @stack is in use: take the sanitizer's marks away that frames
 * left which never returned. context_make does it. */
void context_clean(void *stack, size_t stack_bytes);

#endif
