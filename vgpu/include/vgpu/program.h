/*
 * program.h: what vgpucc includes before every CUDA program.
 *
 * One header, because g++ takes one that is compiled already: build/lib/headers
 * holds it for the options that the grader gives (vgpucc --prepare).
 */
#ifndef VGPU_PROGRAM_H
#define VGPU_PROGRAM_H

#include "vgpu/memory.h"
#include "cuda_runtime.h"

#endif
