/*
 * guard.c: what a CPU does where a GPU would end the kernel: its signals.
 *
 * They are ours only while a kernel runs, and only for the host thread that
 * runs it; otherwise they go where they went before. A handler leaves by
 * switching to the scheduler's stack, so that the kernel's fibers stay as they
 * are and are used again. guard_wasm.c is the same in a browser.
 *
 * To set handlers costs more than a small kernel does, so they stay in place
 * from the first kernel on. They make way where a program might see them: where
 * it sets one of its own or asks for it (own_signals.c), and where a signal is
 * not of a kernel. The next kernel sets them again.
 */
#include "block.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "own_locks.h"
#include "own_signals.h"
#include "stacks.h"

#define HANDLER_STACK_BYTES (64 * 1024)
#define HANDLER_STACK_LEAST (32 * 1024)

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
#define NUM_CAUGHT ((int)(sizeof caught / sizeof caught[0]))

/* Handlers are the process's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int num_guards; /* threads that run a kernel */
static bool in_place;
static struct sigaction before[NUM_CAUGHT];

/* The stack on which they run is the thread's: its own where it has one that is
 * large enough; else ours, and for as short as can be where it has another. */
struct fault_guard {
    stack_t stack; /* nowhere: not known */
    stack_t before;
    void *own;
    bool briefly;
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

/* What was before, of a signal that is caught; else NULL. */
static struct sigaction *before_of(int signal_number)
{
    for (int i = 0; i < NUM_CAUGHT; i++)
        if (caught[i] == signal_number)
            return &before[i];
    return NULL;
}

static void handlers_remove(void)
{
    for (int i = 0; i < NUM_CAUGHT && in_place; i++)
        vgpu_sigaction(caught[i], &before[i], NULL);
    in_place = false;
}

static void forward(int signal_number, siginfo_t *info, void *context)
{
    const struct sigaction *to = before_of(signal_number);

    if (to->sa_flags & SA_SIGINFO) {
        to->sa_sigaction(signal_number, info, context);
    } else if (to->sa_handler != SIG_DFL && to->sa_handler != SIG_IGN) {
        to->sa_handler(signal_number);
    } else {
        /* The instruction is tried again and raises the signal again; a
         * signal that was sent is sent again. */
        vgpu_sigaction(signal_number, to, NULL);
        if (info->si_code <= 0)
            raise(signal_number);
    }
}

/* What was before is in place again: the instruction, tried again, raises its
 * signal for it; one that was sent waits for the return from here. */
static void send_again(int signal_number, siginfo_t *info)
{
    long (*call)(long, ...);
    sigset_t one;

    if (info->si_code > 0)
        return;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    *(void **)&call = vgpu_next_symbol("syscall");
    if (call(SYS_rt_tgsigqueueinfo, getpid(), call(SYS_gettid), signal_number,
             info))
        raise(signal_number);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    bool none;

    if (is_ours(info))
        end_kernel(signal_number, info, context);
    vgpu_lock(&lock);
    none = !num_guards;
    if (none)
        handlers_remove();
    vgpu_unlock(&lock);
    if (none)
        send_again(signal_number, info);
    else
        forward(signal_number, info, context);
}

/* ---- the program's own handlers ------------------------------------------ */

static int program_sigaction(int number, const struct sigaction *action,
                             struct sigaction *old)
{
    struct sigaction *const kept = before_of(number);
    int error = 0;

    if (!kept)
        return vgpu_sigaction(number, action, old);
    vgpu_lock(&lock);
    if (!num_guards)
        handlers_remove();
    if (!in_place) {
        error = vgpu_sigaction(number, action, old);
    } else {
        const struct sigaction was = *kept;

        if (action)
            *kept = *action;
        if (old)
            *old = was;
    }
    vgpu_unlock(&lock);
    return error;
}

static void stack_remove(struct fault_guard *guard)
{
    if (guard->own && guard->stack.ss_sp == guard->own)
        vgpu_sigaltstack(&guard->before, NULL);
    guard->stack.ss_sp = NULL;
}

static void program_sigaltstack(void)
{
    stack_remove(&guard_of_thread);
}

/* ---- around a kernel ----------------------------------------------------- */

static void handlers_install(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < NUM_CAUGHT; i++)
        vgpu_sigaction(caught[i], &action, &before[i]);
    in_place = true;
    vgpu_signal_asks.action = program_sigaction;
    vgpu_signal_asks.stack = program_sigaltstack;
}

static bool stack_settle(struct fault_guard *guard)
{
    if (vgpu_sigaltstack(NULL, &guard->before))
        return false;
    guard->stack = guard->before;
    guard->briefly = !(guard->before.ss_flags & SS_DISABLE);
    if (guard->briefly && guard->before.ss_size >= HANDLER_STACK_LEAST) {
        guard->briefly = false;
        return true;
    }
    if (!guard->own) {
        void *memory = mmap(NULL, HANDLER_STACK_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        guard->own = memory == MAP_FAILED ? NULL : memory;
    }
    guard->stack =
        (stack_t){.ss_sp = guard->own, .ss_size = HANDLER_STACK_BYTES};
    return guard->own && !vgpu_sigaltstack(&guard->stack, NULL);
}

/* On a stack of its own, since the usual fault is that a thread's stack is
 * full. */
struct fault_guard *vgpu_fault_guard_begin(void)
{
    struct fault_guard *guard = &guard_of_thread;

    if (!guard->stack.ss_sp && !stack_settle(guard)) {
        guard->stack.ss_sp = NULL;
        return NULL;
    }
    context_clean(guard->stack.ss_sp, guard->stack.ss_size);
    vgpu_lock(&lock);
    if (!in_place)
        handlers_install();
    num_guards++;
    vgpu_unlock(&lock);
    return guard;
}

void vgpu_fault_guard_end(struct fault_guard *guard)
{
    if (!guard)
        return;
    vgpu_lock(&lock);
    if (!--num_guards && !vgpu_signals_are_seen())
        handlers_remove();
    vgpu_unlock(&lock);
    if (guard->briefly || !vgpu_signals_are_seen())
        stack_remove(guard);
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
