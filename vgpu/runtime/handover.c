/*
 * handover.c: what host threads tell one another, and when it is known.
 *
 * A thread's clock tells when its own work is done. Where it really waits for
 * another one (a lock, a condition, a semaphore, a flag, an end), it goes on no
 * earlier than that one has let it, and is ordered after what that one did
 * before: at each address that threads meet at, the giver's time and the
 * checker's clock are kept for who takes there.
 *
 * A host function has no clock of its own. It gives when its operation has
 * ended, and who takes that waits for the operation as a call would.
 */
#include "rt.h"

#include <stdlib.h>

#define LEAST 256

struct meeting {
    const volatile void *at; /* NULL: free */
    int64_t ns;
    struct vgpu_clock *clock; /* NULL: nothing is checked */
    struct vgpu_op *by;       /* a host function, or NULL */
};

static struct {
    pthread_mutex_t lock;
    struct meeting *table; /* by the address's hash, none removed */
    size_t size, used;
} meetings = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what was given, by its address -------------------------------------- */

static struct meeting *slot_of(const volatile void *at)
{
    const uint64_t hash = (uintptr_t)at * 0x9E3779B97F4A7C15u >> 20;
    size_t i = hash & (meetings.size - 1);

    while (meetings.table[i].at && meetings.table[i].at != at)
        i = (i + 1) & (meetings.size - 1);
    return &meetings.table[i];
}

static struct meeting *find(const volatile void *at)
{
    struct meeting *const slot = meetings.size ? slot_of(at) : NULL;

    return slot && slot->at ? slot : NULL;
}

static bool grow(void)
{
    struct meeting *const old = meetings.table;
    const size_t old_size = meetings.size;
    const size_t size = old_size ? 2 * old_size : LEAST;
    struct meeting *const table = calloc(size, sizeof *table);

    if (!table)
        return false;
    meetings.table = table;
    meetings.size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].at)
            *slot_of(old[i].at) = old[i];
    free(old);
    return true;
}

/* Return: NULL without memory: then nothing is handed on. */
static struct meeting *find_or_add(const volatile void *at)
{
    struct meeting *slot;

    if (2 * meetings.used >= meetings.size && !grow())
        return NULL;
    slot = slot_of(at);
    if (!slot->at) {
        slot->at = at;
        meetings.used++;
    }
    return slot;
}

static void empty(struct meeting *meeting)
{
    vgpu_clock_release(meeting->clock);
    meeting->clock = NULL; /* @by has ended long since */
    meeting->ns = 0;
}

/* ---- giving -------------------------------------------------------------- */

/* What the caller knows and did, or NULL where nobody checks. */
static struct vgpu_clock *clock_now(struct vgpu_thread *thread,
                                    const struct vgpu_op *function)
{
    if (!vgpu_rt.checking)
        return NULL;
    return function ? vgpu_check_op_clock(function->check)
                    : vgpu_clock_snapshot(thread->agent);
}

/* A thread that is made later, or a function that is enqueued, knows of it. */
static bool is_alone(const struct vgpu_thread *thread,
                     const struct vgpu_op *function)
{
    return !function && !vgpu_thread_several(thread) &&
           !vgpu_rt.host_functions &&
           atomic_load(&thread->place) != VGPU_PLACE_GONE;
}

/* @ordered: or its time alone. */
static void give(const volatile void *at, bool ordered)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_op *const function = vgpu_host_function_now(thread);
    struct vgpu_clock *clock;
    struct meeting *meeting;

    if (is_alone(thread, function))
        return;
    clock = ordered ? clock_now(thread, function) : NULL;
    vgpu_thread_spend_ops(thread);
    vgpu_lock(&meetings.lock);
    meeting = find_or_add(at);
    if (meeting) {
        meeting->clock = vgpu_clock_add(meeting->clock, clock);
        if (function) {
            vgpu_op_unref(meeting->by);
            meeting->by = vgpu_op_ref(function);
        }
        if (!function && meeting->ns < thread->now_ns)
            meeting->ns = thread->now_ns;
    }
    vgpu_unlock(&meetings.lock);
    vgpu_clock_release(clock);
    if (!thread->spins) /* a lock that it takes to look changes nothing */
        atomic_fetch_add(&vgpu_rt.deeds, 1);
}

void vgpu_handover_give(const volatile void *at)
{
    give(at, true);
}

void vgpu_handover_forget(const volatile void *at)
{
    struct meeting *meeting;

    vgpu_lock(&meetings.lock);
    meeting = find(at);
    if (meeting)
        empty(meeting);
    vgpu_unlock(&meetings.lock);
}

