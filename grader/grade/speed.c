/*
 * speed.c: how fast, compared with the same work without overlap and with
 * what this device could do at best. All of it measured in this run.
 */
#include "case/evidence.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW_TURNS = 5,
    MAX_TURNS = 15,
    PHASE_REPEATS = 5,
    /* Below that, the fixed costs of small copies on a virtual device with a
     * fast link hide the overlap: twice the data, at twice the cost. */
    SHORT_COPY_NS = 250000,
};

/* Times of runs in turns: what slows one of them slows its neighbours. */
struct turns {
    uint64_t serial[MAX_TURNS], student[MAX_TURNS];
    uint64_t both[MAX_TURNS], kernel[MAX_TURNS];
    int count;
};

static int compare_u64(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static uint64_t median(const uint64_t *values, int count)
{
    uint64_t sorted[MAX_TURNS];

    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_u64);
    return sorted[count / 2];
}

static uint64_t run_phase(struct program *program, const char *what,
                          uint64_t iters)
{
    return program_ask(program, "phase what=%s iters=%llu", what,
                       (unsigned long long)iters)
               ? program_number(program, " ns=")
               : 0;
}

/* Virtual time is exact: once is enough. A real device is warmed up. */
static uint64_t measure_phase(struct program *program, const char *what,
                              uint64_t iters)
{
    const bool cuda = program->options.backend == BACKEND_CUDA;
    uint64_t ns[PHASE_REPEATS];
    const int repeats = cuda ? PHASE_REPEATS : 1;

    if (cuda && run_phase(program, what, iters) == 0)
        return 0;
    for (int i = 0; i < repeats; i++) {
        ns[i] = run_phase(program, what, iters);
        if (ns[i] == 0)
            return 0;
    }
    return median(ns, repeats);
}

/*
 * The rounds with which the kernel takes as long as a copy. Few rounds are
 * limited by the device's memory, many by its arithmetic: a line through two
 * points, drawn again from where it led.
 */
static uint64_t choose_rounds(struct program *program, uint64_t copy_ns,
                              uint64_t most)
{
    uint64_t few = 8, rounds = 40;
    uint64_t few_ns = measure_phase(program, "kernel", few);

    for (int turn = 0; turn < 3; turn++) {
        const uint64_t ns = measure_phase(program, "kernel", rounds);
        const double slope =
            ((double)ns - (double)few_ns) / ((double)rounds - (double)few);
        double next;

        if (rounds == few || slope <= 0)
            break;
        next = (double)rounds + ((double)copy_ns - (double)ns) / slope;
        few = rounds;
        few_ns = ns;
        if (next < 8)
            next = 8;
        rounds = next > (double)most ? most : (uint64_t)next;
    }
    return rounds;
}

static bool setup_phases(struct speed_result *speed, struct program *program)
{
    const struct lab_shape shape = {.entries = speed->entries,
                                    .streams = speed->streams,
                                    .gpus = speed->gpus};

    if (!run_setup(program, &shape, 0, &speed->large))
        return false;
    speed->h2d_ns = measure_phase(program, "h2d", 1);
    return speed->h2d_ns > 0;
}

static bool measure_phases(struct evidence *evidence, struct program *program)
{
    struct speed_result *speed = &evidence->speed;
    const bool cuda = evidence->backend == BACKEND_CUDA;
    const uint64_t most =
        cuda ? UINT64_C(1) << 20 : evidence->lab->speed.most_rounds_vgpu;

    if (!setup_phases(speed, program))
        return false;
    if (!cuda && speed->h2d_ns < SHORT_COPY_NS) {
        speed->entries *= 2;
        if (!setup_phases(speed, program))
            return false;
    }
    speed->d2h_ns = measure_phase(program, "d2h", 1);
    speed->both_ns = measure_phase(program, "both", 1);
    speed->iters = choose_rounds(program, speed->h2d_ns, most);
    speed->kernel_ns = measure_phase(program, "kernel", speed->iters);
    return speed->h2d_ns && speed->d2h_ns && speed->both_ns && speed->kernel_ns;
}

/* One run of the serial version and one of the student's, on new data, and the
 * phases that set the limit. */
static bool run_turn(struct evidence *evidence, struct program *program,
                     struct reference *reference, struct turns *turns)
{
    static const char *const command = "run who=%s iters=%llu timed=1";
    struct speed_result *speed = &evidence->speed;
    const bool exact = evidence->backend == BACKEND_VGPU;
    const int i = turns->count;

    if (!program_ask(program, command, "serial",
                     (unsigned long long)speed->iters))
        return false;
    turns->serial[i] = program_number(program, " ns=");
    if (!reference_shuffle(reference))
        return false;
    reference_write(reference, program->input);
    if (!program_ask(program, command, "student",
                     (unsigned long long)speed->iters))
        return false;
    turns->student[i] = program_number(program, " ns=");
    speed->wrong += reference_count_wrong(reference, program->output);
    turns->both[i] = exact ? speed->both_ns : run_phase(program, "both", 1);
    turns->kernel[i] =
        exact ? speed->kernel_ns : run_phase(program, "kernel", speed->iters);
    turns->count++;
    return turns->both[i] > 0 && turns->kernel[i] > 0;
}

