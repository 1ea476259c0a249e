/*
 * checker.h: all that the checker knows, and what it consists of: one state,
 * and one of each thread. Private to vgpu/check.
 *
 * Members are grouped by the file whose they are; nobody else changes them.
 * They need the checker's lock unless they say otherwise. All are zero before
 * init, so that none of it takes room in a program's file.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include <pthread.h>
#include <stdatomic.h>
#include "lines.h"
#include "vgpu_check.h"
#include "vgpu/calls.h"
#include "vgpu/own.h"

#define PAGE_SHIFT 12
#define PAGE_BYTES 4096u
#define WORDS      64 /* 64-bit words: a bit per byte */

#define HIDDEN __attribute__((visibility("hidden")))

/* ---- pages ------------------------------------------------------------- */

enum set_index { SET_READ, SET_WRITE, SET_ATOMIC, SETS };

#define RUN_SETS 2 /* SET_READ, SET_WRITE: those with runs */

/* PAGE_OUTSIDE: the first member of a struct outside_page. */
enum page_state { PAGE_UNKNOWN, PAGE_ALIVE, PAGE_OUTSIDE };

/* Bytes of one page that one operation touched in one way. */
struct layer {
    struct origin *origin;
    uint64_t pc;
    struct bitmap *bitmap; /* NULL: all of [lo, hi) */
    uint16_t lo, hi;
    uint8_t kind; /* VGPU_READ, _WRITE or _ATOMIC */
    bool private; /* bitmap is being written */
};

struct layers {
    uint32_t count, capacity;
    struct layer at[];
};

/* Which bytes of a page somebody has written: bits say it of a part. */
enum page_written { WRITTEN_NONE, WRITTEN_PART, WRITTEN_ALL };

/* One page of the arena, or of watched host memory. 64 bytes. */
struct page {
    uint32_t serial[SETS]; /* the op whose bits are set, or SERIAL_RUN too */
    uint16_t valid;        /* bytes that are allocated */
    uint8_t state;
    bool host : 1;       /* host code may touch it */
    uint8_t written : 2; /* enum page_written */
    uint64_t pc[SETS];   /* first access of that op */
    struct vgpu_memory *memory;
    struct layers *layers;
    uint16_t run_lo[RUN_SETS], run_hi[RUN_SETS]; /* see run.c */
};

#define SERIAL_HOST UINT32_MAX  /* host code: no page has it */
#define SERIAL_NONE 0xFFFFFFFEu /* nor this: code that is not looked at */
#define SERIAL_RUN  0x80000000u /* what it touched is one interval */
/* Every access is to be looked at: makes a serial no op's. */
#define SERIAL_WATCHED 0x40000000u

/* What the callbacks read; one cache line. Without the lock. */
struct check_arena {
    uintptr_t base;
    uintptr_t bytes; /* 0 before init */
    struct page *pages;
    uint8_t *bits[SETS];    /* one bit per byte of the arena */
    uint8_t *written;       /* the same, of pages written in part */
    _Atomic bool recording; /* host accesses must be recorded */
    bool reporting;
    bool races;       /* ... those within a kernel, too (race.c) */
    uint32_t watched; /* SERIAL_WATCHED while a kernel is, or 0 */
};

/* ---- bytes touched in order (run.c) ------------------------------------ */

/*
 * Most code goes through a page in order. As long as an operation does, what
 * it touched of the page is kept as an interval, reads and writes apart: in
 * the slot that the page's address leads to, or, when another page has that,
 * in the page's entry. With a slot, the next access is one comparison with
 * where the interval ends. Pages that are allocated in part have no runs, so
 * that none grows beyond an allocation; and neighbouring pages lead to
 * different slots, so that none grows into the next page.
 */
#define RUN_BITS  10
#define RUN_SLOTS (1 << RUN_BITS)

/*
 * A place in the program, which most often goes on in the page where it is: it
 * has the end of a slot's interval while it is the one that moves it, or an
 * interval that it is within, or a page of which nothing is noted. Places share
 * these, some dozen for each way and size of an access: what it says is true
 * for any of them.
 */
