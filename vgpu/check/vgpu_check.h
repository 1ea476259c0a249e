/*
 * vgpu_check.h: the ordering checker. Who is ordered after whom, and who
 * touches which bytes.
 *
 * Vector clocks over agents (host threads, streams, host functions), given
 * out when work is *enqueued*. Memory is seen byte by byte: kernels and host
 * code are built with -fsanitize=thread and call the __tsan_* functions that
 * check/access.c defines; copies and memsets are told as ranges.
 *
 * Accesses are always recorded, of some of a kernel's blocks at least (its
 * footprint is also its memory traffic); reports are made only where reporting
 * is on (VGPU_CHECK=1). The checker knows no CUDA call: the runtime tells it
 * each ordering edge. Governing rule: an edge is told only where CUDA
 * guarantees it.
 *
 * Locks: the runtime calls these with its own lock held; inside, a short
 * spin lock covers what the __tsan_* callbacks share with them. A callback's
 * fast path takes none. No lock is held while a fault handler runs.
 *
 * Host threads are agents, too: the runtime tells how they order each other.
 * Pageable memory goes from one to another by the C library's hands, unseen:
 * for that they count as one.
 */
#ifndef VGPU_CHECK_H
#define VGPU_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "words.h"

/* ---- memory ------------------------------------------------------------ */

enum vgpu_memory_kind {
    VGPU_MEM_DEVICE, /* cudaMalloc and its kin */
    VGPU_MEM_PINNED, /* cudaMallocHost */
    VGPU_MEM_MAPPED, /* pinned, and kernels may touch it */
    VGPU_MEM_MANAGED,
    VGPU_MEM_REGISTERED, /* cudaHostRegister: not from arena */
};

#define VGPU_MEMORY_POOL 0x40000000u /* flags: from cudaMallocAsync */

struct vgpu_memory {
    void *base; /* 4096-aligned when from the arena, but in a room */
    size_t bytes;
    enum vgpu_memory_kind kind;
    int device;
    uint32_t id;         /* 1, 2, ... in order of allocation */
    uint64_t pc;         /* where it was allocated */
    uint64_t free_pc;    /* 0 while alive */
    uint64_t left_pc;    /* freed in a stream's order, and still there; or 0 */
    struct origin *left; /* ... by this, until a use behind it is told */
    uint64_t peers;      /* bit d: device d may access it too */
    uint32_t flags;      /* the runtime's own, and VGPU_MEMORY_POOL */
    void *owner;         /* the runtime's own */
    bool foreign;        /* others than this process may write it */
    bool unordered;      /* a hazard was found in it */
    bool attached;       /* managed: the host's, or one stream's */
    bool in_room;        /* others may share its first and last page */
    bool guarded;        /* the host's, but a device needs access */
};

/*
 * Set up. Reserves the address range that device and pinned memory come
 * from. Idempotent. Return: 0, or -1 when the range cannot be reserved.
 */
int vgpu_check_init(bool reporting);

/*
 * Allocate memory with its shadow. Contents: filled with a fixed pattern
 * (0xCD), so that reading it uninitialised is as wrong as it can be.
 * Addresses are not used again soon after a free.
 * Return: NULL without memory.
 */
struct vgpu_memory *vgpu_memory_new(size_t bytes, enum vgpu_memory_kind kind,
                                    int device, uint64_t pc);
/*
 * Addresses that stay the caller's: at least @bytes of them, with nothing
 * behind them. What is taken of them by vgpu_memory_place may begin anywhere.
 * @bytes  out: how many there are
 * Return: NULL without any.
 */
void *vgpu_room_new(size_t *bytes);
/* Give them back: all memory that was there has been freed. */
void vgpu_room_free(void *base, size_t bytes);
/* As vgpu_memory_new, at @base, which is in a room: there is none alive there.
 */
struct vgpu_memory *vgpu_memory_place(void *base, size_t bytes,
                                      enum vgpu_memory_kind kind, int device,
                                      uint64_t pc);
/* Let others map @memory, which stays where it is: its contents move to a file.
 * Return: the file, which is the caller's; -1 where that cannot be. */
