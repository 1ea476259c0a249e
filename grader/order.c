/*
 * order.c: the student's function under the virtual GPU's checker, with
 * buffers of exactly the size that is promised, and a trace. And once more
 * without it: was it the device that did the work?
 */
#include "evidence.h"
#include "trace.h"

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

/* ---- who did the work -----------------------------------------------------
 */

/* So many rounds that a kernel which does nothing is short beside one that
 * decrypts. */
static const uint64_t WORK_ITERS = 2400;

/* Time in kernels, before and after the second run began. */
static void sum_kernels(const char *path, uint64_t sum_ns[2])
{
    struct trace trace;
    struct trace_error error;

    sum_ns[0] = sum_ns[1] = 0;
    if (trace_read(path, true, &trace, &error) != TRACE_OK)
        return;
    for (size_t i = 0; trace.num_marks > 2 && i < trace.num_ops; i++)
        if (trace.ops[i].kind == TRACE_KIND_KERNEL)
            sum_ns[trace.ops[i].start_ns >= trace.marks[2].t_ns] +=
                trace.ops[i].end_ns - trace.ops[i].start_ns;
    trace_free(&trace);
}

void grade_work(struct evidence *evidence, const struct grade_job *job,
                int program_fd)
{
    const struct lab_rules *const lab = evidence->lab;
    struct lab_shape shape;
    struct program_options options = {
        .backend = BACKEND_VGPU,
        .program_fd = program_fd,
        .folder = job->folder,
        .root = job->tools->root,
        .virtual_device = lab->virtual_device,
        .virtual_gpus = lab->virtual_gpus,
        .seconds = 2 * job->seconds,
    };
    struct run_result serial = {0}, student = {0};
    struct reference reference = {0};
    struct program program;
    char *trace;
    uint64_t kernels_ns[2];

    if (lab->num_order_shapes == 0 || !evidence->order[0].run.right)
        return;
    shape = lab->shapes[lab->order_shapes[0]];
    shape.gpus = shape_gpus(lab, job, BACKEND_VGPU, shape.gpus);
    trace = text_format("%s/work.trace", options.folder);
    options.trace = trace;
    unlink(trace);
    if (program_start(&program, &options,
                      (2 * shape.entries + 2) * sizeof(uint64_t)) &&
        run_setup(&program, &shape, 0, &student) &&
        reference_make_gpus(&reference, shape.entries, 0, WORK_ITERS,
                            shape.gpus, shape.streams)) {
        run_student(&program, &reference, "serial", false, &serial);
        run_student(&program, &reference, "student", false, &student);
        program_finish(&program);
    }
    child_stop(&program.child);
    sum_kernels(trace, kernels_ns);
    evidence->off_device =
        student.right && kernels_ns[0] > 0 && kernels_ns[1] < kernels_ns[0] / 2;
    program_free(&program);
    reference_free(&reference);
    run_free(&serial);
    run_free(&student);
    free(trace);
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
    }
}
