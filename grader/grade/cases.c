/* cases.c: run every case of a lab, where it belongs, and have it judged */
#include "grade/grade.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case/draw.h"
#include "judge/judge.h"
#include "number.h"
#include "trace_read.h"

enum {
    TIMED_ROUNDS = 3,
    MORE_ROUNDS = 4,
    COSTLY_ENDS = 2,
    DRAWINGS = 3,
    FAR_LONGER = 3
};

struct cases {
    struct evidence *evidence;
    /* What runs goes on while the checker runs: a start costs half a second. */
    struct case_session on_gpu, on_vgpu, on_checker;
    size_t
        room[2]; /* of programs on virtual GPUs, on real ones; 0: not known */
    bool shown;  /* see struct grade_job */
    /* For its trace, without the checker or with it; NULL: to be judged. */
    const char *trace;
    bool check;
};

static struct case_session *session_of(struct cases *cases,
                                       const struct case_run *run)
{
    if (run->apart)
        return &cases->on_checker;
    return run->backend == BACKEND_CUDA ? &cases->on_gpu : &cases->on_vgpu;
}

static void close_sessions(struct cases *cases)
{
    case_session_close(&cases->on_gpu, NULL);
    case_session_close(&cases->on_vgpu, NULL);
    case_session_close(&cases->on_checker, NULL);
}

/* A virtual device that is not there, a GPU that is busy or broken, a program
 * that cannot be run, memory that is short: nothing that the student could
 * mend, whatever stands in the file. */
static void note_machine(struct evidence *evidence,
                         const struct program *program, bool started)
{
    const char *const printed = text_string(&program->child.err);
    const char *const answer = text_string(&program->answer);
    struct out *const words = &evidence->no_start;

    if (program_turn_refused())
        text_printf(words, "%s", program_turn_refused());
    else if (program->child.end == CHILD_NOT_STARTED)
        text_printf(words, "a program cannot be started: %s",
                    strerror(program->child.code));
    else if (program->child.end == CHILD_SIGNALLED &&
             program->child.code == SIGKILL)
        text_printf(words, "the system ended the program, as it does where "
                           "memory is short");
    else if (!started && (strncmp(printed, "vgpu: ", 6) == 0 ||
                          strncmp(printed, CAGE_SAYS, strlen(CAGE_SAYS)) == 0))
        text_printf(words, "%.*s", (int)strcspn(printed, "\n"), printed);
    else if (!started && strncmp(answer, "failed", 6) == 0)
        text_printf(words,
                    "the device cannot be used (make doctor says more): %s",
                    answer);
}

/* ---- where --------------------------------------------------------------- */

static void set_sizes(struct case_run *run)
{
    const struct case_data *const data = run->rules->data;
    uint64_t bytes;

    if (data == NULL)
        return;
    run->data = *data;
    if (data->expect)
        run->data.compare = difference_expected;
    bytes = data->count
                ? data->count(run)
                : case_param(run, data->entries ? data->entries : "entries");
    bytes *= data->entry_bytes ? data->entry_bytes : sizeof(uint64_t);
    if (data->times)
        bytes *= case_param(run, data->times);
    run->input_bytes = (data->inputs ? data->inputs : 1) * bytes;
    run->output_bytes = (data->outputs ? data->outputs : 1) * bytes;
}

/* With what is drawn for this submission. */
static void set_params(struct case_run *run, const struct cases *cases,
                       const char *params)
{
    draw(run->drawn, sizeof run->drawn, params ? params : "",
         cases->shown ? NULL : text_string(&run->evidence->source));
    run->params = run->drawn;
}

static void run_init(struct case_run *run, const struct cases *cases,
                     const struct lab_case *rules, enum backend backend)
{
    const bool cuda = backend == BACKEND_CUDA;
    const char *const slow = cases->shown ? NULL : rules->profile_vgpu;

    run->evidence = cases->evidence;
    run->rules = rules;
    run->backend = backend;
    set_params(run, cases,
               cuda && rules->params_cuda ? rules->params_cuda : rules->params);
    set_sizes(run);
    if (cuda)
        return;
    draw(run->drawn_profile, sizeof run->drawn_profile,
         rules->profile ? rules->profile
         : slow         ? slow
                        : cases->evidence->job->virtual_device,
         cases->shown ? NULL : text_string(&run->evidence->source));
    run->profile = run->drawn_profile;
}

