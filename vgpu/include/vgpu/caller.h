/*
 * caller.h: from where the function that asks was called, for reports.
 *
 * A return address is a place in the program, and the line table knows its
 * line. WebAssembly has none: there each call of a program is preceded by one
 * instruction that names its record, a file and a line (check/lines_wasm.c),
 * and the first thing that a called function does is to look at that.
 */
#ifndef VGPU_CALLER_H
#define VGPU_CALLER_H

#ifdef __wasm__
/* Volatile, so that it stays ahead of the calls that come after it. */
static inline __attribute__((always_inline, unused)) void *vgpu_caller(void)
{
    void *record;

    __asm__ volatile(".globaltype __vgpu_pc, i32\n\t"
                     "global.get __vgpu_pc\n\t"
                     "local.set %0"
                     : "=r"(record));
    return record;
}
#define VGPU_CALLER() vgpu_caller()
#define VGPU_FRAME()  NULL /* nobody knows where stacks are */
#else
#define VGPU_CALLER() __builtin_return_address(0)
#define VGPU_FRAME()  __builtin_frame_address(0)
#endif

#endif
