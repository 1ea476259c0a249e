/*
 * access.h: the fast paths of an access callback. Private to vgpu/check.
 * They call functions only last, so that they need no frame.
 */
#ifndef VGPU_CHECK_ACCESS_H
#define VGPU_CHECK_ACCESS_H

#include "check_state.h"
#include "vgpu/caller.h"

#define ACCESS_PC() ((uint64_t)(uintptr_t)VGPU_CALLER())

/* An address outside the arena that the filters do not turn away. */
void access_outside(uintptr_t address, size_t bytes, enum set_index set,
                    uint64_t pc);
void access_arena(uintptr_t address, size_t bytes, enum set_index set,
                  uint64_t pc);
/* One whose address is not a multiple of its size. */
void access_odd(uintptr_t address, size_t bytes, enum set_index set,
                uint64_t pc);

/* The address, outside the arena, is of interest. */
static inline bool access_wanted(uintptr_t address)
{
    if (check_thread.serial != SERIAL_HOST)
        return !fault_outside_known(address);
    return access_nowhere(address) ||
           (checker.arena.recording && outside_maybe(address));
}

/* Was it looked at a moment ago? Who goes through memory with atomics looks at
 * each place once, and is no concern of anybody's. Of several flags that share
 * an entry, as those do that begin a page each, every eighth look counts. */
static inline bool flag_again(uintptr_t address)
{
    uintptr_t *last = &check_thread.flags_last[address / 4 % FLAGS_LAST];

    if (*last == address)
        return true;
    *last = address;
    return ++check_thread.flags_missed % 8 == 0;
}

/* Bits of a page for the bytes of an access that does not cross one of them, or
 * that are whole ones. */
static inline __attribute__((always_inline)) void
access_mark(uint8_t *bits, unsigned bit, unsigned bytes)
{
    if (bytes < 8) {
        *bits |= (uint8_t)(((1u << bytes) - 1) << bit);
    } else {
        bits[0] = 0xFF;
        if (bytes == 16)
            bits[1] = 0xFF;
    }
}

/* The same as access_bits in the usual case, that is of device code. Return:
 * false for all else. */
static inline __attribute__((always_inline)) bool
access_marked(uintptr_t address, unsigned bytes, enum set_index set)
{
    const uintptr_t offset = address - checker.arena.base;
    const struct page *page = arena_page(offset);

    if (UNLIKELY(offset >= checker.arena.bytes || offset % bytes ||
                 page->serial[set] != check_thread.serial ||
                 offset % PAGE_BYTES + bytes > page->valid))
        return false;
    access_mark(checker.arena.bits[set] + offset / 8, offset % 8, bytes);
    return true;
}

/*
 * Device code in a page that the operation has used already: set bits.
 * Anything else goes elsewhere. @bytes is a constant, 1 to 16. @aligned: a
 * GPU would want a multiple.
 */
static inline __attribute__((always_inline)) void
access_bits(uintptr_t address, unsigned bytes, enum set_index set, uint64_t pc,
            bool aligned)
{
    uintptr_t offset = address - checker.arena.base;
    unsigned bit = offset % 8;
    struct page *page;
    uint8_t *bits;

    if (UNLIKELY(offset >= checker.arena.bytes)) {
        if (check_thread.serial == SERIAL_HOST
                ? checker.arena.recording || access_nowhere(address)
                : !fault_outside_known(address))
            access_outside(address, bytes, set, pc);
        return;
    }
    page = arena_page(offset);
    bits = checker.arena.bits[set] + offset / 8;
    if (UNLIKELY(page->serial[set] != check_thread.serial ||
                 offset % PAGE_BYTES + bytes > page->valid ||
                 (aligned     ? offset % bytes != 0
                  : bytes < 8 ? bit + bytes > 8
                              : bit != 0))) {
        if (set == SET_READ && check_thread.serial == SERIAL_HOST &&
            checker.signals.plain_read && flag_again(address))
            checker.signals.plain_read((const volatile void *)address, bytes,
                                       pc);
        if (check_thread.serial == SERIAL_HOST && !checker.arena.recording &&
            page->host && offset % PAGE_BYTES + bytes <= page->valid)
            return;
        if (aligned && offset % bytes)
            access_odd(address, bytes, set, pc);
        else
            access_arena(address, bytes, set, pc);
        return;
    }
    access_mark(bits, bit, bytes);
}

