/*
 * track.c: what operations and host code touch, on its way to the shadow
 *
 * An operation is run by one host thread while the lock of the runtime is held,
 * so there is one at a time. What it touches is noted in each page's bits, one
 * bit a byte, as it goes, and handed to the shadow when it ends: a kernel that
 * writes an element a thousand times costs the shadow one look. Only pages in
 * the list (touched) have bits set.
 *
 * Host code has no end that anybody tells, so its accesses go to the shadow one
 * by one; it is recorded only while work is outstanding.
 */
#include <stdlib.h>
#include <string.h>
#include "race.h"

MY_PART(track);

static const unsigned set_kind[SETS] = {VGPU_READ, VGPU_WRITE, VGPU_ATOMIC};

/* The arena's bits lie in one stretch in the order of its pages; pages outside
 * of it have theirs made when they are needed. */
uint64_t *page_bits(struct page *page, enum set_index set)
{
    uintptr_t number;

    if (page->state == PAGE_OUTSIDE)
        return outside_bits(page, set);
    number = (uintptr_t)(page - checker.arena.pages);
    return (uint64_t *)(checker.arena.bits[set] + number * (PAGE_BYTES / 8));
}

void count_traffic(const struct vgpu_memory *memory, struct vgpu_check_op *op,
                   uint64_t read, uint64_t written)
{
    if (memory && (memory->kind == VGPU_MEM_MANAGED ||
                   (memory->kind == VGPU_MEM_DEVICE &&
                    memory->device == check_thread.device))) {
        op->bytes += read + written;
    } else if (memory && memory->kind == VGPU_MEM_DEVICE) {
        op->traffic.between += read + written;
    } else {
        op->traffic.from_host += read;
        op->traffic.to_host += written;
    }
}

/* ---- the running operation --------------------------------------------- */

struct page **op_pages(size_t *count)
{
    *count = my->touched_count;
    return my->touched;
}

bool is_listed(const struct page *page, enum set_index set)
{
    return (page->serial[set] & ~(SERIAL_RUN | SERIAL_WATCHED)) ==
           check_thread.serial;
}

/* First access of the operation to @page in this way: list it. */
static void page_list(struct page *page, enum set_index set, uint64_t pc)
{
    if (!is_listed(page, SET_READ) && !is_listed(page, SET_WRITE) &&
        !is_listed(page, SET_ATOMIC)) {
        if (!VGPU_GROW(my->touched, my->touched_count, &my->touched_room)) {
            my->lost = true;
            return;
        }
        my->touched[my->touched_count++] = page;
    }
    page->pc[set] = pc;
    page->serial[set] = check_thread.serial | checker.arena.watched;
}

/* The serial number says whose bits a page holds: a page of another operation
 * needs no cleaning before it is used. It stays below SERIAL_WATCHED, and by
 * the time that it comes round no page has an old one. */
void vgpu_check_op_begin(struct vgpu_check_op *op, int device)
{
    op->bytes = 0;
    op->traffic = (struct vgpu_traffic){0, 0, 0};
    op->told = false;
    vgpu_check_op_resume(op, device);
}

void vgpu_check_op_resume(struct vgpu_check_op *op, int device)
{
    check_lock();
    if (++my->last_serial == SERIAL_WATCHED)
        my->last_serial = 1;
    my->touched_count = 0;
    check_thread.op = op;
    check_thread.device = device;
    check_thread.overwrites = false;
    check_thread.stack_top = (uintptr_t)__builtin_frame_address(0);
    fault_begin();
    run_begin();
    check_thread.serial = my->last_serial;
    check_unlock();
}

/* Take the bytes of @b from @a. Return: false where two parts would be left. */
static bool interval_subtract(struct set *a, const struct set *b)
{
    if (a->hi <= b->lo || b->hi <= a->lo)
        return true;
    if (b->lo > a->lo && b->hi < a->hi)
        return false;
    if (b->lo <= a->lo)
        a->lo = b->hi < a->hi ? b->hi : a->hi;
    else
        a->hi = b->lo;
    return true;
}

