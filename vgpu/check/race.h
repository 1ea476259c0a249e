/*
 * race.h: races between the threads of one kernel, as report.c is told of
 * them. Private to vgpu/check; what device/ calls is in vgpu_check.h.
 */
#ifndef VGPU_CHECK_RACE_H
#define VGPU_CHECK_RACE_H

#include "check_state.h"

/* Collect one (race_found.c), with one access of it. */
void race_add(const struct race *found);
/* Report what was collected of a kernel. */
void race_report(const struct origin *origin);
/* Has an atomic of the same thread followed the read at @pc? */
bool race_tries(uint64_t pc);
void report_race(const struct race *race, const struct origin *origin);

/* The running kernel touches what its threads share. */
void race_touch(uintptr_t address, size_t bytes, enum set_index set,
                uint64_t pc);
/* Is @address in the shared memory of the block that runs? */
bool race_shared(uintptr_t address);
/* The access to @address that comes next is a volatile one. */
void race_volatile(uintptr_t address);

#endif
