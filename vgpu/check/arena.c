/*
 * arena.c: the address range that device and pinned memory come from
 *
 * One range, reserved at the start and never moved: whether an address is of
 * interest is one subtraction and one comparison, in a callback that programs
 * make for every access. Beside it lie a page entry for each 4 KiB and three
 * bits for each byte, all reserved and none of it used until it is touched.
 *
 * Memory is filled with 0xCD when it is given out, since cudaMalloc promises no
 * contents: a program that relies on zeros is found out. Freed memory cannot be
 * touched at all, and its addresses are not given out again as long as there
 * are others.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "check_state.h"

#define ARENA_MAX ((size_t)256 << 30)
#define ARENA_MIN ((size_t)64 << 20)
#define GUARD_MIN ((size_t)64 << 10)
#define GUARD_MAX ((size_t)16 << 20)
#define FILL_BYTE 0xCD

struct check_arena check_arena;
__thread struct check_thread check_thread = {.serial = SERIAL_HOST,
                                             .device = -1};

struct hole {
    uintptr_t start, bytes;
};

static uintptr_t next_offset; /* never used from here on */
static struct hole *holes;    /* used, free again; oldest first */
static size_t holes_count, holes_capacity;
static atomic_flag lock = ATOMIC_FLAG_INIT;

void check_yield(void)
{
    syscall(SYS_sched_yield);
}

/* Held for a few hundred instructions at a time and seldom by two threads at
 * once; waiting gives the processor away, for there may be only one. */
void check_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        check_yield();
}