int vgpu_memory_share(struct vgpu_memory *memory);
/* Memory of a device whose contents are those of @file. NULL: cannot be. */
struct vgpu_memory *vgpu_memory_open(int file, size_t bytes, int device,
                                     uint64_t pc);
/* Register host memory that is not from the arena (cudaHostRegister). */
struct vgpu_memory *vgpu_memory_register(void *base, size_t bytes, uint64_t pc);
/* Free. What still touches it later is reported as use after free. */
void vgpu_memory_free(struct vgpu_memory *memory, uint64_t pc);
struct vgpu_check_op;
/* The same, by @op at @pc, and the memory stays until it is freed: who touches
 * it later, and is ordered behind @op, is reported. */
void vgpu_memory_leave(struct vgpu_memory *memory, struct vgpu_check_op *op,
                       uint64_t pc);
static inline bool vgpu_memory_is_freed(const struct vgpu_memory *memory)
{
    return memory->free_pc || memory->left_pc;
}
/* The allocation that holds @address, alive or (for a while) freed. */
struct vgpu_memory *vgpu_memory_find(const void *address);

/*
 * Memory of @device that is no buffer of the program's: its number is 0, and it
 * lives as long as the process.
 * @linked  of variables: where the linker has put them; NULL: the heap of
 *          device code
 */
struct vgpu_memory *vgpu_memory_unnumbered(size_t bytes, int device,
                                           void *linked);
/* The program's managed variables, where the linker has put them: everybody's.
 * They are watched from now on. */
void vgpu_memory_managed_variables(void *linked, size_t bytes);
/* May device @device use it, if it is the host's? */
bool vgpu_memory_reaches(const struct vgpu_memory *memory, int device);
/* From now on device code that names @from means @to. */
void vgpu_check_alias(const void *from, size_t bytes, const void *to);
/* The variable that holds @address, one of the linker's. Return: its name, or
 * NULL; @at and @bytes are its place. */
const char *vgpu_variable_find(const void *address, const void **at,
                               size_t *bytes);

/* Live allocations, oldest first; NULL ends. Registered memory too. */
struct vgpu_memory *vgpu_memory_first(void);
struct vgpu_memory *vgpu_memory_next(struct vgpu_memory *memory);
/* Another number with each that comes or goes; never 0. */
uint64_t vgpu_memory_changes(void);
/* Device @accessor may (or may no longer) touch memory of @owner, what exists
 * already; the runtime sets peers of new allocations itself. */
void vgpu_memory_set_peer(int owner, int accessor, bool allowed);

/* ---- agents, clocks and operations ------------------------------------- */

struct vgpu_agent;    /* a host thread or a stream */
struct vgpu_clock;    /* a snapshot; reference counted */
struct vgpu_check_op; /* one enqueued operation */

enum vgpu_agent_kind {
    VGPU_AGENT_HOST,
    VGPU_AGENT_STREAM,
    VGPU_AGENT_EARLY /* a stream's kernels that begin before that ahead ends */
};

/*
 * @device, @label: for reports: "stream 3 of device 0", "the host thread",
 * "the default stream of device 0"; @label is copied.
 */
struct vgpu_agent *vgpu_agent_new(enum vgpu_agent_kind kind, int device,
                                  const char *label);
void vgpu_agent_free(struct vgpu_agent *agent);
const char *vgpu_agent_label(const struct vgpu_agent *agent);

/* Everything @agent did or was ordered after so far. Caller releases it. */
struct vgpu_clock *vgpu_clock_snapshot(struct vgpu_agent *agent);
void vgpu_clock_release(struct vgpu_clock *clock);
/* Both together; takes @into over (NULL: nothing yet). */
struct vgpu_clock *vgpu_clock_add(struct vgpu_clock *into,
                                  const struct vgpu_clock *from);
/* What @agent does from now on is ordered after @clock. NULL: no edge. */
void vgpu_agent_join(struct vgpu_agent *agent, const struct vgpu_clock *clock);

/* @host has waited for @op and all before it in its stream, as far as it knows
 * that they were enqueued by then. */
