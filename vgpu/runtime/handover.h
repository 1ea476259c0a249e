/*
 * handover.h: what host threads tell one another by the C library's locks, by
 * atomics and by ending; a part of rt.h, which includes it.
 *
 * Virtual time and order go the same way: who gives leaves his time and what he
 * has done at an address, and who takes there goes on no earlier, and knows it.
 * All of it without the runtime's lock.
 */
#ifndef VGPU_HANDOVER_H
#define VGPU_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_thread;
struct vgpu_op;

/* ---- handover.c ---------------------------------------------------------- */

/* Is there code of the program's at @pc, or what runs it? (threads.c) */
bool vgpu_is_programs(uint64_t pc);

/* Before main, in the virtual GPU itself and in libraries nobody hands anything
 * over. @pc: who calls */
static inline bool vgpu_handover_off(uint64_t pc)
{
    return !vgpu_rt.ready || vgpu_own_depth > 0 || !vgpu_is_programs(pc);
}

/* The calling thread is about to do what others may see, or be kept by: its
 * turn comes when no other thread's clock is earlier. Return: false where it is
 * the only one, or in a host function: then no turns are kept. */
bool vgpu_handover_turn(void);
/* What the caller has done so far is known to who takes at @at; and of what was
 * given there, its time and order. */
void vgpu_handover_give(const volatile void *at);
void vgpu_handover_take(const volatile void *at);
/* Nothing was ever given at @at: it is a new lock. */
void vgpu_handover_forget(const volatile void *at);
/* From now on atomic accesses of host code do so by themselves. */
void vgpu_handover_start(void);
/* The thread looks at its clock: if a host function has woken it, it is later.
 */
void vgpu_handover_settle(struct vgpu_thread *thread);
void vgpu_handover_forked(void);

#define VGPU_TURN_NS 2000 /* see vgpu_thread_turn() */
/* Of two at the gate, is it @a's turn? */
bool vgpu_thread_comes_first(const struct vgpu_thread *a,
                             const struct vgpu_thread *b);
/* A new thread knows what its maker does. */
void vgpu_handover_begin(struct vgpu_thread *made, struct vgpu_thread *maker);

/* ---- blocked.c: threads that wait for each other for ever ------------------
 */

enum vgpu_wait_for {
    VGPU_WAIT_MUTEX,
    VGPU_WAIT_LOCK, /* of another sort */
    VGPU_WAIT_CONDITION,
    VGPU_WAIT_SEMAPHORE,
    VGPU_WAIT_BARRIER,
    VGPU_WAIT_ATOMIC,
    VGPU_WAIT_PIPE,
    VGPU_WAIT_END, /* of a thread */
};

/* The calling thread is about to wait at @at without a limit, and has. */
void vgpu_blocked_begin(enum vgpu_wait_for what, const volatile void *at,
                        uint64_t pc);
void vgpu_blocked_end(void);
/* Has another process the pipe, too, that is waited for at @at? */
bool vgpu_pipe_shared(const volatile void *at);
/* See whether all do, and tell where that is for ever. With the runtime's lock.
 * Return: whether they may. */
bool vgpu_blocked_look(void);

/* ---- threads.c ------------------------------------------------------------
 */

/* Wait at the gate, as @thread's grain_ns and between_calls say. */
void vgpu_thread_pass_gate(struct vgpu_thread *thread);
/* The calling thread is about to sleep until it is woken at @at. */
void vgpu_thread_expect(const volatile void *at);
/* ... and does, for @ns of the machine's time at the latest (below 0: no
 * limit). Return: was it woken? */
bool vgpu_thread_sleep(int64_t ns);
/* Of those that sleep for @at, so many, who has done so longest first. */
void vgpu_thread_wake(const volatile void *at, int most);

#endif
