/*
 * crash.h: what is said of host code that crashed.
 */
#ifndef VGPU_CRASH_H
#define VGPU_CRASH_H

#include <signal.h>
#include <stdbool.h>

#include "vgpu/report.h"

/* @full: its stack was. */
static inline enum vgpu_report_kind crash_kind(int number, bool full)
{
    return number == SIGFPE   ? VGPU_REPORT_crash_division
           : number == SIGILL ? VGPU_REPORT_crash_trap
           : full             ? VGPU_REPORT_crash_stack
                              : VGPU_REPORT_crash_address;
}

#endif