/* On a real GPU, unless the case names a virtual one or needs more of them. */
static void run_init_here(struct case_run *run, const struct cases *cases,
                          const struct lab_case *rules)
{
    const bool real =
        cases->evidence->backend == BACKEND_CUDA && rules->profile == NULL;

    run->short_of_gpus =
        real && lab_gpus_needed(rules) >
                    (unsigned)cases->evidence->job->tools->gpus.count;
    run_init(run, cases, rules,
             real && !run->short_of_gpus ? BACKEND_CUDA : BACKEND_VGPU);
}

/* After a hang a third: two cases that do so are told within 10 s. */
static double seconds_for(const struct cases *cases, const struct case_run *run)
{
    const double most = run->rules->seconds > 0 ? run->rules->seconds
                                                : cases->evidence->job->seconds;

    return cases->evidence->costly > 0 ? most / 3 : most;
}

static size_t max_room(const struct case_run *run, size_t room)
{
    return max_u64(max_u64(run->input_bytes, run->output_bytes), room);
}

/* One program serves all cases that follow each other: to start it on a GPU
 * takes the driver a third of a second, and memory that nobody touches costs
 * nothing. */
static size_t room_for(struct cases *cases, const struct case_run *run)
{
    const struct lab_rules *const lab = cases->evidence->lab;
    size_t *const room = &cases->room[run->backend == BACKEND_CUDA];

    if (*room > 0)
        return max_room(run, *room);
    *room = 1;
    for (size_t i = 0; i < lab->num_cases; i++) {
        struct case_run other;

        memset(&other, 0, sizeof other);
        run_init_here(&other, cases, &lab->cases[i]);
        if (other.backend == run->backend)
            *room = max_room(&other, *room);
    }
    return max_room(run, *room);
}

static struct program_options options_of(struct cases *cases,
                                         const struct case_run *run)
{
    const struct lab_case *const rules = run->rules;
    const bool checkable = run->backend == BACKEND_VGPU;
    const bool look = checkable && (run->data.work || rules->looked);
    struct program_options options = {
        .job = cases->evidence->job,
        .backend = run->backend,
        .virtual_device = run->profile,
        .virtual_gpus = rules->gpus,
        .room = room_for(cases, run),
        .trace = cases->trace,
        .check = cases->check,
        .seconds = seconds_for(cases, run),
    };

    if (cases->trace)
        return options;
    options.check = checkable && rules->checked &&
                    (run->apart || rules->params_checked == NULL);
    options.trace = options.check || look ? options.job->trace : NULL;
    return options;
}

/* ---- one case ------------------------------------------------------------ */

static void run_once(struct cases *cases, struct case_run *run, int rounds)
{
    const struct program_options options = options_of(cases, run);
    struct case_session *const session = session_of(cases, run);
    const bool started = case_session_open(session, &options, run);

    if (started) {
        snprintf(run->device, sizeof run->device, "%s",
                 session->program.device);
        run->ran = true;
        for (int i = 0; i < rounds && run->ran; i++)
            case_round(session, run);
    }
    if (!run->ran)
        note_machine(cases->evidence, &session->program, started);
    cases->evidence->costly += run->end == CHILD_TIMEOUT ||
                               run->end == CHILD_FLOOD ||
                               run->end == CHILD_MEMORY;
    if (options.trace || !run->ran || run->late[0] != '\0')
        case_session_close(session, run);
}

/* On a real GPU, the checker's word comes from a run on a virtual one. */
static void run_checked(struct cases *cases, struct case_result *result)
{
    struct case_run *run = &result->run, *other = &result->under_checker;
    const char *const params = run->rules->params_checked;

    /* What ended by an error of CUDA may not do so under the checker, where no
     * guards hide how long the buffers are. A hang or a crash would, but that a
     * real driver may be what crashed. */
    const bool real = run->backend == BACKEND_CUDA;
    const bool may_return = run->ran || (real && run->end == CHILD_SIGNALLED) ||
                            ((real || params) && (run->end == CHILD_EXITED ||
                                                  run->end == CHILD_RUNNING));

    if (!run->rules->checked || !may_return)
        return;
    if (run->backend == BACKEND_VGPU && params == NULL) {
        run->virtual_run = run;
        return;
    }
    if (cases->evidence->job->virtual_fd < 0)
        return;
    run_init(other, cases, run->rules, BACKEND_VGPU);
    other->apart = true;
    if (params)
        set_params(other, cases, params);
    run_once(cases, other, 1);
    other->virtual_run = other;
    run->virtual_run = other;
    /* A real GPU refuses the same call without a word. */
    if (run->error.at[0] && strcmp(run->error.at, other->error.at) == 0)
        run->error = other->error;
}

