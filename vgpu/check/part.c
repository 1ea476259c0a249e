/*
 * part.c: what all of an operation touches, told from a part of its blocks
 *
 * The time that a kernel takes depends on how many bytes of memory it moves: as
 * many as all its blocks touch together, each byte once. Where not all blocks
 * are looked at, that is told by how it grew when the part was doubled, for
 * each piece of memory by itself: what every block touches, a table, did not
 * grow, and what each has of its own grew by as much for every block. So it is
 * exact for both, and for both together. No piece grows beyond its size.
 */
#include <string.h>
#include "check_state.h"
#include "vgpu/kernel.h"

MY_PART(part);

/* What was touched in order so far is kept as bits from now on. */
static void page_flatten(struct page *page)
{
    for (int i = 0; i < RUN_SETS; i++) {
        struct set run = {0, 0, NULL};

        if (!is_listed(page, i))
            continue;
        run_take(page, i, &run);
        page->serial[i] &= ~SERIAL_RUN;
        if (run.lo < run.hi)
            bits_fill(page_bits(page, i), run.lo, run.hi);
    }
}

/* What a page that was touched in order has is two intervals, which stay.
 * Return: false for another one. */
static bool count_runs(const struct page *page, uint64_t *read,
                       uint64_t *written)
{
    struct set runs[RUN_SETS] = {{0, 0, NULL}, {0, 0, NULL}};

    if (is_listed(page, SET_ATOMIC))
        return false;
    for (int i = 0; i < RUN_SETS; i++) {
        if (!is_listed(page, i))
            continue;
        if (!(page->serial[i] & SERIAL_RUN))
            return false;
        run_look(page, i, &runs[i]);
    }
    *read = (uint64_t)(runs[SET_READ].hi - runs[SET_READ].lo);
    *written = (uint64_t)(runs[SET_WRITE].hi - runs[SET_WRITE].lo);
    return true;
}

static void count_page(struct page *page, uint64_t *read, uint64_t *written)
{
    uint64_t *bits[SETS] = {NULL};

    if (count_runs(page, read, written))
        return;
    page_flatten(page);
    for (int set = 0; set < SETS; set++)
        if (is_listed(page, set))
            bits[set] = page_bits(page, set);
    page_count(bits, read, written);
}

/* The share of @memory, a new one if need be; the last is everybody's. */
static struct share *share_of(struct part *part,
                              const struct vgpu_memory *memory)
{
    for (int i = 0; i < part->count; i++)
        if (part->at[i].memory == memory || i == SHARES - 1)
            return &part->at[i];
    part->at[part->count] = (struct share){memory, 0, 0};
    return &part->at[part->count++];
}

void vgpu_check_part(uint64_t seen)
{
    struct page **pages;
    size_t count;

    check_lock();
    pages = op_pages(&count);
    my->before = my->last;
    my->last.seen = seen;
    my->last.count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t read, written;
        struct share *share = share_of(&my->last, pages[i]->memory);

        count_page(pages[i], &read, &written);
        share->read += read;
        share->written += written;
    }
    check_unlock();
}

/* Bytes of all blocks, if it were @half of half of the part and @whole of it.
 * Not in floating point: it is the same on every machine. */
static uint64_t grown(uint64_t half, uint64_t whole, uint64_t all,
                      const struct vgpu_memory *memory)
{
    const uint64_t by = whole - half, doubled = my->last.seen / 2;
    const uint64_t left = all - my->last.seen;
    const uint64_t limit = memory ? memory->bytes : UINT64_MAX;
    uint64_t more;

    if (by && left > UINT64_MAX / 2 / by)
        return limit;
    more = by * left / doubled;
    return more < limit && whole + more < limit ? whole + more
           : whole < limit                      ? limit
                                                : whole;
}

void vgpu_check_part_end(uint64_t all)
{
    struct vgpu_check_op *op = check_thread.op;

    if (!all || !op)
        return;
    check_lock();
    for (int i = 0; i < my->last.count; i++) {
        const struct share *share = &my->last.at[i];
        struct share half = {share->memory, 0, 0};

        for (int k = 0; k < my->before.count; k++)
            if (my->before.at[k].memory == share->memory)
                half = my->before.at[k];
        count_traffic(share->memory, op,
                      grown(half.read, share->read, all, share->memory),
                      grown(half.written, share->written, all, share->memory));
    }
    op->told = true;
    check_unlock();
}

/* ---- what nobody looks at ---------------------------------------------- */

void vgpu_check_unwatched_begin(int device)
{
    check_thread.serial_before = check_thread.serial;
    check_thread.serial = SERIAL_NONE;
    check_thread.device = device;
    vgpu_check_runs = &run_unseen;
}

/* What is left of the operation on this thread has no runs either. */
void vgpu_check_unwatched_end(void)
{
    vgpu_check_runs = &run_none;
    check_thread.serial = check_thread.serial_before;
}

bool vgpu_check_reports(void)
{
    return checker.arena.reporting;
}

/* May host code use what @address is in? */
static bool is_hosts(uintptr_t address)
{
    const struct page *page = arena_page(address - checker.arena.base);
    const struct vgpu_memory *memory;
    bool is;

    if (page->state == PAGE_ALIVE && page->host)
        return true;
    check_lock();
    memory = memory_find(address);
    is = memory && memory->kind != VGPU_MEM_DEVICE && !memory->free_pc;
    check_unlock();
    return is;
}

int vgpu_host_unseen(const void *given, size_t bytes)
{
    const char *at = given;

    if (checker.arena.reporting || report_is_read() ||
        check_thread.serial != SERIAL_HOST)
        return false;
    for (; bytes >= sizeof(uintptr_t);
         at += sizeof(uintptr_t), bytes -= sizeof(uintptr_t)) {
        uintptr_t word;

        memcpy(&word, at, sizeof word);
        if (arena_contains((const void *)word) && !is_hosts(word))
            return false;
    }
    return true;
}
