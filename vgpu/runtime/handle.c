/*
 * handle.c: the set of live handles, so that a stale or made-up one is an
 * error and not a crash. Open addressing, grows by doubling.
 */
#include "rt.h"

#include <stdlib.h>

struct slot {
    const void *handle;
    enum vgpu_handle_kind kind;
    uint64_t pc; /* where it was made, if its end is the program's; or 0 */
};

static const char grave; /* marks a removed slot */
static struct slot *slots;
static size_t capacity;
static size_t used; /* with removed ones */

/* The low bits of an address say little: allocations are aligned. So the
 * product's middle bits are taken. */
static size_t first_slot(const void *handle)
{
    uint64_t x = (uint64_t)(uintptr_t)handle;

    x ^= x >> 17;
    x *= 0x9e3779b97f4a7c15ull;
    return (size_t)(x >> 20) & (capacity - 1);
}

/* A removed slot may be taken again, but the search for a handle goes past
 * it. */
static void place(const void *handle, enum vgpu_handle_kind kind, uint64_t pc)
{
    size_t i = first_slot(handle);

    while (slots[i].handle && slots[i].handle != &grave)
        i = (i + 1) & (capacity - 1);
    if (!slots[i].handle)
        used++;
    slots[i].handle = handle;
    slots[i].kind = kind;
    slots[i].pc = pc;
}

static int grow(void)
{
    struct slot *old = slots;
    size_t old_capacity = capacity;
    size_t wanted = capacity ? capacity * 2 : 256;
    struct slot *fresh = calloc(wanted, sizeof *fresh);

    if (!fresh)
        return -1;
    slots = fresh;
    capacity = wanted;
    used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].handle && old[i].handle != &grave)
            place(old[i].handle, old[i].kind, old[i].pc);
    free(old);
    return 0;
}

int vgpu_handle_add(const void *handle, enum vgpu_handle_kind kind)
{
    if (used * 2 >= capacity && grow())
        return -1;
    place(handle, kind, 0);
    return 0;
}

/* Ends: the table is never more than half full, removed slots counted. */
static struct slot *find(const void *handle)
{
    if (!capacity || !handle)
        return NULL;
    for (size_t i = first_slot(handle); slots[i].handle;
         i = (i + 1) & (capacity - 1))
        if (slots[i].handle == handle)
            return &slots[i];
    return NULL;
}

/* Marked and not emptied: a handle that was placed behind it must still be
 * found. A handle that is not known is no error here, so that what failed half
 * made can be taken apart. */
void vgpu_handle_remove(const void *handle)
{
    struct slot *slot = find(handle);

    if (slot)
        slot->handle = &grave;
}

/* Of those that were destroyed last, where that was. */
#define ENDED 256

static struct {
    const void *handle;
    uint64_t pc;
} ended[ENDED];
static unsigned next_ended;

void vgpu_handle_ended(const void *handle, uint64_t pc)
{
    ended[next_ended].handle = handle;
    ended[next_ended].pc = pc;
    next_ended = (next_ended + 1) % ENDED;
}

uint64_t vgpu_handle_end(const void *handle)
{
    for (unsigned i = 1; i <= ENDED; i++) {
        const unsigned at = (next_ended + ENDED - i) % ENDED;

        if (handle && ended[at].handle == handle)
            return ended[at].pc;
    }
    return 0;
}

enum vgpu_handle_kind vgpu_handle_find(const void *handle)
{
    struct slot *slot = find(handle);

    return slot ? slot->kind : VGPU_HANDLE_NONE;
}

/* ---- what is left -------------------------------------------------------- */

void vgpu_handle_made(const void *handle, uint64_t pc)
{
    struct slot *slot = find(handle);

    if (slot && !(pc && slot->pc))
        slot->pc = pc;
}

void vgpu_handle_reset(void)
{
    for (size_t i = 0; i < capacity; i++)
        slots[i].pc = 0;
}

/* By lines, since addresses differ from run to run. */
static int by_line(const void *a, const void *b)
{
    const struct slot *const one = a, *const other = b;

    return (one->pc > other->pc) - (one->pc < other->pc);
}

void vgpu_handle_warn(void)
{
    struct slot *left = malloc((used + 1) * sizeof *left);
    size_t count = 0;

    for (size_t i = 0; left && i < capacity; i++)
        if (slots[i].handle && slots[i].handle != &grave && slots[i].pc)
            left[count++] = slots[i];
    if (left)
        qsort(left, count, sizeof *left, by_line);
    for (size_t i = 0; i < count; i++)
        vgpu_warn(graph_left, left[i].pc,
                  .object = left[i].kind == VGPU_HANDLE_GRAPH
                                ? "a graph"
                                : "an executable graph");
    free(left);
}
