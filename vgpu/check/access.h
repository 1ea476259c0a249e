/*
 * access.h: the fast path of an access callback. Private to vgpu/check.
 *
 * Device code in the arena, in a page that the operation has used already:
 * set bits. Anything else goes to access_slow or access_outside.
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

/* Host code: the address is of interest. */
static inline int access_wanted(uintptr_t address)
{
    if (check_thread.serial != SERIAL_HOST)
        return !fault_outside_known(address);
    return check_arena.recording && outside_maybe(address);
}

/* @bytes is a constant, 1 to 16. @aligned: a GPU would want a multiple. */
static inline __attribute__((always_inline)) void
access_note(const volatile void *at, unsigned bytes, enum set_index set,
            uint64_t pc, int aligned)
{
    uintptr_t address = (uintptr_t)at;
    uintptr_t offset = address - check_arena.base;
    unsigned bit = offset % 8;
    struct page *page;
    uint8_t *bits;

    if (UNLIKELY(offset >= check_arena.bytes)) {
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
        if (aligned && offset % bytes && check_thread.serial != SERIAL_HOST &&
            check_thread.device >= 0)
            fault_device(address, bytes, FAULT_ODD, pc);
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

#endif
