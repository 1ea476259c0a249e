/*
 * access.h: the fast paths of an access callback. Private to vgpu/check.
 * They call functions only last, so that they need no frame.
 */
#ifndef VGPU_CHECK_ACCESS_H
#define VGPU_CHECK_ACCESS_H

#include "check_state.h"

#define ACCESS_PC() ((uint64_t)(uintptr_t)__builtin_return_address(0))

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
    return check_arena.recording && outside_maybe(address);
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
    uintptr_t offset = address - check_arena.base;
    unsigned bit = offset % 8;
    struct page *page;
    uint8_t *bits;

    if (UNLIKELY(offset >= check_arena.bytes)) {
        if (check_thread.serial == SERIAL_HOST ? check_arena.recording
                                               : !fault_outside_known(address))
            access_outside(address, bytes, set, pc);
        return;
    }
    page = arena_page(offset);
    bits = check_arena.bits[set] + offset / 8;
    if (UNLIKELY(page->serial[set] != check_thread.serial ||
                 offset % PAGE_BYTES + bytes > page->valid ||
                 (aligned     ? offset % bytes != 0
                  : bytes < 8 ? bit + bytes > 8
                              : bit != 0))) {
        if (check_thread.serial == SERIAL_HOST && !check_arena.recording &&
            page->host && offset % PAGE_BYTES + bytes <= page->valid)
            return;
        if (aligned && offset % bytes)
            access_odd(address, bytes, set, pc);
        else
            access_arena(address, bytes, set, pc);
        return;
    }
    if (bytes < 8) {
        *bits |= (uint8_t)(((1u << bytes) - 1) << bit);
    } else {
        bits[0] = 0xFF;
        if (bytes == 16)
            bits[1] = 0xFF;
    }
}

/* Does an aligned access go on where the last one in its page ended? */
static inline __attribute__((always_inline)) int
access_run(uintptr_t address, unsigned bytes, enum set_index set)
{
    uintptr_t *next = &vgpu_check_runs->next[set][run_slot(address)];

    if (UNLIKELY(address % bytes || *next != address))
        return 0;
    *next = address + bytes;
    return 1;
}

#endif
