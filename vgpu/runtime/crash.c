/*
 * crash.c: where the host's code crashed
 *
 * Without a debugger a signal says nothing. Here the line is known as those of
 * hazards are, and a full stack can be told from a wild pointer: both raise the
 * same signal. The program then ends as it would have without this.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "crash.h"
#include "rt.h"

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { NUM_CAUGHT = sizeof caught / sizeof *caught };

/* What a program has on its stack before main: arguments, environment. */
enum { ABOVE_MAIN = 256 << 10, LEAST_PAGE = 4096 };

static char own_stack[256 << 10]; /* the usual one may be full */
static pthread_t main_thread;
static uintptr_t lowest; /* of its stack, about */

struct place {
    uint64_t pc;
    uintptr_t stack;
};

static struct place place_of(const void *context)
{
    struct place place = {0, UINTPTR_MAX};
#if defined(__linux__) && defined(__x86_64__)
    const ucontext_t *const c = context;

    place.pc = (uint64_t)c->uc_mcontext.gregs[16]; /* REG_RIP */
    place.stack = (uintptr_t)c->uc_mcontext.gregs[15];
#elif defined(__linux__) && defined(__aarch64__)
    const ucontext_t *const c = context;

    place.pc = c->uc_mcontext.pc;
    place.stack = (uintptr_t)c->uc_mcontext.sp;
#else
    (void)context;
#endif
    return place;
}

static bool is_full(const struct place *place)
{
    return pthread_equal(pthread_self(), main_thread) && place->stack < lowest;
}

static bool is_own(uint64_t pc)
{
    extern char __executable_start, etext;

    return pc >= (uintptr_t)&__executable_start && pc < (uintptr_t)&etext;
}

/* A full stack may be noticed in what every line calls, and the caller's line
 * is meant: behind it a return address lies on the stack. */
static uint64_t pc_of_caller(const struct place *place, const void *failed)
{
    /* What lies below the page that could not be had is not there either. */
    const uintptr_t there = ((uintptr_t)failed | (LEAST_PAGE - 1)) + 1;
    const uint64_t *const stack =
        (const uint64_t *)(place->stack > there ? place->stack & ~7ULL : there);
    char at[256];

    for (int i = 0; i < 512; i++)
        if (is_own(stack[i]) &&
            strstr(vgpu_line_format(stack[i], at, sizeof at), ".cu:"))
            return stack[i];
    return place->pc + 1;
}

/* Only where the program's own code failed is its line looked up, which takes
 * memory: in the C library's, a lock of malloc may be held. The instruction is
 * then tried again, and ends the program. */
static void tell(int number, siginfo_t *info, void *context)
{
    const struct place place = place_of(context);
    const enum vgpu_report_kind kind = crash_kind(number, is_full(&place));
    char at[256];
    uint64_t pc = place.pc + 1;

    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number); /* it was sent: no instruction brings it again */
    if (info->si_code <= 0 || !is_own(place.pc))
        return;
    if (place.stack < lowest &&
        !strstr(vgpu_line_format(pc, at, sizeof at), ".cu:"))
        pc = pc_of_caller(&place, info->si_addr);
    vgpu_check_crash(kind, pc, &(struct vgpu_report){.code = number});
}

/* Whoever set a handler before keeps it. */
void vgpu_crash_watch(void)
{
    const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    struct sigaction action, before;
    struct rlimit limit;

    main_thread = pthread_self();
    if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur < (uintptr_t)&limit)
        lowest = (uintptr_t)&limit - limit.rlim_cur + ABOVE_MAIN;
    if (sigaltstack(&stack, NULL) != 0)
        return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (int i = 0; i < NUM_CAUGHT; i++)
        if (sigaction(caught[i], NULL, &before) == 0 &&
            before.sa_handler == SIG_DFL)
            sigaction(caught[i], &action, NULL);
}
