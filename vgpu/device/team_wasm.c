/*
 * team_wasm.c: team.c where there is one thread.
 */
#include "team.h"

int vgpu_team_size(void)
{
    return 1;
}

void vgpu_team_work(int threads, vgpu_work_fn *work, void *arg)
{
    (void)threads;
    work(arg, true);
}
