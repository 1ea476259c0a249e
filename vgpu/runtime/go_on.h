/*
 * go_on.h: hosts that wait without a CUDA call, and the clocks that they read;
 * a part of rt.h, which includes it.
 *
 * With the runtime's lock, as there, unless said otherwise.
 */
#ifndef VGPU_GO_ON_H
#define VGPU_GO_ON_H

#include <stdbool.h>
#include <stdint.h>
#include <pthread.h>
#include <time.h>

struct vgpu_call;
struct vgpu_op;
struct vgpu_stream;
struct vgpu_thread;

/* What the host has looked at without a call between, and how often in a row
 * that was nothing new. */
#define VGPU_LOOKS 64
struct vgpu_look {
    const volatile void *at[VGPU_LOOKS];
    uint64_t value[VGPU_LOOKS];
    unsigned idle, reads, sleeps;
    unsigned readings;  /* of a clock */
    int64_t slept_ns;   /* virtual, without a call between */
    int64_t alone_ns;   /* real time since which it does nothing else, */
    int64_t used_ns;    /* ... of its processor then, */
    unsigned used_idle; /* ... and `idle` */
    int64_t vain_ns;    /* real time since which nothing can change it */
    /* The last round of a loop that only looks: */
    unsigned idle_reads; /* `reads` then, */
    uint64_t idle_ops;   /* and what its function had done */
    uint64_t idle_pc;
    unsigned rounds; /* so many of them in a row */
};

/* ---- host_timers.c -------------------------------------------------------
 */

/* What the calling thread's clock lacks to @until, or 0. Without the lock.
 * @until  of the realtime or of the monotonic clock, which are years apart
 * @clock  out: which of them */
int64_t vgpu_timer_left(const struct timespec *until, clockid_t *clock);

/* ---- go_on.c: the device goes on while the host makes no call ------------ */

/* From now on the program's looks at flags are noticed. */
void vgpu_go_on_start(void);

/* A host function was enqueued: see whether the host sleeps until it runs.
 * Without the lock where it is the first. */
void vgpu_go_on_watch(void);
/* A thread is about to wait for another, in check mode. Without the lock. */
void vgpu_go_on_watch_waits(void);
/* Does @pc come from a line of the program and not of the C++ library's? */
bool vgpu_is_own_line(uint64_t pc);
void vgpu_go_on_next_function(void); /* since all threads sleep */
/* Does the thread only look for what others do, who have done nothing since? */
bool vgpu_thread_looked(const struct vgpu_thread *thread);
/* The thread makes a call. */
void vgpu_go_on_called(struct vgpu_thread *thread, uint64_t pc);
/* The thread may have slept and been woken: its clock. Without the lock. */
void vgpu_go_on_wake(struct vgpu_thread *thread);
/* The calling thread waits no longer than @ns, which pass now. Without the
 * lock. @pc: where; 0: who does so for ever may wait for something outside. */
void vgpu_go_on_waited(int64_t ns, uint64_t pc);
/* ---- in_vain.c: whether it is for ever ----------------------------------- */

enum vgpu_vain {
    VGPU_VAIN_HELD,  /* in a call */
    VGPU_VAIN_LOOKS, /* in a loop that does nothing else */
    VGPU_VAIN_MAYBE, /* ... or more than is known of */
};
/* The thread has looked, or is held, and nothing has happened that could help
 * it: end the program where that has lasted, and all others wait, too. Without
 * the gate. */
void vgpu_in_vain(struct vgpu_thread *thread, enum vgpu_vain sort, uint64_t pc,
                  const char *what);
/* ... something has. */
void vgpu_vain_news(struct vgpu_thread *thread);
/* Where the last call of any thread was made. */
void vgpu_last_call_set(uint64_t pc);
uint64_t vgpu_last_call(void);
/* Tell that the program never ends, by its line, and end it.
 * @what  "the host reads a flag that does not change"
 * Return: only where somebody else tells hangs, or another process may end
 * it. */
void vgpu_never_ends(uint64_t pc, const char *what);
/* The host waits for @op: go on until no kernel that waits is in its way. */
/* stuck.c: what the kernel @op waits in vain for, as far as is known, in @text.
 */
const struct vgpu_op *vgpu_stuck_op(void);
const char *vgpu_stuck_words(const struct vgpu_op *op, char text[1024]);
/* @what the host does in vain; with a kernel that waits, too, in @text. */
const char *vgpu_stuck_beside(const char *what, char text[1024]);
/* The host has asked for @op, which has not ended. */
void vgpu_go_on_asked(struct vgpu_thread *thread, const struct vgpu_op *op);
void vgpu_go_on_until(struct vgpu_thread *thread, struct vgpu_op *op);
/* The host calls for @op, which may take a place in the queue of @stream: its
 * clock goes on until there is one. */
void vgpu_go_on_room(const struct vgpu_op *op, const struct vgpu_stream *stream,
                     struct vgpu_call *call);
/* @op is about to be done for real, or is done. */
void vgpu_go_on_begun(struct vgpu_op *op);
void vgpu_go_on_done(struct vgpu_op *op);

#endif
