/*
 * in_vain.c: is it for ever? Host threads that look, sleep or are held in a
 * call while nothing is left that could change what they wait for.
 *
 * One thread alone may end a program for this, so all others must be seen to
 * wait, too, for as long as it does. A thread waits that sleeps in the C
 * library without a limit, or that has itself looked in vain for a while, just
 * now. Who computes, reads input or is on its way into a call does not.
 *
 * That a thread only looks is sure where the front end has found a loop that
 * does nothing else. Elsewhere the loop may end by its count, or do work
 * between two looks: then it takes longer until it is believed.
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "watcher.h"

#define FRESH_NS (VGPU_PATIENCE_NS / 4)
#define LOOPS_NS (VGPU_PATIENCE_NS / 8)
#define WORK_NS  20000 /* of processor time for each look: no mere look */
#define TURN_NS                                                                \
    1000000 /* the same of one that sleeps, which has to see whose             \
               turn it is */

/* What the C++ library's headers read and call says nothing to a reader. */
bool vgpu_is_own_line(uint64_t pc)
{
    static const char *const library[] = {
        "atomic",     "barrier",   "c11.h",        "condition_variable",
        "future",     "gthr",      "invoke.h",     "latch",
        "mutex",      "semaphore", "shared_mutex", "std_mutex",
        "std_thread", "thread",    "this_thread",  "unique_lock"};
    const char *file = NULL;

    if (!vgpu_line_find(pc, &file) || !file)
        return false;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (!strncmp(file, library[i], strlen(library[i])))
            return false;
    return true;
}

static uint64_t call_pc; /* the last call of any thread */

void vgpu_last_call_set(uint64_t pc)
{
    call_pc = pc;
}

uint64_t vgpu_last_call(void)
{
    return call_pc;
}

/* Whoever reads the reports on a descriptor ends hangs himself: he is told why
 * it is one. */
void vgpu_never_ends(uint64_t pc, const char *what)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const bool own = vgpu_is_own_line(pc);
    char last[256];

    if (vgpu_ipc_others())
        return;
    if (atomic_flag_test_and_set(&told))
        return;
    vgpu_exec_flush_printf();
    fflush(stdout);
    vgpu_check_tell_unwritten();
    vgpu_line_format(call_pc, last, sizeof last);
    vgpu_check_crash(own ? VGPU_REPORT_never_ends : VGPU_REPORT_never_ends_here,
                     own ? pc : call_pc,
                     &(struct vgpu_report){.reason = what, .last = last});
    if (!vgpu_rt.is_read)
        _exit(VGPU_EXIT_STUCK);
}

bool vgpu_thread_in_vain(const struct vgpu_thread *thread)
{
    const int64_t last_ns = atomic_load(&thread->vain_ns);

    return last_ns && vgpu_real_ns() - last_ns < FRESH_NS;
}

void vgpu_vain_news(struct vgpu_thread *thread)
{
    thread->look.alone_ns = 0;
    thread->look.vain_ns = 0;
    atomic_store_explicit(&thread->vain_ns, 0, memory_order_relaxed);
}

/* Does it compute between its looks? */
static bool works(const struct vgpu_look *look)
{
    const unsigned looks = look->idle - look->used_idle;
    const int64_t most_ns = look->sleeps ? TURN_NS : WORK_NS;

    return looks && (vgpu_used_ns() - look->used_ns) / looks > most_ns;
}

/* Of a machine that is busy with other things it has got little so far. */
static bool is_short(const struct vgpu_look *look)
{
    return !look->sleeps && vgpu_used_ns() - look->used_ns < LOOPS_NS;
}

static void begin_alone(struct vgpu_look *look, int64_t now_ns)
{
    look->alone_ns = now_ns;
    look->vain_ns = 0;
    look->used_ns = vgpu_used_ns();
    look->used_idle = look->idle;
}

void vgpu_in_vain(struct vgpu_thread *thread, enum vgpu_vain sort, uint64_t pc,
                  const char *what)
{
    static const int64_t patience_ns[] = {
        [VGPU_VAIN_HELD] = 0,
        [VGPU_VAIN_LOOKS] = VGPU_PATIENCE_NS / 4,
        [VGPU_VAIN_MAYBE] = VGPU_PATIENCE_NS * 3,
    };
    struct vgpu_look *const look = &thread->look;
    const int64_t now_ns = vgpu_real_ns();
    char text[1024];

    if (!look->alone_ns || (sort == VGPU_VAIN_MAYBE && works(look)))
        begin_alone(look, now_ns);
    if (now_ns - look->alone_ns < patience_ns[sort] ||
        (sort == VGPU_VAIN_MAYBE && is_short(look)))
        return;
    atomic_store(&thread->vain_ns, now_ns);
    if (!vgpu_threads_wait(thread))
        look->vain_ns = 0;
    else if (!look->vain_ns)
        look->vain_ns = now_ns;
    if (!look->vain_ns || now_ns - look->vain_ns < VGPU_PATIENCE_NS)
        return;
    vgpu_never_ends(pc, sort == VGPU_VAIN_HELD || thread->in_host_function
                            ? what
                            : vgpu_stuck_beside(what, text));
    look->vain_ns = now_ns; /* somebody else may end it */
}