struct run_memo {
    uintptr_t next;         /* of @slot, or 0 */
    uintptr_t first, count; /* so many addresses of its size */
    uintptr_t slot;
};

struct run_slot {
    uintptr_t first, next;
    struct run_memo *mover; /* has next, or NULL */
    uintptr_t unused;       /* for a power of two */
};

struct run_table {
    uintptr_t scope_base, scope_bytes; /* other addresses need no call */
    struct run_memo memos[RUN_SETS][VGPU_MEMO_SIZES][VGPU_MEMOS];
    struct run_slot slots[RUN_SETS][RUN_SLOTS];
    bool stayed; /* some memo may have an interval that it is within */
};

/* What an operation touched of one piece of memory, or of all that is none. */
struct share {
    const struct vgpu_memory *memory;
    uint64_t read, written;
};
#define SHARES 32

/* ... when @seen of its blocks had run. */
struct part {
    uint64_t seen;
    int count;
    struct share at[SHARES];
};

/* Two accesses that nothing orders. */
/* Is one side a loop that waits for the other's write (flag.c)? */
enum flag_sort {
    FLAG_NONE,
    FLAG_FINE,        /* in a way that the two are ordered by */
    FLAG_PLAIN_READ,  /* but a compiler may read it once */
    FLAG_PLAIN_WRITE, /* ... or write it late */
};

struct hazard {
    struct origin *origin[2]; /* in the order of the calls */
    uint64_t pc[2];
    uint8_t kind[2];
    uint32_t memory; /* its number; 0: plain host memory */
    enum vgpu_memory_kind memory_kind;
    int memory_device;
    uint64_t memory_pc;
    uint64_t memory_bytes;
    const char *variable; /* its name; NULL: no variable of a device */
    uintptr_t base;       /* lo and hi count from here */
    uint64_t lo, hi;
    uint64_t bytes; /* that both touch, in [lo, hi) */
    enum flag_sort flag;
    uint8_t reader; /* of a flag: which side */
};

/* For tests: told of every conflict, instead of reports. */
typedef void hazard_observer_fn(const struct layer *earlier, uint64_t pc,
                                unsigned kind, uintptr_t lo, uintptr_t hi,
                                unsigned bytes);
/* What a kernel read. */
struct unwritten {
    struct origin *origin;
    const struct vgpu_memory *memory;
    bool told;
    uint64_t pc; /* the read of the first byte */
    uint8_t kind;
    uint64_t lo, hi; /* of the buffer's bytes */
    uint64_t bytes;  /* so many in [lo, hi) */
};

/* What the two threads have in common: the narrower, the less it takes to
 * order them. */
enum race_scope { RACE_WARP, RACE_BLOCK, RACE_CLUSTER, RACE_GRID };

struct race_side {
    uint64_t pc;
    uint8_t set;     /* enum set_index */
    uint32_t thread; /* x fastest */
    uint64_t block;  /* x fastest */
};

/* Two accesses of one kernel to the same memory. */
struct race {
    struct race_side side[2]; /* as a GPU would come to them */
    enum race_scope scope;
    const uint32_t *grid, *block_dim;
    bool crowded;   /* several threads write there, not one */
    bool no_fence;  /* an atomic hands it on, and nothing but a fence lacks */
    uint64_t count; /* accesses at which it was seen */
    uintptr_t lo, hi;
    char place[160]; /* "the __shared__ variable sums (128 bytes)" */
    uint64_t at;     /* the first of the bytes in that */
};

/* ---- the state --------------------------------------------------------- */

