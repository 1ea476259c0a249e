/*
 * unwritten.c: device memory that is read before anybody has written it
 *
 * A page knows which of its bytes somebody has written: none, all, or those
 * that bits say. All is the usual case and costs nothing. Of any other page
 * each read comes here. It is told where none of its bytes was written, not by
 * the operation itself either, and where all of them still hold the pattern
 * that memory is filled with. So what somebody writes unseen, a library, is
 * never told, and neither is the padding of a structure that is copied whole,
 * or a vector with a lane that nobody wants.
 *
 * A copy is no use: it takes what is unwritten with it. Memory that the host
 * may write counts as written, and so do variables, which begin as zeros, and
 * what other processes show.
 *
 * clang writes a bit field by reading and writing the word it is in, as if the
 * program had written `word += 1`. So in a program that clang compiled and that
 * has bit fields, a read counts only once it is clear that the word was not
 * written then.
 *
 * It is told late, when its memory is freed or the program ends: where a
 * hazard is found in the same buffer, the write was there and merely not
 * waited for.
 */
#include <string.h>
#include "check_state.h"

MY_PART(unwritten);

/* vgpucc puts it into a program that has them and that clang compiles. */
extern const char vgpu_bit_fields __attribute__((weak));

static uint64_t *bits_of(struct page *page)
{
    const size_t number = (size_t)(page - checker.arena.pages);

    return (uint64_t *)(checker.arena.written + number * (PAGE_BYTES / 8));
}

static bool is_tracked(const struct vgpu_memory *memory)
{
    return checker.arena.reporting && memory->kind == VGPU_MEM_DEVICE &&
           memory->id && !memory->foreign;
}

void written_begin(struct page *page)
{
    page->written = is_tracked(page->memory) ? WRITTEN_NONE : WRITTEN_ALL;
}

/* The bits of @page, which are true from now on. */
static uint64_t *open_bits(struct page *page)
{
    uint64_t *const bits = bits_of(page);

    if (page->written != WRITTEN_PART)
        memset(bits, 0, PAGE_BYTES / 8);
    if (page->written == WRITTEN_ALL)
        bits_fill(bits, 0, page->valid);
    page->written = WRITTEN_PART;
    return bits;
}

void written_add(struct page *page, const struct set *set)
{
    uint64_t *bits;

    if (page->written == WRITTEN_ALL)
        return;
    if (!set->words && set->lo == 0 && set->hi >= page->valid) {
        page->written = WRITTEN_ALL;
        return;
    }
    bits = open_bits(page);
    if (set->words)
        for (int i = 0; i < WORDS; i++)
            bits[i] |= set->words[i];
    else
        bits_fill(bits, set->lo, set->hi);
    if (bits_count(bits) >= page->valid)
        page->written = WRITTEN_ALL;
}

/* ---- copies -------------------------------------------------------------- */

static bool bit_of(const uint64_t *bits, unsigned at)
{
    return bits[at / 64] >> at % 64 & 1;
}

/* Within one page at either side. */
static void copy_part(uintptr_t to, uintptr_t from, size_t bytes)
{
    struct page *const dst = arena_page(to - checker.arena.base);
    struct page *const src = arena_page(from - checker.arena.base);
    uint64_t *bits;

    if (src->state != PAGE_ALIVE || src->written == WRITTEN_ALL ||
        dst->state != PAGE_ALIVE || !is_tracked(dst->memory))
        return;
    bits = open_bits(dst);
    for (size_t i = 0; i < bytes; i++) {
        const unsigned at = (unsigned)((to + i) % PAGE_BYTES);
        const unsigned of = (unsigned)((from + i) % PAGE_BYTES);

        if (src->written == WRITTEN_NONE || !bit_of(bits_of(src), of))
            bits[at / 64] &= ~(1ULL << at % 64);
    }
}

void vgpu_check_copied(const void *dst, const void *src, size_t bytes)
{
    uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;

    if (!checker.arena.reporting || !arena_contains(dst) ||
        !arena_contains(src))
        return;
    check_lock();
    while (bytes) {
        size_t part = PAGE_BYTES - to % PAGE_BYTES;

        if (part > PAGE_BYTES - from % PAGE_BYTES)
            part = PAGE_BYTES - from % PAGE_BYTES;
        if (part > bytes)
            part = bytes;
        copy_part(to, from, part);
        to += part;
        from += part;
        bytes -= part;
    }
    check_unlock();
}

/* Has somebody written this byte, seen or unseen? */
static bool is_written(uintptr_t address)
{
    struct page *const page = arena_page(address - checker.arena.base);

    return page->state != PAGE_ALIVE || page->written == WRITTEN_ALL ||
           !unwritten_fill(address, 1) ||
           (page->written == WRITTEN_PART &&
            bit_of(bits_of(page), address % PAGE_BYTES));
}

