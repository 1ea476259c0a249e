/*
 * go_on.c: the device goes on although the host makes no CUDA call.
 *
 * Work is done when somebody must know (op.c), and who waits by a CUDA call
 * says so. Who waits in another way is found out here:
 *
 * - A host that reads the same flags again and again, volatile or atomic, and
 *   finds nothing new: its clock goes on to the next thing that happens on the
 *   devices, and then to the end of the operation that changed what it reads.
 * - A host that sleeps: its clock goes on by that much, in no real time. (A
 *   sleep of many seconds takes them, or no hang would be seen for what it is.)
 * - A host all of whose threads sleep in the C library (a condition variable, a
 *   semaphore, a future) can only be woken by a host function. A thread of the
 *   runtime's own, begun with the first host function, sees that and has the
 *   next one run (watcher.c).
 *
 * None of it depends on how fast the machine is: counted are reads, and a
 * program whose threads all sleep does nothing meanwhile.
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watcher.h"

#define IDLE_READS   2000      /* without news: the host waits */
#define IDLE_FEW     64        /* ... and nothing happens any more */
#define PLAIN_READS  1000000   /* the same, of what is not volatile */
#define MANY_READS   (1 << 18) /* with news, but without a call */
#define SIDE_BY_SIDE 4
#define SLEEPS       3 /* without a call: it waits by sleeping */
#define LONG_NS      INT64_C(10000000000) /* a sleep that is a hang */
#define MANY_SLEEPS  1000000
#define FEW_SLEEPS   100
#define MANY_A_SLEEP 256
#define MUCH_NS      INT64_C(100000000000) /* slept without a call */
#define FUNCTION_READS                                                         \
    "a host function reads a flag that does not change, and all threads wait " \
    "for the function"

/* ---- what the host looks at ---------------------------------------------- */

/* What the waiting host looks at, and the operation that changed it. */
static struct {
    const volatile void *at;
    size_t bytes;
    uint64_t value;
    struct vgpu_op *by;
} watched;

static bool host_sleeps;    /* ... and acts, since all threads sleep */
static struct vgpu_op *ran; /* the host function that it had run */

/* Not one of the two that are instrumented: nobody's access. */
static uint64_t value_of(const volatile void *at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)(uintptr_t)at,
           bytes < sizeof value ? bytes : sizeof value);
    return value;
}

/* Where it is kept. Many a flag begins a page; those that would lie in one
 * place lie side by side, or each look at one would make the other new. */
static unsigned place_of(const struct vgpu_look *look, const volatile void *at)
{
    const uintptr_t address = (uintptr_t)at;
    const unsigned first = (unsigned)(address / 4 + address / 4096);

    for (unsigned i = first; i < first + SIDE_BY_SIDE; i++)
        if (!look->at[i % VGPU_LOOKS] || look->at[i % VGPU_LOOKS] == at)
            return i % VGPU_LOOKS;
    return first % VGPU_LOOKS;
}

bool vgpu_look_again(struct vgpu_look *look, const volatile void *at,
                     size_t bytes)
{
    const uint64_t value = value_of(at, bytes);
    const unsigned i = place_of(look, at);

    look->reads++;
    vgpu_order.uses_whole = false; /* what a flag tells is no use of memory */
    if (look->at[i] == at && look->value[i] == value) {
        look->idle++;
        return true;
    }
    look->at[i] = at;
    look->value[i] = value;
    look->idle = 0;
    return false;
}

/* ---- going on ------------------------------------------------------------ */

/* The thread knows what @op did: it has seen a flag that @op set, or was woken
 * by it. */
static void credit(struct vgpu_thread *thread, const struct vgpu_op *op)
{
    struct vgpu_clock *clock = vgpu_check_op_clock(op->check);

    vgpu_agent_join(thread->agent, clock);
    vgpu_clock_release(clock);
}

