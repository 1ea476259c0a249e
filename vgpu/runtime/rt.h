/*
 * rt.h: the runtime's own structures and the functions its files share.
 *
 * Not a public header. Grouped by file. Unless said otherwise a function
 * here must be called with the runtime's lock held, that is, between
 * vgpu_call_begin and vgpu_call_end.
 *
 * The runtime knows what CUDA's calls mean. It turns each into operations
 * with their predecessors, tells the checker every ordering that CUDA
 * guarantees, and the time model when the host issued it. Work is done for
 * real (op.c) only when something forces it: a wait, a successful query, or
 * the time model starting a kernel whose cost it must know.
 */
#ifndef VGPU_RT_H
#define VGPU_RT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>

#include "arith.h"
#include "call.h"
#include "failed.h"
#include "go_on.h"
#include "grow.h"
#include "handle.h"
#include "order.h"
#include "own_locks.h"
#include "vgpu_check.h"
#include "vgpu_exec.h"
#include "vgpu_time.h"

#define VGPU_MAX_DEVICES 16
#define VGPU_NAME_BYTES  64 /* of a stream or an event, in the trace */
#define VGPU_EXIT_HAZARD 86 /* exit status with VGPU_CHECK=1 */
#define VGPU_WRITERS     4  /* of what a kernel waits for, that are kept */
#define VGPU_EXIT_STUCK  87 /* the program would never end */

/* A program finds it in the library, which hides what no public header names:
 * see libvgpu.a in the Makefile. */
#define VGPU_PUBLIC __attribute__((visibility("default")))

struct vgpu_op;
struct vgpu_stream;
struct vgpu_event;
struct vgpu_graph;
struct vgpu_graph_run;
struct vgpu_node;
struct vgpu_capture;
struct vgpu_tips;
struct vgpu_stub;
struct ptx_kernel;

/* ---- state.c: the process, its threads and devices ----------------------- */

enum vgpu_thread_place {
    VGPU_PLACE_RUNNING,
    VGPU_PLACE_ARRIVING, /* about to take the gate's lock */
    VGPU_PLACE_GATE,
    VGPU_PLACE_ASLEEP, /* until another thread wakes it */
    VGPU_PLACE_SERVED, /* in a call that has a host function run */
    VGPU_PLACE_GONE,
};

