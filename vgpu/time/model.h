/*
 * model.h: what the time model's files share; no one else includes this.
 *
 *   vgpu_time.c  the public calls and the loop over events
 *   queues.c     arrival, hardware queues, start and completion
 *   links.c      copies: engines' fixed costs, rates that change on the way
 *   sm.c         kernels: SM pool and device memory
 *   ends.c       an operation's end, on its way to those that wait
 *   occupancy.c  blocks per SM
 *   timers.c     events at a known time
 *   ops.c        operations, their edges, streams
 *
 * Calls go down this list, never up.
 *
 * An operation's life: HELD until its issue time, BATCHED where a driver
 * batches, QUEUED in a hardware queue, RUNNING, ENDED, and DONE once its
 * completion can be seen, which is when it ended but for delayed signals.
 *
 * Nothing can wait for ever: each wait (for a predecessor, for what is ahead
 * in a queue, for a batch) is for an operation that is earlier in the order
 * by issue time, made not to decrease along edges, then submission.
 */
#ifndef VGPU_TIME_MODEL_H
#define VGPU_TIME_MODEL_H

#include <stddef.h>

#include "arith.h"
#include "grow.h"
#include "vgpu_time.h"

__extension__ typedef unsigned __int128 vtime_u128;

#define VTIME_NEVER INT64_MAX

enum vtime_state {
    VTIME_FREE,
    VTIME_HELD,
    VTIME_BATCHED,
    VTIME_QUEUED,
    VTIME_RUNNING,
    VTIME_ENDED,
    VTIME_DONE,
};

struct vtime_op;

enum vtime_engine_index {
    VTIME_ENGINE_SM,
    VTIME_ENGINE_H2D,
    VTIME_ENGINE_D2H,
    VTIME_ENGINES,
    VTIME_ENGINE_NONE = VTIME_ENGINES, /* marks */
};

/* Queues of copies and of all else are apart. */
enum vtime_lane {
    VTIME_LANE_KERNELS,
    VTIME_LANE_COPIES,
    VTIME_LANES,
};

/* @to waits for @from, which is not done. */
struct vtime_edge {
    struct vtime_op *from;
    struct vtime_op *to;
    struct vtime_edge *next;    /* from @from, or free */
    struct vtime_edge *next_in; /* to @to */
    struct vtime_edge *prev_in;
    unsigned early; /* what of @from is waited for; 0: its end */
};

/* A stream with unfinished work, or with a kernel's gap still to keep. */
struct vtime_stream {
    uint32_t number;
    struct vtime_stream *next; /* in its hash bucket */
    struct vtime_op *last;     /* submitted last, NULL once done */
    int64_t last_issue_ns;
    int64_t kernel_gap_ns; /* the gap behind its last kernel ends */
    int64_t unfinished;
    int64_t places[VTIME_LANES]; /* that these take in the host's queues */
    int64_t arrived;             /* of these, in a hardware queue's
                                    hands */
    int queue[VTIME_ENGINES];    /* of each engine's */
};

/* First in, first out; linked through vtime_op.queue_next. */
struct vtime_queue {
    struct vtime_op *head;
    struct vtime_op *tail;
};

/* What a block takes of an SM. */
struct vtime_block {
    int64_t blocks; /* 1; more where blocks are summed */
    int64_t threads;
    int64_t regs;
    int64_t shared_bytes;
};

/* A kernel's share of the SM pool; also a D2D copy or memset (no blocks). */
struct vtime_grid {
    struct vtime_op *prev; /* in the pool's list */
    struct vtime_op *next;
    struct vtime_block block;
    int64_t max_blocks; /* at once, by occupancy */
    int64_t blocks;     /* that have work: the others end at once */
    int64_t fixed_ns;   /* spent before the first block */
    int64_t slots;      /* blocks resident now */
    bool placed;        /* has ever had a block resident */
    bool open;          /* ... and what it has to do is not known */
    uint64_t ops;
    uint64_t bytes;
    vtime_u128 left;      /* work units, see sm.c */
    vtime_u128 phase_end; /* what is left when @slots change */
    vtime_u128 trigger;   /* ... when other kernels may begin, or 0 */
    vtime_u128 per_block;
    vtime_u128 rate;  /* work units per ns */
    int64_t ops_rate; /* scratch of the rate calculation */
    int64_t byte_rate;
    int64_t byte_limit;
    bool byte_limited; /* memory, not SMs, sets the rate */
    bool in_l2;        /* or the L2 cache */
    int64_t end_ns;    /* when @left reaches @phase_end */
};