/* All threads sleep, so what they did is over when @op begins, and it is @op
 * that will wake one. Who waits for what others give (handover.c) takes it by
 * himself. */
void vgpu_go_on_begun(struct vgpu_op *op)
{
    if (!host_sleeps || op->kind != VGPU_OP_HOST)
        return;
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next) {
        struct vgpu_clock *const clock = vgpu_clock_snapshot(t->agent);

        vgpu_check_op_learn(op->check, clock);
        vgpu_clock_release(clock);
    }
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        if (atomic_load(&t->place) == VGPU_PLACE_RUNNING)
            credit(t, op);
    if (!ran)
        ran = vgpu_op_ref(op);
}

void vgpu_go_on_done(struct vgpu_op *op)
{
    atomic_fetch_add(&vgpu_rt.deeds, 1);
    if (watched.at && !watched.by &&
        value_of(watched.at, watched.bytes) != watched.value)
        watched.by = vgpu_op_ref(op);
}

/* Who waits sees the outcome of all that has ended, of copies too, which
 * otherwise wait for somebody who asks. */
static void do_ended(void)
{
    struct vgpu_op *next;

    for (struct vgpu_op *op = vgpu_op_oldest(); op; op = next) {
        next = op->next_pending;
        if (vgpu_time_end(vgpu_rt.time, op->time_id) < 0)
            continue;
        vgpu_op_ref(op);
        vgpu_op_run(op); /* and what it waits for */
        next = op->next_pending ? op->next_pending : vgpu_op_oldest();
        vgpu_op_unref(op);
    }
}

/* One thing happens, not behind @until_ns. Return: whether one did. */
static bool step(int64_t until_ns)
{
    if (!vgpu_time_step(vgpu_rt.time, until_ns))
        return false;
    do_ended();
    return true;
}

static void pass(struct vgpu_thread *thread, int64_t until_ns, bool asleep)
{
    if (asleep)
        vgpu_thread_pass(thread, until_ns);
    else if (until_ns > thread->now_ns)
        thread->now_ns = until_ns;
}

/* The flag that the host waits for has changed: it sees that when the operation
 * that did it has ended. */
static void see_change(struct vgpu_thread *thread)
{
    struct vgpu_op *op = watched.by;
    int64_t end_ns;

    watched.at = NULL;
    watched.by = NULL;
    if (!op)
        return;
    end_ns = op->done ? vgpu_time_wait(vgpu_rt.time, op->time_id)
                      : vgpu_time_now(vgpu_rt.time);
    pass(thread, end_ns, false);
    credit(thread, op);
    vgpu_op_unref(op);
}

/* Kernels that wait see what the host has done up to now. Return: has any of
 * them got further? */
static bool resume(struct vgpu_thread *thread)
{
    if (!vgpu_op_waiting())
        return false;
    vgpu_time_done(vgpu_rt.time, 0, thread->now_ns);
    return vgpu_op_resume(thread);
}

static void resume_at_call(struct vgpu_thread *thread)
{
    if (!vgpu_op_waiting())
        return;
    while (step(thread->now_ns))
        continue;
    resume(thread);
}

/* ---- a host that reads flags --------------------------------------------- */

/* Nothing else has come between the last rounds of a loop that only looks. */
static bool goes_round(const struct vgpu_look *look)
{
    return look->rounds >= IDLE_READS &&
           look->reads - look->idle_reads <= VGPU_LOOKS;
}

/* In a host function: nothing of the device's happens until it ends, and who
 * waits for it does nothing either. */
static void function_waits(struct vgpu_thread *thread, unsigned looks,
                           unsigned enough, enum vgpu_vain sort, uint64_t pc,
                           const char *what)
{
    if (looks < enough)
        vgpu_vain_news(thread);
    else if (looks % enough == 0)
        vgpu_in_vain(thread, sort, pc, what);
}

bool vgpu_thread_looked(const struct vgpu_thread *thread)
{
    return (thread->held || (thread->spins && thread->between_calls)) &&
           thread->looked_at == atomic_load(&vgpu_rt.deeds);
}

