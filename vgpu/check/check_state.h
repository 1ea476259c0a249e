/*
 * check_state.h: what the checker's files do for each other. Private to
 * vgpu/check; what they know is in checker.h.
 *
 *   arena.c       addresses and their contents, the page table
 *   pages.c       the system's memory behind them
 *   allocation.c  allocations
 *   clock.c       vector clocks
 *   agent.c       agents and their operations
 *   events.c      what events stood for, and what lay between two
 *   bits.c        sets of bytes within a page
 *   shadow.c      who touched which bytes: layers per page, conflicts
 *   track.c       what runs, and what it touches, on the way to the shadow
 *   run.c         what it touches in order
 *   part.c        what all of it touches, told from a part
 *   variable.c    variables of devices
 *   unwritten.c   device memory that is read and that nobody has written
 *   outside.c     host memory that is not from the arena
 *   access.c      the __tsan_* callbacks; atomic.c the atomic ones
 *   signals.c     flags by which host and device order each other; flag.c:
 *                 ... and operations
 *   fault.c       what may not be touched at all; whose.c: whose it is
 *   loan.c        what the program gives back and operations still need
 *   race.c        threads of one kernel that touch the same bytes;
 *                 race_found.c collects them
 *   hazard.c      collects conflicts; report.c tells people and programs, with
 *                 the words of vgpu/report.def (words.c) and of explain.c;
 *                 say.c has the lines for people
 *   lines.c       program counters to source lines
 *
 * Everything here needs the checker's lock unless it says otherwise.
 */
#ifndef CHECK_STATE_H
#define CHECK_STATE_H

#include "arith.h"
#include "checker.h"
#include "grow.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- pages ------------------------------------------------------------- */

void check_lock(void);
void check_unlock(void);
/* The system call: the library's function is the runtime's (go_on.c). */
void check_yield(void);

/* @address in the arena? Without the lock. */
static inline bool arena_contains(const void *address)
{
    return (uintptr_t)address - checker.arena.base < checker.arena.bytes;
}

static inline struct page *arena_page(uintptr_t offset)
{
    return checker.arena.pages + (offset >> PAGE_SHIFT);
}

/* First address of @page. */
uintptr_t page_address(const struct page *page);
/* Find out what an arena page belongs to. Return: false when to nothing. */
bool page_resolve(struct page *page);
/* Like vgpu_memory_find; also the one that @address misses narrowly. */
struct vgpu_memory *memory_find(uintptr_t address);
struct vgpu_memory *memory_find_near(uintptr_t address);
/* That which begins next behind @address, or NULL. */
struct vgpu_memory *memory_find_next(uintptr_t address);
/* Bytes of live allocations from the arena. */
size_t memory_live_bytes(void);
/* One that is alive and has an address from [@start, @end), or NULL. */
struct vgpu_memory *memory_alive(uintptr_t start, uintptr_t end);
/* Forget freed allocations whose addresses are given out again. */
void memory_forget(uintptr_t start, size_t bytes);
/* Pages full of the pattern, with a guard behind; NULL without memory. */
void *arena_take(size_t bytes);
void arena_give_back(void *base, size_t bytes);
/* Addresses for a room of at least *@bytes, or NULL; and back. */
void *arena_room(size_t *bytes);
void arena_room_back(void *base, size_t bytes);
/* Pages of a room get memory for [@base, @base + @bytes), or lose it: as far as
 * no other memory is in them. Return: false without memory. */
bool arena_place(void *base, size_t bytes);
void arena_remove(void *base, size_t bytes);
/* Empty page entries, and give their memory back. */
void arena_clear_pages(struct page *page, size_t count);
/* @page is an entry of @memory's that is now in use. */
void memory_use_page(struct vgpu_memory *memory, struct page *page);

/* ---- the system's memory (pages.c) ------------------------------------- */