static void judgement_clear(struct judgement *judgement)
{
    tl_out_free(&judgement->seen);
    memset(judgement, 0, sizeof *judgement);
}

/* A real GPU refuses late, or crashes in the driver; where the virtual one
 * names a call, or what is gone, that is what is explained. */
static void judge_end(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const other = run->virtual_run;
    const char *const ended = text_string(&run->ended);
    const char *const why = run->fault.length > 0 ? "" : run->error.why;

    if (run->rules->ends && run->end == CHILD_EXITED) {
        judge_yes(run, judgement, run->rules->passed);
    } else if (other && other != run && !other->ran &&
               (other->error.at[0] || other->lent_is_gone) &&
               strcmp(text_string(&other->ended), ended) != 0) {
        judge_fail(judgement, finding_ended(other),
                   "%s; on the virtual GPU: %s", ended,
                   text_string(&other->ended));
        judgement->of = other;
    } else {
        judge_fail(judgement, finding_ended(run), "%s%s%s", ended,
                   why[0] ? ": " : "", why);
    }
}

/* The result is right, but who made it, and where? That is what a time which
 * cannot be has to say first. */
static void judge_work(const struct case_run *run, struct judgement *judgement)
{
    const struct case_run *const seen = run->traced ? run : run->virtual_run;
    struct finding found = finding_none();

    if (run->data.work && seen &&
        (judgement->share > 0 || judgement->speed.needed > 0))
        found = finding_device(seen, run->data.work(seen), run->data.copied);
    if (found.id)
        judge_no(run, judgement, found, "right, but {did}");
}

static void judge_row_of_round(const struct case_run *run,
                               struct judgement *judgement)
{
    judgement_clear(judgement);
    if (!run->ran)
        judge_end(run, judgement);
    else
        judge_row(run, judgement);
    judge_work(run, judgement);
    if (!judgement->passed &&
        checked_find(case_checked(run), REPORTED(given_back_early), NULL, NULL,
                     NULL))
        judgement->finding = mistake("given-back-early");
    if (!judgement->passed && !judgement->finding.id)
        judgement->finding = finding_todo_or(run, finding_none());
    if (!judgement->passed && finding_is_undone(run, &judgement->finding))
        judgement->finding = mistake("open-todo/undone");
}

/* One row of numbers after another, if there are any, until one is wrong. */
static void judge_round(struct case_run *run, struct judgement *judgement)
{
    run->row = 0;
    do
        judge_row_of_round(run, judgement);
    while (judgement->passed && ++run->row < case_fact(run, "rows"));
}

/* What a round was worth, and how fast it was. */
struct ranked {
    int round; /* 1 is the first */
    double share, eta;
};

/* By what it is worth, then by speed. */
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *const a = left, *const b = right;

    if (a->share != b->share)
        return (a->share > b->share) - (a->share < b->share);
    return (a->eta > b->eta) - (a->eta < b->eta);
}

static int median_round(struct ranked *rounds, int count)
{
    qsort(rounds, (size_t)count, sizeof *rounds, compare_ranked);
    return rounds[count / 2].round;
}

/* Is something measured in it, for its own row or for one judged by it? */
static bool is_measured(const struct case_run *run)
{
    const struct lab_rules *const lab = run->evidence->lab;
    bool measured = run->rules->timed || run->rules->alone ||
                    run->rules->speed.eta_needed > 0;

    for (size_t i = 0; i < lab->num_cases; i++)
        measured = measured ||
                   (lab->cases[i].speed.eta_needed > 0 && lab->cases[i].of &&
                    strcmp(lab->cases[i].of[0], run->rules->name) == 0);
    return measured;
}

/* Whose rounds tell what a row measures: its own, or those it is judged by. */
static struct case_run *told_by(struct case_run *run)
{
    const char *const *const of = run->rules->of;
    struct case_run *const other = of ? case_find(run->evidence, of[0]) : NULL;

    return other && other->ran && is_measured(other) ? other : run;
}

/* Of several rounds the median one's; where the program died, the last one's.
 */
static void judge_it(struct case_run *run, struct judgement *judgement)
{
    struct case_run *const told = told_by(run);
    const int count = run->ran && told->rounds > 1 ? told->rounds : 0;
    struct ranked rounds[MAX_ROUNDS] = {{0, 0, 0}};

    for (int i = 0; i < count; i++) {
        told->judged = i + 1;
        judge_round(run, judgement);
        rounds[i] =
            (struct ranked){i + 1, judgement->share, judgement->speed.eta};
    }
    told->judged = median_round(rounds, count);
    judge_round(run, judgement);
}

