/*
 * memory.h: has the checker see what memcpy and its kin touch. C and C++.
 *
 * vgpucc includes it before every source. Neither gcc nor older clangs tell
 * the checker of these calls, so the assembler renames them, those too that
 * come from headers and from copies of structures; in the program's own
 * objects only, not in the C library.
 */
#ifndef VGPU_MEMORY_H
#define VGPU_MEMORY_H

#include "vgpu/calls.h"
#ifdef __cplusplus
#include "vgpu/host.h"
#endif

#ifndef __wasm__ /* there, by vgpucc itself */
__asm__("memcpy = vgpu_memcpy\n\t"
        "memmove = vgpu_memmove\n\t"
        "memset = vgpu_memset\n\t"
        "memcmp = vgpu_memcmp\n\t"
        "bcmp = vgpu_memcmp");
#endif

#endif
