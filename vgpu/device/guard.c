/*
 * guard.c: what a CPU does where a GPU would end the kernel: its signals.
 *
 * They are caught only while a kernel runs, and only for the host thread that
 * runs it; otherwise they go where they went before. A handler leaves by
 * switching to the scheduler's stack, so that the kernel's fibers stay as they
 * are and are used again. guard_wasm.c is the same in a browser.
 */
#include "block.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "own_locks.h"
#include "stacks.h"

#define HANDLER_STACK_BYTES (64 * 1024)

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define NUM_CAUGHT ((int)(sizeof caught / sizeof caught[0]))

/* Handlers are the process's: in place while any thread runs a kernel. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int num_guards;
static struct sigaction before[NUM_CAUGHT];

/* The stack on which they run is the thread's. */
struct fault_guard {
    stack_t stack_before;
    void *stack;
};

static _Thread_local struct fault_guard guard_of_thread;

/* The instruction after the one that faulted, or 0 where unknown. */
static uint64_t fault_pc(const void *context)
{
#if defined(__linux__) && defined(__x86_64__)
    const ucontext_t *c = context;

    return (uint64_t)c->uc_mcontext.gregs[16] + 1; /* REG_RIP */
#elif defined(__linux__) && defined(__aarch64__)
    const ucontext_t *c = context;

    return c->uc_mcontext.pc + 1;
#else
    (void)context;
    return 0;
#endif
}

static void end_kernel(int signal_number, const siginfo_t *info,
                       const void *context)
{
    uint64_t pc = vgpu_current->pc ? vgpu_current->pc : fault_pc(context);
    char text[128];

    switch (signal_number) {
    case SIGFPE:
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, pc,
                           "integer division by zero, or its result does "
                           "not fit (a GPU goes on with a wrong value)");
    case SIGILL:
    case SIGTRAP:
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, pc, "illegal instruction or trap");
    default:
        vgpu_describe_address(info->si_addr, text, sizeof text);
        vgpu_exec_abort_at(VGPU_EXEC_ILLEGAL_ADDRESS, pc, text);
    }
}

/* A signal that some process sent is not a fault of the kernel. */
static bool is_ours(const siginfo_t *info)
{
    return vgpu_current && vgpu_current->current >= 0 && info->si_code > 0;
}

static void forward(int signal_number, siginfo_t *info, void *context)
{
    const struct sigaction *to = before;
    int i;

    for (i = 0; caught[i] != signal_number; i++)
        to++;
    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(signal_number, info, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(signal_number);
    } else {
        /* The instruction is tried again and raises the signal again; a
         * signal that was sent is sent again. */
        sigaction(signal_number, to, NULL);
        if (info->si_code <= 0)
            raise(signal_number);
    }
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    if (is_ours(info))
        end_kernel(signal_number, info, context);
    forward(signal_number, info, context);
}

static void handlers_install(void)
{
    struct sigaction action;
    int i;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    vgpu_lock(&lock);
    if (!num_guards++)
        for (i = 0; i < NUM_CAUGHT; i++)
            sigaction(caught[i], &action, &before[i]);
    vgpu_unlock(&lock);
}

static void handlers_remove(void)
{
    int i;

    vgpu_lock(&lock);
    if (!--num_guards)
        for (i = 0; i < NUM_CAUGHT; i++)
            sigaction(caught[i], &before[i], NULL);
    vgpu_unlock(&lock);
}

/* On a stack of its own, since the usual fault is that a thread's stack is
 * full. The stack is the host thread's and is kept. */
struct fault_guard *vgpu_fault_guard_begin(void)
{
    struct fault_guard *guard = &guard_of_thread;
    stack_t stack;

    if (!guard->stack) {
        void *memory = mmap(NULL, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (memory == MAP_FAILED)
            return NULL;
        guard->stack = memory;
    }
    context_clean(guard->stack, HANDLER_STACK_BYTES);
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = guard->stack;
    stack.ss_size = HANDLER_STACK_BYTES;
    if (sigaltstack(&stack, &guard->stack_before))
        return NULL;
    handlers_install();
    return guard;
}

void vgpu_fault_guard_end(struct fault_guard *guard)
{
    if (!guard)
        return;
    handlers_remove();
    sigaltstack(&guard->stack_before, NULL);
}

void *vgpu_guarded_memory(size_t bytes, size_t guard_bytes)
{
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    if (!mprotect(base + bytes - guard_bytes, guard_bytes, PROT_NONE))
        return base;
    munmap(base, bytes);
    return NULL;
}

/* The CPU says so. */
void vgpu_guard_met(const void *address)
{
    (void)address;
}