/* The earliest of several threads, and so none is disturbed by its going on
 * until the next one's time. Return: false where nothing happens any more, but
 * for what other threads do. */
static bool wait_a_step(struct vgpu_thread *thread, const volatile void *at,
                        size_t bytes)
{
    const int64_t others_ns = vgpu_thread_next_ns(thread);
    bool moved;

    watched.at = at;
    watched.bytes = bytes;
    watched.value = at ? value_of(at, bytes) : 0;
    moved = resume(thread) || step(others_ns);
    if (moved) {
        pass(thread, vgpu_time_now(vgpu_rt.time), false);
    } else if (others_ns < INT64_MAX) {
        pass(thread, others_ns + 1, false);
    }
    see_change(thread);
    return moved;
}

/* @vain: it does nothing else, as far as is known. */
static void host_waits(struct vgpu_thread *thread, const volatile void *at,
                       size_t bytes, bool vain, uint64_t pc)
{
    const bool several = vgpu_thread_several(thread);
    bool moved;

    vgpu_thread_settle(thread);
    thread->spins = vain;
    if (several)
        vgpu_thread_look(thread);
    vgpu_lock(&vgpu_rt.lock);
    moved = wait_a_step(thread, at, bytes);
    vgpu_unlock(&vgpu_rt.lock);
    if (several)
        vgpu_thread_left(thread);
    if (moved || !vain)
        vgpu_vain_news(thread);
    else
        vgpu_in_vain(thread,
                     goes_round(&thread->look) ? VGPU_VAIN_LOOKS
                                               : VGPU_VAIN_MAYBE,
                     pc, "the host reads a flag that does not change");
}

static void host_reads(const volatile void *at, size_t bytes, uint64_t pc)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_look *const look = &thread->look;
    bool vain;

    if (!vgpu_look_again(look, at, bytes))
        thread->spins = false;
    vain = look->idle >= IDLE_READS || goes_round(look);
    thread->looked_at = thread->looks_at;
    thread->looks_at = atomic_load(&vgpu_rt.deeds);
    if (thread->in_host_function) {
        function_waits(thread, goes_round(look) ? look->rounds : look->idle,
                       IDLE_READS,
                       goes_round(look) ? VGPU_VAIN_LOOKS : VGPU_VAIN_MAYBE, pc,
                       FUNCTION_READS);
        return;
    }
    if (look->idle < IDLE_READS && look->reads % MANY_READS)
        return;
    if (look->alone_ns && look->reads % IDLE_FEW)
        return;
    host_waits(thread, at, bytes, vain, pc);
}

static void flag_read(const volatile void *at, size_t bytes, uint64_t pc)
{
    if (vgpu_exec_active())
        vgpu_exec_look(at, bytes, pc);
    else
        host_reads(at, bytes, pc);
}

/* A loop that only looks (frontend/idle.c), at whatever: a look at nothing, if
 * nothing but its rounds has come since the last one. Flags tell themselves. */
static void idle(uint64_t ops, unsigned step, uint64_t pc, bool counts)
{
    static const int nothing = 0;
    struct vgpu_look *const look = &vgpu_thread_self()->look;
    const bool alone = look->reads == look->idle_reads;
    const bool same = look->idle_pc == pc && ops - look->idle_ops == step;

    look->idle_pc = pc;
    look->idle_ops = ops;
    look->rounds = same ? look->rounds + 1 : 0;
    if (counts) {
        look->idle_reads = look->reads;
        return;
    }
    if (alone && !same) {
        look->idle = 0;
        vgpu_vain_news(vgpu_thread_self());
    } else if (alone) {
        host_reads(&nothing, sizeof nothing, pc);
    }
    look->idle_reads = look->reads;
}

static void idle_end(uint64_t ops)
{
    vgpu_thread_self()->look.idle_ops = ops;
}