/* A read that may be a look at a flag: tell the runtime, which may take the
 * turn away; the value is read afterwards. */
#define FLAG_READ(at, bytes)                                                   \
    do {                                                                       \
        if (checker.signals.flag_read && flag_again((uintptr_t)(at)))          \
            checker.signals.flag_read((const volatile void *)(at), bytes,      \
                                      ACCESS_PC());                            \
        if (checker.signals.any)                                               \
            signal_read((uintptr_t)(at));                                      \
    } while (0)
/* Device code is at a volatile variable. */
#define LANES_STEP(at, writes)                                                 \
    do {                                                                       \
        if (checker.signals.lanes_step && check_thread.serial != SERIAL_HOST)  \
            checker.signals.lanes_step(at, writes);                            \
    } while (0)
/* One is about to be written. */
#define FLAG_WRITTEN(at)                                                       \
    do {                                                                       \
        if (checker.signals.flag_written &&                                    \
            check_thread.serial == SERIAL_HOST &&                              \
            arena_contains((const void *)(at)))                                \
            checker.signals.flag_written();                                    \
        if (checker.arena.recording)                                           \
            signal_written((uintptr_t)(at));                                   \
    } while (0)

/* Is it within what was touched in its page in order, so that there is nothing
 * to note? Threads that read the same row come here. */
static inline __attribute__((always_inline)) bool
access_within(uintptr_t address, unsigned bytes, enum set_index set)
{
    const struct run_slot *slot =
        &vgpu_check_runs->slots[set][run_slot(address)];
    const uintptr_t at = address - slot->first;
    const uintptr_t end = run_next(slot) - slot->first;

    return address % bytes == 0 && at < end && bytes <= end - at;
}

/* Does an aligned access go on where the last one in its page ended? */
static inline __attribute__((always_inline)) int
access_run(uintptr_t address, unsigned bytes, enum set_index set)
{
    uintptr_t *next = &vgpu_check_runs->slots[set][run_slot(address)].next;

    if (UNLIKELY(address % bytes || *next != address))
        return 0;
    *next = address + bytes;
    return 1;
}

/* What a place in the program leaves that has looked at its memo. @memo: it is
 * told where the next access may be. Return: whether nothing is left to do. */
static inline __attribute__((always_inline)) bool
access_memo(uintptr_t address, unsigned bytes, enum set_index set,
            struct run_memo *memo)
{
    struct run_table *runs = vgpu_check_runs;
    const unsigned number = run_slot(address);
    const struct run_slot *slot = &runs->slots[set][number];
    const uintptr_t next = run_next(slot);

    if (access_within(address, bytes, set)) {
        memo->first = slot->first;
        memo->count = next - slot->first - bytes + 1;
        runs->stayed = true;
        return true;
    }
    if (next != address || address % bytes)
        return false;
    run_move(memo, set, number, address + bytes);
    return true;
}

/* The same for device code outside the arena, in shared memory most often: for
 * the rest of the operation there is nothing to note of the page. */
static inline __attribute__((always_inline)) bool
access_elsewhere(uintptr_t address, unsigned bytes, struct run_memo *memo)
{
    if (arena_contains((const void *)address) ||
        check_thread.serial == SERIAL_HOST || !fault_outside_known(address))
        return false;
    memo->first = address & ~(uintptr_t)(PAGE_BYTES - 1);
    memo->count = PAGE_BYTES - bytes + 1;
    vgpu_check_runs->stayed = true;
    return true;
}

#endif
