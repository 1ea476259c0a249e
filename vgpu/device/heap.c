/*
 * heap.c: malloc, free, new and delete in device code.
 *
 * Each device has a heap of its own, as large as cudaLimitMallocHeapSize says
 * when it is first used. What one kernel takes another may give back; the host
 * cannot. Operators new and delete are replaced for the whole program: a
 * kernel's thread gets the device's memory, everybody else the C library's.
 * The names are C++'s, as compilers for Linux spell them.
 *
 * Source: programming guide, "Dynamic Global Memory Allocation and Operations".
 */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

#include "vgpu_check.h"

#define GRAIN       16
#define SMALL       256 /* sizes in grains that have a list each */
#define LISTS       (SMALL + 64)
#define MAX_DEVICES 64

/* Sizes and lists are kept outside, where no kernel overwrites them. */
static struct heap {
    size_t limit; /* 0: not asked for, and so the default */
    struct vgpu_memory *memory;
    size_t grains, used;
    uint32_t *size; /* of the block that begins there, in grains */
    uint32_t *next; /* free block of the same list; + 1, 0: none */
    uint32_t first[LISTS];
} heaps[MAX_DEVICES];

#define DEFAULT_LIMIT ((size_t)8 << 20)

void vgpu_heap_limit(int device, size_t bytes)
{
    heaps[device].limit = bytes;
}

bool vgpu_heap_used(int device)
{
    return heaps[device].memory;
}

void vgpu_heap_reset(int device)
{
    struct heap *heap = &heaps[device];

    if (heap->memory)
        vgpu_memory_free(heap->memory, 0);
    free(heap->size);
    free(heap->next);
    *heap = (struct heap){.limit = 0};
}

static bool heap_ready(struct heap *heap, int device)
{
    const size_t bytes = heap->limit ? heap->limit : DEFAULT_LIMIT;

    if (heap->memory)
        return true;
    heap->grains = bytes / GRAIN;
    heap->size = calloc(heap->grains, sizeof *heap->size);
    heap->next = calloc(heap->grains, sizeof *heap->next);
    if (heap->size && heap->next)
        heap->memory = vgpu_memory_unnumbered(bytes, device, NULL);
    return heap->memory;
}

/* Large blocks come in powers of two, so that they fit each other. */
static unsigned list_of(size_t *grains)
{
    unsigned bits = 0;

    if (*grains < SMALL)
        return (unsigned)*grains;
    while ((size_t)1 << bits < *grains)
        bits++;
    *grains = (size_t)1 << bits;
    return SMALL + bits;
}

static void *take(struct heap *heap, size_t bytes)
{
    size_t grains = bytes / GRAIN + 1;
    const unsigned list = list_of(&grains);
    size_t at = heap->first[list];

    if (at) {
        heap->first[list] = heap->next[--at];
    } else {
        if (grains > heap->grains - heap->used)
            return NULL;
        at = heap->used;
        heap->used += grains;
    }
    heap->size[at] = (uint32_t)grains;
    return (char *)heap->memory->base + at * GRAIN;
}

/* Return: whether the address is one that was given out. */
static bool give(struct heap *heap, const void *address)
{
    const size_t offset =
        (size_t)((uintptr_t)address - (uintptr_t)heap->memory->base);
    const size_t at = offset / GRAIN;
    size_t grains;
    unsigned list;

    if (at >= heap->used || offset % GRAIN || !heap->size[at])
        return false;
    grains = heap->size[at];
    list = list_of(&grains);
    heap->size[at] = 0;
    heap->next[at] = heap->first[list];
    heap->first[list] = (uint32_t)at + 1;
    return true;
}

void *vgpu_malloc(size_t bytes)
{
    const struct vgpu_block *block = vgpu_current;
    const int device = block ? block->exec->device : -1;

    if (device < 0 || device >= MAX_DEVICES)
        return malloc(bytes);
    return heap_ready(&heaps[device], device) ? take(&heaps[device], bytes)
                                              : NULL;
}

static void release(void *address, uint64_t pc)
{
    const struct vgpu_block *block = vgpu_current;
    const int device = block ? block->exec->device : -1;

    if (!address)
        return;
    if (device < 0 || device >= MAX_DEVICES)
        vgpu_check_give_back(address, pc);
    else if (!heaps[device].memory || !give(&heaps[device], address))
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, pc,
                           "frees what was not allocated in a kernel");
}

#define PC ((uint64_t)(uintptr_t)VGPU_CALLER())

void vgpu_free(void *address)
{
    release(address, PC);
}

/* ---- C++'s operators ----------------------------------------------------- */

#pragma GCC visibility push(default)

/* A program may have its own. */
#define OPERATOR __attribute__((weak))

/* C++'s way to say that the host has no memory. */
__attribute__((weak, noreturn)) void _ZSt17__throw_bad_allocv(void);

/* No bytes have an address of their own, too. In a kernel a null pointer says
 * that the heap is used up. */
static void *operator_new(size_t bytes)
{
    void *address = vgpu_malloc(bytes ? bytes : 1);

    if (!address && !vgpu_current) {
        if (_ZSt17__throw_bad_allocv)
            _ZSt17__throw_bad_allocv();
        abort();
    }
    return address;
}

OPERATOR void *_Znwm(size_t bytes);
OPERATOR void *_Znwm(size_t bytes)
{
    return operator_new(bytes);
}

OPERATOR void *_Znam(size_t bytes);
OPERATOR void *_Znam(size_t bytes)
{
    return operator_new(bytes);
}

#define DELETE(name, ...)                                                      \
    OPERATOR void name(void *address __VA_ARGS__);                             \
    OPERATOR void name(void *address __VA_ARGS__)

DELETE(_ZdlPv)
{
    release(address, PC);
}

DELETE(_ZdaPv)
{
    release(address, PC);
}

DELETE(_ZdlPvm, , size_t bytes)
{
    (void)bytes;
    release(address, PC);
}

DELETE(_ZdaPvm, , size_t bytes)
{
    (void)bytes;
    release(address, PC);
}

#pragma GCC visibility pop