struct vgpu_thread {
    int number;               /* 0 is the first seen */
    int tid;                  /* the kernel's number; 0: not yet */
    const volatile void *end; /* where who joins it waits; NULL: nobody can */
    struct vgpu_blocked *blocked; /* blocked.c; NULL: it has never waited */
    atomic_int place;             /* enum vgpu_thread_place */
    pthread_cond_t moved; /* it may be the next at the gate, or is awake */
    const volatile void *waits_for; /* ... asleep: for whoever gives there */
    uint64_t sleep;                 /* ... and the how many-th sleep it is */
    uint64_t turns;                 /* on a core, when last looked at */
    bool slept;                     /* was seen to wait for another */
    int64_t grain_ns; /* at the gate: its turn goes by parts of time so long, */
    bool held;        /* in a call that waits for a kernel; or: */
    bool spins;       /* it looks whether others have done something, */
    uint64_t looks_at;        /* ... by now, see vgpu_rt.deeds, */
    uint64_t looked_at;       /* ... and had not by then */
    bool between_calls;       /* ... and it makes no call */
    const volatile void *met; /* woken there by a host function, whose end its
                                 clock does not know yet; or NULL */
    struct vgpu_look look;
    struct vgpu_asked {
        const struct vgpu_op *op;
        int64_t now_ns, real_ns;
        unsigned times;
    } asked;             /* in vain, since then: see vgpu_go_on_asked */
    uint64_t last_turns; /* the watcher's last look; see go_on.c */
    atomic_bool woken;   /* ... which has had something run meanwhile, */
    int64_t wake_ns;     /* until this time */
    int64_t read_ns;     /* a clock was, last: see host_timers.c */
    unsigned close_readings;
    atomic_bool timed;            /* it waits until a time at the latest */
    atomic_int_least64_t vain_ns; /* real time at which it last looked in vain;
                                     0: it did not */
    int device;                   /* current device */
    cudaError_t last_error;
    const char *error_call; /* who set it; NULL: somebody asked */
    uint64_t error_pc;
    uint64_t error_at;       /* ... and which of its calls that was, */
    uint64_t calls;          /* of so many */
    const char *driver_call; /* of the driver API, under way, or NULL; */
    uint64_t driver_pc;      /* made there */
    struct vgpu_reason reason;
    struct vgpu_words {
        char room[VGPU_WORDS_ROOMS][160];
        unsigned next;
    } words; /* argument.c; the least of stacks has no place for them */
    struct vgpu_unasked unasked; /* the first that nobody can have seen */
    int64_t now_ns;              /* virtual time */
    int64_t asleep_ns;           /* of that, in which it used no processor */
    uint64_t ops;                /* host work not yet in now_ns */
    uint64_t ops_rest;           /* remainder of the last conversion */
    struct vgpu_agent *agent;
    struct vgpu_stream *per_thread[VGPU_MAX_DEVICES];
    uint64_t site_pc; /* set by vgpu_call_site */
    bool in_host_function;
    bool has_context;  /* has made a call that needs one */
    bool acts_alone;   /* as an agent of its own */
    bool valid_config; /* pushed and not yet launched */
    struct vgpu_config {
        struct vgpu_traits {
            bool cooperative;
            bool any_size;  /* ... and nobody asks whether it fits */
            bool clustered; /* by an attribute */
            uint32_t cluster[3];
            bool prefers;
            uint32_t preferred[3];
            bool has_priority;
            int priority;
            bool overlaps;            /* begins before the kernel ahead ends */
            struct vgpu_event *begun; /* told when all blocks have */
            struct vgpu_event *triggered; /* ... when they let others begin, */
            bool at_start;                /* or at their own begin */
        } traits;
        uint32_t grid[3];
        uint32_t block[3];
        size_t shared_bytes;
        cudaStream_t stream;
        uint64_t pc;
    } config;
    struct vgpu_call *calling; /* the call under way, or NULL */
    struct vgpu_order_thread order;
    struct vgpu_op **caught; /* where a launch goes instead of a
                                stream, or NULL */
    int capture_mode;        /* enum cudaStreamCaptureMode */
    struct vgpu_thread *next;
};

struct vgpu_device {
    int index;
    int place; /* in the machine; see environment.c */
    const struct vgpu_profile *profile;
    struct vgpu_stream *legacy;
    struct vgpu_stream *streams;           /* all but legacy, newest first */
    struct vgpu_stream *destroyed;         /* of these, newest first: */
    size_t destroyed_left, destroyed_more; /* seen to stay; since then */
    uint32_t streams_created;
    cudaError_t sticky; /* ended the context; else success */
    bool has_context;
    uint64_t peers;                     /* bit d: may reach device d, */
    uint64_t peer_pc[VGPU_MAX_DEVICES]; /* since there */
    size_t used_bytes;
    size_t limits[10];
    unsigned flags;
    enum cudaFuncCache cache_config;
};

struct vgpu_runtime {
    pthread_mutex_t lock;
    bool ready;
    struct vgpu_profile profiles[VGPU_MAX_DEVICES];
    uint32_t links[VGPU_MAX_DEVICES]; /* bit p: may device d reach p at all? */
    const struct vgpu_profile *host;  /* whose host_* are the machine's */
    int device_count;                 /* that the program sees, */
    cudaError_t no_device;            /* why it sees none, or success */
    struct vgpu_ended ended;
    bool launch_blocking; /* each launch waits for its end */
    bool lazy_loading;    /* see load.c */
    bool eager_loading;   /* of libraries, when they are named */
    bool unloaded;        /* after main */
    struct vgpu_device devices[VGPU_MAX_DEVICES];
    struct vgpu_time *time;
    struct vgpu_thread *threads;
    int thread_count;
    uint64_t seed;
    uint64_t sample;      /* blocks of a kernel that are run; 0: all */
    bool checking, races; /* VGPU_CHECK */
    bool explains;        /* calls that fail: then, or where is_read */
    bool shared_ran;      /* a kernel with shared memory was launched */