/* How large an arena may be: @least, or more. */
size_t pages_most(size_t least);
/* Addresses for an arena, with gaps of @guard_bytes, and zeros at *@shadow.
 * Return: the arena, or NULL. */
char *pages_reserve(size_t arena_bytes, size_t shadow_bytes, size_t guard_bytes,
                    char **shadow);
/* The checker's pages and the system's, which may have 64 KiB on arm64. */
size_t pages_whole(size_t bytes);
/* Does the process have anything at @address? */
bool pages_are_there(uintptr_t address);
/* Whole pages become usable, full of a pattern (0, or -1 without memory), and
 * unusable again. */
int pages_make(char *base, size_t bytes);
void pages_drop(char *base, size_t bytes);
/* Clear them, and give back what can be. */
void pages_zero(void *at, size_t bytes);
/* A file with the contents of a buffer, or -1; a buffer that shows a file. */
int arena_save(const void *base, size_t bytes);
bool arena_show(void *base, size_t bytes, int file);

/* ---- whose an address outside the arena is (whose.c) ------------------- */

/* The program's text and its variables. */
bool whose_program(uintptr_t address);
/* Where the calling thread's stack lies, or 0 and 0. */
void whose_stack(uintptr_t *lo, uintptr_t *hi);
/* End the program as for an address that is not there. */
void whose_end(void);
/* Does so where the C library would give back what is none of its own. */
void whose_free(const void *memory);

/* ---- sets of bytes within a page (bits.c) ------------------------------ */

struct set {
    uint16_t lo, hi;
    const uint64_t *words; /* NULL: all of [lo, hi) */
};

/* A set that many pages share, or one layer's own while it grows. */
struct bitmap {
    struct bitmap *next;
    uint32_t hash;
    uint32_t refs;
    uint8_t grain;    /* log2 of the bytes per bit */
    uint64_t words[]; /* WORDS >> grain */
};

void bits_fill(uint64_t *words, unsigned lo, unsigned hi);
unsigned bits_count(const uint64_t *words);
/* Describe @words. Return: how many bits are set. */
unsigned bits_describe(const uint64_t *words, struct set *set);
struct bitmap *bitmap_intern(const uint64_t *words);
struct bitmap *bitmap_new(void); /* private: grain 0, refs 1 */
void bitmap_release(struct bitmap *bitmap);
void bitmap_expand(const struct bitmap *bitmap, uint64_t *words);
size_t bitmap_bytes(void); /* memory that bitmaps take */
/* Bytes of a page that two have touched: so many, the first and behind the
 * last of them. */
struct overlap {
    unsigned bytes;
    unsigned lo, hi;
};

struct overlap set_intersect(const struct set *set, const struct layer *layer);

/* ---- bytes touched in order (run.c) ------------------------------------ */

HIDDEN extern struct run_table run_none;   /* of who runs no operation, */
HIDDEN extern struct run_table run_unseen; /* ... or what nobody looks at */

/* The calling thread's. vgpu/calls.h reads it in programs. */
extern VGPU_OWN struct run_table *vgpu_check_runs VGPU_OWN_NEAR
    __attribute__((visibility("default")));

/* Multiplied by an odd number with large remainders: see above. */
static inline unsigned run_slot(uintptr_t address)
{
    return (uint32_t)(address >> PAGE_SHIFT) * 0x9E3779B1u >> (32 - RUN_BITS);
}

/* Where its interval ends. */
static inline uintptr_t run_next(const struct run_slot *slot)
{
    return slot->mover ? slot->mover->next : slot->next;
}

/* From now on @memo moves the end of that slot's interval, which is at @next.
 */
void run_move(struct run_memo *memo, enum set_index set, unsigned slot,
              uintptr_t next);

/* From now on host code's accesses are recorded, or not: then it need not call
 * for memory that is no buffer. */
void run_record_host(bool recording);
/* The calling thread runs an operation: what it touches may be kept so. */
void run_begin(void);
void run_end(void);
/* The operation's first access to @page in this way; all bytes of the page
 * are valid. */
