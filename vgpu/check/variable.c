/*
 * variable.c: variables that live on devices: their names and their places
 *
 * Code refers to such a variable by the one address that the linker gave it.
 * Each device has a copy in the arena, and the one that works has its copy at
 * the linker's addresses, too (device/symbols.c). So what device code touches
 * there is counted as touched in the arena, where copies and pointers from
 * cudaGetSymbolAddress touch it.
 *
 * Behind a variable lies room that nobody may touch. A GPU has none: it goes on
 * into the next variable without a word, and so does a kernel here, but the
 * checker says so.
 */
#include <stdlib.h>
#include <string.h>
#include "access.h"
#include "vgpu/kernel.h"

void vgpu_check_alias(const void *from, size_t bytes, const void *to)
{
    int i = 0;

    while (i < ALIASES - 1 && checker.variable.aliases[i].bytes &&
           checker.variable.aliases[i].from != (uintptr_t)from)
        i++;
    checker.variable.aliases[i].from = (uintptr_t)from;
    checker.variable.aliases[i].bytes = bytes;
    checker.variable.aliases[i].to = (uintptr_t)to;
}

/* Called before main: what cannot be remembered is not known, no more. */
void vgpu_variable_register(const void *at, size_t bytes, const char *name,
                            const void *room_end)
{
    struct variable *v = malloc(sizeof *v);

    if (!v)
        return;
    *v = (struct variable){checker.variable.variables, name, (uintptr_t)at,
                           bytes, (uintptr_t)room_end};
    checker.variable.variables = v;
}

const char *vgpu_variable_find(const void *address, const void **at,
                               size_t *bytes)
{
    for (const struct variable *v = checker.variable.variables; v; v = v->next)
        if ((uintptr_t)address - v->at < v->bytes) {
            *at = (const void *)v->at;
            *bytes = v->bytes;
            return v->name;
        }
    return NULL;
}

/* What is added to an address in @memory to have the linker's. */
static uintptr_t distance(const struct vgpu_memory *memory)
{
    if (memory->kind == VGPU_MEM_MANAGED)
        return 0;
    return (uintptr_t)memory->owner - (uintptr_t)memory->base;
}

const struct variable *variable_in(const struct vgpu_memory *memory,
                                   uintptr_t address, uintptr_t *base)
{
    if (!memory || memory->id)
        return NULL;
    for (const struct variable *v = checker.variable.variables; v; v = v->next)
        if (address + distance(memory) - v->at < v->bytes) {
            *base = v->at - distance(memory);
            return v;
        }
    return NULL;
}

/* The first byte of [lo, hi) that is in @set, or @hi. */
static unsigned first_of(const struct set *set, uintptr_t lo, uintptr_t hi)
{
    unsigned at = lo > set->lo ? (unsigned)lo : set->lo;
    unsigned end = hi < set->hi ? (unsigned)hi : set->hi;

    while (at < end && set->words && !(set->words[at / 64] >> at % 64 & 1))
        at++;
    return at < end ? at : (unsigned)hi;
}

/* Bytes of a page were touched: any in the room behind a variable? Once the
 * operation is over, so the line is that of its first access to the page. */
void variable_watch(const struct page *page, const struct origin *origin,
                    unsigned kind, const struct set *set, uint64_t pc)
{
    uintptr_t start;

    if (!page->memory || page->memory->id)
        return;
    start = page_address(page) + distance(page->memory);
    for (const struct variable *v = checker.variable.variables; v;
         v = v->next) {
        const uintptr_t end = v->at + v->bytes;
        uintptr_t lo = end > start ? end - start : 0;
        uintptr_t hi = v->room_end > start ? v->room_end - start : 0;
        unsigned first;

        hi = hi < PAGE_BYTES ? hi : PAGE_BYTES;
        if (lo >= hi || (first = first_of(set, lo, hi)) == hi)
            continue;
        report_warning(VGPU_REPORT_variable_overrun, pc,
                       &(struct vgpu_report){
                           .what = origin->what,
                           .verb = kind == VGPU_READ ? "reads" : "writes",
                           .object = v->name,
                           .byte = (int64_t)(start + first - v->at),
                           .bytes = (int64_t)v->bytes});
    }
}