    bool tracing;
    uint64_t next_op;
    uint64_t next_call;
    uint32_t next_stream; /* number that people see */
    uint32_t next_time_stream;
    bool repeats;                /* a known launch need not be run */
    size_t pending;              /* operations not run yet */
    size_t host_functions;       /* of these */
    atomic_uint_least64_t deeds; /* of host threads and devices, by which a flag
                                    may have changed */
    bool shares;                 /* memory or events with another process */
    bool forked;                 /* a child of a process like this */
    bool is_read; /* somebody reads the reports and tells hangs */
};

extern struct vgpu_runtime vgpu_rt;

/* The calling thread's state, made at its first call. */
struct vgpu_thread *vgpu_thread_self(void);
/* A thread's state before the thread runs, and: it is the caller's now.
 * @as  whose agent it acts as; NULL: one of its own */
struct vgpu_thread *vgpu_thread_make(int64_t now_ns, struct vgpu_agent *as);
void vgpu_thread_adopt(struct vgpu_thread *thread);
/* Bring the thread's clock up to date with its own host code's cost. */
void vgpu_thread_settle(struct vgpu_thread *thread);
/* ... without what others may have done to it, and so without any lock. */
void vgpu_thread_spend_ops(struct vgpu_thread *thread);
void vgpu_thread_spend(struct vgpu_thread *thread, int64_t ns);
/* It has waited until then: no earlier than its own time. */
void vgpu_thread_pass(struct vgpu_thread *thread, int64_t until_ns);
/* A time model of the devices that the program sees. */
void vgpu_state_time(void);
/* A device is about to be used for the first time. */
void vgpu_connect(void);
/* What devices have of it, by their profile. */
/* Do the device and the host use managed memory at once? */
bool vgpu_moves_pages(const struct vgpu_profile *profile);
size_t vgpu_persisting_bytes(const struct vgpu_profile *profile);
size_t vgpu_access_window_bytes(const struct vgpu_profile *profile);
int vgpu_sync_domain_count(const struct vgpu_profile *profile);
bool vgpu_device_exists(int device);
/* Of a place on the host: is that node there? The host is one node here.
 * Return: the call's error. */
cudaError_t vgpu_numa_check(const struct cudaMemLocation *location);
struct vgpu_device *vgpu_device_current(void);
/* Limits, flags and what else can be set, as at first. */
void vgpu_device_settings_begin(struct vgpu_device *device);
size_t vgpu_device_bytes(const struct vgpu_profile *profile);

/* ---- environment.c: what CUDA's own settings say ------------------------- */

/* The machine's devices are those of vgpu_rt now; the program may see fewer.
 * Return: how many the machine has. */
int vgpu_environment_start(void);
/* A program calls CUDA for the first time: until then it may set them. */
void vgpu_environment_settle(void);
/* What tells a device of the machine from all others, in any process. */
void vgpu_environment_uuid(int place, char bytes[16]);

/* ---- rows.c: what the rows of @op cost, as bytes beyond its own ---------- */

int64_t vgpu_rows_copied(const struct vgpu_op *op);
int64_t vgpu_rows_set(const struct vgpu_op *op);

/* ---- crash.c ------------------------------------------------------------- */

/* From now on a crash of host code is told with its line: vgpu_check_crash. */
void vgpu_crash_watch(void);

/* ---- threads.c: an order of calls that is the same in every run ---------- */