/* On a real GPU a time has several rounds, and more of them as long as it is
 * borderline. All are one turn: what another grading leaves behind would slow
 * them. A case that does all its rounds at once is only run again for that, and
 * one that others are judged by, too. */
static void run_and_judge_rounds(struct cases *cases,
                                 struct case_result *result)
{
    struct case_run *const run = &result->run, *const told = told_by(run);
    const bool real = told->backend == BACKEND_CUDA && is_measured(told);
    const bool timed = real && run->rules->timed;
    const int most = timed ? MAX_ROUNDS : TIMED_ROUNDS;
    bool turn = run->rules->of == NULL;

    if (turn) {
        program_turn_begin(run->backend, real);
        run_once(cases, run, timed ? TIMED_ROUNDS : 1);
    }
    if (real && told->ran)
        judge_it(run, &result->judgement);
    if (result->judgement.borderline && !turn) {
        program_turn_begin(told->backend, true);
        turn = true;
    }
    for (int before = -1; told->ran && result->judgement.borderline &&
                          told->rounds < most && told->rounds > before;) {
        before = told->rounds;
        run_once(cases, told, timed ? MORE_ROUNDS : 1);
        told->ran = told->ran || told != run; /* it did, and was judged */
        judge_it(run, &result->judgement);
    }
    if (turn)
        program_turn_end(told->backend);
}

/* Points and words for one case. */
static void run_and_judge(struct cases *cases, struct case_result *result)
{
    struct case_run *run = &result->run;

    run->ran = run->rules->of != NULL; /* others did */
    run_and_judge_rounds(cases, result);
    if (cases->evidence->no_start.length > 0)
        return;
    run_checked(cases, result);
    judge_it(run, &result->judgement);
}

/* ---- all of them --------------------------------------------------------- */

static void skip(struct judgement *judgement, const char *why, const char *what)
{
    judgement->skipped = true;
    text_printf(&judgement->seen, "not tried: %s%s", why, what);
}

/* Return: true, with the case skipped, where it cannot or need not be tried. */
static bool skip_case(struct cases *cases, struct case_result *result,
                      const struct lab_case *rules)
{
    const char *const needs =
        rules->needs || !rules->of ? rules->needs : rules->of[0];
    /* A run is the first member of its result. */
    const struct case_result *const other =
        needs ? (const struct case_result *)case_other(&result->run, needs)
              : NULL;
    const char *const why = rules->skip ? rules->skip(&result->run) : NULL;

    if (other && !other->judgement.passed) {
        skip(&result->judgement, "this must be right first: ", needs);
    } else if (why) {
        skip(&result->judgement, why, "");
    } else if (cases->evidence->costly >= COSTLY_ENDS && rules->skip == NULL) {
        skip(&result->judgement, "two cases took too long before", "");
    } else if (result->run.backend == BACKEND_VGPU &&
               cases->evidence->backend == BACKEND_CUDA &&
               cases->evidence->job->virtual_fd < 0) {
        /* Nobody loses points for what cannot be looked at here. */
        judge_pass(&result->judgement,
                   "not tried: no virtual GPU here (run `make` first)");
    } else {
        return false;
    }
    result->run.not_tried = true;
    return true;
}

/* In the table's order: a case may need one before it, and what it skips for
 * depends on how those ended. The device that a verdict names is the first
 * that was not chosen by a case itself. */
void grade_cases(struct evidence *evidence)
{
    const struct lab_rules *const lab = evidence->lab;
    struct cases cases = {.evidence = evidence, .shown = evidence->job->shown};

    evidence->cases = calloc(lab->num_cases + 1, sizeof *evidence->cases);
    if (evidence->cases == NULL) {
        text_printf(&evidence->no_start, "the grader has no memory left");
        return;
    }
    for (size_t i = 0; i < lab->num_cases; i++) {
        struct case_result *result = &evidence->cases[i];
        const struct lab_case *rules = &lab->cases[i];

        if (child_interrupted() || evidence->no_start.length > 0)
            break;
        run_init_here(&result->run, &cases, rules);
        if (skip_case(&cases, result, rules))
            continue;
        run_and_judge(&cases, result);
        if (!evidence->device && !rules->profile && !result->run.short_of_gpus)
            evidence->device = result->run.device;
    }
    close_sessions(&cases);
}

