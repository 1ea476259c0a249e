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

MY_PART(run);

/* Not an address, nor the end of something. */
#define RUN_FREE (UINTPTR_MAX / 2)

/*
 * A page whose serial has SERIAL_RUN has an interval and no bits: in its slot
 * if that is its own, else in run_lo and run_hi. A page whose serial has not
 * may own its slot still: what it has there counts besides its bits. Nobody
 * owns a slot between operations.
 */
/* Of no operation: nothing goes on at address 0, and nothing is within. */
#define NOWHERE                                                                \
    {                                                                          \
        .first = RUN_FREE, .next = RUN_FREE                                    \
    }
#define NOTHING_BEFORE                                                         \
    {                                                                          \
        .slots = { {NOWHERE}, {NOWHERE} }                                      \
    }
struct run_table run_none = NOTHING_BEFORE;
struct run_table run_unseen = NOTHING_BEFORE;
VGPU_OWN struct run_table *vgpu_check_runs = &run_none;

/* Only processors of 64 bits have the code there. */
_Static_assert(sizeof(uintptr_t) != 8 ||
                   (offsetof(struct run_table, scope_base) == VGPU_RUNS_SCOPE &&
                    offsetof(struct run_table, scope_bytes) ==
                        VGPU_RUNS_SCOPE + 8 &&
                    offsetof(struct run_table, memos) == VGPU_RUNS_MEMOS &&
                    sizeof(struct run_memo) == VGPU_MEMO_BYTES &&
                    offsetof(struct run_memo, next) == 0 &&
                    offsetof(struct run_memo, first) == 8 &&
                    offsetof(struct run_memo, count) == 16 &&
                    VGPU_PAGE_BYTES == PAGE_BYTES),
               "as in vgpu/calls.h");

/* What is at a slot's end is told by the slot again. */
static void slot_settle(struct run_slot *slot)
{
    if (!slot->mover)
        return;
    slot->next = slot->mover->next;
    slot->mover->next = 0;
    slot->mover = NULL;
}

static void slot_set(struct run_slot *slot, uintptr_t first, uintptr_t next)
{
    slot_settle(slot);
    slot->first = first;
    slot->next = next;
}

/* Only the thread that runs an operation finds an interval, so the table is
 * this one. No access goes on where the slot itself says. */
void run_move(struct run_memo *memo, enum set_index set, unsigned slot,
              uintptr_t next)
{
    struct run_slot *const owned = &my->table.slots[set][slot];

    if (memo->next)
        slot_settle(&my->table.slots[set][memo->slot]);
    slot_settle(owned);
    owned->next = RUN_FREE;
    owned->mover = memo;
    memo->next = next;
    memo->slot = slot;
}

/* Nobody is within anything. */
static void forget_stays(void)
{
    struct run_memo *const memos = &my->table.memos[0][0][0];

    for (size_t i = 0;
         my->table.stayed && i < sizeof my->table.memos / sizeof *memos; i++)
        memos[i].count = 0;
    my->table.stayed = false;
}

static struct run_slot *slot_of(enum set_index set, uintptr_t address)
{
    return &my->table.slots[set][run_slot(address)];
}

/* In this order, so that another thread never sees less than it should. */
void run_record_host(bool recording)
{
    checker.arena.recording = recording;
    run_none.scope_bytes = UINTPTR_MAX;
    atomic_signal_fence(memory_order_seq_cst);
    run_none.scope_base = recording ? 0 : checker.arena.base;
    atomic_signal_fence(memory_order_seq_cst);
    if (!recording)
        run_none.scope_bytes = checker.arena.bytes;
}

void run_begin(void)
{
    if (!my->table.slots[0][0].first)
        for (unsigned slot = 0; slot < RUN_SLOTS; slot++)
            for (unsigned set = 0; set < RUN_SETS; set++)
                slot_set(&my->table.slots[set][slot], RUN_FREE, RUN_FREE);
    my->table.scope_bytes = UINTPTR_MAX;
    my->running = true;
    vgpu_check_runs = &my->table;
}

void run_end(void)
{
    forget_stays();
    my->running = false;
    vgpu_check_runs = &run_none;
}

/* Let the owner of a slot keep its interval elsewhere. */
static void slot_vacate(enum set_index set, const struct run_slot *slot)
{
    uintptr_t first = slot->first;
    unsigned lo = first % PAGE_BYTES;
    unsigned hi = lo + (unsigned)(run_next(slot) - first);
    struct page *page;

    if (first == RUN_FREE)
        return;
    page = arena_page(first - checker.arena.base);
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
    struct run_slot *slot = slot_of(set, address);

    slot_vacate(set, slot);
    slot_set(slot, address, address + bytes);
    page->serial[set] |= SERIAL_RUN;
}

/* May another page have the slot? */
static bool slot_idle(const struct run_slot *slot)
{
    return slot->first == RUN_FREE || run_next(slot) % PAGE_BYTES == 0;
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
    struct run_slot *slot = slot_of(set, address);
    bool owned = slot->first - start < PAGE_BYTES;
    uintptr_t first = owned ? slot->first : start + page->run_lo[set];
    uintptr_t next = owned ? run_next(slot) : start + page->run_hi[set];

    if (address > next || end < first)
        return false;
    if (address >= first && end <= next)
        return true;
    if (address < first)
        first = address;
    if (end > next)
        next = end;
    if (!owned && slot_idle(slot)) {
        slot_vacate(set, slot);
        owned = true;
    }
    if (owned) {
        slot_set(slot, first, next);
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

    if (slot_of(set, start)->first - start >= PAGE_BYTES)
        bits_fill(page_bits(page, set), page->run_lo[set], page->run_hi[set]);
    page->serial[set] &= ~SERIAL_RUN;
}

bool run_look(const struct page *page, enum set_index set, struct set *run)
{
    uintptr_t start = page_address(page);
    const struct run_slot *slot = slot_of(set, start);

    if (slot->first - start < PAGE_BYTES) {
        run->lo = (uint16_t)(slot->first - start);
        run->hi = (uint16_t)(run_next(slot) - start);
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
        slot_set(slot_of(set, page_address(page)), RUN_FREE, RUN_FREE);
}

void run_forget(uintptr_t start, size_t bytes)
{
    forget_stays();
    for (unsigned slot = 0; my->running && slot < RUN_SLOTS; slot++)
        for (unsigned set = 0; set < RUN_SETS; set++)
            if (my->table.slots[set][slot].first - start < bytes)
                slot_set(&my->table.slots[set][slot], RUN_FREE, RUN_FREE);
}
