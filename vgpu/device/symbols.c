/*
 * symbols.c: variables declared __device__, __constant__ or __managed__.
 *
 * The front end puts them into sections of their own. The linker makes the
 * sections' ends known by name, where a program has them at all. One device's
 * variables are in place; those of the others wait in copies.
 */
#include "vgpu_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define SECTION_START(name)                                                    \
    extern char vgpu_start_##name[] __asm("section$start$__DATA$" #name)
#define SECTION_STOP(name)                                                     \
    extern char vgpu_stop_##name[] __asm("section$end$__DATA$" #name)
#define START_OF(name) vgpu_start_##name
#define STOP_OF(name)  vgpu_stop_##name
#else
#define SECTION_START(name)                                                    \
    extern char __start_##name[] __attribute__((weak, visibility("hidden")))
#define SECTION_STOP(name)                                                     \
    extern char __stop_##name[] __attribute__((weak, visibility("hidden")))
#define START_OF(name) __start_##name
#define STOP_OF(name)  __stop_##name
#endif

SECTION_START(vgpu_vars);
SECTION_STOP(vgpu_vars);
SECTION_START(vgpu_consts);
SECTION_STOP(vgpu_consts);
SECTION_START(vgpu_managed);
SECTION_STOP(vgpu_managed);

/* Copies are exchanged, rather than each device having addresses of its own,
 * because code refers to a variable by the one address that the linker gave it.
 * Kernels run one at a time, so nobody sees the exchange. */
static char *initial; /* as the program was loaded */
static char **copies; /* of devices that are not in place */
static int num_copies;
static int in_place;

static size_t vars_bytes(void)
{
    return (size_t)((uintptr_t)STOP_OF(vgpu_vars) -
                    (uintptr_t)START_OF(vgpu_vars));
}

static void *require(void *memory)
{
    if (!memory) {
        fprintf(stderr, "vgpu: no memory for __device__ variables\n");
        abort();
    }
    return memory;
}

static char *copy_of(int device)
{
    size_t bytes = vars_bytes();

    if (device >= num_copies) {
        size_t n = (size_t)device + 1;

        copies = require(realloc(copies, n * sizeof *copies));
        while (num_copies < (int)n)
            copies[num_copies++] = NULL;
    }
    if (!copies[device])
        copies[device] = memcpy(require(malloc(bytes)), initial, bytes);
    return copies[device];
}

/* What the device in place has written is kept first. */
void vgpu_symbols_activate(int device)
{
    size_t bytes = vars_bytes();

    if (!bytes || device < 0)
        return;
    if (!initial)
        initial = memcpy(require(malloc(bytes)), START_OF(vgpu_vars), bytes);
    if (device == in_place)
        return;
    memcpy(copy_of(in_place), START_OF(vgpu_vars), bytes);
    memcpy(START_OF(vgpu_vars), copy_of(device), bytes);
    in_place = device;
}

static bool within(const char *address, const char *start, const char *stop)
{
    return (uintptr_t)address >= (uintptr_t)start &&
           (uintptr_t)address < (uintptr_t)stop;
}

bool vgpu_symbols_contain(const void *address)
{
    return within(address, START_OF(vgpu_vars), STOP_OF(vgpu_vars)) ||
           within(address, START_OF(vgpu_consts), STOP_OF(vgpu_consts)) ||
           within(address, START_OF(vgpu_managed), STOP_OF(vgpu_managed));
}

bool vgpu_symbols_managed(const void *address)
{
    return within(address, START_OF(vgpu_managed), STOP_OF(vgpu_managed));
}

void vgpu_symbols_reset(int device)
{
    size_t bytes = vars_bytes();

    if (!bytes || !initial)
        return;
    memcpy(device == in_place ? START_OF(vgpu_vars) : copy_of(device), initial,
           bytes);
}