void vgpu_agent_waited(struct vgpu_agent *host, const struct vgpu_check_op *op);
/* A host thread does nothing any more. */
void vgpu_agent_end(struct vgpu_agent *agent);

/* @agent, a stream, records an event, or it or a host thread waits for what
 * the event stands for. @event: its number, from 1 */
void vgpu_check_event(uint64_t event, bool waits, struct vgpu_agent *agent,
                      uint64_t pc);
/* Between two records in one stream, no work is ordered before the second that
 * was enqueued after the first, but there was some elsewhere.
 * @report  out: its what, from and second_agent; the texts are in @text
 * Return: whether it is so, as far as is remembered. */
bool vgpu_check_elsewhere(const struct vgpu_check_op *first,
                          const struct vgpu_check_op *second,
                          struct vgpu_report *report, char text[256]);

/* Is what @agent does from now on ordered after @op? */
bool vgpu_agent_knows(const struct vgpu_agent *agent,
                      const struct vgpu_check_op *op);

/* Make @agent the one whose accesses the calling thread makes (host code). */
void vgpu_check_set_host(struct vgpu_agent *agent);

/* What makes accesses. */
struct vgpu_actor {
    enum vgpu_does does;
    const char *kernel; /* its name, which stays where it is; else NULL */
    const char *what;   /* for people: "kernel decrypt"; copied */
    struct vgpu_launched {
        uint64_t id;              /* 0: it is no node of a graph */
        uint64_t pc;              /* where that was launched, */
        struct vgpu_agent *agent; /* ... and into what stream */
    } launched;
};

/*
 * Enqueue an operation: it is ordered after everything @host did so far and
 * after everything in @stream so far, and what the host does afterwards is
 * not ordered with it.
 * @pc  the host call
 */
struct vgpu_check_op *vgpu_check_enqueue(struct vgpu_agent *host,
                                         struct vgpu_agent *stream,
                                         const struct vgpu_actor *actor,
                                         uint64_t pc);
void vgpu_check_op_free(struct vgpu_check_op *op);
/* Argument @number, from 1, of the kernel has @word, which may be an address of
 * the host's: what is told of an access through it names the argument. */
void vgpu_check_op_given(struct vgpu_check_op *op, unsigned number,
                         uintptr_t word);

/*
 * The operation's clock, for an edge to exactly it (an event, a host sync of
 * this one copy). Caller releases it.
 */
struct vgpu_clock *vgpu_check_op_clock(const struct vgpu_check_op *op);
/* What it began with, and nothing that it did. */
struct vgpu_clock *vgpu_check_op_before(const struct vgpu_check_op *op);
/* Where the operation that this thread runs was called, or 0. */
uint64_t vgpu_check_running_pc(void);

/* What @op does from now on is ordered after @clock, too. */
void vgpu_check_op_learn(struct vgpu_check_op *op,
                         const struct vgpu_clock *clock);

/* ---- accesses ---------------------------------------------------------- */

enum vgpu_access_kind { VGPU_READ = 1, VGPU_WRITE = 2, VGPU_ATOMIC = 4 };

/*
 * The calling thread now runs @op's body on @device: accesses are its until
 * the end. Begin/end pairs do not nest. @device is -1 for a host function,
 * which must not touch device memory.
 * @bytes  at the end: device memory touched, each byte counted once for
 *         reading and once for writing
 */
void vgpu_check_op_begin(struct vgpu_check_op *op, int device);
void vgpu_check_op_end(struct vgpu_check_op *op, uint64_t *bytes);

/*
 * A part of the running operation stands for all of it, in what it touches:
 * from how that grew as the part did. Between begin and end, on the same
 * thread.
 * @seen  so many of its blocks have run: a power of two, 2, then 4, ...
 * @all   so many there are. What is touched from now on adds nothing, but is
 *        looked at for hazards; 0: the part was everything
 */
void vgpu_check_part(uint64_t seen);
void vgpu_check_part_end(uint64_t all);
/* What the calling thread touches until the end is an operation's, and nobody
 * need hear of it. */
void vgpu_check_unwatched_begin(int device);
void vgpu_check_unwatched_end(void);
/* Are hazards told? */
bool vgpu_check_reports(void);
/* What the kernel @op touched beyond its device's own memory, in bytes: of host
 * memory, and of other devices'. After vgpu_check_op_end. */
