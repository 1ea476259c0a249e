/* arena.c: the address range that device and pinned memory come from */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check_state.h"

#define ARENA_MAX  ((size_t)256 << 30)
#define ARENA_MIN  ((size_t)64 << 20)
#define GUARD_MIN  ((size_t)64 << 10)
#define GUARD_MAX  ((size_t)16 << 20)
#define FREED_KEPT 4096 /* freed allocations still known */
#define FILL_BYTE  0xCD

struct check_arena check_arena;
__thread struct check_thread check_thread = {.serial = SERIAL_HOST,
                                             .device = -1};

struct hole {
    uintptr_t start, bytes;
};

/* Allocations by address, freed ones for a while too. */
static struct vgpu_memory **table;
static size_t table_count, table_capacity;

static uintptr_t next_offset; /* never used from here on */
static struct hole *holes;    /* used, free again; oldest first */
static size_t holes_count, holes_capacity;
static struct vgpu_memory *freed[FREED_KEPT];
static size_t freed_at;
static uint32_t last_id;
static size_t live_bytes;
static atomic_flag lock = ATOMIC_FLAG_INIT;

void check_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
}

void check_unlock(void)
{
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
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

int vgpu_check_init(int reporting)
{
    size_t bytes = largest_arena();

    if (check_arena.bytes) {
        check_arena.reporting = reporting != 0;
        return 0;
    }
    while (reserve(bytes)) {
        bytes /= 2;
        if (bytes < ARENA_MIN)
            return -1;
    }
    check_arena.reporting = reporting != 0;
    report_init();
    return 0;
}

/* ---- the table of allocations ------------------------------------------ */

/* Index of the first allocation that begins after @address. */
static size_t table_after(uintptr_t address)
{
    size_t lo = 0, hi = table_count;

    while (lo < hi) {
        size_t middle = (lo + hi) / 2;

        if ((uintptr_t)table[middle]->base <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int table_insert(struct vgpu_memory *memory)
{
    size_t at = table_after((uintptr_t)memory->base);

    if (table_count == table_capacity) {
        size_t capacity = table_capacity ? 2 * table_capacity : 64;
        struct vgpu_memory **grown = realloc(table, capacity * sizeof(*grown));

        if (!grown)
            return -1;
        table = grown;
        table_capacity = capacity;
    }
    memmove(table + at + 1, table + at, (table_count - at) * sizeof(*table));
    table[at] = memory;
    table_count++;
    return 0;
}

static void table_remove(struct vgpu_memory *memory)
{
    size_t at = table_after((uintptr_t)memory->base);

    while (at-- > 0 && table[at]->base == memory->base) {
        if (table[at] == memory) {
            table_count--;
            memmove(table + at, table + at + 1,
                    (table_count - at) * sizeof(*table));
            return;
        }
    }
}

struct vgpu_memory *memory_find(uintptr_t address)
{
    size_t at = table_after(address);

    while (at-- > 0) {
        struct vgpu_memory *memory = table[at];

        if (address - (uintptr_t)memory->base < memory->bytes)
            return memory;
        if ((uintptr_t)memory->base != address)
            break;
    }
    return NULL;
}

struct vgpu_memory *memory_find_near(uintptr_t address)
{
    size_t at = table_after(address);

    return at ? table[at - 1] : NULL;
}

struct vgpu_memory *vgpu_memory_find(const void *address)
{
    struct vgpu_memory *memory;

    check_lock();
    memory = memory_find((uintptr_t)address);
    check_unlock();
    return memory;
}

size_t arena_live_bytes(void)
{
    return live_bytes;
}

/* ---- addresses --------------------------------------------------------- */

static int compare_holes(const void *a, const void *b)
{
    const struct hole *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

static void merge_holes(void)
{
    size_t kept = 0;

    qsort(holes, holes_count, sizeof(*holes), compare_holes);
    for (size_t i = 1; i < holes_count; i++) {
        if (holes[kept].start + holes[kept].bytes == holes[i].start)
            holes[kept].bytes += holes[i].bytes;
        else
            holes[++kept] = holes[i];
    }
    if (holes_count)
        holes_count = kept + 1;
}

/* Forget freed allocations whose addresses are given out again. */
static void forget_freed(uintptr_t start, uintptr_t bytes)
{
    for (size_t i = 0; i < FREED_KEPT; i++) {
        struct vgpu_memory *memory = freed[i];

        if (memory && arena_contains(memory->base) &&
            (uintptr_t)memory->base - check_arena.base - start < bytes) {
            table_remove(memory);
            free(memory);
            freed[i] = NULL;
        }
    }
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
        forget_freed(offset, bytes);
        return offset;
    }
    return UINTPTR_MAX;
}

static void return_addresses(uintptr_t offset, size_t bytes)
{
    if (holes_count == holes_capacity) {
        size_t capacity = holes_capacity ? 2 * holes_capacity : 64;
        struct hole *grown = realloc(holes, capacity * sizeof(*grown));

        if (!grown)
            return;
        holes = grown;
        holes_capacity = capacity;
    }
    holes[holes_count++] = (struct hole){offset, bytes};
}

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

        memset(block, FILL_BYTE, sizeof(block));
        file = memfd_create("vgpu-fill", MFD_CLOEXEC);
        while (file >= 0 && done < FILL_PIECE) {
            if (write(file, block, sizeof(block)) != (ssize_t)sizeof(block)) {
                close(file);
                file = -1;
            }
            done += sizeof(block);
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
    if (page->outside)
        return page->outside->number << PAGE_SHIFT;
    return check_arena.base +
           ((uintptr_t)(page - check_arena.pages) << PAGE_SHIFT);
}

int page_resolve(struct page *page)
{
    uintptr_t address = page_address(page);
    struct vgpu_memory *memory = memory_find(address);
    size_t left;

    if (!memory || memory->free_pc)
        return 0;
    left = memory->bytes - (address - (uintptr_t)memory->base);
    page->valid = left < PAGE_BYTES ? (uint16_t)left : PAGE_BYTES;
    page->host = memory->kind != VGPU_MEM_DEVICE;
    page->memory = memory;
    page->state = PAGE_ALIVE;
    return 1;
}

/* Empty the page entries of a range, and give their memory back. */
static void clear_pages(struct page *page, size_t count)
{
    uintptr_t os_page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)page, end = (uintptr_t)(page + count);
    uintptr_t first = round_up(start, os_page), last = end / os_page * os_page;

    for (size_t i = 0; i < count; i++)
        if (page[i].layers)
            page_forget(page + i);
    if (first >= last || madvise((void *)first, last - first, MADV_DONTNEED)) {
        memset(page, 0, count * sizeof(*page));
        return;
    }
    memset(page, 0, first - start);
    memset((void *)last, 0, end - last);
}

/* ---- allocations ------------------------------------------------------- */

static struct vgpu_memory *memory_record(void *base, size_t bytes,
                                         enum vgpu_memory_kind kind, int device,
                                         uint64_t pc)
{
    struct vgpu_memory *memory = calloc(1, sizeof(*memory));

    if (!memory)
        return NULL;
    memory->base = base;
    memory->bytes = bytes;
    memory->kind = kind;
    memory->device = device;
    memory->pc = pc;
    if (table_insert(memory)) {
        free(memory);
        return NULL;
    }
    memory->id = ++last_id;
    return memory;
}

static struct vgpu_memory *allocate(size_t bytes, enum vgpu_memory_kind kind,
                                    int device, uint64_t pc)
{
    struct vgpu_memory *memory;
    size_t mapped, taken;
    uintptr_t offset;
    char *base;

    if (bytes > check_arena.bytes)
        return NULL;
    mapped = round_up(bytes ? bytes : 1, PAGE_BYTES);
    taken = mapped + guard_bytes(mapped);
    offset = take_addresses(taken);
    if (offset == UINTPTR_MAX)
        return NULL;
    base = (char *)check_arena.base + offset;
    if (make_contents(base, mapped))
        goto out_return;
    memory = memory_record(base, bytes, kind, device, pc);
    if (!memory)
        goto out_return;
    live_bytes += bytes;
    return memory;

out_return:
    drop_contents(base, mapped);
    return_addresses(offset, taken);
    return NULL;
}

struct vgpu_memory *vgpu_memory_new(size_t bytes, enum vgpu_memory_kind kind,
                                    int device, uint64_t pc)
{
    struct vgpu_memory *memory;

    if (vgpu_check_init(check_arena.reporting))
        return NULL;
    check_lock();
    memory = allocate(bytes, kind, device, pc);
    check_unlock();
    return memory;
}

struct vgpu_memory *vgpu_memory_register(void *base, size_t bytes, uint64_t pc)
{
    struct vgpu_memory *memory;

    check_lock();
    memory = memory_record(base, bytes, VGPU_MEM_REGISTERED, -1, pc);
    if (memory)
        outside_watch((uintptr_t)base, bytes, 1);
    check_unlock();
    return memory;
}

/* Remember a freed allocation; forget the oldest one. */
static void keep_freed(struct vgpu_memory *memory)
{
    struct vgpu_memory *oldest = freed[freed_at];

    if (oldest) {
        table_remove(oldest);
        free(oldest);
    }
    freed[freed_at] = memory;
    freed_at = (freed_at + 1) % FREED_KEPT;
}

static void release_arena(struct vgpu_memory *memory)
{
    size_t mapped = round_up(memory->bytes ? memory->bytes : 1, PAGE_BYTES);
    uintptr_t offset = (uintptr_t)memory->base - check_arena.base;

    clear_pages(arena_page(offset), mapped >> PAGE_SHIFT);
    drop_contents(memory->base, mapped);
    return_addresses(offset, mapped + guard_bytes(mapped));
    live_bytes -= memory->bytes;
}

void vgpu_memory_free(struct vgpu_memory *memory, uint64_t pc)
{
    if (!memory || memory->free_pc)
        return;
    check_lock();
    hazard_flush();
    shadow_settle();
    memory->free_pc = pc ? pc : 1;
    if (memory->kind == VGPU_MEM_REGISTERED) {
        outside_unregister((uintptr_t)memory->base, memory->bytes);
        table_remove(memory);
        free(memory);
    } else {
        release_arena(memory);
        keep_freed(memory);
    }
    check_unlock();
}
