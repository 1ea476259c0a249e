/*
 * vgpu_time.h: the time model. Operations and a profile in, times out.
 *
 * A pure library: no operating system, no globals, no floating point whose
 * result could differ between compilers. A discrete-event simulation in
 * integer nanoseconds: copy engines, links, hardware queues, SM pool, host
 * memory shared by several GPUs. It knows nothing of memory contents or of
 * which ordering CUDA guarantees; that is the checker's.
 *
 * Time runs only as far as it is asked for: an operation may be submitted
 * at any time not earlier than what was simulated so far.
 */
#ifndef VGPU_TIME_H
#define VGPU_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include "profile.h"

struct vgpu_time;

typedef uint64_t vgpu_time_id; /* 0 is no operation */

enum vgpu_time_kind {
    VGPU_TIME_H2D,
    VGPU_TIME_D2H,
    VGPU_TIME_D2D,
    VGPU_TIME_PEER, /* device -> peer_device */
    VGPU_TIME_MEMSET,
    VGPU_TIME_KERNEL,
    VGPU_TIME_HOSTFN, /* function run by the host, in order */
    VGPU_TIME_MARK,   /* event record, wait, barrier: no time
                         of its own, a place in its stream */
    VGPU_TIME_BRANCH, /* a mark that asks the work function, which may
                         submit what comes after it */
};

enum vgpu_time_engine {
    VGPU_ENGINE_NONE,
    VGPU_ENGINE_H2D, /* with one copy queue: both ways */
    VGPU_ENGINE_D2H,
    VGPU_ENGINE_SM,
    VGPU_ENGINE_HOST,
};

struct vgpu_time_op {
    enum vgpu_time_kind kind;
    int device;                /* 0 .. devices - 1 */
    int peer_device;           /* VGPU_TIME_PEER only: destination */
    bool peer_direct;          /* access enabled: not through host */
    uint32_t stream;           /* any number, unique over devices; an
                                  operation starts after the one
                                  submitted before it in its stream */
    uint32_t stream_index;     /* creation order on its device: its
                                  hardware queue is this one, modulo
                                  the connections, or else one that
                                  no stream with work uses now */
    int priority;              /* lower number first */
    int64_t issue_ns;          /* when the host issued it */
    bool by_device;            /* ... or the device itself: nothing that the
                                  host has issued is in its way */
    int64_t bytes;             /* copies and memsets */
    bool pageable;             /* copy's host side is not pinned */
    bool timed;                /* a mark whose time is written down */
    const vgpu_time_id *after; /* further predecessors; ids that are
                                  0 or released count as done */
    int after_count;
    /* One further, a kernel that it need not wait for the end of. */
    vgpu_time_id early;
    enum vgpu_time_early {
        VGPU_EARLY_NONE,
        VGPU_EARLY_BEGUN = 1,   /* all its blocks have */
        VGPU_EARLY_TRIGGER = 2, /* all its blocks let others begin */
    } early_of;
    /* Kernels: geometry for occupancy. */
    int64_t blocks;
    int threads_per_block;
    int regs_per_thread;
    int64_t shared_per_block_bytes;
    void *user; /* handed to the work function */
};

/* What a kernel or host function turned out to do. */
struct vgpu_time_work {
    uint64_t ops;     /* source-level operations, all threads
                         together */
    uint64_t slots;   /* instructions of math functions, too */
    uint64_t doubles; /* of these, in double precision */
    /* Over links: read from the host's memory, written to it, and either
     * of another device's. */
    uint64_t from_host, to_host, between;
    uint64_t bytes;       /* device memory touched */
    uint64_t busy_blocks; /* that have work, all of them as much; 0: all */
    int64_t fixed_ns;     /* added as it is (host functions) */
    bool open;            /* a kernel that waits: see vgpu_time_finish */
    int trigger_permille; /* of its work, when all blocks let others begin;
                             0: with its end */
};

/*
 * Called once for each kernel and host function, in simulated order, when
 * its predecessors have ended and it is about to start: the latest moment at
 * which the runtime can still run it for real and tell what it cost.
 * Of a branch it may submit operations and call vgpu_time_after; else it may
 * not call back into the model.
 */
typedef void vgpu_time_work_fn(void *arg, void *user,
                               struct vgpu_time_work *work);

/*
 * Make a model.
 * @profiles     of each device; copied. The host's part is the first one's
 * @devices      how many, 1 or more
 * @connections  CUDA_DEVICE_MAX_CONNECTIONS, or 0 for the profile's default
 * @work, @arg   see vgpu_time_work_fn
 * Return: the model, or NULL without memory.
 */
struct vgpu_time *vgpu_time_new(const struct vgpu_profile *profiles,
                                int devices, int connections,
                                vgpu_time_work_fn *work, void *arg);
void vgpu_time_free(struct vgpu_time *time);
/* Other @connections, before anything is submitted.
 * @copies  CUDA_DEVICE_MAX_COPY_CONNECTIONS, or 0 where that is not set */
void vgpu_time_connect(struct vgpu_time *time, int connections, int copies);
/*
 * Another model of the same devices, with nothing submitted.
 * @queues  of each engine, as if all devices had so many; 0: as they have
 * Return: the model, or NULL without memory.
 */
