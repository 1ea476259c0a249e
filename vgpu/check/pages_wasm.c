/*
 * pages_wasm.c: pages.c where memory can only grow: what is taken stays, and
 * nothing is out of reach. What may not be touched is found by the call-backs
 * of accesses, and one that has none (the C library's) is not.
 */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

#define ARENA_MAX ((size_t)1 << 30)
#define WASM_PAGE ((size_t)65536)

/* Nobody else is there to hold a lock. */
void check_yield(void)
{
}

size_t pages_most(size_t least)
{
    (void)least;
    return ARENA_MAX;
}

/* Not by the C library: its heap would have to be cleared, and so be used. */
char *pages_reserve(size_t arena_bytes, size_t shadow_bytes, size_t guard_bytes,
                    char **shadow)
{
    const size_t pages = div_up(arena_bytes + shadow_bytes, WASM_PAGE);
    const size_t first = __builtin_wasm_memory_grow(0, pages);

    (void)guard_bytes;
    if (first == SIZE_MAX)
        return NULL;
    *shadow = (char *)(first * WASM_PAGE) + arena_bytes;
    return (char *)(first * WASM_PAGE);
}

bool pages_are_there(uintptr_t address)
{
    return address / WASM_PAGE < __builtin_wasm_memory_size(0);
}

size_t pages_whole(size_t bytes)
{
    return round_up(bytes ? bytes : 1, PAGE_BYTES);
}

int pages_make(char *base, size_t bytes)
{
    memset(base, FILL_BYTE, bytes);
    return 0;
}

void pages_drop(char *base, size_t bytes)
{
    (void)base;
    (void)bytes;
}

void pages_zero(void *at, size_t bytes)
{
    memset(at, 0, bytes);
}

/* There are no other processes. */
int arena_save(const void *base, size_t bytes)
{
    (void)base;
    (void)bytes;
    return -1;
}

bool arena_show(void *base, size_t bytes, int file)
{
    (void)base;
    (void)bytes;
    (void)file;
    return false;
}