/* Are there others whose turn it may be? */
bool vgpu_thread_several(const struct vgpu_thread *thread);
/* Wait for the calling thread's turn; without the runtime's lock. */
void vgpu_thread_gate(struct vgpu_thread *thread);
/* The same of one of several that looks at a flag, which is no call. */
void vgpu_thread_look(struct vgpu_thread *thread);
/* The same of one of several, for small things that are many: turns within
 * VGPU_TURN_NS go by the threads' numbers, so that not each of them is
 * another's. */
void vgpu_thread_turn(struct vgpu_thread *thread);
/* A call is over: the thread's clock has moved. */
void vgpu_thread_left(struct vgpu_thread *thread);

/* The earliest time at which another waits for its turn, or INT64_MAX. */
int64_t vgpu_thread_next_ns(struct vgpu_thread *thread);
/* The caller, who has no turn, is at work and takes the runtime's lock: nobody
 * passes the gate until he has let it go. */
void vgpu_threads_hold(bool on);
/* Do all sleep in the C library, now and at the last look and all between? */
bool vgpu_threads_sleep(void);
/* ... each for another one, @but apart (or NULL), as far as the system tells?
 */
bool vgpu_threads_wait(const struct vgpu_thread *but);
/* ... and does this one, now and since it was last asked about? */
bool vgpu_thread_waits_still(struct vgpu_thread *thread);

/* Has it been seen to look in vain just now? */
bool vgpu_thread_in_vain(const struct vgpu_thread *thread);
int vgpu_thread_tid(void); /* the caller's number in the system */
/* In a child of the process, where no other thread is left. */
void vgpu_threads_at_fork(void (*in_child)(void));
void vgpu_threads_forked(void);
void vgpu_go_on_forked(void);
void vgpu_host_function_forked(void);

/* The C library's own pthread_create, which is not counted. */
int vgpu_thread_create_real(pthread_t *out, void *(*body)(void *), void *arg);

/* ---- progress.c: what takes so long, for who waits at a terminal --------- */

void vgpu_progress_begin(void);
/* A kernel begins; not one that goes on. */
void vgpu_progress_kernel(void);

/* ---- repeat.c: launches whose outcome is known --------------------------- */

uint64_t vgpu_repeat_hash(const char *at, size_t bytes);
uint64_t vgpu_repeat_arguments(const struct vgpu_body *body,
                               const void *const *arguments);
/* A kernel is about to be run for real. Return: true where that is needless:
 * memory is as it leaves it, and op->work is filled in. Else vgpu_repeat_end
 * is told, too: @is_fine: it ran to its end, and op->work says what it cost. */
bool vgpu_repeat_begin(struct vgpu_op *op);
void vgpu_repeat_end(const struct vgpu_op *op, bool is_fine);
/* Other operations write there; NULL: anywhere. */
void vgpu_repeat_wrote(const void *base, size_t bytes);

/* ---- host_function.c ------------------------------------------------------
 */

/* Have the thread that runs them, which else begins with the first. */
void vgpu_host_function_start(void);
/* The one that @thread runs, or NULL. */
struct vgpu_op *vgpu_host_function_now(const struct vgpu_thread *thread);
/* All threads sleep: if that is since a host function does, tell. */
void vgpu_host_function_sleeps(void);
/* Run a host function, in a thread of the runtime's own, and wait for it. */
void vgpu_host_function_do(struct vgpu_op *op);

/* ---- seal.c ---------------------------------------------------------------
 */

/* From now on no code, constant or table of functions can be changed. */
void vgpu_seal_program(void);

/* ---- op.c: operations, their order, and doing them ----------------------- */

enum vgpu_op_kind {
    VGPU_OP_COPY,
    VGPU_OP_SET,
    VGPU_OP_KERNEL,
    VGPU_OP_HOST,  /* host function */
    VGPU_OP_MARK,  /* event record, wait, join */
    VGPU_OP_ALLOC, /* stream-ordered allocation */
    VGPU_OP_FREE,
    VGPU_OP_BRANCH, /* where a graph's condition is known */
};