struct vtime_op {
    vgpu_time_id id;
    uint64_t seq; /* submission order */
    struct vgpu_time_op in;
    enum vtime_state state;
    bool released;
    bool has_place;   /* in its stream's queue */
    int preds;        /* unfinished predecessors */
    int engine;       /* enum vtime_engine_index */
    int after_engine; /* of the predecessor that ended last */
    int64_t order_ns; /* issue, not before predecessors' */
    int64_t ready_ns; /* not to start before */
    int64_t start_ns;
    int64_t end_ns;
    int64_t stamp_ns; /* what a timed mark says: never before its end */
    int64_t done_ns;
    struct vtime_edge *edges;    /* to those that wait for this */
    struct vtime_edge *edges_in; /* from those that this waits for */
    unsigned reached, told;      /* of enum vgpu_time_early, before its end */
    struct vtime_op *queue_next; /* queue, batch, or free list */
    struct vtime_op *work_next;  /* work list of completions */
    struct vtime_stream *stream;
    uint32_t slot;
    /* Delayed signals: the first of a group counts, the rest point at it. */
    struct vtime_op *group;
    struct vtime_op *group_next;
    int group_left;
    /* A copy while it moves bytes. */
    vtime_u128 copy_left; /* bytes times 1e9 */
    int64_t copy_rate;    /* bytes per second */
    /* A kernel that reaches over a link moves bytes like a copy, beside its
     * work; @done_work: nothing but these is left. */
    bool from_host, to_host;
    bool done_work;
    struct vtime_grid grid;
};

/* sm.c: what a kernel has to do, known when it starts or later. */
void vtime_pool_work(struct vgpu_time *time, struct vtime_op *op,
                     const struct vgpu_time_work *work);
/* queues.c: the same for devices on paper. */
void vtime_unit_work(struct vgpu_time *time, struct vtime_op *op,
                     const struct vgpu_time_work *work);

struct vtime_engine {
    struct vtime_queue queues[33]; /* the connections, and behind them what
                                      the device has issued itself */
    struct vtime_op *running;      /* copy engines only */
    uint32_t last_stream;          /* whose copy it ran last */
    int64_t idle_since_ns;         /* -1: never ran; SMs: no kernel */
    int waiting;                   /* in all of them */
    int last_queue;                /* what it went on with last */
    int next_queue;                /* of copies' own: given out next */
    uint32_t queue_users[32];      /* ... and whose each is, or was */
    bool dirty;                    /* a head may be able to start */
};

/* The SMs and memory of one device. */
struct vtime_pool {
    struct vtime_op *first; /* in placement order */
    struct vtime_op *last;
    int64_t sent_ns;    /* when the last kernel gets here */
    int64_t updated_ns; /* work is accounted up to here */
    int64_t next_ns;    /* the next phase's end */
    bool dirty;         /* place blocks, work out rates */
};

struct vtime_device {
    int number;
    struct vgpu_profile profile;
    int queues[VTIME_LANES]; /* per engine */
    struct vtime_engine engines[VTIME_ENGINES];
    struct vtime_pool pool;
    int64_t resident_kernels;
    int queue_streams[32];         /* streams that use a queue now */
    int last_queue;                /* of kernels', that was given out last */
    struct vtime_op *last_arrived; /* if an unsignalled kernel */
    struct vtime_queue batch;
    int64_t batch_count;
    int64_t stamp_ns;      /* what its last timed mark says */
    bool worked;           /* something ended since, on an engine */
    int64_t batch_free_ns; /* when the next one can be sent */
};

/* At the same time, ends come before arrivals. */
enum vtime_timer_kind {
    VTIME_TIMER_END,    /* @op's constant time is over */
    VTIME_TIMER_MOVE,   /* @op's fixed cost is over */
    VTIME_TIMER_READY,  /* @op's kernel gap is over */
    VTIME_TIMER_ARRIVE, /* @op is issued, or its batch sent */
};

struct vtime_timer {
    int64_t at_ns;
    enum vtime_timer_kind kind;
    struct vtime_op *op;
};

struct vtime_timers {
    struct vtime_timer *heap;
    size_t count;
    size_t capacity;
};

#define VTIME_SLAB_OPS 256

struct vgpu_time {
    int device_count;
    struct vtime_device *devices;
    vgpu_time_work_fn *work;
    void *arg;
    int64_t now_ns;
    int64_t last_issue_ns; /* latest of all operations */
    uint64_t next_seq;
    int64_t queue_permille; /* of the profile's depth */

    struct vtime_op **slabs;
    size_t slab_count;
    struct vtime_op *free_ops;
    size_t live_ops;
    struct vtime_edge *free_edges;
    size_t free_edge_count;
    struct vtime_edge **edge_slabs;
    size_t edge_slab_count;
    struct vtime_stream **buckets;
    size_t bucket_count;
    size_t stream_count;

    struct vtime_timers timers;

    struct vtime_op *done_first; /* completions to pass on */
    struct vtime_op *done_last;

    struct vtime_op **copies; /* moving bytes, in start order */
    int copy_count;
    int64_t copies_updated_ns;
    int64_t copies_next_ns;
    bool copies_dirty;

    struct vtime_queue host; /* host functions that could start */
    struct vtime_op *host_running;
    int64_t host_ended_ns; /* the last one */
};

static inline enum vtime_lane vtime_lane_of(int engine)
{
    return engine == VTIME_ENGINE_H2D || engine == VTIME_ENGINE_D2H
               ? VTIME_LANE_COPIES
               : VTIME_LANE_KERNELS;
}

static inline struct vtime_device *vtime_device_of(struct vgpu_time *time,
                                                   const struct vtime_op *op)
{
    return &time->devices[op->in.device];
}