/*
 * The same for a page that was touched in order, without a look at its bits.
 * Return: false where that is not enough; then its bits are complete.
 */
static bool page_collect_runs(struct page *page, struct vgpu_check_op *op)
{
    bool simple = !is_listed(page, SET_ATOMIC);
    struct set run[RUN_SETS] = {{0, 0, NULL}, {0, 0, NULL}};
    struct set read;

    for (int i = 0; i < RUN_SETS; i++) {
        if (!is_listed(page, i))
            continue;
        if (!(page->serial[i] & SERIAL_RUN))
            simple = false;
        run_take(page, i, &run[i]);
    }
    read = run[SET_READ];
    simple = simple && interval_subtract(&read, &run[SET_WRITE]);
    if (simple && !op->told)
        count_traffic(page->memory, op,
                      (uint64_t)(run[SET_READ].hi - run[SET_READ].lo),
                      (uint64_t)(run[SET_WRITE].hi - run[SET_WRITE].lo));
    for (int i = 0; i < RUN_SETS; i++) {
        const struct set *set = simple && i == SET_READ ? &read : &run[i];

        if (!simple && set->lo < set->hi)
            bits_fill(page_bits(page, i), set->lo, set->hi);
        else if (checker.arena.reporting && set->lo < set->hi)
            page_touch(page, op->origin, set_kind[i], set, page->pc[i]);
        page->serial[i] = simple ? 0 : page->serial[i] & ~SERIAL_RUN;
    }
    return simple;
}

/* An atomic is a read and a write. */
void page_count(uint64_t *const bits[SETS], uint64_t *read, uint64_t *written)
{
    *read = bits[SET_READ] ? bits_count(bits[SET_READ]) : 0;
    *written = bits[SET_WRITE] ? bits_count(bits[SET_WRITE]) : 0;
    for (int i = 0; i < WORDS && bits[SET_ATOMIC]; i++) {
        uint64_t atomic = bits[SET_ATOMIC][i];

        *read += (unsigned)__builtin_popcountll(
            bits[SET_READ] ? atomic & ~bits[SET_READ][i] : atomic);
        *written += (unsigned)__builtin_popcountll(
            bits[SET_WRITE] ? atomic & ~bits[SET_WRITE][i] : atomic);
    }
}

/* Bytes that the operation touched in a page, and its layers. */
static void page_collect(struct page *page, struct vgpu_check_op *op)
{
    uint64_t *bits[SETS] = {NULL};
    uint64_t read, written;
    struct set set;

    if (page_collect_runs(page, op))
        return;
    for (int i = 0; i < SETS; i++)
        if (is_listed(page, i))
            bits[i] = page_bits(page, i);
    if (!op->told) {
        page_count(bits, &read, &written);
        count_traffic(page->memory, op, read, written);
    }
    for (int i = 0; i < WORDS && bits[SET_WRITE]; i++) {
        if (bits[SET_READ])
            bits[SET_READ][i] &= ~bits[SET_WRITE][i];
        if (bits[SET_ATOMIC])
            bits[SET_ATOMIC][i] &= ~bits[SET_WRITE][i];
    }
    for (int i = 0; i < SETS; i++) {
        if (!bits[i])
            continue;
        if (checker.arena.reporting && bits_describe(bits[i], &set))
            page_touch(page, op->origin, set_kind[i], &set, page->pc[i]);
        memset(bits[i], 0, WORDS * sizeof *bits[i]);
        page->serial[i] = 0;
    }
}

static void op_leave(struct vgpu_check_op *op)
{
    unwritten_settle();
    for (size_t i = 0; i < my->touched_count; i++)
        page_collect(my->touched[i], op);
    my->touched_count = 0;
    run_end();
    check_thread.serial = SERIAL_HOST;
    check_thread.op = NULL;
    check_thread.device = -1;
    hazard_flush();
}