struct vgpu_traffic {
    uint64_t from_host, to_host, between;
};
const struct vgpu_traffic *
vgpu_check_op_traffic(const struct vgpu_check_op *op);

/* @op touches a range (copy, memset). Between begin and end. */
void vgpu_check_range(struct vgpu_check_op *op, const void *base, size_t bytes,
                      enum vgpu_access_kind kind);
/* ... and, at its end, copied these bytes: what was never written is not
 * written there either. */
void vgpu_check_copied(const void *dst, const void *src, size_t bytes);
/* Return: how many bytes at the end of @bytes at @src nobody has written so
 * far, though some ahead of them; 0 of the host's memory. */
size_t vgpu_check_unwritten_end(const void *src, size_t bytes);
/* What @memory holds is nobody's any more: it has been allocated, in the order
 * of a stream. */
void vgpu_memory_fresh(const struct vgpu_memory *memory);
/* Report which memory was read that nobody wrote: nothing is left to run. */
void vgpu_check_tell_unwritten(void);
/* The same with rows: @rows rows of @width bytes, @pitch bytes apart. */
void vgpu_check_range_2d(struct vgpu_check_op *op, const void *base,
                         size_t pitch, size_t width, size_t rows,
                         enum vgpu_access_kind kind);
/* The host itself touches a range inside a call (a captured source, the
 * destination of a synchronous copy). */
void vgpu_check_host_range(struct vgpu_agent *host, const void *base,
                           size_t bytes, enum vgpu_access_kind kind,
                           uint64_t pc);

/*
 * Memory of the program's own that something queued will still use (loan.c):
 * what it gives back before stays until then. @borrower is any address that
 * names the user. @bytes: 0: unknown, it may be a whole block.
 */
void vgpu_check_lend(const void *borrower, const void *base, size_t bytes);
/* @op, the borrower's, is about to use it: report if it was given back. Return:
 * it was. */
bool vgpu_check_loan_tell(const void *borrower, struct vgpu_check_op *op,
                          enum vgpu_access_kind kind);
/* It is done, or will never be. Without a loan, nothing changes. */
void vgpu_check_loan_end(const void *borrower);
/* free(), by code at @pc. Where the C library would not find out, an address
 * that is none of its own ends the program. */
void vgpu_check_give_back(void *memory, uint64_t pc);

/* Is @address on the calling thread's stack, as far as that is known? */
bool vgpu_check_on_stack(const void *address);

/*
 * Host memory that an operation will touch and that is not in the arena:
 * watch it, so that host accesses to it are seen.
 */
void vgpu_check_watch(const void *base, size_t bytes);

/*
 * The calling thread does an atomic operation on 2, 4 or 8 bytes for code at
 * @pc. For those that the device library makes (atomicAdd and its kin), whose
 * lines would otherwise be the library's.
 */
void vgpu_check_atomic(const volatile void *at, size_t bytes, uint64_t pc);
/* ... one that replaces what is there: that it returns it is no use of it. */
void vgpu_check_exchange(const volatile void *at, size_t bytes, uint64_t pc);

/* The running kernel touches @bytes in the device library, for code at @pc: a
 * texel of a texture or a surface, a row of a matrix. Nothing is looked at in a
 * block that is not watched. */
void vgpu_check_touch(const void *at, size_t bytes, enum vgpu_access_kind kind,
                      uint64_t pc);

/* @op is the first launch of its kernel, and loads its code. */
void vgpu_check_loads(const struct vgpu_check_op *op);
/* @device and the host do not use managed memory at once. */
void vgpu_check_apart(int device);
/* The running kernel waits for a flag, which code at @pc reads. */
void vgpu_check_waits(uint64_t pc);

