/*
 * stacks.h: memory for the stacks of a block's threads. One reservation of
 * address space; pages are used when they are touched. Between two stacks lie
 * pages that nothing may touch, but of very many only between some.
 */
#ifndef VGPU_STACKS_H
#define VGPU_STACKS_H

#include <stddef.h>

#define STACK_BYTES (256 * 1024)
#ifdef __wasm__
#define STACK_GUARD_BYTES (16 * 1024) /* of 4 GiB of addresses */
#else
#define STACK_GUARD_BYTES (64 * 1024) /* more than most frames */
#endif
#define STACK_PITCH_BYTES (STACK_GUARD_BYTES + STACK_BYTES)
#define STACK_FULL_WORDS                                                       \
    "stack overflow: a thread has %d KiB for its local variables and calls"

/*
 * A stack that nobody uses, from the calling process's pool.
 * Return: its lowest address, STACK_BYTES long; NULL without memory.
 */
char *vgpu_stack_take(void);
/* Nobody uses it any more. */
void vgpu_stack_give(char *stack);
/* 1 in a stack, 2 in the pages below one, 0 elsewhere. */
int vgpu_stack_contains(const void *address);

#endif
