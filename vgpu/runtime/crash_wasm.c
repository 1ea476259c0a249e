/*
 * crash_wasm.c: crash.c in a browser: the page hears of a trap and asks for the
 * words. The line is that of the last call or access before it.
 */
#include <stdio.h>

#include "crash.h"
#include "lab_wasm.h"
#include "rt.h"

void vgpu_crash_tell(int signal_number, uint64_t pc);

void vgpu_crash_watch(void)
{
}

/* Below 0: for want of stack. */
void vgpu_crash_tell(int signal_number, uint64_t pc)
{
    const int number = signal_number < 0 ? -signal_number : signal_number;

    if (number != SIGABRT)
        vgpu_check_crash(crash_kind(number, signal_number < 0), pc,
                         &(struct vgpu_report){.code = number});
}

/* The C library's is a trap, which cannot be told from others. */
VGPU_PUBLIC void abort(void)
{
    lab_end(SIGABRT);
}