/* Bytes in rows and slices; a plain range has one row and one slice. */
struct vgpu_extent {
    size_t width;
    size_t rows;
    size_t slices;
};

static inline size_t vgpu_extent_bytes(const struct vgpu_extent *e)
{
    return e->width * e->rows * e->slices;
}

struct vgpu_place {
    char *base;
    size_t pitch;               /* bytes from row to row */
    size_t slice;               /* bytes from slice to slice */
    struct vgpu_memory *memory; /* NULL: pageable host memory; may be gone
                                   once the call has returned */
    uint32_t id;                /* its number: others may get the address */
    bool managed;
    bool device; /* device side of a link */
    int where;   /* its device */
};
size_t vgpu_place_reach(const struct vgpu_place *place,
                        const struct vgpu_extent *extent);

struct vgpu_op {
    uint64_t seq; /* 1, 2, ... as enqueued */
    enum vgpu_op_kind kind;
    int refs;
    bool done;            /* run for real */
    bool awaited;         /* a host thread is ordered after it */
    bool timed;           /* it records its time */
    uint32_t time_stream; /* the stream, which may be gone */
    uint32_t stream_number;
    int device;
    vgpu_time_id time_id;
    struct vgpu_check_op *check;
    struct vgpu_graph_run *run; /* of a graph with conditions, or NULL */
    bool check_lent;            /* @check is the run's */
    int priority;               /* within a graph; else 0, and its stream's */
    struct vgpu_op **before;    /* predecessors not known to be done */
    size_t before_room;
    uint64_t gathered;          /* see vgpu_op_after */
    struct vgpu_op *ahead;      /* ... a kernel: not its end, */
    enum vgpu_time_early early; /* but so much of it */
    bool loads;                 /* the first launch of its kernel */
    uint32_t order;             /* its step's number (order.h), or 0 */
    int64_t issue_ns, seen_ns;  /* when it was issued, and when it has ended,
                                   as far as kernels can tell */
    int before_count;
    int promised; /* the first so many of these, by CUDA's rules */
    struct vgpu_time_work work;
    uint64_t pc;
    uint64_t call_id;
    struct vgpu_op *next_retired;
    struct vgpu_op *next_pending, *previous_pending; /* while not done */
    union {
        struct {
            struct vgpu_place dst, src;
            struct vgpu_extent extent;
            void *captured;           /* source taken at the call, or NULL */
            bool lent;                /* ... which nobody may rely on */
            bool brought;             /* the bytes are there already */
            enum cudaMemcpyKind kind; /* as the caller states it */
            enum vgpu_time_kind way;
            bool pageable;
            bool direct;        /* peer access enabled */
            int64_t more_bytes; /* of a batch: see copy.h */
        } copy;
        struct {
            struct vgpu_place dst;
            struct vgpu_extent extent;
            uint32_t value;
            unsigned element; /* 1, 2 or 4 bytes */
            bool discard;     /* the bytes are given up: no engine's work */
        } set;
        struct {
            const struct vgpu_kernel *kernel;
            const void *const *arguments; /* only as long as it is launched */
            uint64_t arguments_hash;
            struct vgpu_exec exec;
            struct vgpu_exec_run *run; /* it waits for a flag, or NULL */
            uint64_t wait_pc;          /* ... read there, */
            const char *lost;          /* ... or for what never comes; NULL */
            bool no_room; /* cooperative, and waits for room for all blocks */
            bool is_over; /* it has run, and read what others wrote, */
            int writer_count; /* ... so many, of which one must have begun */
            vgpu_time_id writers[VGPU_WRITERS];
            bool open;                 /* and has begun in virtual time */
            bool ahead_over;           /* what it begins before is */
            struct vgpu_op *dependent; /* begins before this ends, or NULL */
            bool lets_go;              /* ... it has, as far as it can */
            bool overlaps;             /* may begin before the one ahead ends */
            struct vgpu_op *next_waiting;
        } kernel;
        struct {
            cudaHostFn_t function;
            cudaStreamCallback_t callback;
            cudaStream_t handle;
            void *user_data;
        } host;
        struct {
            struct vgpu_node *node;
            struct vgpu_op *end; /* what waits for the bodies, too */
            unsigned rounds;
        } branch;
        struct vgpu_memory *memory; /* ALLOC, FREE */
    };
};

