/*
 * arena.c: the address range that device and pinned memory come from
 *
 * One range, reserved at the start and never moved: whether an address is of
 * interest is one subtraction and one comparison, in a callback that programs
 * make for every access. Beside it lie a page entry for each 4 KiB and four
 * bits for each byte, all reserved and none of it used until it is touched.
 *
 * Memory is filled with 0xCD when it is given out, since cudaMalloc promises no
 * contents: a program that relies on zeros is found out. Freed memory cannot be
 * touched at all, and its addresses are not given out again as long as there
 * are others. A room is addresses whose owner decides when they are.
 */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"
#include "own_locks.h"

#define ARENA_MIN ((size_t)64 << 20)
#define GUARD_MIN ((size_t)64 << 10)
#define GUARD_MAX ((size_t)16 << 20)
#define ROOM_FROM ((size_t)32 << 20)  /* as devices align them */
#define ROOM_STEP ((size_t)128 << 20) /* even in a browser's small arena */
#define ROOMS     512                 /* that a large one has addresses for */

struct checker checker;
VGPU_OWN struct check_thread check_thread = {.serial = SERIAL_HOST,
                                             .device = -1};

struct hole {
    uintptr_t start, bytes;
};

/* Held for a few hundred instructions at a time and seldom by two threads at
 * once; waiting gives the processor away, for there may be only one. */
void check_lock(void)
{
    vgpu_own_depth++;
    while (
        atomic_flag_test_and_set_explicit(&checker.lock, memory_order_acquire))
        check_yield();
}

void check_unlock(void)
{
    atomic_flag_clear_explicit(&checker.lock, memory_order_release);
    vgpu_own_depth--;
}

/* ---- set up ------------------------------------------------------------ */

/* Arena, a page entry per page and four bits per byte; guarded. */
static int reserve(size_t arena_bytes)
{
    size_t table_bytes = arena_bytes / PAGE_BYTES * sizeof(struct page);
    size_t bits_bytes = arena_bytes / 8;
    char *shadow;
    /* Who goes past a buffer by as much as a small arena has is to meet the
     * gap, wherever the first buffers lie (see next_offset). */
    char *base =
        pages_reserve(arena_bytes, table_bytes + (SETS + 1) * bits_bytes,
                      2 * GUARD_MAX, &shadow);

    if (!base)
        return -1;
    checker.arena.base = (uintptr_t)base;
    checker.arena.pages = (struct page *)shadow;
    for (int i = 0; i < SETS; i++)
        checker.arena.bits[i] =
            (uint8_t *)shadow + table_bytes + (size_t)i * bits_bytes;
    checker.arena.written = checker.arena.bits[SETS - 1] + bits_bytes;
    checker.arena.bytes = arena_bytes;
    checker.next_offset = GUARD_MAX; /* for what lies ahead of a buffer */
    return 0;
}

int vgpu_check_init(bool reporting)
{
    size_t bytes = pages_most(ARENA_MIN);

    if (checker.arena.bytes) {
        checker.arena.reporting = reporting;
        return 0;
    }
    while (reserve(bytes)) {
        bytes /= 2;
        if (bytes < ARENA_MIN)
            return -1;
    }
    checker.arena.reporting = reporting;
    run_record_host(false);
    report_init();
    return 0;
}

/* ---- addresses --------------------------------------------------------- */