/* ---- taking -------------------------------------------------------------- */

/* The function's operation has ended, or is about to: whoever runs it has the
 * runtime's lock until then. */
static void wait_for_function(struct vgpu_thread *thread)
{
    struct meeting *meeting;
    struct vgpu_op *op;
    int64_t end_ns = -1;

    vgpu_lock(&vgpu_rt.lock);
    vgpu_lock(&meetings.lock);
    meeting = find(thread->met);
    op = meeting ? meeting->by : NULL;
    vgpu_unlock(&meetings.lock);
    if (op)
        end_ns = vgpu_time_wait(vgpu_rt.time, op->time_id);
    thread->met = NULL;
    vgpu_thread_pass(thread, end_ns);
    vgpu_unlock(&vgpu_rt.lock);
}

/* Not before the thread looks at its clock: the function may be waiting for
 * what it does next. */
void vgpu_handover_settle(struct vgpu_thread *thread)
{
    if (thread->met)
        wait_for_function(thread);
}

static void take(const volatile void *at, bool ordered)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_op *const function = vgpu_host_function_now(thread);
    struct vgpu_clock *clock = NULL;
    struct meeting *meeting;

    vgpu_thread_spend_ops(thread);
    vgpu_lock(&meetings.lock);
    meeting = find(at);
    if (meeting) {
        clock = ordered ? vgpu_clock_add(NULL, meeting->clock) : NULL;
        if (!function)
            vgpu_thread_pass(thread, meeting->ns);
        if (!function && meeting->by)
            thread->met = at;
    }
    vgpu_unlock(&meetings.lock);
    if (!clock)
        return;
    if (function)
        vgpu_check_op_learn(function->check, clock);
    else
        vgpu_agent_join(thread->agent, clock);
    vgpu_clock_release(clock);
}

void vgpu_handover_take(const volatile void *at)
{
    take(at, true);
}

void vgpu_handover_begin(struct vgpu_thread *made, struct vgpu_thread *maker)
{
    struct vgpu_clock *clock;

    if (made->agent == maker->agent)
        return;
    clock = vgpu_clock_snapshot(maker->agent);
    vgpu_agent_join(made->agent, clock);
    vgpu_clock_release(clock);
}

/* ---- turns --------------------------------------------------------------- */

static int64_t turn_of(const struct vgpu_thread *thread)
{
    return thread->now_ns - thread->now_ns % thread->grain_ns;
}

bool vgpu_thread_comes_first(const struct vgpu_thread *a,
                             const struct vgpu_thread *b)
{
    const int64_t turn_a = turn_of(a), turn_b = turn_of(b);

    return turn_a != turn_b ? turn_a < turn_b : a->number < b->number;
}

static void pass_gate(struct vgpu_thread *thread, int64_t grain_ns,
                      bool between_calls)
{
    thread->grain_ns = grain_ns;
    thread->between_calls = between_calls;
    vgpu_thread_pass_gate(thread);
}

void vgpu_thread_gate(struct vgpu_thread *thread)
{
    if (vgpu_thread_several(thread))
        pass_gate(thread, 1, false);
}

void vgpu_thread_look(struct vgpu_thread *thread)
{
    pass_gate(thread, 1, true);
}

void vgpu_thread_turn(struct vgpu_thread *thread)
{
    pass_gate(thread, VGPU_TURN_NS, true);
}

bool vgpu_handover_turn(void)
{
    struct vgpu_thread *const thread = vgpu_thread_self();

    if (!vgpu_thread_several(thread))
        return false;
    vgpu_thread_spend_ops(thread);
    vgpu_thread_turn(thread);
    return true;
}

/* An atomic access of host code. What is stored there follows from nothing that
 * was there before: who takes it is after this giver alone. */
static void atomic_access(const volatile void *at, unsigned does, bool ordered)
{
    if (does & VGPU_HANDS_TURN)
        vgpu_handover_turn();
    if (does & VGPU_HANDS_NEW) {
        vgpu_thread_self()->spins = false;
        vgpu_handover_forget(at);
    }
    if (does & VGPU_HANDS_GIVE)
        give(at, ordered);
    if (does & VGPU_HANDS_TAKE)
        take(at, ordered);
}

void vgpu_handover_start(void)
{
    vgpu_check_set_handover(atomic_access);
}

/* A child has one thread, and whoever held the lock is none of its. */
void vgpu_handover_forked(void)
{
    pthread_mutex_init(&meetings.lock, NULL);
}