/* A new operation, with one reference. NULL without memory. */
struct vgpu_op *vgpu_op_new(enum vgpu_op_kind kind);
struct vgpu_op *vgpu_op_ref(struct vgpu_op *op);
void vgpu_op_unref(struct vgpu_op *op);
/* One more predecessor, before it is enqueued. */
cudaError_t vgpu_op_after(struct vgpu_op *op, struct vgpu_op *before);
/*
 * Enqueue @op into @stream: its place in the stream and the legacy default
 * stream's rules add predecessors, the checker is told, the time model gets
 * it at the thread's present time.
 * @what  for reports, "copy host to device"
 * Return: cudaSuccess or cudaErrorMemoryAllocation; @op stays the caller's.
 */
cudaError_t vgpu_op_enqueue(struct vgpu_op *op, struct vgpu_stream *stream,
                            const char *what, struct vgpu_call *call);
/*
 * The same for work within a body, whose place in the order was given out when
 * its graph was launched: nothing is added to its predecessors. Also from the
 * time model's question.
 * @check  the checker's place for it, which stays the caller's
 */
cudaError_t vgpu_op_enqueue_late(struct vgpu_op *op, struct vgpu_stream *stream,
                                 struct vgpu_check_op *check, const char *what);
/* @op, enqueued and not begun, waits for @now in the place of @before. */
cudaError_t vgpu_op_instead(struct vgpu_op *op, struct vgpu_op *before,
                            struct vgpu_op *now);
/* Later work in @stream waits for @before too; NULL: for nothing more. What it
 * returns is vgpu_op_enqueue's. */
cudaError_t vgpu_op_join(struct vgpu_stream *stream, struct vgpu_op *before,
                         const char *what, struct vgpu_call *call);
/* Of the operations that are not done, the one enqueued first, or NULL; the
 * others follow it, in their order. */
struct vgpu_op *vgpu_op_oldest(void);
/* Is any of them work that uses something, and no mark, allocation or free? */
bool vgpu_op_works(void);
/* Do it for real, after everything that it is ordered after. Return: false
 * where a kernel waits for a flag: it, or one that it is ordered after. */
bool vgpu_op_run(struct vgpu_op *op);
/* A kernel that waits for a flag, or NULL. */
struct vgpu_op *vgpu_op_waiting(void);
/* A kernel's blocks; and as many as an empty device runs at once. */
int64_t vgpu_op_blocks(const struct vgpu_op *op);
int64_t vgpu_op_resident(const struct vgpu_op *op);
/* From now on kernels that wait for others' writes are known, in check mode. */
void vgpu_op_watch_writers(void);
/* Kernels that wait look again. Not from the time model's question.
 * Return: has any of them got further? */
bool vgpu_op_resume(struct vgpu_thread *thread);
/* The time model's question: what did this kernel or function cost? */
void vgpu_op_work(void *arg, void *user, struct vgpu_time_work *work);
/* Free what the time model's question left without a reference. */
void vgpu_op_sweep(void);

/* ---- wait.c: what a host thread waits for ---------------------------------
 */

/*
 * The host waits until @op (NULL: nothing) has ended.
 * @credit  CUDA guarantees the order: do the work, tell the checker.
 *          Without it only time passes.
 * Return: the context's error, should the work have ended it.
 */
cudaError_t vgpu_wait_op(struct vgpu_thread *thread, struct vgpu_op *op,
                         bool credit);