/* What the checker asks of what runs the kernels. */
struct vgpu_check_device {
    /* Is @address its own (a thread's stack, shared memory, a symbol), so that
     * a kernel may touch it though it is no allocation? */
    bool (*owns)(const void *address);
    /* What the running block has at @address of its shared memory.
     * @base, @bytes: where that is. Return: its name. */
    const char *(*shared)(const void *address, uintptr_t *base, size_t *bytes);
    /* A kernel touches what it may not (out of bounds, a host pointer, a peer's
     * without access, freed). May long-jump.
     * @message  one line, without newline */
    void (*fault)(const void *address, size_t bytes, int kind, uint64_t pc,
                  const char *message);
};
/* Until this is said, all outside the arena is taken for the device's own, and
 * a fault is printed and aborts. */
void vgpu_check_set_device(const struct vgpu_check_device *device);

/*
 * Host code, or a host function, makes an atomic access, by which threads tell
 * each other something. Called before it and after.
 * @does  VGPU_HANDS_TURN: it is about to; VGPU_HANDS_GIVE: others will see what
 *        it stores, VGPU_HANDS_NEW: whatever was there; VGPU_HANDS_TAKE: it has
 *        seen what others stored
 * @ordered  by it, and not by its value alone (C++: release, acquire)
 */
#define VGPU_HANDS_TURN 1u
#define VGPU_HANDS_GIVE 2u
#define VGPU_HANDS_NEW  4u
#define VGPU_HANDS_TAKE 8u
typedef void vgpu_hands_fn(const volatile void *at, unsigned does,
                           bool ordered);
void vgpu_check_set_handover(vgpu_hands_fn *hands);

/* Device code is about to read or write a volatile variable. May come back
 * later. */
typedef void vgpu_step_fn(const volatile void *at, bool writes);
void vgpu_check_set_step(vgpu_step_fn *step);

/*
 * Program code reads what may be a flag: by a volatile access, or by an atomic
 * one that looks at a value (a load, an exchange, a comparison).
 * @plain    host code reads the same place of the arena again, by another
 * access
 * @written  host code is about to write one in memory of the arena
 * From then on flags order what comes before their writing and what comes after
 * their reading (signals.c). No lock is held; both may take the caller's turn
 * away and come back later.
 */
typedef void vgpu_flag_fn(const volatile void *at, size_t bytes, uint64_t pc);
void vgpu_check_set_flag(vgpu_flag_fn *read, vgpu_flag_fn *plain,
                         void (*written)(void));
/* The calling thread leaves the middle of @op, to go on with it later: between
 * vgpu_check_op_begin and _end, as often as it likes. */
void vgpu_check_op_pause(struct vgpu_check_op *op);
void vgpu_check_op_resume(struct vgpu_check_op *op, int device);

/* ---- races within a kernel (race.c) ------------------------------------- */

/* Look for them, too. Before the first kernel. */
void vgpu_check_races(void);

/* What is kept for a block while it runs, and for the next one in its place. */
struct vgpu_race_block;

struct vgpu_race_place {
    const int *thread; /* the one that runs, or -1 */
    uintptr_t shared;  /* memory that the block has for itself */
    size_t shared_bytes;
    uint64_t number;  /* of the block in its grid, x fastest */
    uint64_t cluster; /* that it is of, from 1; 0: of none */
    /* Such memory of all its blocks: where it is told stays where it is. */
    const uintptr_t *peers;
    unsigned num_peers;
};

/* The calling thread begins to run a kernel. Both have three extents and stay
 * where they are. Return: whether to call the others. */
bool vgpu_race_begin(const uint32_t *grid, const uint32_t *block);
/* The kernel is over: report. */
void vgpu_race_end(void);
/* A block begins, or goes on where it waited for a flag or for the others.
 * @kept  NULL at first. Return: false without memory. */
bool vgpu_race_enter(struct vgpu_race_block **kept,
                     const struct vgpu_race_place *place, bool begins);
/* All threads of the block have come to a barrier. */
void vgpu_race_barrier(void);
/* All blocks have come to the grid's; each goes on with vgpu_race_barrier. */
void vgpu_race_grid(void);
/* Those of @block's cluster have come to the cluster's. */
void vgpu_race_cluster(struct vgpu_race_block *block);
/* @lanes of @warp have come to a __syncwarp. */
void vgpu_race_warp(uint32_t warp, uint32_t lanes);
/* The running thread makes a fence. */
void vgpu_race_fence(void);