/* The same with a flag that is no volatile one: a compiler that does not
 * optimise reads it each time. Ordinary code reads a place often, too, but not
 * as often without anything else. */
static void plain_read(const volatile void *at, size_t bytes, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    if (!vgpu_look_again(&thread->look, at, bytes) ||
        thread->look.idle < PLAIN_READS)
        return;
    if (thread->in_host_function)
        function_waits(thread, thread->look.idle, PLAIN_READS, VGPU_VAIN_MAYBE,
                       pc, FUNCTION_READS);
    else
        host_waits(thread, at, bytes, true, pc);
}

/* A kernel that waits for it is to find it as it was until now. */
static void flag_written(void)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    const bool several = vgpu_thread_several(thread);

    if (!vgpu_rt.pending || thread->in_host_function)
        return;
    vgpu_thread_settle(thread);
    if (several)
        vgpu_thread_gate(thread);
    vgpu_lock(&vgpu_rt.lock);
    while (vgpu_time_step(vgpu_rt.time, thread->now_ns))
        continue;
    vgpu_unlock(&vgpu_rt.lock);
    if (several)
        vgpu_thread_left(thread);
}

/* ---- a host that waits for a kernel that waits ----------------------------
 */

/* Another host thread has the turn meanwhile. */
static void let_others(struct vgpu_thread *thread)
{
    if (!vgpu_thread_several(thread))
        return;
    pass(thread, vgpu_time_now(vgpu_rt.time), true);
    vgpu_unlock(&vgpu_rt.lock);
    vgpu_thread_gate(thread);
    vgpu_lock(&vgpu_rt.lock);
}

/* The host is held in a call, and some kernel waits. */
static void held_turn(struct vgpu_thread *thread, uint64_t pc, const char *what)
{
    const uint64_t deeds = atomic_load(&vgpu_rt.deeds);
    int64_t others_ns;

    let_others(thread);
    thread->held = false;
    others_ns = vgpu_thread_next_ns(thread);
    if (step(others_ns)) {
        vgpu_op_resume(thread);
        vgpu_vain_news(thread);
        return;
    }
    if (!vgpu_op_waiting() || vgpu_op_resume(thread)) {
        vgpu_vain_news(thread);
        return;
    }
    thread->held = true;
    thread->looked_at = deeds;
    if (others_ns < INT64_MAX) {
        pass(thread, others_ns + 1, true);
        vgpu_in_vain(thread, VGPU_VAIN_HELD, pc, what);
        return;
    }
    atomic_store(&thread->place, VGPU_PLACE_ARRIVING); /* in a call */
    vgpu_real_sleep(VGPU_LOOK_NS);
    atomic_store(&thread->place, VGPU_PLACE_RUNNING);
    vgpu_in_vain(thread, VGPU_VAIN_HELD, pc, what);
}

/* The host asks again and again whether @op has ended, and nothing happens that
 * could end it. Who looks at a clock meanwhile may give up. */
void vgpu_go_on_asked(struct vgpu_thread *thread, const struct vgpu_op *op)
{
    const struct vgpu_op *const first = vgpu_stuck_op();
    char text[1024];
    const bool vain = first && vgpu_time_next(vgpu_rt.time) < 0 &&
                      thread->asked.op == op &&
                      thread->read_ns <= thread->asked.now_ns;

    atomic_store(&thread->vain_ns, vain ? vgpu_real_ns() : 0);
    if (!vain || !vgpu_threads_wait(thread)) {
        thread->asked =
            (struct vgpu_asked){op, thread->now_ns, vgpu_real_ns(), 0};
        return;
    }
    if (++thread->asked.times % IDLE_READS == 0 &&
        vgpu_real_ns() - thread->asked.real_ns > VGPU_PATIENCE_NS)
        vgpu_never_ends(vgpu_last_call(), vgpu_stuck_words(first, text));
}

