/*
 * speed.h: what is written for speed alone. Nothing else includes what is in
 * this folder, and without it programs do the same in the same virtual time:
 * but of a kernel whose blocks run for a few alone, the memory that all touch
 * is guessed at where the few do not say (docs/virtual-gpu.md).
 */
#ifndef VGPU_SPEED_H
#define VGPU_SPEED_H

#include "../parse.h"

/* All is read: look at it, and note further edits and kernels' runners. */
#ifdef VGPU_WITHOUT_SPEED
static inline void speed_write(struct parse *p)
{
    (void)p;
}
#else
void speed_write(struct parse *p);
#endif

#endif