/* The rates that follow from the medians. */
static void evaluate(struct speed_result *speed, const struct turns *turns,
                     double eta_needed)
{
    const double serial = (double)median(turns->serial, turns->count);
    const double student = (double)median(turns->student, turns->count);
    uint64_t least =
        speed->h2d_ns > speed->d2h_ns ? speed->h2d_ns : speed->d2h_ns;
    double bound;

    speed->both_ns = median(turns->both, turns->count);
    speed->kernel_ns = median(turns->kernel, turns->count);
    speed->bound_ns =
        speed->kernel_ns > speed->both_ns ? speed->kernel_ns : speed->both_ns;
    least = least < speed->both_ns ? least : speed->both_ns;
    bound = (double)speed->bound_ns;
    speed->serial_ns = (uint64_t)serial;
    speed->student_ns = (uint64_t)student;
    speed->bound_speedup = serial / bound;
    speed->speedup = student > 0 ? serial / student : 0;
    speed->gradable = speed->bound_speedup > 1.15;
    if (!speed->gradable)
        return;
    speed->eta = (serial - student) / (serial - bound);
    speed->needed_ns = (uint64_t)(serial - eta_needed * (serial - bound));
    speed->needed_speedup = serial / (double)speed->needed_ns;
    speed->impossible = student < 0.95 * (double)least ||
                        student < 0.95 * (double)speed->kernel_ns;
}

bool speed_is_doubtful(double eta, double eta_needed, bool impossible)
{
    return impossible || (eta > eta_needed / 2 && eta < eta_needed + 0.03);
}

static bool run_turns(struct evidence *evidence, struct program *program,
                      struct reference *reference)
{
    struct speed_result *speed = &evidence->speed;
    const double needed = evidence->lab->speed.eta_needed;
    const bool cuda = evidence->backend == BACKEND_CUDA;
    int wanted = cuda ? FEW_TURNS : 1;
    struct turns turns = {.count = 0};

    while (turns.count < wanted) {
        if (!run_turn(evidence, program, reference, &turns))
            return false;
        if (turns.count < wanted)
            continue;
        evaluate(speed, &turns, needed);
        if (cuda && speed->gradable &&
            speed_is_doubtful(speed->eta, needed, speed->impossible))
            wanted = MAX_TURNS;
    }
    return true;
}

/* First once without the clock: is it right at this size, is all work done
 * at the return? This also warms up what is made at a first run. */
static bool run_large(struct evidence *evidence, struct program *program,
                      struct reference *reference)
{
    struct speed_result *speed = &evidence->speed;

    run_student(program, reference, "student", false, &speed->large);
    return speed->large.ran;
}

static void note_end(struct speed_result *speed, struct program *program)
{
    if (program->child.end != CHILD_RUNNING)
        program_describe_end(program, &speed->ended);
    else
        text_printf(&speed->ended, "the device reports an error (%s)",
                    text_string(&program->answer));
}

static void measure(struct evidence *evidence, struct program *program)
{
    struct speed_result *speed = &evidence->speed;
    struct reference reference;

    if (!measure_phases(evidence, program)) {
        note_end(speed, program);
        return;
    }
    if (!reference_make(&reference, speed->entries, 0, speed->iters)) {
        text_printf(&speed->ended, "the grader has no memory left");
        return;
    }
    if (run_large(evidence, program, &reference)) {
        speed->measured = run_turns(evidence, program, &reference);
        if (!speed->measured)
            note_end(speed, program);
    }
    reference_free(&reference);
}

void grade_speed(struct evidence *evidence, const struct grade_job *job,
                 int program_fd)
{
    const struct lab_speed *rules = &evidence->lab->speed;
    struct speed_result *speed = &evidence->speed;
    const bool cuda = evidence->backend == BACKEND_CUDA;
    const struct program_options options = {
        .backend = evidence->backend,
        .program_fd = program_fd,
        .folder = job->folder,
        .root = job->tools->root,
        .virtual_device = job->virtual_device,
        .virtual_gpus = evidence->lab->virtual_gpus,
        .seconds = 3 * job->seconds,
    };
    struct program program;

    program_turn_begin(evidence->backend);
    speed->tried = true;
    speed->entries = cuda ? rules->entries_cuda : rules->entries_vgpu;
    speed->streams = cuda ? rules->streams_cuda : rules->streams_vgpu;
    speed->gpus = shape_gpus(evidence->lab, job, evidence->backend, 0);
    if (program_start(&program, &options,
                      (size_t)((6 + 2 * speed->gpus) * speed->entries) *
                          sizeof(uint64_t))) {
        memcpy(evidence->device, program.device, sizeof program.device);
        measure(evidence, &program);
        program_finish(&program);
    } else {
        note_end(speed, &program);
    }
    program_free(&program);
    program_turn_end(evidence->backend);
}