void vgpu_go_on_until(struct vgpu_thread *thread, struct vgpu_op *op)
{
    char text[1024];

    vgpu_vain_news(thread);
    while (vgpu_op_waiting() && vgpu_time_end(vgpu_rt.time, op->time_id) < 0)
        held_turn(thread, vgpu_stuck_op()->kernel.wait_pc,
                  vgpu_stuck_words(vgpu_stuck_op(), text));
    thread->held = false;
}

/* Waits, host functions and records of events without timing always fit
 * (observed). */
static bool takes_place(const struct vgpu_op *op)
{
    return op->timed || op->kind == VGPU_OP_COPY || op->kind == VGPU_OP_SET ||
           op->kind == VGPU_OP_KERNEL;
}

void vgpu_go_on_room(const struct vgpu_op *op, const struct vgpu_stream *stream,
                     struct vgpu_call *call)
{
    struct vgpu_thread *const thread = call->thread;
    const enum vgpu_time_kind kind =
        op->kind == VGPU_OP_COPY ? op->copy.way : VGPU_TIME_KERNEL;
    const struct vgpu_op *first;
    char what[256];

    vgpu_vain_news(thread);
    while (takes_place(op)) {
        thread->now_ns = vgpu_time_room(vgpu_rt.time, stream->time_stream, kind,
                                        thread->now_ns);
        first = vgpu_op_waiting();
        if (!first || !vgpu_time_full(vgpu_rt.time, stream->time_stream, kind))
            break;
        snprintf(what, sizeof what,
                 "this call waits for a place in its stream's queue, which is "
                 "full, while kernel %.80s reads a flag that does not change",
                 first->kernel.exec.kernel->name);
        held_turn(thread, call->pc, what);
    }
    thread->held = false;
}

/* Between calls: what was read before a call is no sign of waiting. */
void vgpu_go_on_called(struct vgpu_thread *thread, uint64_t pc)
{
    vgpu_last_call_set(pc);
    atomic_fetch_add(&vgpu_rt.deeds, 1);
    thread->spins = false;
    resume_at_call(thread);
    if (thread->look.reads || thread->look.sleeps || thread->look.readings)
        memset(&thread->look, 0, sizeof thread->look);
}

/* ---- a host that sleeps -------------------------------------------------- */

/* The thread's time has come to be @ns later, in which it did nothing. One
 * sleep is no wait: who reads a result after it has not waited for it. Return:
 * may anything be different now? */
static bool time_passes(struct vgpu_thread *thread, int64_t ns)
{
    const bool several = vgpu_thread_several(thread);
    bool waits, moved = false;

    vgpu_thread_settle(thread);
    pass(thread, thread->now_ns + ns, true);
    if (several)
        vgpu_thread_gate(thread);
    vgpu_lock(&vgpu_rt.lock);
    waits = ++thread->look.sleeps >= SLEEPS;
    while (vgpu_time_step(vgpu_rt.time, thread->now_ns)) {
        moved = true;
        if (waits)
            do_ended();
    }
    moved = resume(thread) || moved || (vgpu_rt.pending && !vgpu_op_waiting());
    vgpu_unlock(&vgpu_rt.lock);
    if (several)
        vgpu_thread_left(thread);
    return moved;
}

/* So many sleeps are no program's that ends by their count. */
static enum vgpu_vain sleeps_on(const struct vgpu_look *look)
{
    return look->sleeps > MANY_SLEEPS || look->slept_ns > MUCH_NS
               ? VGPU_VAIN_LOOKS
               : VGPU_VAIN_MAYBE;
}

/* One who does so all the time need not do it as fast as it can. */
static void sleep_real(const struct vgpu_look *look)
{
    if (look->sleeps > FEW_SLEEPS &&
        (look->vain_ns || look->sleeps % MANY_A_SLEEP == 0))
        vgpu_real_sleep(VGPU_LOOK_NS);
}