#define FREED_KEPT     4096 /* freed allocations still known */
#define OUTSIDE_SHIFT  20
#define OUTSIDE_FILTER 4096
#define FAULT_ALLOWED  256
#define FLAGS          1024 /* one used again: an order is lost, once */
#define LOADS          256  /* kernels; of more none is told */
#define LOOKERS        256  /* lines that may wait for a flag; a power of two */
#define ACTS           1024 /* records of events, and waits, that are kept */
#define WORKS          2048 /* operations, for times between events */
#define FLAGS_LAST     8
#define FOUND          256 /* buffers, by kernels; more are not told */
#define SHADES         65536
#define SITES          4096 /* lines of programs; power of two */
#define RACES          64   /* of one kernel */
#define COLLECTED      16
#define SEEN           4096 /* pairs remembered; power of two */
#define PAIRS          256  /* pairs of lines remembered */
#define WARNED         256
#define ALIASES        2
struct alias {
    uintptr_t from;
    size_t bytes;
    uintptr_t to;
};

struct ranges {
    struct range *at;
    size_t count, room;
};

/* The calling thread. */
struct check_thread {
    uint32_t serial; /* SERIAL_HOST, or the running op's */
    int device;      /* of the op; -1: host function */
    struct vgpu_check_op *op;
    struct vgpu_agent *host;
    uintptr_t stack_top;          /* frames above are the caller's */
    bool overwrites;              /* this atomic does not ask what was there */
    uintptr_t stack_lo, stack_hi; /* 0, 0: not asked for yet */
    uint32_t serial_before;       /* of code that is not looked at */
    uintptr_t flags_last[FLAGS_LAST];
    unsigned flags_missed;
};

struct checker {
    _Alignas(64) struct check_arena arena;

    /* arena.c, pages.c */
    atomic_flag lock;      /* check_lock's */
    uintptr_t next_offset; /* never used from here on */
    struct hole *holes;    /* used, free again; oldest first */
    size_t holes_count, holes_room;
    int fill_file; /* of FILL_BYTEs, plus 2; 1: there is none, 0: not yet */
    atomic_flag wide_lock; /* atomic.c: of atomics of 16 bytes */