size_t vgpu_check_unwritten_end(const void *src, size_t bytes)
{
    const uintptr_t from = (uintptr_t)src;
    size_t end = bytes;

    if (!checker.arena.reporting || !bytes || !arena_contains(src))
        return 0;
    check_lock();
    while (end > 0 && !is_written(from + end - 1))
        end--;
    check_unlock();
    return end > 0 ? bytes - end : 0;
}

/* ---- from now on --------------------------------------------------------- */

/* Each page of @memory that is in use is @as from now on. */
static void set_all(const struct vgpu_memory *memory, enum page_written as)
{
    const uintptr_t at = (uintptr_t)memory->base - checker.arena.base;

    for (size_t i = 0; i < memory->bytes; i += PAGE_BYTES)
        if (arena_page(at + i)->state == PAGE_ALIVE)
            arena_page(at + i)->written = as & 3u;
}

void vgpu_memory_fresh(const struct vgpu_memory *memory)
{
    check_lock();
    if (is_tracked(memory))
        set_all(memory, WRITTEN_NONE);
    check_unlock();
}

void written_by_others(struct vgpu_memory *memory)
{
    memory->foreign = true;
    set_all(memory, WRITTEN_ALL);
}

/* ---- reads --------------------------------------------------------------- */

/* Has the running operation written a byte of [lo, hi) itself? */
static bool written_now(struct page *page, unsigned lo, unsigned hi)
{
    struct set run = {0, 0, NULL};

    if (is_listed(page, SET_WRITE)) {
        run_look(page, SET_WRITE, &run);
        if (run.lo < hi && lo < run.hi)
            return true;
    }
    for (int i = SET_WRITE; i < SETS; i++)
        for (unsigned at = lo; is_listed(page, i) && at < hi; at++)
            if (bit_of(page_bits(page, i), at))
                return true;
    return false;
}

static bool written_before(struct page *page, unsigned lo, unsigned hi)
{
    for (unsigned at = lo; page->written == WRITTEN_PART && at < hi; at++)
        if (bit_of(bits_of(page), at))
            return true;
    return false;
}

/* What the running kernel reads of @memory, a new entry if need be; NULL where
 * the same kernel has done so before. */
static struct unwritten *entry_of(const struct vgpu_memory *memory)
{
    struct origin *const origin = check_thread.op->origin;

    for (unsigned i = 0; i < my->found_count; i++)
        if (my->found[i].memory == memory &&
            !strcmp(my->found[i].origin->what, origin->what))
            return my->found[i].origin == origin ? &my->found[i] : NULL;
    if (my->found_count == FOUND)
        return NULL;
    my->found[my->found_count] = (struct unwritten){
        .origin = origin_ref(origin), .memory = memory, .lo = UINT64_MAX};
    return &my->found[my->found_count++];
}

static void note(const struct read *read)
{
    const uint64_t at = read->address - (uintptr_t)read->page->memory->base;
    struct unwritten *const entry = entry_of(read->page->memory);

    if (!entry)
        return;
    if (entry->lo == UINT64_MAX)
        entry->kind = read->set == SET_ATOMIC ? VGPU_ATOMIC : VGPU_READ;
    entry->bytes += read->fresh;
    if (at < entry->lo) {
        entry->lo = at;
        entry->pc = read->pc;
    }
    if (at + read->bytes > entry->hi)
        entry->hi = at + read->bytes;
}

void unwritten_settle(void)
{
    const unsigned lo = my->last.address % PAGE_BYTES;

    if (my->last.page &&
        !written_now(my->last.page, lo, lo + (unsigned)my->last.bytes))
        note(&my->last);
    my->last.page = NULL;
}

void unwritten_read(struct page *page, uintptr_t address, size_t bytes,
                    enum set_index set, uint64_t pc)
{
    const unsigned lo = address % PAGE_BYTES, hi = lo + (unsigned)bytes;
    struct read read = {page, address, bytes, bytes, set, pc};

    if (check_thread.overwrites || !unwritten_fill(address, bytes) ||
        written_before(page, lo, hi) || written_now(page, lo, hi))
        return;
    if (bit_of(page_bits(page, set), lo))
        read.fresh = 0;
    unwritten_settle();
    if (&vgpu_bit_fields && set == SET_READ)
        my->last = read;
    else
        note(&read);
}

/* ---- telling ------------------------------------------------------------- */

/* What is told stays, so that it is told once, until its memory goes. */
static void tell(struct unwritten *u)
{
    if (!u->told && !u->memory->unordered)
        report_unwritten(u);
    u->told = true;
}

void unwritten_tell(const struct vgpu_memory *memory)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < my->found_count; i++) {
        if (!memory || my->found[i].memory == memory)
            tell(&my->found[i]);
        if (my->found[i].memory == memory)
            origin_release(my->found[i].origin);
        else
            my->found[kept++] = my->found[i];
    }
    my->found_count = kept;
}

void vgpu_check_tell_unwritten(void)
{
    check_lock();
    hazard_flush();
    unwritten_tell(NULL);
    check_unlock();
}
