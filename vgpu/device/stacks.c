/*
 * stacks.c: memory for the stacks of a block's threads.
 *
 * A stack must be large enough for any kernel and cost nothing while it is not
 * used: a thousand and more are reserved at once, each stack is made accessible
 * when it is first taken, and the system backs it page by page. Below each lies
 * a guard, so that a thread which needs more ends with a message and does not
 * write into its neighbour's variables.
 *
 * A system has room for some ten thousand guards (Linux: vm.max_map_count), a
 * GPU for some hundred thousand threads of a grid that waits for itself. After
 * the first, one guard is for a slab of a thousand stacks: a thread that calls
 * itself for ever is still stopped there, and one that needs a little more than
 * it has gets it from the gap. These come in larger regions, so that few are
 * searched for an address; where addresses are scarce (ulimit -v), in smaller
 * ones, down to a slab.
 *
 * Stacks are never given back to the system: block states keep them, or another
 * one gets them.
 */
#include "own_locks.h"
#include "stacks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

#define STACKS_PER_SLAB 1024
#define SLAB_BYTES      ((size_t)STACK_PITCH_BYTES * STACKS_PER_SLAB)
#define GUARDED_REGIONS 16 /* of one slab, whose stacks have guards each */
#define SLABS_OF_OTHERS 16
#define MAX_REGIONS     (GUARDED_REGIONS + 64)
#define MAX_STACKS      ((size_t)STACKS_PER_SLAB * MAX_REGIONS * SLABS_OF_OTHERS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *regions[MAX_REGIONS];
static size_t region_slabs[MAX_REGIONS];
static int num_regions;
static size_t num_left; /* in the last region */
static size_t num_given;
static char *given[MAX_STACKS];

static bool is_guarded(int region)
{
    return region < GUARDED_REGIONS;
}

/* Pages of 2 MiB would be backed for each stack of one. */
static bool slab_open(char *slab)
{
    madvise(slab, SLAB_BYTES, MADV_NOHUGEPAGE);
    return !mprotect(slab + STACK_GUARD_BYTES, SLAB_BYTES - STACK_GUARD_BYTES,
                     PROT_READ | PROT_WRITE);
}

static char *region_map(size_t slabs)
{
    char *region = mmap(NULL, slabs * SLAB_BYTES, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (region == MAP_FAILED)
        return NULL;
    for (size_t i = 0; i < slabs && !is_guarded(num_regions); i++) {
        if (!slab_open(region + i * SLAB_BYTES)) {
            munmap(region, slabs * SLAB_BYTES);
            return NULL;
        }
    }
    return region;
}

static bool region_add(void)
{
    size_t slabs = is_guarded(num_regions) ? 1 : SLABS_OF_OTHERS;
    char *region = NULL;

    if (num_regions == MAX_REGIONS)
        return false;
    while (slabs && !(region = region_map(slabs)))
        slabs /= 2;
    if (!region)
        return false;
    region_slabs[num_regions] = slabs;
    regions[num_regions++] = region;
    num_left = slabs * STACKS_PER_SLAB;
    return true;
}

static char *take_locked(void)
{
    char *stack;
    int last;

    if (num_given)
        return given[--num_given];
    if (!num_left && !region_add())
        return NULL;
    last = num_regions - 1;
    stack =
        regions[last] + STACK_GUARD_BYTES +
        (region_slabs[last] * STACKS_PER_SLAB - num_left) * STACK_PITCH_BYTES;
    if (is_guarded(last) &&
        mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
        return NULL;
    num_left--;
    return stack;
}

char *vgpu_stack_take(void)
{
    char *stack;

    vgpu_lock(&lock);
    stack = take_locked();
    vgpu_unlock(&lock);
    return stack;
}

void vgpu_stack_give(char *stack)
{
    vgpu_lock(&lock);
    given[num_given++] = stack;
    vgpu_unlock(&lock);
}

/* Called from a signal handler too, so without the lock: regions are only ever
 * added. */
int vgpu_stack_contains(const void *address)
{
    for (int i = 0; i < MAX_REGIONS && regions[i]; i++) {
        const size_t at = (size_t)((uintptr_t)address - (uintptr_t)regions[i]);
        const size_t pitch = is_guarded(i) ? STACK_PITCH_BYTES : SLAB_BYTES;

        if (at < region_slabs[i] * SLAB_BYTES)
            return at % pitch < STACK_GUARD_BYTES ? 2 : 1;
    }
    return 0;
}