/* The case's parameters, and how much work was measured. To be freed. */
static char *drawn_params(const struct case_run *run)
{
    const struct case_run *const judged = case_other(run, run->rules->name);

    return judged && case_has(judged, "rounds")
               ? text_format("%s picture=1 measured_rounds=%lld", run->params,
                             (long long)case_fact(judged, "rounds"))
               : text_format("%s picture=1", run->params);
}

static bool draw_once(struct evidence *evidence, const struct lab_case *rules,
                      const char *who, const char *trace, bool check)
{
    struct cases cases = {
        .evidence = evidence, .shown = true, .trace = trace, .check = check};
    struct case_result result = {0};
    struct case_run *const run = &result.run;
    bool drawn;

    run_init_here(run, &cases, rules);

    OWNED char *const params = drawn_params(run);

    run->who = who;
    run->params = params;
    if (run->backend == evidence->backend || evidence->job->virtual_fd >= 0)
        run_once(&cases, run, 1);
    close_sessions(&cases);
    drawn = run->ran && access(trace, R_OK) == 0;
    case_result_free(&result);
    return drawn;
}

/* From the region's start to its end; 0 without one. */
static double region_ns(const char *path)
{
    struct trace_error error;
    struct trace trace;
    double ns = 0;

    if (trace_read(path, true, &trace, &error) != TRACE_OK)
        return 0;
    if (trace.num_marks > 1)
        ns = (double)(trace.marks[trace.num_marks - 1].t_ns -
                      trace.marks[0].t_ns);
    trace_free(&trace);
    return ns;
}

/* A host that is busy with other work queues late now and then, which leaves a
 * gap on a real GPU: what takes far longer than was measured is drawn again.
 * Some pictures show the work twice. */
bool case_draw(struct evidence *evidence, const struct lab_case *rules,
               const char *who, const char *trace, bool check)
{
    const struct case_result *const judged =
        &evidence->cases[rules - evidence->lab->cases];
    const double faster =
        strcmp(who, "baseline") == 0 ? judged->judgement.speed.yours : 1;
    const double ns = faster * (double)case_fact(&judged->run, "student_ns");
    int most = judged->run.backend == BACKEND_CUDA && ns > 0 ? DRAWINGS : 1;
    bool drawn;

    do
        drawn = draw_once(evidence, rules, who, trace, check);
    while (drawn && --most > 0 && region_ns(trace) > FAR_LONGER * ns);
    return drawn;
}

/* Have the round read that took the student's version the median time. */
static void read_median(struct case_run *run)
{
    struct ranked rounds[MAX_ROUNDS] = {{0, 0, 0}};

    for (int i = 0; i < run->rounds; i++) {
        run->judged = i + 1;
        rounds[i] =
            (struct ranked){i + 1, 0, -(double)case_fact(run, "student_ns")};
    }
    run->judged = median_round(rounds, run->rounds);
}

bool case_try(struct evidence *evidence, const struct lab_case *rules,
              const char *params, struct case_result *result)
{
    struct cases cases = {.evidence = evidence, .shown = true};
    struct case_run *const run = &result->run;

    run_init_here(run, &cases, rules);
    set_params(run, &cases, params);
    run_once(&cases, run,
             rules->timed && run->backend == BACKEND_CUDA ? TIMED_ROUNDS : 1);
    read_median(run);
    close_sessions(&cases);
    return run->ran;
}

static void run_free_all(struct case_run *run)
{
    tl_out_free(&run->ended);
    tl_out_free(&run->fault);
    tl_out_free(&run->reported);
    free(run->input);
    free(run->output_copy);
    for (int i = 0; i < MAX_ROUNDS; i++) {
        tl_out_free(&run->facts[i]);
        tl_out_free(&run->printed[i]);
    }
    checked_free(&run->checked);
    trace_free(&run->trace);
    if (run->own_free)
        run->own_free(run->own);
    memset(run, 0, sizeof *run);
}

void case_result_free(struct case_result *result)
{
    run_free_all(&result->run);
    run_free_all(&result->under_checker);
    judgement_clear(&result->judgement);
}

void evidence_free(struct evidence *evidence)
{
    tl_out_free(&evidence->source);
    tl_out_free(&evidence->messages);
    tl_out_free(&evidence->no_start);
    for (size_t i = 0; evidence->cases && i < evidence->lab->num_cases; i++)
        case_result_free(&evidence->cases[i]);
    free(evidence->cases);
    memset(evidence, 0, sizeof *evidence);
}