void vgpu_check_op_pause(struct vgpu_check_op *op)
{
    check_lock();
    op_leave(op);
    check_unlock();
}

/* Hazards that were collected are reported before the operation's clock is
 * given up: the words for them are its. */
void vgpu_check_op_end(struct vgpu_check_op *op, uint64_t *bytes)
{
    check_lock();
    op_leave(op);
    op_retire(op);
    check_unlock();
    if (bytes)
        *bytes = op->bytes;
}

const struct vgpu_traffic *vgpu_check_op_traffic(const struct vgpu_check_op *op)
{
    return &op->traffic;
}

/* ---- ranges ------------------------------------------------------------ */

/* The page of an access, ready for use; NULL where nothing is known. */
static struct page *page_at(uintptr_t address, size_t bytes)
{
    struct page *page;

    if (!arena_contains((void *)address))
        return outside_page_find(address, bytes);
    page = arena_page(address - checker.arena.base);
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

/* A copy or memset has no accesses of its own to be seen, but is known whole:
 * its range goes to the shadow directly. Rows with gaps leave private bitmaps
 * behind that are shared at once. */
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
    if (checker.arena.reporting && pitch == width)
        range_touch(op->origin, at, width * rows, kind, op->origin->pc);
    else if (checker.arena.reporting)
        for (size_t row = 0; row < rows; row++, at += pitch)
            range_touch(op->origin, at, width, kind, op->origin->pc);
    if (pitch != width)
        shadow_settle();
    check_unlock();
}

/* For what the host does within a call, such as reading a pageable source. */
void vgpu_check_host_range(struct vgpu_agent *host, const void *base,
                           size_t bytes, enum vgpu_access_kind kind,
                           uint64_t pc)
{
    struct origin *origin;

    if (!checker.arena.recording)
        return;
    check_lock();
    origin = host_origin(host);
    if (origin)
        range_touch(origin, (uintptr_t)base, bytes, kind, pc);
    check_unlock();
}

/* Memory of the arena is watched always. */
void vgpu_check_watch(const void *base, size_t bytes)
{
    if (!checker.arena.reporting || arena_contains(base) || !bytes)
        return;
    check_lock();
    outside_watch((uintptr_t)base, bytes, false);
    check_unlock();
}

/* ---- what the callbacks' fast path leaves ------------------------------ */

void vgpu_check_set_handover(vgpu_hands_fn *hands)
{
    checker.signals.hands = hands;
}

void vgpu_check_set_step(vgpu_step_fn *step)
{
    checker.signals.lanes_step = step;
}

void vgpu_check_set_flag(vgpu_flag_fn *read, vgpu_flag_fn *plain,
                         void (*written)(void))
{
    checker.signals.flag_read = read;
    checker.signals.plain_read = plain;
    checker.signals.flag_written = written;
}

/* Whose a part of an access to @page is, where that is valid; NULL: nobody's.
 */
static const struct vgpu_memory *page_owner(const struct page *page,
                                            uintptr_t address, size_t bytes)
{
    const struct vgpu_memory *memory;

    if (address % PAGE_BYTES + bytes <= page->valid)
        return page->memory;
    memory = page->memory->in_room ? memory_find(address) : NULL;
    return memory && !memory->free_pc &&
                   address + bytes <= (uintptr_t)memory->base + memory->bytes
               ? memory
               : NULL;
}

void vgpu_check_apart(int device)
{
    my->apart |= (uint64_t)1 << device;
}

/* The kernel that keeps the host from managed memory, or NULL. */
static const struct origin *who_has(const struct page *page,
                                    const struct vgpu_agent *host)
{
    return my->apart && page->memory &&
                   page->memory->kind == VGPU_MEM_MANAGED &&
                   !page->memory->attached
               ? events_kernel(my->apart, host->clock)
               : NULL;
}

