/* shapes.c: the student's function on every shape, right or not */
#include "case/evidence.h"

#include <string.h>

enum { GUARD = 64 };

unsigned shape_gpus(const struct lab_rules *lab, const struct grade_job *job,
                    enum backend backend, unsigned wanted)
{
    unsigned there = backend == BACKEND_CUDA ? (unsigned)job->tools->gpus.count
                                             : lab->virtual_gpus;

    if (lab->virtual_gpus == 0 || there < 1)
        return 1;
    if (there > REFERENCE_MAX_GPUS)
        there = REFERENCE_MAX_GPUS;
    return wanted > 0 && wanted < there ? wanted : there;
}

/* The host's buffer and each GPU's have a guard. */
static size_t room_needed(const struct lab_rules *lab, unsigned gpus)
{
    uint64_t most = 1;

    for (size_t i = 0; i < lab->num_shapes; i++)
        if (lab->shapes[i].entries > most)
            most = lab->shapes[i].entries;
    return (size_t)(2 * most + (1 + gpus) * (most + GUARD)) * sizeof(uint64_t);
}

/* A guard as long as the data: a whole array copied to the last chunk's
 * place is seen, and does no harm. */
static void run_shape(struct evidence *evidence, const struct grade_job *job,
                      struct program *program, size_t index)
{
    struct lab_shape shape = evidence->lab->shapes[index];
    const uint64_t guard = shape.entries + GUARD;
    struct run_result *result = &evidence->shapes[index];
    struct reference reference;

    shape.gpus = shape_gpus(evidence->lab, job, evidence->backend, shape.gpus);
    result->gpus = evidence->lab->virtual_gpus ? shape.gpus : 0;
    if (!run_setup(program, &shape, guard, result))
        return;
    if (!reference_make_gpus(&reference, shape.entries, guard,
                             evidence->lab->shape_iters, shape.gpus,
                             shape.streams)) {
        text_printf(&result->ended, "the grader has no memory left");
        return;
    }
    run_student(program, &reference, "student", true, result);
    reference_free(&reference);
}

/* A virtual device that is not there, a GPU that is busy or broken: nothing
 * that the student could mend. */
void note_no_start(struct evidence *evidence, const struct program *program)
{
    const char *const printed = text_string(&program->child.err);
    const char *const answer = text_string(&program->answer);

    if (strncmp(printed, "vgpu: ", 6) == 0)
        text_printf(&evidence->no_start, "%.*s", (int)strcspn(printed, "\n"),
                    printed);
    else if (strncmp(answer, "failed", 6) == 0)
        text_printf(&evidence->no_start,
                    "the device cannot be used (make doctor says more): %s",
                    answer);
}

bool is_costly(enum child_end end)
{
    return end == CHILD_TIMEOUT || end == CHILD_FLOOD || end == CHILD_MEMORY;
}

/* One program for all shapes; a new one after it ended or met an error that
 * stays. */
void grade_shapes(struct evidence *evidence, const struct grade_job *job,
                  int program_fd)
{
    const struct program_options options = {
        .backend = evidence->backend,
        .program_fd = program_fd,
        .folder = job->folder,
        .root = job->tools->root,
        .virtual_device = job->virtual_device,
        .virtual_gpus = evidence->lab->virtual_gpus,
        .seconds = job->seconds,
    };
    const unsigned gpus = shape_gpus(evidence->lab, job, evidence->backend, 0);
    struct program program;
    bool alive = false;
    int hangs = 0;

    for (size_t i = 0; i < evidence->lab->num_shapes; i++) {
        struct run_result *result = &evidence->shapes[i];

        if (child_interrupted() || evidence->no_start.length > 0)
            break;
        if (hangs >= 2) {
            result->end = CHILD_TIMEOUT;
            result->not_tried = true;
            continue;
        }
        if (!alive) {
            alive = program_start(&program, &options,
                                  room_needed(evidence->lab, gpus));
            if (alive)
                strcpy(evidence->device, program.device);
            else if (i == 0)
                note_no_start(evidence, &program);
        }
        if (alive) {
            run_shape(evidence, job, &program, i);
        } else {
            program_describe_end(&program, &result->ended);
            result->end = program.child.end;
        }
        hangs += is_costly(result->end);
        if (!result->ran || result->late[0] != '\0') {
            program_free(&program);
            alive = false;
        }
    }
    if (alive) {
        program_finish(&program);
        program_free(&program);
    }
}
