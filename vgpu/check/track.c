/* track.c: what operations and host code touch, on its way to the shadow */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

static struct page **touched; /* by the running operation */
static size_t touched_count, touched_capacity;
static uint32_t last_serial;
static int lost; /* a page could not be listed */

static const unsigned set_kind[SETS] = {VGPU_READ, VGPU_WRITE, VGPU_ATOMIC};

static uint64_t *page_bits(struct page *page, enum set_index set)
{
    uintptr_t number;

    if (page->outside)
        return outside_bits(page, set);
    number = (uintptr_t)(page - check_arena.pages);
    return (uint64_t *)(check_arena.bits[set] + number * (PAGE_BYTES / 8));
}

static int on_device(const struct page *page)
{
    return page->memory && (page->memory->kind == VGPU_MEM_DEVICE ||
                            page->memory->kind == VGPU_MEM_MANAGED);
}

/* ---- the running operation --------------------------------------------- */

/* First access of the operation to @page in this way: list it. */
static void page_list(struct page *page, enum set_index set, uint64_t pc)
{
    uint32_t serial = check_thread.serial;

    if (page->serial[set] == serial)
        return;
    if (page->serial[SET_READ] != serial && page->serial[SET_WRITE] != serial &&
        page->serial[SET_ATOMIC] != serial) {
        if (touched_count == touched_capacity) {
            size_t capacity = touched_capacity ? 2 * touched_capacity : 1024;
            struct page **grown = realloc(touched, capacity * sizeof(*grown));

            if (!grown) {
                lost = 1;
                return;
            }
            touched = grown;
            touched_capacity = capacity;
        }
        touched[touched_count++] = page;
    }
    page->pc[set] = pc;
    page->serial[set] = serial;
}

void vgpu_check_op_begin(struct vgpu_check_op *op, int device)
{
    check_lock();
    if (++last_serial == SERIAL_HOST)
        last_serial = 1;
    touched_count = 0;
    op->bytes = 0;
    check_thread.op = op;
    check_thread.device = device;
    check_thread.stack_top = (uintptr_t)__builtin_frame_address(0);
    fault_begin();
    check_thread.serial = last_serial;
    check_unlock();
}

/* Bytes that the operation touched in a page, and its layers. */
static void page_collect(struct page *page, struct vgpu_check_op *op)
{
    uint64_t *bits[SETS] = {NULL};
    unsigned read = 0, written = 0;
    struct set set;

    for (int i = 0; i < SETS; i++)
        if (page->serial[i] == check_thread.serial)
            bits[i] = page_bits(page, i);
    if (bits[SET_READ])
        read = bits_count(bits[SET_READ]);
    if (bits[SET_WRITE])
        written = bits_count(bits[SET_WRITE]);
    for (int i = 0; i < WORDS && bits[SET_ATOMIC]; i++) {
        uint64_t atomic = bits[SET_ATOMIC][i];

        read += (unsigned)__builtin_popcountll(
            bits[SET_READ] ? atomic & ~bits[SET_READ][i] : atomic);
        written += (unsigned)__builtin_popcountll(
            bits[SET_WRITE] ? atomic & ~bits[SET_WRITE][i] : atomic);
    }
    if (on_device(page))
        op->bytes += read + written;
    for (int i = 0; i < WORDS && bits[SET_WRITE]; i++) {
        if (bits[SET_READ])
            bits[SET_READ][i] &= ~bits[SET_WRITE][i];
        if (bits[SET_ATOMIC])
            bits[SET_ATOMIC][i] &= ~bits[SET_WRITE][i];
    }
    for (int i = 0; i < SETS; i++) {
        if (!bits[i])
            continue;
        if (check_arena.reporting && bits_describe(bits[i], &set))
            page_touch(page, op->origin, set_kind[i], &set, page->pc[i]);
        memset(bits[i], 0, WORDS * sizeof(*bits[i]));
        page->serial[i] = 0;
    }
}

void vgpu_check_op_end(struct vgpu_check_op *op, uint64_t *bytes)
{
    check_lock();
    for (size_t i = 0; i < touched_count; i++)
        page_collect(touched[i], op);
    touched_count = 0;
    check_thread.serial = SERIAL_HOST;
    check_thread.op = NULL;
    check_thread.device = -1;
    hazard_flush();
    op_retire(op);
    check_unlock();
    if (bytes)
        *bytes = op->bytes;
}

/* ---- ranges ------------------------------------------------------------ */

/* The page of an access, ready for use; NULL where nothing is known. */
static struct page *page_at(uintptr_t address, size_t bytes)
{
    struct page *page;

    if (!arena_contains((void *)address))
        return outside_page_find(address, bytes);
    page = arena_page(address - check_arena.base);
    return page->state == PAGE_ALIVE || page_resolve(page) ? page : NULL;
}