void run_open(struct page *page, enum set_index set, uintptr_t address,
              size_t bytes);
/* Another one, while all are one interval. Return: false where they are
 * not any more. */
bool run_add(struct page *page, enum set_index set, uintptr_t address,
             size_t bytes);
/* They are not any more. */
void run_break(struct page *page, enum set_index set);
/* What @page has as an interval; leaves @run as it is where that is nothing.
 * Return: whether it has a slot. */
bool run_look(const struct page *page, enum set_index set, struct set *run);
/* Take what @page has as an interval; leave @run as it is where that is
 * nothing. */
void run_take(struct page *page, enum set_index set, struct set *run);
/* Pages are used no longer. */
void run_forget(uintptr_t start, size_t bytes);
/* @page's bits, for bytes that were not touched in order. */
uint64_t *page_bits(struct page *page, enum set_index set);

/* ---- what the running operation touches (track.c) ----------------------- */

/* Its pages: @count of them at the return. */
struct page **op_pages(size_t *count);
/* Has it touched @page in this way? */
bool is_listed(const struct page *page, enum set_index set);
/* How many bytes these are. */
void page_count(uint64_t *const bits[SETS], uint64_t *read, uint64_t *written);
/* Of which traffic it is: the device's own memory's, or a link's to the host or
 * to another device. @memory: NULL for memory that is none of the program's. */
void count_traffic(const struct vgpu_memory *memory, struct vgpu_check_op *op,
                   uint64_t read, uint64_t written);

/* ---- clocks (clock.c) -------------------------------------------------- */

uint32_t clock_get(const struct vgpu_clock *clock, uint32_t slot);
struct vgpu_clock *clock_empty(void);
struct vgpu_clock *clock_ref(struct vgpu_clock *clock);
void clock_release(struct vgpu_clock *clock);
/* Both take the clock over that they return changed. */
struct vgpu_clock *clock_set(struct vgpu_clock *clock, uint32_t slot,
                             uint32_t epoch);
struct vgpu_clock *clock_join(struct vgpu_clock *into,
                              const struct vgpu_clock *from);

/* ---- agents and operations (agent.c) ----------------------------------- */

/* Who made an access: an operation, or a stretch of host code. */
struct origin {
    uint32_t refs;
    uint32_t slot;
    uint32_t epoch;
    bool is_host;
    uint64_t seq;       /* order of the host's calls */
    uint64_t pc;        /* the call that enqueued it */
    uint64_t tag;       /* the runtime's own: see vgpu_check_set_hazard, */
    uint32_t number;    /* ... and vgpu_check_set_use; 0: none */
    uint32_t used;      /* whose number was told last */
    uint64_t kernel_id; /* the runtime's: see vgpu_check_set_met; 0: none */
    struct vgpu_agent *agent;
    struct vgpu_clock *clock;
    struct vgpu_clock *known; /* host: what all hosts knew together */
    enum vgpu_does does;
    const char *kernel;            /* its name, in what; NULL: no kernel's */
    struct vgpu_launched launched; /* with a reference to its agent */
    char what[];
};

/* An operation, by the stream's epoch, and which host's epoch enqueued it. */
struct enqueued {
    uint32_t of;
    uint32_t slot, epoch;
    struct vgpu_clock *clock; /* the operation's */
};

struct vgpu_agent {
    uint32_t refs;
    uint32_t slot;
    uint32_t epoch;
    bool is_host;
    bool early;
    int device;
    struct vgpu_clock *clock;
    struct origin *origin;              /* host: this epoch's, or NULL */
    uint64_t seq;                       /* host: when this epoch began */
    struct vgpu_check_op *first, *last; /* host: enqueued, not run yet */
    struct vgpu_agent *next;            /* list of hosts */
    bool ended;                         /* host: it does nothing any more */
    /* Stream: its operations, oldest first, as far back as a host thread may
     * know no newer one. */
    struct enqueued *enqueued;
    size_t enqueued_count, enqueued_room;
    char label[];
};

