/*
 * team.h: threads of the host's that run blocks of one kernel at once. They
 * belong to no program: the runtime does not count them.
 */
#ifndef VGPU_TEAM_H
#define VGPU_TEAM_H

#include <stdbool.h>

/* How many may work at once: VGPU_CORES, or the processor's; at least 1. */
int vgpu_team_size(void);

/* Call @work(@arg) on as many threads, the caller's among them, and come back
 * when all have. One team works at a time, others' calls wait. */
typedef void vgpu_work_fn(void *arg, bool is_caller);
void vgpu_team_work(int threads, vgpu_work_fn *work, void *arg);

#endif
