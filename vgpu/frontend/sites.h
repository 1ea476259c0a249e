/*
 * sites.h: the places of calls, handed over where there is no return address.
 *
 * Text in, text out, as with the rewriter: this time it is assembly for
 * WebAssembly, as clang writes it.
 */
#ifndef VGPU_SITES_H
#define VGPU_SITES_H

#include "buf.h"

/*
 * Add @text, the @size bytes of a program's assembly, to @out, so that
 *  - the global variable __vgpu_pc holds, at each call and each division, the
 *    address of {const char *file; uint32_t line;}, its place as a report has
 * it (0 where it is not known); VGPU_CALLER() of vgpu/caller.h reads it;
 *  - memcpy and its kin are the checker's (vgpu/memory.h);
 *  - what describes the program to a debugger is left out: the places are
 *    all that anybody asks for.
 */
void sites_add(const char *text, size_t size, struct buf *out);

#endif