struct vgpu_check_op {
    struct origin *origin;
    struct vgpu_agent *host;       /* who enqueued it, */
    struct enqueued call;          /* ... and when; no clock */
    struct vgpu_clock *host_clock; /* the host's at the call */
    struct vgpu_check_op *previous, *next;
    bool pending;   /* enqueued, not run yet */
    uint64_t bytes; /* device memory it touched */
    struct vgpu_traffic traffic;
    bool told; /* ... both are told from a part of it (part.c) */
    /* What its arguments have that may be addresses of the host's. */
    struct given {
        uintptr_t word;
        unsigned number;
    } given[4];
    unsigned num_given;
};

/* @a's accesses happen before @b's? */
bool origin_before(const struct origin *a, const struct origin *b);
/* ... or the other way round, as if all host threads were one? */
bool origin_ordered_by_any(const struct origin *a, const struct origin *b);
/* Before everything that anyone can still do? */
bool origin_settled(const struct origin *origin);
struct origin *origin_ref(struct origin *origin);
void origin_release(struct origin *origin);
/* The stretch of code that @host is in. NULL without memory. */
struct origin *host_origin(struct vgpu_agent *host);
/* The calling thread's agent, or the first host's; NULL before any. */
struct vgpu_agent *host_current(void);
/* @op has run. */
void op_retire(struct vgpu_check_op *op);

/* ---- events (events.c) --------------------------------------------------- */

struct vgpu_agent *agent_ref(struct vgpu_agent *agent);
void agent_release(struct vgpu_agent *agent);
/* @agent records or waits for @event; the calls are numbered. */
void events_act(uint64_t event, bool waits, struct vgpu_agent *agent,
                uint64_t pc, uint64_t seq);
/* An operation is enqueued. */
void events_work(struct origin *origin);
/* A kernel on one of @devices (bits) that is not in @known, or NULL. */
const struct origin *events_kernel(uint64_t devices,
                                   const struct vgpu_clock *known);

/* ---- shadow (shadow.c) ------------------------------------------------- */

/* Bytes of @page touched by @origin: look for conflicts, remember. */
void page_touch(struct page *page, struct origin *origin, unsigned kind,
                const struct set *set, uint64_t pc);
void page_forget(struct page *page);
/* Host code's own bitmaps have stopped growing: share them. */
void shadow_settle(void);
size_t shadow_bytes(void);
/* How often memory was short and something was not remembered. */
size_t shadow_dropped(void);

/* ---- what nobody has written (unwritten.c) ------------------------------- */

#define FILL_BYTE 0xCD /* what memory is full of when it is given out */

/* Is all of it the pattern still? Without the lock. */
static inline bool unwritten_fill(uintptr_t address, size_t bytes)
{
    const uint8_t *const at = (const uint8_t *)address;

    for (size_t i = 0; i < bytes; i++)
        if (at[i] != FILL_BYTE)
            return false;
    return true;
}

/* @page comes into use. */
void written_begin(struct page *page);
/* Bytes of @page are written. */
void written_add(struct page *page, const struct set *set);
/* Other processes may write @memory. */
void written_by_others(struct vgpu_memory *memory);
/* The running operation reads bytes of @page, not all of which are written. */
void unwritten_read(struct page *page, uintptr_t address, size_t bytes,
                    enum set_index set, uint64_t pc);
/* It leaves: what it read last is not written by it any more. */
void unwritten_settle(void);
/* Report what was read of @memory, which goes away; NULL: of any. */
void unwritten_tell(const struct vgpu_memory *memory);

void report_unwritten(const struct unwritten *unwritten);

/* ---- variables of devices (variable.c) --------------------------------- */