/* A range, page by page, at once. */
static void range_touch(struct origin *origin, uintptr_t base, size_t bytes,
                        unsigned kind, uint64_t pc)
{
    while (bytes) {
        unsigned at = base % PAGE_BYTES;
        size_t part = PAGE_BYTES - at < bytes ? PAGE_BYTES - at : bytes;
        struct page *page = page_at(base, part);
        struct set set = {(uint16_t)at, (uint16_t)(at + part), NULL};

        if (page)
            page_touch(page, origin, kind, &set, pc);
        base += part;
        bytes -= part;
    }
}

static void freed_range(struct vgpu_check_op *op, const void *base,
                        unsigned kind)
{
    struct vgpu_memory *memory = memory_find((uintptr_t)base);

    if (memory && memory->free_pc)
        report_freed(memory, op->origin, kind);
}

void vgpu_check_range(struct vgpu_check_op *op, const void *base, size_t bytes,
                      enum vgpu_access_kind kind)
{
    vgpu_check_range_2d(op, base, bytes, bytes, 1, kind);
}

void vgpu_check_range_2d(struct vgpu_check_op *op, const void *base,
                         size_t pitch, size_t width, size_t rows,
                         enum vgpu_access_kind kind)
{
    struct vgpu_memory *memory;
    uintptr_t at = (uintptr_t)base;

    if (!width || !rows)
        return;
    check_lock();
    freed_range(op, base, kind);
    memory = memory_find(at);
    if (memory &&
        (memory->kind == VGPU_MEM_DEVICE || memory->kind == VGPU_MEM_MANAGED))
        op->bytes += (uint64_t)width * rows;
    if (check_arena.reporting && pitch == width)
        range_touch(op->origin, at, width * rows, kind, op->origin->pc);
    else if (check_arena.reporting)
        for (size_t row = 0; row < rows; row++, at += pitch)
            range_touch(op->origin, at, width, kind, op->origin->pc);
    if (pitch != width)
        shadow_settle();
    check_unlock();
}

void vgpu_check_host_range(struct vgpu_agent *host, const void *base,
                           size_t bytes, enum vgpu_access_kind kind,
                           uint64_t pc)
{
    struct origin *origin;

    if (!check_arena.recording)
        return;
    check_lock();
    origin = host_origin(host);
    if (origin)
        range_touch(origin, (uintptr_t)base, bytes, kind, pc);
    check_unlock();
}

void vgpu_check_watch(const void *base, size_t bytes)
{
    if (!check_arena.reporting || arena_contains(base) || !bytes)
        return;
    check_lock();
    outside_watch((uintptr_t)base, bytes, 0);
    check_unlock();
}

/* ---- what the callbacks' fast path leaves ------------------------------ */

/* A part of an access that stays within one page, by host code. */
static void host_part(uintptr_t address, size_t bytes, enum set_index set,
                      uint64_t pc)
{
    struct vgpu_agent *host = host_current();
    unsigned at = address % PAGE_BYTES;
    struct set part = {(uint16_t)at, (uint16_t)(at + bytes), NULL};
    struct page *page;
    struct origin *origin;
    struct layer *last;

    check_lock();
    page = page_at(address, bytes);
    if (!page || (!page->outside && (!page->host || at + bytes > page->valid)))
        goto out_fault;
    if (!check_arena.recording || !host || !(origin = host_origin(host)))
        goto out;
    if (page->layers && page->layers->count) {
        last = &page->layers->at[page->layers->count - 1];
        if (last->origin == origin && last->kind == set_kind[set] &&
            !last->bitmap && last->lo <= part.lo && part.hi <= last->hi)
            goto out;
    }
    page_touch(page, origin, set_kind[set], &part, pc);
out:
    check_unlock();
    return;
out_fault:
    check_unlock();
    if (arena_contains((void *)address))
        fault_host(address, bytes, set_kind[set], pc);
}

/* The same by the running operation. Return: 0 where it may not. */
static int op_part(uintptr_t address, size_t bytes, enum set_index set,
                   uint64_t pc)
{
    unsigned at = address % PAGE_BYTES;
    struct page *page;
    int allowed = 0;

    check_lock();
    page = page_at(address, bytes);
    if (!page) {
        check_unlock();
        return !arena_contains((void *)address) &&
               fault_permits_outside(address);
    }
    if (page->outside ||
        (at + bytes <= page->valid && fault_permits(page->memory))) {
        allowed = !page->outside || fault_permits_outside(address);
        if (allowed && page_bits(page, set)) {
            page_list(page, set, pc);
            if (page->serial[set] == check_thread.serial)
                bits_fill(page_bits(page, set), at, at + (unsigned)bytes);
        }
    }
    check_unlock();
    return allowed;
}

void access_slow(uintptr_t address, size_t bytes, enum set_index set,
                 uint64_t pc)
{
    uintptr_t from = address;
    size_t left = bytes;

    while (left) {
        size_t part = PAGE_BYTES - from % PAGE_BYTES;

        if (part > left)
            part = left;
        if (check_thread.serial == SERIAL_HOST) {
            host_part(from, part, set, pc);
        } else if (!op_part(from, part, set, pc)) {
            if (check_thread.device < 0)
                fault_host(address, bytes, set_kind[set], pc);
            else
                fault_device(address, bytes, set_kind[set], pc);
        }
        from += part;
        left -= part;
    }
}
