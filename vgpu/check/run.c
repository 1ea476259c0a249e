/*
 * run.c: what an operation touches of a page in order, as one interval
 *
 * The usual kernel goes through its buffers element by element. Setting a bit
 * for each would be a read and a write of memory per access; an interval whose
 * end is compared and moved costs less, and the program does that itself
 * without a call (vgpu/calls.h). So the tables' layout is known to assembler
 * text, and the assertions below keep both sides in step.
 */
#include "check_state.h"

/*
 * A page whose serial has SERIAL_RUN has an interval and no bits: in its slot
 * if that is its own, else in run_lo and run_hi. A page whose serial has not
 * may own its slot still: what it has there counts besides its bits. Nobody
 * owns a slot between operations.
 */
static struct run_table table = {.scope_bytes = UINTPTR_MAX};
static bool running;
struct run_table run_none;
struct run_table run_unseen;
VGPU_OWN struct run_table *vgpu_check_runs = &run_none;

/* Only processors of 64 bits have the code there. */
_Static_assert(sizeof(uintptr_t) != 8 ||
                   (offsetof(struct run_table, next[SET_READ]) == 0 &&
                    offsetof(struct run_table, next[SET_WRITE]) ==
                        VGPU_RUNS_WRITES &&
                    offsetof(struct run_table, scope_base) == VGPU_RUNS_SCOPE &&
                    offsetof(struct run_table, scope_bytes) ==
                        VGPU_RUNS_SCOPE + sizeof(uintptr_t)),
               "as in vgpu/calls.h");

/* Not an address, nor the end of something. */
#define RUN_FREE (UINTPTR_MAX / 2)

static void slot_set(enum set_index set, unsigned slot, uintptr_t first,
                     uintptr_t next)
{
    table.first[set][slot] = first;
    table.next[set][slot] = next;
}

/* In this order, so that another thread never sees less than it should. */
void run_record_host(bool recording)
{
    check_arena.recording = recording;
    run_none.scope_bytes = UINTPTR_MAX;
    atomic_signal_fence(memory_order_seq_cst);
    run_none.scope_base = recording ? 0 : check_arena.base;
    atomic_signal_fence(memory_order_seq_cst);
    if (!recording)
        run_none.scope_bytes = check_arena.bytes;
}

void run_begin(void)
{
    if (!table.first[0][0])
        for (unsigned slot = 0; slot < RUN_SLOTS; slot++)
            for (unsigned set = 0; set < RUN_SETS; set++)
                slot_set(set, slot, RUN_FREE, RUN_FREE);
    running = true;
    vgpu_check_runs = &table;
}

void run_end(void)
{
    running = false;
    vgpu_check_runs = &run_none;
}

/* Let the owner of a slot keep its interval elsewhere. */
static void slot_vacate(enum set_index set, unsigned slot)
{
    uintptr_t first = table.first[set][slot];
    unsigned lo = first % PAGE_BYTES;
    unsigned hi = lo + (unsigned)(table.next[set][slot] - first);
    struct page *page;

    if (first == RUN_FREE)
        return;
    page = arena_page(first - check_arena.base);
    if (page->serial[set] & SERIAL_RUN) {
        page->run_lo[set] = (uint16_t)lo;
        page->run_hi[set] = (uint16_t)hi;
    } else {
        bits_fill(page_bits(page, set), lo, hi);
    }
}

void run_open(struct page *page, enum set_index set, uintptr_t address,
              size_t bytes)
{
    unsigned slot = run_slot(address);

    slot_vacate(set, slot);
    slot_set(set, slot, address, address + bytes);
    page->serial[set] |= SERIAL_RUN;
}

/* May another page have the slot? */
static bool slot_idle(enum set_index set, unsigned slot)
{
    return table.first[set][slot] == RUN_FREE ||
           table.next[set][slot] % PAGE_BYTES == 0;
}

/*
 * Intervals grow at either end, since threads may run backwards. A page without
 * a slot takes the slot that its address leads to as soon as that one's owner
 * is through with its page: going through several buffers at once, each gets
 * one.
 */
bool run_add(struct page *page, enum set_index set, uintptr_t address,
             size_t bytes)
{
    uintptr_t start = address & ~(uintptr_t)(PAGE_BYTES - 1);
    uintptr_t end = address + bytes;
    unsigned slot = run_slot(address);
    bool owned = table.first[set][slot] - start < PAGE_BYTES;
    uintptr_t first =
        owned ? table.first[set][slot] : start + page->run_lo[set];
    uintptr_t next = owned ? table.next[set][slot] : start + page->run_hi[set];

    if (address > next || end < first)
        return false;
    if (address >= first && end <= next)
        return true;
    if (address < first)
        first = address;
    if (end > next)
        next = end;
    if (!owned && slot_idle(set, slot)) {
        slot_vacate(set, slot);
        owned = true;
    }
    if (owned) {
        slot_set(set, slot, first, next);
    } else {
        page->run_lo[set] = (uint16_t)(first - start);
        page->run_hi[set] = (uint16_t)(next - start);
    }
    return true;
}

/* From now on bits are set; what the slot still has is added when the operation
 * ends (run_take) or somebody else wants the slot (slot_vacate). */
void run_break(struct page *page, enum set_index set)
{
    uintptr_t start = page_address(page);

    if (table.first[set][run_slot(start)] - start >= PAGE_BYTES)
        bits_fill(page_bits(page, set), page->run_lo[set], page->run_hi[set]);
    page->serial[set] &= ~SERIAL_RUN;
}

bool run_look(const struct page *page, enum set_index set, struct set *run)
{
    uintptr_t start = page_address(page);
    unsigned slot = run_slot(start);
    uintptr_t first = table.first[set][slot];

    if (first - start < PAGE_BYTES) {
        run->lo = (uint16_t)(first - start);
        run->hi = (uint16_t)(table.next[set][slot] - start);
        return true;
    }
    if (page->serial[set] & SERIAL_RUN) {
        run->lo = page->run_lo[set];
        run->hi = page->run_hi[set];
    }
    return false;
}

void run_take(struct page *page, enum set_index set, struct set *run)
{
    if (run_look(page, set, run))
        slot_set(set, run_slot(page_address(page)), RUN_FREE, RUN_FREE);
}

void run_forget(uintptr_t start, size_t bytes)
{
    for (unsigned slot = 0; running && slot < RUN_SLOTS; slot++)
        for (unsigned set = 0; set < RUN_SETS; set++)
            if (table.first[set][slot] - start < bytes)
                slot_set(set, slot, RUN_FREE, RUN_FREE);
}
