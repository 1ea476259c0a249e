/*
 * stacks.c: memory for the stacks of a block's threads.
 *
 * A stack must be large enough for any kernel and cost nothing while it is not
 * used: slabs of a thousand are reserved at once, each stack is made accessible
 * when it is first taken, and the system backs it page by page. Below each lies
 * a guard, so that a thread which needs more ends with a message and does not
 * write into its neighbour's variables. Stacks are never given back; block
 * states keep them.
 */
#include "stacks.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

#define GUARD_BYTES     (64 * 1024) /* more than most frames */
#define PITCH_BYTES     (GUARD_BYTES + STACK_BYTES)
#define STACKS_PER_SLAB 1024
#define MAX_SLABS       16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *slabs[MAX_SLABS];
static unsigned int num_taken;

static char *slab_new(void)
{
    void *slab = mmap(NULL, (size_t)PITCH_BYTES * STACKS_PER_SLAB, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return slab == MAP_FAILED ? NULL : slab;
}

static char *take_locked(void)
{
    unsigned int slab = num_taken / STACKS_PER_SLAB;
    size_t at = (size_t)(num_taken % STACKS_PER_SLAB) * PITCH_BYTES;
    char *stack;

    if (slab == MAX_SLABS)
        return NULL;
    if (!slabs[slab]) {
        slabs[slab] = slab_new();
        if (!slabs[slab])
            return NULL;
    }
    stack = slabs[slab] + at + GUARD_BYTES;
    if (mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
        return NULL;
    num_taken++;
    return stack;
}

char *vgpu_stack_take(void)
{
    char *stack;

    pthread_mutex_lock(&lock);
    stack = take_locked();
    pthread_mutex_unlock(&lock);
    return stack;
}

/* Called from a signal handler too, so without the lock: slabs are only ever
 * added. */
int vgpu_stack_contains(const void *address)
{
    uintptr_t a = (uintptr_t)address;
    int i;

    for (i = 0; i < MAX_SLABS && slabs[i]; i++) {
        uintptr_t at = a - (uintptr_t)slabs[i];

        if (at < (uintptr_t)PITCH_BYTES * STACKS_PER_SLAB)
            return at % PITCH_BYTES < GUARD_BYTES ? 2 : 1;
    }
    return 0;
}