    struct {
        /* Allocations by address, freed ones for a while too. */
        struct vgpu_memory **table;
        size_t table_count, table_room;
        struct record *oldest, *newest;
        uint64_t changes; /* of this list */
        struct vgpu_memory *freed[FREED_KEPT];
        size_t freed_at;
        uint32_t last_id;
        size_t live_bytes;
    } allocation;
    struct {
        struct slot *slots;
        uint32_t slots_count;
        uint32_t freed_first, freed_last; /* their numbers and 1; 0: none */
        size_t slots_room;
        struct vgpu_agent *hosts; /* host threads, oldest first */
        struct vgpu_clock *known; /* what they know, together */
        uint64_t last_seq;
    } agent;
    struct {
        /* Used again when they are full: the oldest go. */
        struct act {
            uint64_t event, seq, pc;
            struct vgpu_agent *agent; /* NULL: none was here yet */
            bool waits;
        } acts[ACTS];
        struct origin *works[WORKS];
        unsigned next_act, next_work;
    } events;
    struct {
        struct bitmap **buckets;
        size_t buckets_count, interned, used_bytes;
    } bits;
    struct {
        size_t layers_bytes;
        size_t dropped;                          /* so often memory was short */
        void (*use)(uint32_t from, uint32_t to); /* vgpu_check_set_use */
        struct page **growing; /* pages with private bitmaps */
        size_t growing_count, growing_room;
    } shadow;
    struct {
        struct page **touched; /* by the running operation */
        size_t touched_count, touched_room;
        uint32_t last_serial;
        uint64_t
            apart; /* bit d: managed memory is the device's or the host's */
        bool lost; /* a page could not be listed */
    } track;
    struct {
        _Alignas(64) struct run_table table; /* of the running operation */
        bool running;
    } run;
    struct {
        struct part last, before; /* of the running operation */
    } part;
    struct {
        struct variable *variables;
        struct alias aliases[ALIASES]; /* without the lock */
    } variable;
    struct {
        struct unwritten found[FOUND];
        unsigned found_count;
        struct read {
            struct page *page;
            uintptr_t address;
            size_t bytes;
            size_t fresh; /* so many of them that it had not read before */
            enum set_index set;
            uint64_t pc;
        } last; /* that may yet be a bit field's; no page: none */
    } unwritten;
    struct {
        uint8_t filter[OUTSIDE_FILTER]; /* non-zero: watched; no lock */
        struct ranges watched;          /* until everything is waited for */
        struct ranges registered;       /* until unregistered */
        struct outside_page **buckets;
        size_t buckets_count, pages_count;
    } outside;
    /* The functions are the runtime's, or NULL: see vgpu_check_set_flag. */
    struct {
        vgpu_flag_fn *flag_read, *plain_read;
        void (*flag_written)(void);
        vgpu_step_fn *lanes_step;
        vgpu_hands_fn *hands;
        _Atomic bool any; /* there is a flag */
        struct flag {
            uintptr_t address;
            bool by_host;
            struct vgpu_clock *clock;
        } flags[FLAGS];
    } signals;
    struct {
        struct looker {
            uint64_t pc; /* 0: free */
            bool waits;  /* in a loop that only looks */
            bool signs;  /* by a volatile access */
            bool known;  /* ... `waits` is */
        } lookers[LOOKERS];
        struct origin *loads[LOADS]; /* the first launches of kernels */
        unsigned loads_count;
        vgpu_met_fn *met; /* vgpu_check_set_met */
    } flag;
    struct {
        struct vgpu_check_device device; /* runs the kernels; or all NULL */
        /* Pages outside the arena that this operation may touch. */
        uintptr_t allowed[FAULT_ALLOWED];
    } fault;
    struct {
        pthread_mutex_t lock;       /* of these; the checker's is not held */
        struct loan *loans, **last; /* in the order of lending */
        struct kept *kept;
    } loan;
    struct {
        struct shade *shades[SHADES];
        size_t cells_bytes;
        struct site {
            uint64_t pc;
            bool tries; /* an atomic of the same thread settles what it reads */
        } sites[SITES];
        /* A write that meets another: does it change anything? */
        struct unsettled {
            bool is_set;
            struct race race;
            unsigned char before[16];
        } unsettled;
        /* The kernel that is watched. */
        const struct vgpu_check_op *op; /* NULL: none */
        const uint32_t *grid, *block_dim;
        uint32_t serial;
        uint32_t grid_step; /* those before it are ordered before all others */
        struct vgpu_race_block *now; /* the one that runs */
        struct block_run *blocks;    /* in the order of their beginning */
        struct step *steps;          /* in the order of time; 0 is nobody's */
        size_t block_count, block_room, step_count, step_room;
        uintptr_t volatile_at;
        struct race races[RACES]; /* race_found.c */
        unsigned races_count;
    } race;
    struct {
        hazard_observer_fn *observer; /* for tests: instead of reports */
        struct hazard collected[COLLECTED];
        unsigned collected_count;
        struct seen {
            uint64_t pc[2];
            uint8_t kind[2];
            bool used;
        } seen[SEEN];
        unsigned seen_count;
    } hazard;
    struct {
        vgpu_hazard_fn *told;
        uint64_t (*host_tag)(void);
        bool is_read; /* VGPU_REPORT_FD is set: to @fd */
        int fd;
        unsigned hazards, warnings, held_back, unwritten_told;
        char pairs[PAIRS][2][64]; /* "lab.cu:31", "driver.cu:80" */
        unsigned pairs_count;
        struct {
            uint64_t pc;
            enum vgpu_report_kind kind;
        } warned[WARNED];
        unsigned warned_count;
    } report;
    struct {
        int width; /* in columns; 0: lines stay whole */
        bool colour;
        int column, below; /* of the line that is being written */
    } say;
    struct {
        struct line_table table;
        uintptr_t load_offset; /* run-time minus link-time address */
        pthread_once_t once;   /* it is read */
    } lines;
};

HIDDEN extern struct checker checker;
HIDDEN extern VGPU_OWN struct check_thread check_thread VGPU_OWN_NEAR;

/* A file's own part of it, by a short name. */
#define MY_PART(part) static __typeof__(checker.part) *const my = &checker.part

#endif
