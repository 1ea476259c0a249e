/* 91_gpus.c: rules of a lab of several GPUs that only the grader's tests have
 */
#include "case/evidence.h"

static const struct lab_shape shapes[] = {
    {.name = "divisible", .entries = 8192, .streams = 4, .points = 10},
    {.name = "uneven", .entries = 10007, .streams = 3, .points = 10},
    {.name = "empty GPUs", .entries = 5, .streams = 2, .points = 10},
    {.name = "two GPUs", .entries = 999, .streams = 2, .points = 10, .gpus = 2},
};

static const size_t order_shapes[] = {1, 2};

static struct finding explain_shape(const struct evidence *ev, size_t shape)
{
    const struct run_result *const run = &ev->shapes[shape];

    if (run->overrun.any)
        return finding_make("overrun", NULL, "Past the end of a GPU's memory.");
    if (run->running > 0)
        return finding_make("not-waited", NULL, "A GPU still works.");
    return finding_none();
}

static struct finding explain_none(const struct evidence *ev)
{
    (void)ev;
    return finding_none();
}

static struct finding explain_speed(const struct evidence *ev)
{
    if (ev->speed.eta < ev->lab->speed.eta_needed)
        return finding_make("slow", NULL, "The GPUs do not work together.");
    return finding_none();
}

static const struct lab_rules lab_91 = {
    .name = "91_gpus",
    .virtual_device = "k20",
    .virtual_gpus = 4,
    .shapes = shapes,
    .num_shapes = sizeof shapes / sizeof *shapes,
    .shape_iters = 12,
    .order_shapes = order_shapes,
    .num_order_shapes = 2,
    .points_builds = 5,
    .points_large = 5,
    .points_ordered = 15,
    .points_fast = 25,
    .points_clean = 10,
    .speed = {.entries_cuda = 1 << 24,
              .streams_cuda = 16,
              .entries_vgpu = 1 << 21,
              .streams_vgpu = 4,
              .most_rounds_vgpu = 1000,
              .eta_needed = 0.60},
    .explain_shape = explain_shape,
    .explain_order = explain_none,
    .explain_speed = explain_speed,
    .explain_clean = explain_none,
};

LAB_RULES(lab_91);