static int compare_holes(const void *a, const void *b)
{
    const struct hole *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* Only when the arena is full: until then no address is used twice. */
static void merge_holes(void)
{
    size_t kept = 0;

    qsort(checker.holes, checker.holes_count, sizeof *checker.holes,
          compare_holes);
    for (size_t i = 1; i < checker.holes_count; i++) {
        if (checker.holes[kept].start + checker.holes[kept].bytes ==
            checker.holes[i].start)
            checker.holes[kept].bytes += checker.holes[i].bytes;
        else
            checker.holes[++kept] = checker.holes[i];
    }
    if (checker.holes_count)
        checker.holes_count = kept + 1;
}

/* Return: an offset, or UINTPTR_MAX when the arena is full. */
static uintptr_t take_addresses(size_t bytes)
{
    uintptr_t offset = checker.next_offset;

    if (bytes <= checker.arena.bytes - checker.next_offset) {
        checker.next_offset += bytes;
        return offset;
    }
    merge_holes();
    for (size_t i = 0; i < checker.holes_count; i++) {
        if (checker.holes[i].bytes < bytes)
            continue;
        offset = checker.holes[i].start;
        checker.holes[i].start += bytes;
        checker.holes[i].bytes -= bytes;
        memory_forget(checker.arena.base + offset, bytes);
        return offset;
    }
    return UINTPTR_MAX;
}

static void return_addresses(uintptr_t offset, size_t bytes)
{
    if (VGPU_GROW(checker.holes, checker.holes_count, &checker.holes_room))
        checker.holes[checker.holes_count++] = (struct hole){offset, bytes};
}

/* Behind every buffer lies room that nobody may touch, as large as the buffer
 * within bounds: an index that is wrong by a factor of two still hits it. */
static size_t guard_bytes(size_t bytes)
{
    size_t guard = round_up(bytes, GUARD_MIN);

    if (guard < GUARD_MIN)
        return GUARD_MIN;
    return guard < GUARD_MAX ? guard : GUARD_MAX;
}

/* ---- pages ------------------------------------------------------------- */

uintptr_t page_address(const struct page *page)
{
    if (page->state == PAGE_OUTSIDE)
        return outside_of(page)->number << PAGE_SHIFT;
    return checker.arena.base +
           ((uintptr_t)(page - checker.arena.pages) << PAGE_SHIFT);
}

/* Done at a page's first access, not when memory is given out: most of a large
 * buffer's pages may never be touched. A page that several share is valid
 * nowhere: each access to it is looked at for itself. */
bool page_resolve(struct page *page)
{
    uintptr_t address = page_address(page);
    struct vgpu_memory *memory = memory_alive(address, address + PAGE_BYTES);
    size_t left = 0;

    if (!memory)
        return false;
    if ((uintptr_t)memory->base <= address)
        left = memory->bytes - (address - (uintptr_t)memory->base);
    page->valid = left < PAGE_BYTES ? (uint16_t)left : PAGE_BYTES;
    page->host = memory->kind != VGPU_MEM_DEVICE;
    page->memory = memory;
    written_begin(page);
    memory_use_page(memory, page);
    page->state = PAGE_ALIVE;
    return true;
}

void arena_clear_pages(struct page *page, size_t count)
{
    run_forget(page_address(page), count * PAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        if (page[i].layers)
            page_forget(page + i);
    pages_zero(page, count * sizeof *page);
}

/* ---- both together ----------------------------------------------------- */

/* A buffer begins on a page of its own, so that a page belongs to one
 * buffer. */
void *arena_take(size_t bytes)
{
    size_t mapped, taken;
    uintptr_t offset;
    char *base;

    if (bytes > checker.arena.bytes)
        return NULL;
    mapped = pages_whole(bytes);
    taken = mapped + guard_bytes(mapped);
    offset = take_addresses(taken);
    if (offset == UINTPTR_MAX)
        return NULL;
    base = (char *)checker.arena.base + offset;
    if (!pages_make(base, mapped))
        return base;
    pages_drop(base, mapped);
    return_addresses(offset, taken);
    return NULL;
}

void arena_give_back(void *base, size_t bytes)
{
    size_t mapped = pages_whole(bytes);
    uintptr_t offset = (uintptr_t)base - checker.arena.base;

    pages_drop(base, mapped);
    return_addresses(offset, mapped + guard_bytes(mapped));
}

/* ---- rooms -------------------------------------------------------------- */

/* Return: as take_addresses(). *@bytes, in steps of @step, and a guard. */
static uintptr_t take_room(size_t *bytes, size_t step)
{
    *bytes = round_up(*bytes, step);
    return take_addresses(*bytes + guard_bytes(*bytes));
}

/* In large steps, so that what its owner takes one after the other lies side by
 * side; in small ones where there is not much left. */
void *arena_room(size_t *bytes)
{
    const size_t share = checker.arena.bytes / ROOMS, wanted = *bytes;
    const uintptr_t next = checker.arena.base + checker.next_offset;
    const size_t skipped = round_up(next, ROOM_FROM) - next;
    uintptr_t offset;

    if (wanted > checker.arena.bytes)
        return NULL;
    if (skipped < checker.arena.bytes - checker.next_offset)
        checker.next_offset += skipped;
    offset = take_room(bytes, share > ROOM_STEP ? share : ROOM_STEP);
    if (offset == UINTPTR_MAX) {
        *bytes = wanted;
        offset = take_room(bytes, ROOM_FROM);
    }
    return offset == UINTPTR_MAX ? NULL : (char *)checker.arena.base + offset;
}

void arena_room_back(void *base, size_t bytes)
{
    return_addresses((uintptr_t)base - checker.arena.base,
                     bytes + guard_bytes(bytes));
}

/* The system's pages of [@base, @base + @bytes) in which nobody else has
 * memory: from *@lo to *@hi. */
static void own_pages(const void *base, size_t bytes, uintptr_t *lo,
                      uintptr_t *hi)
{
    const uintptr_t start = (uintptr_t)base, end = start + bytes;
    const size_t page = pages_whole(1);

    *lo = start / page * page;
    *hi = round_up(end, page);
    if (*lo < start && memory_alive(*lo, start))
        *lo += page;
    if (end < *hi && memory_alive(end, *hi))
        *hi -= page;
}

/* What is in a page already keeps its bytes. */
bool arena_place(void *base, size_t bytes)
{
    const uintptr_t start = (uintptr_t)base, end = start + bytes;
    uintptr_t lo, hi;

    own_pages(base, bytes, &lo, &hi);
    if (lo < hi && pages_make((char *)lo, hi - lo)) {
        pages_drop((char *)lo, hi - lo);
        return false;
    }
    if (start < lo)
        memset(base, FILL_BYTE, (lo < end ? lo : end) - start);
    if (hi < end && hi >= lo)
        memset((void *)hi, FILL_BYTE, end - hi);
    return true;
}

void arena_remove(void *base, size_t bytes)
{
    uintptr_t lo, hi;

    own_pages(base, bytes, &lo, &hi);
    if (lo < hi)
        pages_drop((char *)lo, hi - lo);
}
