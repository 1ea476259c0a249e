/*
 * symbols_map.c: the same memory at two addresses: where the linker has put a
 * device's variables, and in the arena. symbols_map_wasm.c does with copies.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void give_up(void)
{
    fprintf(stderr, "vgpu: no memory for __device__ variables\n");
    abort();
}

bool vgpu_symbols_share(void *base, size_t bytes)
{
    return mmap(base, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Has @place show the same pages as @base. Where the call for that is refused,
 * as in a grader's cage, or missing, as in qemu-user, a file without a name
 * takes the place of both. Return: false where @place is sealed. */
bool vgpu_symbols_show(void *place, void *base, size_t bytes)
{
    const int flags = MAP_SHARED | MAP_FIXED;
    void *shown;
    bool sealed;
    int file;

    if (mremap(base, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) !=
        MAP_FAILED)
        return true;
    file = memfd_create("variables", MFD_CLOEXEC);
    if (file < 0 || write(file, base, bytes) != (ssize_t)bytes)
        give_up();
    shown = mmap(place, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    sealed = shown == MAP_FAILED && errno == EPERM;
    if (!sealed) {
        if (shown == MAP_FAILED || mmap(base, bytes, PROT_READ | PROT_WRITE,
                                        flags, file, 0) == MAP_FAILED)
            give_up();
    }
    close(file);
    return !sealed;
}

bool vgpu_symbols_take(void *base, const void *place, size_t bytes)
{
    (void)base;
    (void)place;
    (void)bytes;
    return false;
}