struct vgpu_time *vgpu_time_again(const struct vgpu_time *time, int queues,
                                  vgpu_time_work_fn *work, void *arg);
/* How many queues streams share for kernels on a device. */
int vgpu_time_queues(const struct vgpu_time *time, int device);
/* Would more of them change nothing for so many streams? */
bool vgpu_time_has_queues(const struct vgpu_time *time, size_t streams);
/* Streams' queues are so many thousandths as long as the profile says. */
void vgpu_time_scale_queues(struct vgpu_time *time, int permille);

/*
 * Submit an operation. Issue times must not decrease within one stream, and
 * none may lie before vgpu_time_now(); one that does is taken as the earliest
 * that may be. @after is not needed after the call.
 * Return: its id, or 0 without memory or for arguments out of range (a kernel
 * of which no block fits on an SM among them).
 */
vgpu_time_id vgpu_time_submit(struct vgpu_time *time,
                              const struct vgpu_time_op *op);

/* Operation @id, which has not begun and waits for something else still, waits
 * for @before, too. Return: false without memory. */
bool vgpu_time_after(struct vgpu_time *time, vgpu_time_id id,
                     vgpu_time_id before);

/* The time up to which everything is simulated, ns. */
int64_t vgpu_time_now(const struct vgpu_time *time);

/*
 * Simulate until @id has ended (a batching driver is flushed for it).
 * Return: when its end could be seen, ns: later than vgpu_time_end() where
 * the device delays completion signals; -1 when there is no such operation.
 */
int64_t vgpu_time_wait(struct vgpu_time *time, vgpu_time_id id);

/*
 * Simulate up to @now_ns and tell whether @id has ended by then.
 */
bool vgpu_time_done(struct vgpu_time *time, vgpu_time_id id, int64_t now_ns);

/*
 * The time of the next thing that happens by itself, ns: nothing submitted
 * before it can change anything earlier. -1 where all is still, or where a
 * batching driver may hold something back.
 */
int64_t vgpu_time_next(const struct vgpu_time *time);

/*
 * What a kernel costs from now on whose work was open: it holds its place on
 * the SMs and does nothing until then. Not from the work function.
 */
void vgpu_time_finish(struct vgpu_time *time, vgpu_time_id id,
                      const struct vgpu_time_work *work);

/*
 * Simulate the next thing that happens, unless it lies behind @until_ns. A
 * batching driver sends what it holds back where nothing else is left.
 * Return: whether there was one.
 */
bool vgpu_time_step(struct vgpu_time *time, int64_t until_ns);

/* Start and end of an operation whose end has been seen, else -1. */
int64_t vgpu_time_start(const struct vgpu_time *time, vgpu_time_id id);
int64_t vgpu_time_end(const struct vgpu_time *time, vgpu_time_id id);
/* The same of a mark that is timed: what is written down. */
int64_t vgpu_time_stamp(const struct vgpu_time *time, vgpu_time_id id);

/* The engine an operation of this kind uses on that device. */
enum vgpu_time_engine vgpu_time_engine_of(const struct vgpu_time *time,
                                          int device, enum vgpu_time_kind kind);

/* A batching driver sends what it holds back (a query, a sync: any flush). */
void vgpu_time_flush(struct vgpu_time *time, int device, int64_t now_ns);

/*
 * Earliest time, not before @now_ns, at which one more operation of @kind, a
 * mark being a timed one, fits into @stream's queue of copies or of all else:
 * the host is held until then. It may still be full, where nothing happens any
 * more: a kernel waits whose work is open.
 */
bool vgpu_time_full(const struct vgpu_time *time, uint32_t stream,
                    enum vgpu_time_kind kind);
int64_t vgpu_time_room(struct vgpu_time *time, uint32_t stream,
                       enum vgpu_time_kind kind, int64_t now_ns);

/* Has the kernel @id begun, or did it so long ago that it is forgotten? */
bool vgpu_time_begun(const struct vgpu_time *time, vgpu_time_id id);
/* What was submitted as its user, which is still known; else NULL. */
void *vgpu_time_user(const struct vgpu_time *time, vgpu_time_id id);
/* What the kernel @id, which has not, waits for. @user: out: of the operation
 * that is in its way, or NULL. */
enum vgpu_time_full {
    VGPU_FULL_NOT,   /* what it comes after */
    VGPU_FULL_QUEUE, /* the first in its hardware queue, which waits itself */
    VGPU_FULL_GRIDS, /* as many kernels run as can */
    VGPU_FULL_SLOTS, /* the blocks of those that run leave no room */
};
enum vgpu_time_full vgpu_time_full_of(const struct vgpu_time *time,
                                      vgpu_time_id id, void **user);

/* Does the device run as many kernels at once as it can? */
bool vgpu_time_crowded(const struct vgpu_time *time, int device);

/*
 * The caller will not ask for @id again; it still orders what comes after
 * it. Memory in use stays proportional to what is unfinished or unreleased.
 */
void vgpu_time_release(struct vgpu_time *time, vgpu_time_id id);

/*
 * Occupancy: blocks of a kernel that fit on one SM of @profile at once.
 * Return: 0 when not even one fits.
 */
int vgpu_time_blocks_per_sm(const struct vgpu_profile *profile,
                            int threads_per_block, int regs_per_thread,
                            int64_t shared_per_block_bytes);

#endif