/* @op was launched in @stream: with CUDA_LAUNCH_BLOCKING wait for its end. */
cudaError_t vgpu_wait_launched(struct vgpu_call *call,
                               const struct vgpu_stream *stream,
                               struct vgpu_op *op);
cudaError_t vgpu_wait_stream(struct vgpu_thread *thread,
                             struct vgpu_stream *stream, bool credit);
cudaError_t vgpu_wait_device(struct vgpu_thread *thread,
                             struct vgpu_device *device, bool credit);
/* Has @op ended by now? Then the thread is ordered after it. */
bool vgpu_wait_test(struct vgpu_thread *thread, struct vgpu_op *op);
bool vgpu_wait_test_stream(struct vgpu_thread *thread,
                           struct vgpu_stream *stream);
/* What cudaFree does today, though no manual promises it: time passes and
 * the work gets done, but the host is given no order. */
void vgpu_wait_drain(struct vgpu_thread *thread, struct vgpu_device *device);
/* What is enqueued is done now, before what it uses changes. No time passes,
 * and the host is given no order. */
void vgpu_wait_work(void);

/* ---- stream.c ------------------------------------------------------------ */

/* staging.c: pageable bytes that wait until an engine fetches them. */
struct vgpu_staging {
    struct vgpu_staged *first, *last;
    size_t used; /* bytes */
};
void vgpu_staging_clear(struct vgpu_staging *place);

struct vgpu_stream {
    uint32_t number; /* as people see it, 0: legacy */
    uint32_t time_stream;
    uint32_t index; /* creation order on its device */
    int device;
    unsigned flags;
    int priority;
    struct vgpu_stream_kept { /* to be asked for */
        struct cudaAccessPolicyWindow window;
        enum cudaSynchronizationPolicy sync_policy; /* 0: never set */
        cudaLaunchMemSyncDomainMap domain_map;
        cudaLaunchMemSyncDomain domain;
    } kept;
    bool legacy;
    bool per_thread;
    bool destroyed;
    bool excused; /* a reset has, or the program's end came first */
    uint64_t pc;  /* where it was created */
    struct vgpu_agent *agent;
    struct vgpu_op *last;          /* newest operation, or NULL */
    struct vgpu_op *kernel;        /* the newest, if no work is behind it */
    struct vgpu_stream *beside[3]; /* for what begins before that ends */
    unsigned besides;
    const struct vgpu_stream *of; /* whose such a one it is */
    uint64_t legacy_seen;         /* newest legacy operation that this
                                     stream is ordered after */
    struct vgpu_capture *capture; /* under way in it, or NULL */
    struct vgpu_tips *tips;       /* with it: the newest nodes */
    bool inner, is_beside; /* in no list: a graph's; beside a kernel's end */
    struct vgpu_staging staging; /* of small copies */
    struct vgpu_stream *next, *previous;
    struct vgpu_stream *next_destroyed; /* in the device's list of these */
};

/*
 * The stream a handle means for the calling thread: 0, legacy, per-thread or
 * a created one.
 * Return: NULL for a handle that is not a live stream (cudaError 400).
 */
struct vgpu_stream *vgpu_stream_find(cudaStream_t handle);
/* "stream 1 of device 0" */
void vgpu_stream_label(const struct vgpu_stream *stream, char *text,
                       size_t size);
struct vgpu_stream *vgpu_stream_make(struct vgpu_device *device, unsigned flags,
                                     int priority, uint64_t pc);
/* A stream that a graph launches its nodes into: no handle, no list, and
 * nothing that orders it but its operations' own predecessors. */
struct vgpu_stream *vgpu_stream_make_inner(struct vgpu_device *device);
/* The same for work of @stream's that does not wait for all before it. */
struct vgpu_stream *vgpu_stream_beside(struct vgpu_stream *stream);
/* Its graph is gone: freed when its work is over. */
void vgpu_stream_retire(struct vgpu_stream *stream);
/* Forget destroyed streams whose work is over. */
void vgpu_stream_sweep(struct vgpu_device *device);
/* A default stream's attributes, as at first. */
void vgpu_stream_reset(struct vgpu_stream *stream);
int vgpu_stream_clamp(int priority); /* into the range that there is */