static inline const struct vgpu_profile *
vtime_profile_of(const struct vgpu_time *time, const struct vtime_op *op)
{
    return &time->devices[op->in.device].profile;
}

/* The machine's share of the facts, its memory, its processor and its driver,
 * is that of the profile of its first device. */
static inline const struct vgpu_profile *
vtime_host_profile(const struct vgpu_time *time)
{
    return &time->devices[0].profile;
}

/* ops.c */
struct vtime_op *vtime_op_new(struct vgpu_time *time);
void vtime_op_free(struct vgpu_time *time, struct vtime_op *op);
struct vtime_op *vtime_op_find(const struct vgpu_time *time, vgpu_time_id id);
/* Have @count edges ready. Return: false without memory. */
bool vtime_edges_reserve(struct vgpu_time *time, size_t count);
/* @to waits for @from, which is not done; an edge was reserved. */
void vtime_edge_add(struct vgpu_time *time, struct vtime_op *from,
                    struct vtime_op *to);
/* Return: the edge after @edge, which is freed. */
struct vtime_edge *vtime_edge_drop(struct vgpu_time *time,
                                   struct vtime_edge *edge);
/* The stream's entry, made where there is none; NULL without memory. */
struct vtime_stream *vtime_stream_get(struct vgpu_time *time, uint32_t number);
struct vtime_stream *vtime_stream_find(const struct vgpu_time *time,
                                       uint32_t number);
void vtime_ops_free_all(struct vgpu_time *time);

/* @op takes a place in its stream's queue, and leaves it when it begins. Marks
 * that are not timed and host functions take none (observed), nor does what the
 * device issues itself. */
void vtime_op_take_place(struct vtime_op *op);
void vtime_op_leave_place(struct vtime_op *op);

/* @a is before @b in the order that no wait may go against. */
bool vtime_op_before(const struct vtime_op *a, const struct vtime_op *b);

/* timers.c */
/* Make room for @count timers at once. Return: false without memory. */
bool vtime_timers_reserve(struct vtime_timers *timers, size_t count);
void vtime_timers_add(struct vtime_timers *timers, int64_t at_ns,
                      enum vtime_timer_kind kind, struct vtime_op *op);
struct vtime_timer vtime_timers_take(struct vtime_timers *timers);

/* queues.c */
void vtime_queue_add(struct vtime_queue *queue, struct vtime_op *op);
struct vtime_op *vtime_queue_take(struct vtime_queue *queue);
/* @op is issued now. */
void vtime_op_issue(struct vgpu_time *time, struct vtime_op *op);
/* @op is in its device's hands now. */
void vtime_op_arrive(struct vgpu_time *time, struct vtime_op *op);
/* Send the batch that @device holds. */
void vtime_batch_send(struct vgpu_time *time, struct vtime_device *device);
/* Start all that can start now, until nothing changes. */
void vtime_settle(struct vgpu_time *time);
enum vtime_engine_index vtime_engine_of(const struct vgpu_profile *profile,
                                        enum vgpu_time_kind kind);

/* ends.c */
/* @op has ended now: free its engine, tell its successors in good time. */
void vtime_op_end(struct vgpu_time *time, struct vtime_op *op);

/* links.c */
/* What starting costs, by how long the engine has been idle (-1: ever), by what
 * was before, who waits, and whether copies go the other way. */
int64_t vtime_fixed_cost(const struct vgpu_time *time,
                         const struct vtime_op *op, int64_t queued_ns,
                         int64_t idle_ns, int64_t idle_since_ns);
void vtime_copy_start(struct vgpu_time *time, struct vtime_op *op,
                      struct vtime_engine *engine, bool busy_other_way);
/* The fixed cost is over: bytes move from now on. */
void vtime_copy_move(struct vgpu_time *time, struct vtime_op *op);
/* What the kernel @op reaches over a link moves from now on. */
void vtime_link_start(struct vgpu_time *time, struct vtime_op *op,
                      const struct vgpu_time_work *work);
/* Bring all copies to now, end those that are through. */
void vtime_copies_advance(struct vgpu_time *time);
/* After starts and ends: rates, and when the next one ends. */
void vtime_copies_update(struct vgpu_time *time);

/* sm.c */
/* A kernel, D2D copy or memset enters the pool and waits for its place. */
void vtime_pool_add(struct vgpu_time *time, struct vtime_op *op);
void vtime_pool_advance(struct vgpu_time *time, struct vtime_device *device);
void vtime_pool_update(struct vgpu_time *time, struct vtime_device *device);

/* occupancy.c */
struct vtime_block vtime_block_of(const struct vgpu_profile *profile,
                                  int threads_per_block, int regs_per_thread,
                                  int64_t shared_per_block_bytes);

/* @a / @b, rounded up, at most VTIME_NEVER / 2; @b is not 0. Both are products
 * of two numbers that are checked, far from 2^128, so that the sum fits. */
static inline int64_t vtime_div_up(vtime_u128 a, vtime_u128 b)
{
    vtime_u128 result = (a + b - 1) / b;

    return result > VTIME_NEVER / 2 ? VTIME_NEVER / 2 : (int64_t)result;
}

#endif