void vgpu_go_on_waited(int64_t ns, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    struct vgpu_look *const look = &thread->look;

    look->slept_ns += ns;

    if (thread->in_host_function) {
        vgpu_thread_settle(thread);
        thread->now_ns += ns;
        if (!pc)
            return;
        look->sleeps++;
        sleep_real(look);
        function_waits(thread, look->sleeps > FEW_SLEEPS, 1, sleeps_on(look),
                       pc, "a host function sleeps again and again");
    } else if (time_passes(thread, ns)) {
        vgpu_vain_news(thread);
    } else if (pc && look->sleeps > FEW_SLEEPS) {
        sleep_real(look);
        vgpu_in_vain(thread, sleeps_on(look), pc,
                     "the host sleeps again and again");
    }
}

static void sleep_virtual(int64_t ns, uint64_t pc)
{
    if (ns > LONG_NS && !vgpu_thread_self()->in_host_function)
        vgpu_real_sleep(ns);
    vgpu_go_on_waited(ns, pc);
}

VGPU_PUBLIC int nanosleep(const struct timespec *time, struct timespec *rest)
{
    (void)rest;
    sleep_virtual((int64_t)time->tv_sec * 1000000000 + time->tv_nsec, VGPU_PC);
    return 0;
}

VGPU_PUBLIC int clock_nanosleep(clockid_t id, int flags,
                                const struct timespec *time,
                                struct timespec *rest)
{
    int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    struct timespec now;

    (void)rest;
    if (flags & TIMER_ABSTIME) {
        clock_gettime(id, &now);
        ns -= (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    if (ns > 0)
        sleep_virtual(ns, VGPU_PC);
    return 0;
}

VGPU_PUBLIC int usleep(useconds_t us)
{
    sleep_virtual((int64_t)us * 1000, VGPU_PC);
    return 0;
}

VGPU_PUBLIC unsigned sleep(unsigned seconds)
{
    sleep_virtual((int64_t)seconds * 1000000000, VGPU_PC);
    return 0;
}

/* C11's, which does not call the others. */
VGPU_PUBLIC int thrd_sleep(const struct timespec *time, struct timespec *rest);
int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
    return nanosleep(time, rest);
}

/* A host that gives way has nothing to do: the same as a look at a flag. */
VGPU_PUBLIC int sched_yield(void)
{
    static const int nothing = 0;

    flag_read(&nothing, sizeof nothing, VGPU_PC);
    return vgpu_real_yield();
}

/* ---- a host that sleeps in the C library --------------------------------- */

void vgpu_go_on_wake(struct vgpu_thread *thread)
{
    if (!atomic_load(&thread->woken))
        return;
    vgpu_lock(&vgpu_rt.lock); /* until the function has ended */
    pass(thread, thread->wake_ns, true);
    atomic_store(&thread->woken, false);
    vgpu_unlock(&vgpu_rt.lock);
}

/* The next host function, and all that comes before. A thread that is woken by
 * it goes on at its end: see vgpu_go_on_wake. */
void vgpu_go_on_next_function(void)
{
    int64_t end_ns;

    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        atomic_store(&t->woken, true);
    host_sleeps = true;
    while (!ran && (step(INT64_MAX) || resume(vgpu_rt.threads)))
        continue;
    host_sleeps = false;
    end_ns = vgpu_time_now(vgpu_rt.time);
    if (ran)
        end_ns = vgpu_time_wait(vgpu_rt.time, ran->time_id);
    vgpu_op_unref(ran);
    ran = NULL;
    for (struct vgpu_thread *t = vgpu_rt.threads; t; t = t->next)
        t->wake_ns = end_ns;
}

void vgpu_go_on_start(void)
{
    vgpu_op_watch_writers();
    vgpu_check_set_flag(flag_read, plain_read, flag_written);
    vgpu_check_set_step(vgpu_exec_step);
    vgpu_exec_host.idle = idle;
    vgpu_exec_host.idle_end = idle_end;
}