struct variable {
    struct variable *next;
    const char *name;
    uintptr_t at; /* the linker's address */
    size_t bytes;
    uintptr_t room_end; /* from the variable's end on nobody's; or 0 */
};

/* Where in the arena a variable's byte is that device code names by the
 * linker's address; 0: no variable's. Without the lock. */
static inline uintptr_t variable_alias(uintptr_t address)
{
    for (int i = 0; i < ALIASES; i++)
        if (address - checker.variable.aliases[i].from <
            checker.variable.aliases[i].bytes)
            return address - checker.variable.aliases[i].from +
                   checker.variable.aliases[i].to;
    return 0;
}
/* The variable in @memory that @address belongs to, and where its copy begins;
 * NULL where it is none's. */
const struct variable *variable_in(const struct vgpu_memory *memory,
                                   uintptr_t address, uintptr_t *base);
/* Warn of an access past a variable's end. */
void variable_watch(const struct page *page, const struct origin *origin,
                    unsigned kind, const struct set *set, uint64_t pc);

/* ---- host memory outside the arena (outside.c) ------------------------- */

struct outside_page {
    struct page page;
    uintptr_t number; /* address >> PAGE_SHIFT */
    struct outside_page *next;
    uint64_t *bits[SETS];
};

/* May something there be watched? Without the lock. */
static inline bool outside_maybe(uintptr_t address)
{
    return checker.outside.filter[(address >> OUTSIDE_SHIFT) % OUTSIDE_FILTER];
}

/* @page with its bits; NULL in the arena. */
static inline struct outside_page *outside_of(const struct page *page)
{
    return page->state == PAGE_OUTSIDE ? (struct outside_page *)page : NULL;
}

/* The page of an access that is watched in part; NULL where it is not. */
struct page *outside_page_find(uintptr_t address, size_t bytes);
bool outside_watched(uintptr_t address, size_t bytes);
uint64_t *outside_bits(struct page *page, enum set_index set);
void outside_watch(uintptr_t base, size_t bytes, bool registered);
void outside_unregister(uintptr_t base, size_t bytes);
/* Nothing is outstanding: what is not registered is watched no longer. */
void outside_quiet(void);

/* ---- flags (signals.c) -------------------------------------------------- */

/* No lock held by any of them. Is it memory that host and device share? */
bool signals_at(uintptr_t address);
/* Whoever runs is about to write a flag there, or reads one. */
void signal_written(uintptr_t address);
void signal_read(uintptr_t address);

/* ---- loops that wait (flag.c) ------------------------------------------- */

struct flag_side {
    struct origin *origin;
    uint64_t pc;
    unsigned kind;
    unsigned bytes; /* that this line of it touches in the page */
};

/* @waits reads a flag that @writer (NULL: the host) wrote, who knew @clock: is
 * a first launch between them, which waits for the one and goes ahead of the
 * other? */
void flag_loads(const struct origin *waits, const struct vgpu_clock *clock,
                const struct origin *writer);
/* Device code's access at @pc is a volatile one, of a device's memory. */
void flag_sign(uint64_t pc);
/* Two whom nothing orders meet in @overlap: does one wait for the other? If so
 * in the right way, it is ordered after that from now on.
 * @reader  out: which */
enum flag_sort flag_find(const struct flag_side side[2],
                         const struct overlap *overlap, unsigned *reader);

/* ---- faults (fault.c) -------------------------------------------------- */

/* No system ends a program that uses the first addresses in WebAssembly, where
 * they are the far end of its stack. So many are nobody's on Linux, too. */
static inline bool access_nowhere(uintptr_t address)
{
#ifdef __wasm__
    return address < 65536;
#else
    (void)address;
    return false;
#endif
}