/* ---- reports ----------------------------------------------------------- */

/* Hazards and misuse so far; each pair of lines counts once. 0 and no cost
 * where reporting is off. */
unsigned vgpu_check_hazards(void);
unsigned vgpu_check_warnings(void);
/* A warning that is not a hazard (misuse, leak), with the words of report.def.
 * Printed as "vgpu: warning: file.cu:LINE: ..." where reporting is on; the same
 * @pc and @kind only once. */
void vgpu_check_warn(enum vgpu_report_kind kind, uint64_t pc,
                     const struct vgpu_report *report);
/* The same, as vgpu_warn(stream_left, pc, .stream = 3, .owner = 0). */
#define vgpu_warn(KIND, PC, ...)                                               \
    vgpu_check_warn(VGPU_REPORT_##KIND, PC, &(struct vgpu_report){__VA_ARGS__})
/* One of the two accesses of a hazard. */
struct vgpu_hazard_side {
    const char *access; /* "read", "write", "atomic", "free" */
    const char *at;     /* "lab.cu:31", or "?" */
    bool is_host;       /* host code, not an operation */
    uint64_t tag;       /* the operation's; of host code what
                           the host's tag was by then */
};

struct vgpu_hazard {
    struct vgpu_hazard_side side[2]; /* in the order of the calls */
    uint32_t buffer;                 /* 0: plain host memory */
    uint64_t lo, hi;                 /* bytes; hi is not included */
    const char *why;
};

/*
 * Besides being printed, each hazard is told to @fn, with the checker's lock
 * held: it must not call the checker. Nothing is told where reporting is off.
 * @host_tag  asked for a tag when host code makes its first access after a
 *            call; takes no lock
 */
typedef void vgpu_hazard_fn(const struct vgpu_hazard *hazard);
void vgpu_check_set_hazard(vgpu_hazard_fn *fn, uint64_t (*host_tag)(void));

/* Another part of the run begins: what was told is told again where it repeats,
 * to that function and to nobody else. */
void vgpu_check_region(void);
/*
 * Give an operation its number, and have @fn told of two that use the same
 * memory, one of them writing: @from was done before @to. The checker's lock is
 * held; a pair may be told again.
 */
void vgpu_check_op_number(struct vgpu_check_op *op, uint32_t number);
void vgpu_check_set_use(void (*fn)(uint32_t from, uint32_t to));
/*
 * Give a kernel its @id, and have @fn told of two that nothing orders: @reader
 * looks in a loop, at @pc, at what @writer writes. The checker's lock is held.
 */
typedef void vgpu_met_fn(uint64_t reader, uint64_t pc, uint64_t writer);
void vgpu_check_op_kernel_id(struct vgpu_check_op *op, uint64_t id);
void vgpu_check_set_met(vgpu_met_fn *fn);
/* Was there room to remember all? */
bool vgpu_check_saw_all(void);
/* Give an operation its tag, before it runs. */
void vgpu_check_op_tag(struct vgpu_check_op *op, uint64_t tag);

/* Tell people and the reader of VGPU_REPORT_FD where the host's code crashed or
 * waits for ever, which ends the program next. Takes no lock. */
void vgpu_check_crash(enum vgpu_report_kind kind, uint64_t pc,
                      const struct vgpu_report *report);

/* Print how many reports were held back; nothing when there were none. */
void vgpu_check_summary(FILE *out);

/* ---- source lines (check/lines.c) --------------------------------------- */

/*
 * Find where an address in this program comes from, from its own line table
 * (DWARF 4 .debug_line of /proc/self/exe, read at the first call).
 * @pc    a return address: the call before it is meant
 * @file  as the compiler was given it, "lab.cu"; NULL where unknown
 * Return: the line, or 0 where unknown.
 */
int vgpu_line_find(uint64_t pc, const char **file);

/* Are the two on one line, which is known? */
bool vgpu_line_same(uint64_t a, uint64_t b);

/* "lab.cu:31", or "?" where unknown. Return: @text. */
char *vgpu_line_format(uint64_t pc, char *text, size_t size);

#endif
