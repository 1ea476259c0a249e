/*
 * device.h: the built-in functions of device code. C++17.
 */
#ifndef VGPU_DEVICE_H
#define VGPU_DEVICE_H

#include "vgpu/threads.h"

static inline void __syncthreads(void)
{
    vgpu_barrier_wait(VGPU_BARRIER_PLAIN, 0);
}

#endif