/* Device code touches @address: none of its business. No lock held. */
#define FAULT_ODD 8 /* kind: not a multiple of its size */
void fault_device(uintptr_t address, size_t bytes, unsigned kind, uint64_t pc);
/* Host code does. */
void fault_host(uintptr_t address, size_t bytes, unsigned kind, uint64_t pc);
/* ... at managed memory that the kernel @has may be using. */
void fault_apart(const struct origin *has, unsigned kind, uint64_t pc);
/* ... through a null pointer, where no system ends it: that is done here. */
void fault_nowhere(void);
/* An operation begins on the calling thread. */
void fault_begin(void);
/* May the running op touch a page of @memory? */
bool fault_permits(const struct vgpu_memory *memory);
/* May device code touch @address, which is not in the arena? */
bool fault_permits_outside(uintptr_t address);
/* Did it in this operation, for any address in the page? Without the lock. */
static inline bool fault_outside_known(uintptr_t address)
{
    uintptr_t number = address >> PAGE_SHIFT;

    return checker.fault.allowed[number % FAULT_ALLOWED] == number;
}

/* ---- hazards and reports (hazard.c, report.c) -------------------------- */

/* An access that meets an earlier one. */
struct touch {
    struct origin *origin;
    unsigned kind;
    uint64_t pc;
    enum flag_sort flag;
    bool reads_flag; /* it, and not the earlier one */
};
void hazard_add(const struct layer *layer, const struct touch *touch,
                const struct page *page, const struct overlap *overlap);
/* Print what has been collected. */
void hazard_flush(void);
/* Another name for the calls that host code comes after; 0 without. */
uint64_t report_host_tag(void);
void report_hazard(const struct hazard *hazard);
void report_fault(enum vgpu_report_kind kind, uint64_t pc,
                  const struct vgpu_report *report);
/* @op's range begins in memory that has been freed. */
void report_freed(const struct vgpu_memory *memory, const struct origin *origin,
                  unsigned kind);
/* vgpu_check_warn for who has the lock. */
void report_warning(enum vgpu_report_kind kind, uint64_t pc,
                    const struct vgpu_report *report);
/* Called at init: the reader's descriptor, and what say() needs. */
void report_init(void);

/* Does a program read what happens (VGPU_REPORT_FD)? */
bool report_is_read(void);

const char *access_name(unsigned kind);
const char *memory_kind_name(enum vgpu_memory_kind kind);

/* ---- explain.c --------------------------------------------------------- */

#define LINE  256 /* of a source line, as a text */
#define LABEL (LINE + 128)

/* The texts that hazards and races need. */
struct words {
    char at[2][LINE];
    char call[2][LINE];   /* where it was enqueued */
    char launch[2][LINE]; /* where its graph was launched, or "" */
    char agent[2][LABEL];
    /* Where the host put it, or its graph: the line, and the stream. */
    const char *put[2], *queue[2];
    char from[LINE];       /* where the buffer comes from */
    char reason[6 * LINE]; /* of the reason a part: events.c */
    char why[10 * LINE];
    char help[6 * LINE];
};
/* Write one of them. */
#define PUT(text, ...) snprintf(text, sizeof(text), __VA_ARGS__)

/* The stream, host thread or launch of a graph that @origin is of, in @text of
 * LABEL bytes. Return: @text. */
char *origin_label(const struct origin *origin, char *text);
/* Is it one that only the manual knows of? */
bool hazard_is_relied(const struct hazard *hazard);
/* The same where some event comes near to it: the reason's part, and the cure.
 * Return: whether one does. */
bool events_explain(const struct hazard *hazard, struct words *words);
/* Give @words, whose lines are found, the reason and the cure. */
void hazard_explain(const struct hazard *hazard, struct words *words);

/* ---- say.c ------------------------------------------------------------- */

/* A piece of a line, or several lines, for people. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A word in colour, where there is colour. */
void say_loudly(const char *word);
void say_init(void);

/* Access from a callback that the fast path does not take. No lock held. */
void access_slow(uintptr_t address, size_t bytes, enum set_index set,
                 uint64_t pc);
void access_range(const void *base, size_t bytes, enum set_index set,
                  uint64_t pc);

#endif
