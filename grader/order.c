/*
 * order.c: the student's function under the virtual GPU's checker, with
 * buffers of exactly the size that is promised, and a trace.
 */
#include "evidence.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void describe_hazard(struct text *words, const char *line)
{
    struct text first = {0}, second = {0};

    report_take_place(&first, line, "first");
    report_take_place(&second, line, "second");
    text_printf(words, "hazard: ");
    report_take_field(words, line, "first_what");
    text_printf(words, " (%s, ", text_string(&first));
    report_take_field(words, line, "first_agent");
    text_printf(words, ") and ");
    report_take_field(words, line, "second_what");
    text_printf(words, " (%s, ", text_string(&second));
    report_take_field(words, line, "second_agent");
    text_printf(words, ") touch the same bytes and nothing orders them");
    text_free(&first);
    text_free(&second);
}

static void note_line(struct order_result *result, const char *line)
{
    if (strncmp(line, "hazard\t", 7) == 0) {
        struct text second = {0};

        report_take_place(&second, line, "second");
        result->by_driver |= strncmp(text_string(&second), "driver.cu", 9) == 0;
        text_free(&second);
        if (result->hazards++ == 0)
            describe_hazard(&result->first_hazard, line);
    } else if (strncmp(line, "fault\t", 6) == 0) {
        if (result->faults++ == 0)
            fault_find(&result->first_fault, line);
    } else if (strncmp(line, "warning\t", 8) == 0) {
        if (strstr(line, "at=driver.cu") || strstr(line, "/driver.cu"))
            return;
        if (result->warnings++ == 0) {
            report_take_place(&result->first_warning, line, "at");
            text_printf(&result->first_warning, ": ");
            report_take_field(&result->first_warning, line, "text");
        }
    }
}

static void read_report(struct order_result *result, struct text *report)
{
    char *state = NULL;

    if (report->data == NULL)
        return;
    for (char *line = strtok_r(report->data, "\n", &state); line;
         line = strtok_r(NULL, "\n", &state))
        note_line(result, line);
}

static void run_order(struct evidence *evidence, struct program *program,
                      struct order_result *result)
{
    const struct lab_shape *shape = &evidence->lab->shapes[result->shape];
    struct reference reference;

    if (!run_setup(program, shape, 0, &result->run) ||
        !reference_make(&reference, shape->entries, 0,
                        evidence->lab->shape_iters))
        return;
    run_student(program, &reference, "student", true, &result->run);
    reference_free(&reference);
}

static void grade_one(struct evidence *evidence, struct order_result *result,
                      struct program_options *options)
{
    const struct lab_shape *shape = &evidence->lab->shapes[result->shape];
    char *trace = text_format("%s/order.trace", options->folder);
    struct program program;

    options->trace = trace;
    unlink(trace);
    if (program_start(&program, options,
                      (2 * shape->entries + 2) * sizeof(uint64_t)))
        run_order(evidence, &program, result);
    else
        program_describe_end(&program, &result->run.ended);
    program_finish(&program);
    child_stop(&program.child);
    read_report(result, &program.child.report);
    trace_facts_read(&result->trace, trace);
    program_free(&program);
    free(trace);
}

void grade_order(struct evidence *evidence, const struct grade_job *job,
                 int program_fd)
{
    struct program_options options = {
        .backend = BACKEND_VGPU,
        .program_fd = program_fd,
        .folder = job->folder,
        .virtual_device = job->virtual_device,
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
        grade_one(evidence, result, &options);
    }
}
