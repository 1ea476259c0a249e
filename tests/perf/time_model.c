/*
 * time_model.c: how many operations per second the time model simulates:
 * copy, kernel, copy in 8 streams, as a chunked pipeline submits them.
 */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vgpu_time.h"

static void cost(void *arg, void *user, struct vgpu_time_work *work)
{
    (void)arg;
    (void)user;
    memset(work, 0, sizeof(*work));
    work->ops = 1000000;
    work->bytes = 1 << 20;
}

static double now_s(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int simulate(int operations)
{
    static const enum vgpu_time_kind kinds[] = {VGPU_TIME_H2D, VGPU_TIME_KERNEL,
                                                VGPU_TIME_D2H};
    struct vgpu_profile profile;
    struct vgpu_time *time;
    vgpu_time_id last[8] = {0};
    double start, spent;

    if (vgpu_profile_load("h200", &profile, NULL, 0) != VGPU_PROFILE_OK)
        return 1;
    time = vgpu_time_new(&profile, 1, 0, cost, NULL);
    if (!time)
        return 1;
    start = now_s();
    for (int i = 0; i < operations; i++) {
        struct vgpu_time_op op = {0};

        op.kind = kinds[i % 3];
        op.stream = (uint32_t)(i / 3 % 8 + 1);
        op.stream_index = op.stream;
        op.issue_ns = (int64_t)i * 2000;
        op.bytes = 1 << 20;
        op.blocks = 264;
        op.threads_per_block = 256;
        op.regs_per_thread = 32;
        vgpu_time_release(time, last[op.stream - 1]);
        last[op.stream - 1] = vgpu_time_submit(time, &op);
    }
    for (int s = 0; s < 8; s++)
        if (vgpu_time_wait(time, last[s]) < 0)
            return 1;
    spent = now_s() - start;
    printf("time model: %7d operations in 8 streams  %6.3f s  %9.0f per s\n",
           operations, spent, operations / spent);
    vgpu_time_free(time);
    return 0;
}

int main(void)
{
    return simulate(10000) || simulate(1000000);
}