/* A part of an access that stays within one page, by host code. */
static void host_part(uintptr_t address, size_t bytes, enum set_index set,
                      uint64_t pc)
{
    struct vgpu_agent *host = host_current();
    unsigned at = address % PAGE_BYTES;
    struct set part = {(uint16_t)at, (uint16_t)(at + bytes), NULL};
    struct page *page;
    const struct origin *has;
    struct origin *origin;
    struct layer *last;

    check_lock();
    page = page_at(address, bytes);
    if (!page || (page->state != PAGE_OUTSIDE &&
                  (!page->host || !page_owner(page, address, bytes))))
        goto out_fault;
    if (!checker.arena.recording || !host || !(origin = host_origin(host)))
        goto out;
    has = who_has(page, host);
    if (has) {
        check_unlock();
        fault_apart(has, set_kind[set], pc);
        return;
    }
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

/* The running operation touches bytes of @page, and may. Variables have no
 * runs: tables are read in any order, and their addresses are not those that
 * the runs' table is asked for. */
static void page_record(struct page *page, uintptr_t address, size_t bytes,
                        enum set_index set, uint64_t pc)
{
    unsigned at = address % PAGE_BYTES;

    if (!is_listed(page, set)) {
        page_list(page, set, pc);
        if (!is_listed(page, set))
            return;
        if (set != SET_WRITE && page->written != WRITTEN_ALL)
            page->serial[set] |= SERIAL_WATCHED;
        else if (set < RUN_SETS && page->valid == PAGE_BYTES &&
                 page->state != PAGE_OUTSIDE && page->memory->id &&
                 !checker.arena.watched) {
            run_open(page, set, address, bytes);
            return;
        }
    }
    if (set != SET_WRITE && page->written != WRITTEN_ALL)
        unwritten_read(page, address, bytes, set, pc);
    if (page->serial[set] & SERIAL_RUN) {
        if (run_add(page, set, address, bytes))
            return;
        run_break(page, set);
    }
    bits_fill(page_bits(page, set), at, at + (unsigned)bytes);
}

/* The same by the running operation. Return: false where it may not. */
static bool op_part(uintptr_t address, size_t bytes, enum set_index set,
                    uint64_t pc)
{
    const struct vgpu_memory *owner;
    struct page *page;
    bool allowed = false;

    check_lock();
    page = page_at(address, bytes);
    if (!page) {
        check_unlock();
        return !arena_contains((void *)address) &&
               fault_permits_outside(address);
    }
    owner =
        page->state == PAGE_OUTSIDE ? NULL : page_owner(page, address, bytes);
    if (page->state == PAGE_OUTSIDE || (owner && fault_permits(owner))) {
        allowed = page->state != PAGE_OUTSIDE || fault_permits_outside(address);
        if (allowed && page_bits(page, set))
            page_record(page, address, bytes, set, pc);
    }
    check_unlock();
    return allowed;
}

/* An access may lie across two pages, which can belong to two buffers: each
 * part is looked at for itself. A fault tells of the whole access. */
void access_slow(uintptr_t address, size_t bytes, enum set_index set,
                 uint64_t pc)
{
    uintptr_t from = address;
    size_t left = bytes;

    if (check_thread.serial == SERIAL_NONE)
        return;
    while (left) {
        size_t part = PAGE_BYTES - from % PAGE_BYTES;

        if (part > left)
            part = left;
        if (check_thread.serial == SERIAL_HOST) {
            host_part(from, part, set, pc);
        } else if (checker.arena.watched && race_shared(from)) {
            race_touch(from, part, set, pc);
        } else if (!op_part(from, part, set, pc)) {
            if (check_thread.device < 0)
                fault_host(address, bytes, set_kind[set], pc);
            else
                fault_device(address, bytes, set_kind[set], pc);
        } else if (checker.arena.watched && arena_contains((void *)from)) {
            race_touch(from, part, set, pc);
        }
        from += part;
        left -= part;
    }
}
