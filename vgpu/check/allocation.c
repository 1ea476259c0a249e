/*
 * allocation.c: allocations: by address, by age, alive and freed
 *
 * The table is sorted by address, for "what is this pointer?", which a report,
 * a copy and a fault ask. A freed allocation stays in it for a while: "freed at
 * lab.cu:31" is worth more than "no such buffer". Its addresses are given out
 * again only when the arena is full (arena.c), and are forgotten then.
 *
 * The list by age is for leaks, which are told in the order of their making.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check_state.h"

MY_PART(allocation);

struct record {
    struct vgpu_memory memory;    /* first: what others see */
    struct record *older, *newer; /* while it is alive */
    struct page *first, *last;    /* page entries in use; NULL: none */
};

/* ---- the table of allocations ------------------------------------------ */

/* Index of the first allocation that begins after @address. */
static size_t table_after(uintptr_t address)
{
    size_t lo = 0, hi = my->table_count;

    while (lo < hi) {
        size_t middle = (lo + hi) / 2;

        if ((uintptr_t)my->table[middle]->base <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Moving pointers is cheap beside what an allocation costs anyway, and keeps
 * the search a plain one. */
static int table_insert(struct vgpu_memory *memory)
{
    size_t at = table_after((uintptr_t)memory->base);

    if (!VGPU_GROW(my->table, my->table_count, &my->table_room))
        return -1;
    memmove(my->table + at + 1, my->table + at,
            (my->table_count - at) * sizeof *my->table);
    my->table[at] = memory;
    my->table_count++;
    return 0;
}

/* Two may begin at one address, one of them freed. */
static void table_remove(struct vgpu_memory *memory)
{
    size_t at = table_after((uintptr_t)memory->base);

    while (at-- > 0 && my->table[at]->base == memory->base) {
        if (my->table[at] == memory) {
            my->table_count--;
            memmove(my->table + at, my->table + at + 1,
                    (my->table_count - at) * sizeof *my->table);
            return;
        }
    }
}

/* The nearest that begins before @address; those that begin right there come in
 * any order, so one that is empty does not hide its neighbour. */
struct vgpu_memory *memory_find(uintptr_t address)
{
    size_t at = table_after(address);

    while (at-- > 0) {
        struct vgpu_memory *memory = my->table[at];

        if (address - (uintptr_t)memory->base < memory->bytes)
            return memory;
        if ((uintptr_t)memory->base != address)
            break;
    }
    return NULL;
}

/* Those that are alive lie side by side: of all that begin before @end the last
 * one decides. */
struct vgpu_memory *memory_alive(uintptr_t start, uintptr_t end)
{
    size_t at = table_after(end - 1);

    while (at-- > 0) {
        struct vgpu_memory *memory = my->table[at];

        if (memory->free_pc || !memory->bytes)
            continue;
        return (uintptr_t)memory->base + memory->bytes > start ? memory : NULL;
    }
    return NULL;
}

/* For an access that lies beside every allocation: the one that it has most
 * likely run out of. */
struct vgpu_memory *memory_find_near(uintptr_t address)
{
    size_t at = table_after(address);

    return at ? my->table[at - 1] : NULL;
}

struct vgpu_memory *memory_find_next(uintptr_t address)
{
    const size_t at = table_after(address);

    return at < my->table_count ? my->table[at] : NULL;
}

/* ---- by age ------------------------------------------------------------ */

static void list_add(struct record *record)
{
    my->changes++;
    record->older = my->newest;
    if (my->newest)
        my->newest->newer = record;
    else
        my->oldest = record;
    my->newest = record;
}

static void list_remove(struct record *record)
{
    my->changes++;
    if (record->older)
        record->older->newer = record->newer;
    else
        my->oldest = record->newer;
    if (record->newer)
        record->newer->older = record->older;
    else
        my->newest = record->older;
}

struct vgpu_memory *vgpu_memory_first(void)
{
    return my->oldest ? &my->oldest->memory : NULL;
}

struct vgpu_memory *vgpu_memory_next(struct vgpu_memory *memory)
{
    struct record *record = (struct record *)memory;

    return record->newer ? &record->newer->memory : NULL;
}

uint64_t vgpu_memory_changes(void)
{
    return my->changes + 1; /* never 0 */
}

/* Access between devices is a bit in each allocation, so that an access is
 * checked without a look at two devices. Allocations made later get it when
 * they are made. */
void vgpu_memory_set_peer(int owner, int accessor, bool allowed)
{
    uint64_t bit = 1ULL << (accessor & 63);

    for (struct record *record = my->oldest; record; record = record->newer) {
        struct vgpu_memory *memory = &record->memory;

        if (memory->kind != VGPU_MEM_DEVICE || memory->device != owner ||
            memory->flags & VGPU_MEMORY_POOL) /* cudaMemPoolSetAccess's */
            continue;
        memory->peers = allowed ? memory->peers | bit : memory->peers & ~bit;
    }
}

/* ---- making and freeing ------------------------------------------------ */

struct vgpu_memory *vgpu_memory_find(const void *address)
{
    struct vgpu_memory *memory;

    check_lock();
    memory = memory_find((uintptr_t)address);
    check_unlock();
    return memory;
}

size_t memory_live_bytes(void)
{
    return my->live_bytes;
}

/* Their addresses are given out again: "freed at" would be said of another
 * buffer. */
void memory_forget(uintptr_t start, size_t bytes)
{
    for (size_t i = 0; i < FREED_KEPT; i++) {
        struct vgpu_memory *memory = my->freed[i];

        if (memory && (uintptr_t)memory->base < start + bytes &&
            start < (uintptr_t)memory->base + memory->bytes) {
            table_remove(memory);
            free(memory);
            my->freed[i] = NULL;
        }
    }
}

/* Between these two lie all entries that may have to be emptied. */
void memory_use_page(struct vgpu_memory *memory, struct page *page)
{
    struct record *record = (struct record *)memory;

    if (!record->first || page < record->first)
        record->first = page;
    if (!record->last || page > record->last)
        record->last = page;
}

/* Page entries first: they point into the allocation. */
static void release(struct vgpu_memory *memory)
{
    struct record *record = (struct record *)memory;

    if (record->first)
        arena_clear_pages(record->first,
                          (size_t)(record->last - record->first) + 1);
    if (memory->in_room)
        arena_remove(memory->base, memory->bytes);
    else
        arena_give_back(memory->base, memory->bytes);
}

static struct vgpu_memory *record_new(void *base, size_t bytes,
                                      enum vgpu_memory_kind kind, int device,
                                      uint64_t pc)
{
    struct record *record = calloc(1, sizeof *record);
    struct vgpu_memory *memory;

    if (!record)
        return NULL;
    memory = &record->memory;
    memory->base = base;
    memory->bytes = bytes;
    memory->kind = kind;
    memory->device = device;
    memory->pc = pc;
    if (table_insert(memory)) {
        free(record);
        return NULL;
    }
    memory->id = ++my->last_id;
    list_add(record);
    return memory;
}

struct vgpu_memory *vgpu_memory_new(size_t bytes, enum vgpu_memory_kind kind,
                                    int device, uint64_t pc)
{
    struct vgpu_memory *memory = NULL;
    void *base;

    if (vgpu_check_init(checker.arena.reporting))
        return NULL;
    check_lock();
    base = arena_take(bytes);
    if (base) {
        memory = record_new(base, bytes, kind, device, pc);
        if (memory)
            my->live_bytes += bytes;
        else
            arena_give_back(base, bytes);
    }
    check_unlock();
    return memory;
}

void *vgpu_room_new(size_t *bytes)
{
    void *base = NULL;

    if (vgpu_check_init(checker.arena.reporting))
        return NULL;
    check_lock();
    base = arena_room(bytes);
    check_unlock();
    return base;
}

void vgpu_room_free(void *base, size_t bytes)
{
    check_lock();
    arena_room_back(base, bytes);
    check_unlock();
}

/* What is known of a page that it shares is found out again. */
static void forget_page(uintptr_t address)
{
    arena_clear_pages(arena_page(address - checker.arena.base), 1);
}

struct vgpu_memory *vgpu_memory_place(void *base, size_t bytes,
                                      enum vgpu_memory_kind kind, int device,
                                      uint64_t pc)
{
    struct vgpu_memory *memory = NULL;

    check_lock();
    memory_forget((uintptr_t)base, bytes);
    if (arena_place(base, bytes)) {
        memory = record_new(base, bytes, kind, device, pc);
        if (!memory)
            arena_remove(base, bytes);
    }
    if (memory) {
        my->live_bytes += bytes;
        memory->in_room = true;
        forget_page((uintptr_t)base);
        forget_page((uintptr_t)base + bytes - 1);
    }
    check_unlock();
    return memory;
}

int vgpu_memory_share(struct vgpu_memory *memory)
{
    int file;

    check_lock();
    file = arena_save(memory->base, memory->bytes);
    if (file >= 0 && !arena_show(memory->base, memory->bytes, file)) {
        close(file);
        file = -1;
    }
    if (file >= 0)
        written_by_others(memory);
    check_unlock();
    return file;
}

struct vgpu_memory *vgpu_memory_open(int file, size_t bytes, int device,
                                     uint64_t pc)
{
    struct vgpu_memory *memory =
        vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device, pc);

    if (memory && !arena_show(memory->base, bytes, file)) {
        vgpu_memory_free(memory, pc);
        return NULL;
    }
    if (memory)
        memory->foreign = true;
    return memory;
}

/* Numbers are for buffers that a program asks for. */
static void take_number_back(struct vgpu_memory *memory)
{
    memory->id = 0;
    my->last_id--;
}

struct vgpu_memory *vgpu_memory_unnumbered(size_t bytes, int device,
                                           void *linked)
{
    struct vgpu_memory *memory =
        vgpu_memory_new(bytes, VGPU_MEM_DEVICE, device, 0);

    if (!memory)
        return NULL;
    check_lock();
    take_number_back(memory);
    memory->owner = linked;
    check_unlock();
    return memory;
}

/* Memory of the program's own: only the checker's watch on it is made here and
 * given up again. */
struct vgpu_memory *vgpu_memory_register(void *base, size_t bytes, uint64_t pc)
{
    struct vgpu_memory *memory;

    check_lock();
    memory = record_new(base, bytes, VGPU_MEM_REGISTERED, -1, pc);
    if (memory)
        outside_watch((uintptr_t)base, bytes, true);
    check_unlock();
    return memory;
}

void vgpu_memory_managed_variables(void *linked, size_t bytes)
{
    struct vgpu_memory *memory = vgpu_memory_register(linked, bytes, 0);

    if (!memory)
        return;
    check_lock();
    take_number_back(memory);
    memory->kind = VGPU_MEM_MANAGED;
    memory->device = 0;
    check_unlock();
}

/* Remember a freed allocation; forget the oldest one. */
static void keep_freed(struct vgpu_memory *memory)
{
    struct vgpu_memory *last = my->freed[my->freed_at];

    if (last) {
        table_remove(last);
        free(last);
    }
    my->freed[my->freed_at] = memory;
    my->freed_at = (my->freed_at + 1) % FREED_KEPT;
}

void vgpu_memory_leave(struct vgpu_memory *memory, struct vgpu_check_op *op,
                       uint64_t pc)
{
    check_lock();
    unwritten_tell(memory);
    memory->left_pc = pc ? pc : 1;
    memory->left = checker.arena.reporting ? origin_ref(op->origin) : NULL;
    list_remove((struct record *)memory);
    check_unlock();
}

/* What was collected and not yet reported names this buffer: it is reported
 * while the buffer is known as alive. */
void vgpu_memory_free(struct vgpu_memory *memory, uint64_t pc)
{
    if (!memory || memory->free_pc)
        return;
    check_lock();
    hazard_flush();
    unwritten_tell(memory);
    shadow_settle();
    if (!memory->left_pc)
        list_remove((struct record *)memory);
    origin_release(memory->left);
    memory->left = NULL;
    memory->left_pc = 0;
    memory->free_pc = pc ? pc : 1;
    if (memory->kind == VGPU_MEM_REGISTERED) {
        outside_unregister((uintptr_t)memory->base, memory->bytes);
        table_remove(memory);
        free(memory);
    } else {
        release(memory);
        my->live_bytes -= memory->bytes;
        keep_freed(memory);
    }
    check_unlock();
}
