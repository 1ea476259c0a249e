/*
 * progress.c: tells who waits at a terminal what takes so long. A kernel that a
 * GPU is done with in a millisecond can take a processor minutes, and who does
 * not know that takes the program for one that hangs.
 */
#include "rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "watcher.h"

#define SECOND_NS INT64_C(1000000000)

static int64_t began_ns, next_s = 5;
static uint64_t kernels; /* that were begun */

/* After 5, 20 and 60 seconds, then each minute. */
static int64_t after(int64_t s)
{
    return s < 20 ? 20 : s / 60 * 60 + 60;
}

static void tell(const struct vgpu_exec *exec, uint64_t done, uint64_t all)
{
    const struct vgpu_kernel *const kernel = exec->kernel;
    const int64_t s = (vgpu_real_ns() - began_ns) / SECOND_NS;

    if (s < next_s)
        return;
    fprintf(stderr,
            "vgpu: at work for %" PRId64 " s: kernel %" PRIu64
            ", %s (%s:%d), %.1f %% of its blocks are done%s\n",
            s, kernels, kernel->name, kernel->file, kernel->line,
            (double)done * 100 / (double)all,
            next_s > 5 || exec->sample
                ? ""
                : "; for times alone, VGPU_SAMPLE=4 takes less");
    next_s = after(s);
}

void vgpu_progress_begin(void)
{
    if (!isatty(STDERR_FILENO))
        return;
    began_ns = vgpu_real_ns();
    vgpu_exec_host.progress = tell;
}

void vgpu_progress_kernel(void)
{
    kernels++;
}
