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

/* There if clang has compiled any of the program; see check/access.c. */
#ifdef __clang__
extern "C" __attribute__((weak)) const char vgpu_by_clang = 1;
#endif

/* What a program's text costs is counted by its operators, and must not depend
 * on those that a C library's macros have. */
#ifdef __wasm__
#include <time.h>
static const clockid_t wasi_clock_realtime __attribute__((unused)) =
    CLOCK_REALTIME;
static const clockid_t wasi_clock_monotonic __attribute__((unused)) =
    CLOCK_MONOTONIC;
#undef CLOCK_REALTIME
#undef CLOCK_MONOTONIC
#define CLOCK_REALTIME  wasi_clock_realtime
#define CLOCK_MONOTONIC wasi_clock_monotonic
#endif

#endif
