/*
 * lab_wasm.h: what a program in a browser asks of the page around it: the
 * module "lab" in web/engine/program.js.
 */
#ifndef VGPU_LAB_WASM_H
#define VGPU_LAB_WASM_H

#include <stdint.h>

#define LAB_IMPORT(name)                                                       \
    __attribute__((import_module("lab"), import_name(#name)))

struct context;

/* Called first on a stack that is new: it is suspended once, and so whoever
 * began it has the promise of its end. */
LAB_IMPORT(begun) void lab_begun(void);

/* Signals by Linux's numbers: what the grader knows. */
enum { LAB_SIGABRT = 6, LAB_SIGFPE = 8, LAB_SIGSEGV = 11, LAB_SIGILL = 4 };

/* The stack that is in use stays as it is until something switches to @from;
 * @to goes on, or begins by vgpu_context_enter. */
LAB_IMPORT(switch) void lab_switch(struct context *from, struct context *to);
/* The same, and nothing ever switches back. */
LAB_IMPORT(leave) void lab_leave(struct context *to);
/* End the program as this signal would. */
LAB_IMPORT(end) __attribute__((noreturn)) void lab_end(int signal_number);

/* Nothing happens for so long. */
LAB_IMPORT(sleep) void lab_sleep(double ms);

/* Where the calling host thread's stack lies (runtime/threads_wasm.c). */
void vgpu_wasm_stack(uintptr_t *lo, uintptr_t *hi);

#endif