void check_unlock(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* ---- set up ------------------------------------------------------------ */

/* Arena, a page entry per page and three bits per byte; guarded. */
static int reserve(size_t arena_bytes)
{
    size_t table_bytes = arena_bytes / PAGE_BYTES * sizeof(struct page);
    size_t bits_bytes = arena_bytes / 8;
    size_t total =
        arena_bytes + table_bytes + SETS * bits_bytes + 2 * GUARD_MAX;
    char *base = mmap(NULL, total, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *shadow = base + arena_bytes + GUARD_MAX;

    if (base == MAP_FAILED)
        return -1;
    if (mprotect(shadow, table_bytes + SETS * bits_bytes,
                 PROT_READ | PROT_WRITE)) {
        munmap(base, total);
        return -1;
    }
#ifdef MADV_DONTDUMP
    madvise(base, total, MADV_DONTDUMP);
#endif
    check_arena.base = (uintptr_t)base;
    check_arena.pages = (struct page *)shadow;
    for (int i = 0; i < SETS; i++)
        check_arena.bits[i] =
            (uint8_t *)shadow + table_bytes + (size_t)i * bits_bytes;
    check_arena.bytes = arena_bytes;
    return 0;
}

/* Where the address space is limited, leave half of it to the program. */
static size_t largest_arena(void)
{
    struct rlimit limit;
    size_t bytes = ARENA_MAX;

    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return bytes;
    while (bytes > ARENA_MIN && bytes + bytes / 2 > limit.rlim_cur / 2)
        bytes /= 2;
    return bytes;
}

int vgpu_check_init(bool reporting)
{
    size_t bytes = largest_arena();

    if (check_arena.bytes) {
        check_arena.reporting = reporting;
        return 0;
    }
    while (reserve(bytes)) {
        bytes /= 2;
        if (bytes < ARENA_MIN)
            return -1;
    }
    check_arena.reporting = reporting;
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

    qsort(holes, holes_count, sizeof *holes, compare_holes);
    for (size_t i = 1; i < holes_count; i++) {
        if (holes[kept].start + holes[kept].bytes == holes[i].start)
            holes[kept].bytes += holes[i].bytes;
        else
            holes[++kept] = holes[i];
    }
    if (holes_count)
        holes_count = kept + 1;
}

/* Return: an offset, or UINTPTR_MAX when the arena is full. */
static uintptr_t take_addresses(size_t bytes)
{
    uintptr_t offset = next_offset;

    if (bytes <= check_arena.bytes - next_offset) {
        next_offset += bytes;
        return offset;
    }
    merge_holes();
    for (size_t i = 0; i < holes_count; i++) {
        if (holes[i].bytes < bytes)
            continue;
        offset = holes[i].start;
        holes[i].start += bytes;
        holes[i].bytes -= bytes;
        memory_forget(check_arena.base + offset, bytes);
        return offset;
    }
    return UINTPTR_MAX;
}

static void return_addresses(uintptr_t offset, size_t bytes)
{
    if (holes_count == holes_capacity) {
        size_t capacity = holes_capacity ? 2 * holes_capacity : 64;
        struct hole *grown = realloc(holes, capacity * sizeof *grown);

        if (!grown)
            return;
        holes = grown;
        holes_capacity = capacity;
    }
    holes[holes_count++] = (struct hole){offset, bytes};
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

/* ---- contents ---------------------------------------------------------- */

#define FILL_LAZY  ((size_t)32 << 20) /* from here on filled when touched */
#define FILL_PIECE ((size_t)16 << 20)

/* A file of FILL_BYTEs; pages of it are copied when they are written. */
static int fill_file(void)
{
    static int file = -2;

#ifdef MFD_CLOEXEC
    if (file == -2) {
        char block[PAGE_BYTES];
        size_t done = 0;

        memset(block, FILL_BYTE, sizeof block);
        file = memfd_create("vgpu-fill", MFD_CLOEXEC);
        while (file >= 0 && done < FILL_PIECE) {
            if (write(file, block, sizeof block) != (ssize_t)sizeof block) {
                close(file);
                file = -1;
            }
            done += sizeof block;
        }
    }
#endif
    return file;
}

/* Map @bytes of pattern over @base. Return: bytes done. */
static size_t fill_from_file(char *base, size_t bytes)
{
    size_t done = 0;
    int file = fill_file();

    while (file >= 0 && done < bytes) {
        size_t piece = bytes - done < FILL_PIECE ? bytes - done : FILL_PIECE;

        if (mmap(base + done, piece, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                 0) == MAP_FAILED)
            break;
        done += piece;
    }
    return done;
}

/* A large buffer is mapped from a file of the pattern, so that pages which are
 * never touched cost nothing: a program may ask for 40 GB and use a few. */
static int make_contents(char *base, size_t bytes)
{
    size_t done = 0;

    if (bytes >= FILL_LAZY)
        done = fill_from_file(base, bytes);
    if (done == bytes)
        return 0;
    if (mprotect(base + done, bytes - done, PROT_READ | PROT_WRITE))
        return -1;
    memset(base + done, FILL_BYTE, bytes - done);
    return 0;
}

/* Give the memory back and make any further access fail. */
static void drop_contents(char *base, size_t bytes)
{
    if (mmap(base, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
        madvise(base, bytes, MADV_DONTNEED);
}

/* ---- pages ------------------------------------------------------------- */

uintptr_t page_address(const struct page *page)
{
    if (page->state == PAGE_OUTSIDE)
        return outside_of(page)->number << PAGE_SHIFT;
    return check_arena.base +
           ((uintptr_t)(page - check_arena.pages) << PAGE_SHIFT);
}

/* Done at a page's first access, not when memory is given out: most of a large
 * buffer's pages may never be touched. */
bool page_resolve(struct page *page)
{
    uintptr_t address = page_address(page);
    struct vgpu_memory *memory = memory_find(address);
    size_t left;

    if (!memory || memory->free_pc)
        return false;
    left = memory->bytes - (address - (uintptr_t)memory->base);
    page->valid = left < PAGE_BYTES ? (uint16_t)left : PAGE_BYTES;
    page->host = memory->kind != VGPU_MEM_DEVICE;
    page->memory = memory;
    memory_use_page(memory, page);
    page->state = PAGE_ALIVE;
    return true;
}

/* Whole pages of entries go back to the system, which hands out zeros; the ends
 * are cleared by hand. */
void arena_clear_pages(struct page *page, size_t count)
{
    uintptr_t os_page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)page, end = (uintptr_t)(page + count);
    uintptr_t first = round_up(start, os_page), last = end / os_page * os_page;

    run_forget(page_address(page), count * PAGE_BYTES);
    for (size_t i = 0; i < count; i++)
        if (page[i].layers)
            page_forget(page + i);
    if (first >= last || madvise((void *)first, last - first, MADV_DONTNEED)) {
        memset(page, 0, count * sizeof *page);
        return;
    }
    memset(page, 0, first - start);
    memset((void *)last, 0, end - last);
}

/* ---- both together ----------------------------------------------------- */

/* The checker's pages and the system's, which may have 64 KiB on arm64. */
static size_t whole_pages(size_t bytes)
{
    const size_t of_system = (size_t)sysconf(_SC_PAGESIZE);

    return round_up(bytes ? bytes : 1,
                    of_system > PAGE_BYTES ? of_system : PAGE_BYTES);
}

/* A buffer begins on a page of its own, so that a page belongs to one
 * buffer. */
void *arena_take(size_t bytes)
{
    size_t mapped, taken;
    uintptr_t offset;
    char *base;

    if (bytes > check_arena.bytes)
        return NULL;
    mapped = whole_pages(bytes);
    taken = mapped + guard_bytes(mapped);
    offset = take_addresses(taken);
    if (offset == UINTPTR_MAX)
        return NULL;
    base = (char *)check_arena.base + offset;
    if (!make_contents(base, mapped))
        return base;
    drop_contents(base, mapped);
    return_addresses(offset, taken);
    return NULL;
}

int arena_save(const void *base, size_t bytes)
{
    const size_t mapped = whole_pages(bytes);
    int file = memfd_create("vgpu-memory", MFD_CLOEXEC);
    size_t done = 0;

    while (file >= 0 && done < mapped) {
        ssize_t n = write(file, (const char *)base + done, mapped - done);

        if (n <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)n;
    }
    return file;
}

bool arena_show(void *base, size_t bytes, int file)
{
    return mmap(base, whole_pages(bytes), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}

void arena_give_back(void *base, size_t bytes)
{
    size_t mapped = whole_pages(bytes);
    uintptr_t offset = (uintptr_t)base - check_arena.base;

    drop_contents(base, mapped);
    return_addresses(offset, mapped + guard_bytes(mapped));
}
