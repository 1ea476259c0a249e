/*
 * order.c: the student's function under the virtual GPU's checker, with
 * buffers of exactly the size that is promised, and a trace: was it the
 * device that did the work?
 */
#include "case/evidence.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_order(struct evidence *evidence, const struct grade_job *job,
                      struct program *program, struct order_result *result)
{
    struct lab_shape shape = evidence->lab->shapes[result->shape];
    struct reference reference;

    shape.gpus = shape_gpus(evidence->lab, job, BACKEND_VGPU, shape.gpus);
    if (!run_setup(program, &shape, 0, &result->run) ||
        !reference_make_gpus(&reference, shape.entries, 0,
                             evidence->lab->shape_iters, shape.gpus,
                             shape.streams))
        return;
    run_student(program, &reference, "student", true, &result->run);
    reference_free(&reference);
}

static void grade_one(struct evidence *evidence, const struct grade_job *job,
                      struct order_result *result,
                      struct program_options *options)
{
    const struct lab_shape *shape = &evidence->lab->shapes[result->shape];
    char *trace = text_format("%s/order.trace", options->folder);
    struct program program;

    options->trace = trace;
    unlink(trace);
    if (program_start(&program, options,
                      (2 * shape->entries + 2) * sizeof(uint64_t)))
        run_order(evidence, job, &program, result);
    else
        result->run.end = program.child.end;
    if (!result->run.ran && result->run.ended.length == 0)
        program_describe_end(&program, &result->run.ended);
    program_finish(&program);
    child_stop(&program.child);
    checked_read(&result->checked, text_string(&program.child.report));
    trace_facts_read(&result->trace, trace);
    program_free(&program);
    free(trace);
}

/* Right, but by kernels that did less than half of the work. */
static bool is_off_device(const struct lab_rules *lab,
                          const struct order_result *result)
{
    return result->run.right && result->trace.there &&
           result->trace.work < WORK_LEAST_OPS * lab->shape_iters *
                                    lab->shapes[result->shape].entries;
}

void grade_order(struct evidence *evidence, const struct grade_job *job,
                 int program_fd)
{
    struct program_options options = {
        .backend = BACKEND_VGPU,
        .program_fd = program_fd,
        .folder = job->folder,
        .root = job->tools->root,
        .virtual_device = job->virtual_device,
        .virtual_gpus = evidence->lab->virtual_gpus,
        .check = true,
        .seconds = 2 * job->seconds,
    };

    for (size_t i = 0; i < evidence->lab->num_order_shapes; i++) {
        struct order_result *result = &evidence->order[i];

        result->shape = evidence->lab->order_shapes[i];
        /* A shape that hung or crashed would only do so again. */
        if (evidence->shapes[result->shape].end != CHILD_RUNNING &&
            evidence->shapes[result->shape].end != CHILD_EXITED)
            continue;
        if (child_interrupted())
            break;
        grade_one(evidence, job, result, &options);
        evidence->off_device |= is_off_device(evidence->lab, result);
    }
}