/* ---- peer.c -------------------------------------------------------------- */

/* The device's context is gone. */
void vgpu_peer_reset(int device);

/* ---- memory.c ------------------------------------------------------------ */

/* Memory of the current device or its host, and what it counts for.
 * Return: cudaErrorMemoryAllocation where there is none. */
cudaError_t vgpu_memory_allocate(struct vgpu_call *call, void **out,
                                 size_t bytes, enum vgpu_memory_kind kind,
                                 unsigned flags);
/* What page-locking @bytes takes the host, or giving them back. */
int64_t vgpu_memory_per_mib(size_t bytes, int64_t ns_per_mib);
/* What all frees wait for. Return: the context's error. */
cudaError_t vgpu_memory_drain(struct vgpu_call *call,
                              const struct vgpu_memory *memory);
/* Give an allocation back, and account for it. */
void vgpu_memory_release(struct vgpu_memory *memory, uint64_t pc);
/* Say why it cannot be freed so. @memory  what is there, or NULL */
cudaError_t vgpu_memory_refuse(const void *pointer,
                               const struct vgpu_memory *memory);
bool vgpu_memory_of_graph(const struct vgpu_memory *memory);
bool vgpu_memory_of_host_pool(const struct vgpu_memory *memory);
/* All of a device's memory, when the device is reset. */
void vgpu_memory_reset(int device, uint64_t pc);
/* A graph's memory keeps its address and its bytes: a launch to come may use it
 * again, whoever has freed it. */
#define VGPU_MEMORY_GRAPH   0x20000000u
#define VGPU_MEMORY_PENDING 0x80000000u /* a stream-ordered free is pending */
#define VGPU_MEMORY_TAKEN   0x10000000u /* ... and the pool has its bytes */
#define VGPU_MEMORY_LIVE    0x04000000u /* a graph's: its launch left it */
#define VGPU_MEMORY_EXCUSED 0x02000000u /* freed when the runtime had ended */

/* ---- pages.c ------------------------------------------------------------- */

/* Are all pages from @at to @end there, so that they may be read, or written?
 */
bool vgpu_pages_allow(uintptr_t at, uintptr_t end, bool writes);

/* ---- pool.c -------------------------------------------------------------- */

/* Does @device have pools? */
bool vgpu_pool_exists(int device);
/* Memory of a device is free: its pool's again, or the device's. */
void vgpu_pool_forget(struct vgpu_memory *memory);
/* A call has waited for work of @device: its pools give back what is over their
 * thresholds. Return: how long that takes the host. */
int64_t vgpu_pool_waited(int device);
/* What its pools hold and nobody has. */
uint64_t vgpu_pool_idle(int device);
/* Of the pieces that a pool of the device has; 0: it has no pools. */
uint64_t vgpu_pool_piece_bytes(int device);
/* Memory for a node of a graph, @again or new, and the operation that makes or
 * frees it. @graph: what is of the same one lies side by side */
cudaError_t vgpu_pool_graph_alloc(int device, size_t bytes,
                                  struct vgpu_memory *again, const void *graph,
                                  uint64_t pc, struct vgpu_op **op);
cudaError_t vgpu_pool_graph_free(const void *address, struct vgpu_op **op);

/* ---- names.c ------------------------------------------------------------- */

/* What the program calls the stream or event that it wants at @slot, or "". */
void vgpu_names_take(const void *slot, char name[VGPU_NAME_BYTES]);

#include "actor.h"
#include "events.h"
#include "kernels.h"

/* ---- finish.c ------------------------------------------------------------ */

/* At exit: what was left behind, the trace, the exit status. */
void vgpu_finish(void);

#include "handover.h"
#include "traced.h"

#endif
