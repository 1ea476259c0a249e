/* case_round.c: a lab program that runs cases, and one round of a case */
#include "case/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cores.h"
#include "number.h"
#include "trace_read.h"

/* ---- the program --------------------------------------------------------- */

/* Can a program that was started with @there serve @wanted, too? */
static bool serves(const struct program_options *there,
                   const struct program_options *wanted)
{
    const char *const device = there->virtual_device;

    return there->backend == wanted->backend &&
           (there->virtual_gpus == wanted->virtual_gpus ||
            there->backend == BACKEND_CUDA) &&
           !there->trace && !wanted->trace && there->room >= wanted->room &&
           (device == wanted->virtual_device ||
            (device && wanted->virtual_device &&
             strcmp(device, wanted->virtual_device) == 0));
}

bool case_session_open(struct case_session *session,
                       const struct program_options *options,
                       struct case_run *run)
{
    if (session->alive && serves(&session->program.options, options)) {
        session->program.options.seconds = options->seconds;
        return true;
    }
    case_session_close(session, NULL);
    if (options->trace)
        unlink(options->trace);
    session->alive = true;
    if (program_start(&session->program, options))
        return true;
    run->end = session->program.child.end;
    program_describe_end(&session->program, &run->ended);
    return false;
}

/* Places without their folders, of which each is a word's beginning. */
static void take(char *to, size_t size, const char *line, const char *key)
{
    OWNED_TEXT value = {0};
    size_t length = 0;

    report_take_field(&value, line, key);
    to[0] = '\0';
    for (const char *at = text_string(&value); *at && length < size - 1;) {
        const int word = (int)strcspn(at, " ");
        const int blanks = (int)strspn(at + word, " ");
        char whole[256];

        snprintf(whole, sizeof whole, "%.*s", word, at);
        length += (size_t)snprintf(to + length, size - length, "%s%.*s",
                                   query_place(whole), blanks, at + word);
        at += word + blanks;
    }
}

/* A line that is told was another call's error is the one that failed. A launch
 * has no name for a student. */
static void take_source(struct api_error *error, const char *line,
                        const char *place)
{
    char call[sizeof error->call];

    take(call, sizeof call, line, "call");
    if (!error->shown[0])
        memcpy(error->shown, error->at, sizeof error->shown);
    take(error->at, sizeof error->at, line, place);
    if (strncmp(call, "cuda", 4) == 0)
        snprintf(error->call, sizeof error->call, "%s", call);
}

/* Where the virtual GPU tells of each call that fails: CHECK may have ended on
 * the error of an earlier one. The last that failed so is the one that is
 * meant, and has its reason. */
static void find_source(struct api_error *error, const char *report)
{
    const bool asked = text_matches(error->call, "cuda*LastError*");
    const char *line = NULL;
    char at[sizeof error->at];

    while ((line = report_find(report, REPORTED(error_shown), NULL, NULL,
                               line)) != NULL) {
        take(at, sizeof at, line, "at");
        if (strcmp(at, error->at) == 0)
            take_source(error, line, "from");
    }
    while ((line = report_find(report, REPORTED(call_failed), "error",
                               error->name, line)) != NULL)
        if (!report_is_drivers(line, "at")) {
            if (!report_holds(line, "why", "grader/drivers/"))
                take(error->why, sizeof error->why, line, "why");
            if (asked && report_holds(line, "call", "cuda"))
                take_source(error, line, "at");
        }
}

static void note_end(struct program *program, struct case_run *run)
{
    const char *const answer = text_string(&program->answer);
    const char *const name = strstr(answer, " name=");
    const char *const report = text_string(&program->child.report);
    OWNED_TEXT crash = {0};
    bool own;

    run->ran = run->lent_is_gone = false;
    run->end = program->child.end;
    run->code = program->child.code;
    if (program->so_far.length > 0)
        facts_read(&run->facts[run->rounds++], text_string(&program->so_far));
    api_error_find(&run->error, text_string(&program->child.err));
    if (run->error.at[0] != '\0')
        find_source(&run->error, report);
    text_clear(&run->reported);
    text_printf(&run->reported, "%s", report);
    fault_find(&run->fault, report, "fault");
    own = fault_find(&crash, report, "crash");
    text_clear(&run->ended);
    /* Whoever knows a line goes first. */
    if (run->end == CHILD_EXITED && run->error.at[0] != '\0') {
        text_printf(&run->ended, "%s at %s: %s", run->error.name, run->error.at,
                    run->error.call);
    } else if (strncmp(answer, "failed", 6) == 0 && name) {
        snprintf(run->late, sizeof run->late, "%.*s",
                 (int)strcspn(name + 6, " "), name + 6);
        run->lent_is_gone = strstr(answer, " lent=1 ");
        text_printf(&run->ended, "the device reports %s", run->late);
    } else if (crash.length > 0 && run->end != CHILD_EXITED) {
        text_printf(&run->ended, "it stopped %s%s",
                    own ? "in the grader's code, which uses what yours gave it"
                        : "at ",
                    own ? strchr(crash.data, ':') : crash.data);
    } else {
        program_describe_end(program, &run->ended);
    }
    if (run->fault.length > 0)
        text_printf(&run->ended, "; %s", text_string(&run->fault));
}

/* What the checker and the trace tell once the program has ended. */
static void read_reports(struct case_session *session, struct case_run *run)
{
    struct trace_error error;
    struct api_error check;

    program_finish(&session->program);
    child_stop(&session->program.child);
    checked_read(&run->checked, text_string(&session->program.child.report));
    /* What a program leaves that CHECK has ended at last says nothing. */
    api_error_find(&check, text_string(&session->program.child.err));
    if (run->ran && check.at[0] != '\0') {
        run->checked.warnings = 0;
        text_clear(&run->checked.first_warning);
    }
    run->traced = trace_read(session->program.options.trace, true, &run->trace,
                             &error) == TRACE_OK;
    /* Written last: code that ends the program behind all calls hides work. */
    if (run->ran && !run->traced)
        note_end(&session->program, run);
}

void case_session_close(struct case_session *session, struct case_run *run)
{
    const bool traced = session->program.options.trace != NULL;

    if (session->alive) {
        if (run && traced)
            read_reports(session, run);
        else if (traced || program_is_under())
            program_finish(&session->program);
        /* Nobody reads what others say at their end, and on a GPU it is
         * quicker to end them: the driver gives back all at once. */
        program_free(&session->program);
    }
    memset(session, 0, sizeof *session);
}

/* ---- input --------------------------------------------------------------- */

enum { FILL_ALONE = 1 << 16 }; /* so few are not worth threads */

/* splitmix64: of any entry without those before it. */
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct filled {
    uint64_t seed, *values;
};

static void fill_part(void *work, uint64_t lower, uint64_t upper)
{
    const struct filled *const to = work;

    for (uint64_t i = lower; i < upper; i++)
        to->values[i] = random_at(to->seed, i);
}

bool case_fill_random(struct case_run *run, void *input)
{
    struct filled to = {.values = input};

    /* A seed that is new each time. */
    if (getrandom(&to.seed, sizeof to.seed, 0) != (ssize_t)sizeof to.seed)
        return false;
    cores_share(div_up(run->input_bytes, sizeof *to.values), FILL_ALONE,
                fill_part, &to);
    return true;
}

/* Fresh input, kept here: what the child does to its copy is its own affair. */
static bool make_input(struct program *program, struct case_run *run)
{
    if (run->own_free)
        run->own_free(run->own);
    run->own = NULL;
    run->own_free = NULL;
    if (run->input == NULL)
        run->input = malloc(run->input_bytes + sizeof(uint64_t));
    if (run->output_copy == NULL)
        run->output_copy = malloc(run->output_bytes + 1);
    if (run->input == NULL || run->output_copy == NULL)
        return false;
    run->output = run->output_copy;
    if (!(run->data.fill ? run->data.fill : case_fill_random)(run, run->input))
        return false;
    cores_copy(program->input, run->input, run->input_bytes);
    cores_copy(program->output, NULL, run->output_bytes);
    return true;
}

/* ---- one round ----------------------------------------------------------- */

static bool ask(struct program *program, const struct case_run *run)
{
    return program_ask(program, "case who=%s input=%zu output=%zu%s%s %s",
                       run->who ? run->who : "student", run->input_bytes,
                       run->output_bytes,
                       program->options.check ? " checked=1" : "",
                       program_is_under() ? " under=1" : "", run->params);
}

static void note_printed(struct case_session *session, struct case_run *run)
{
    const struct out *const out = &session->program.child.out;

    if (out->length > session->out_before)
        text_add(&run->printed[run->rounds], out->data + session->out_before,
                 out->length - session->out_before);
    session->out_before = out->length;
}

static void compare(struct case_run *run)
{
    struct difference found = {0};

    if (run->data.compare == NULL)
        return;
    run->data.compare(run, &found);
    if (found.wrong > 0 && run->wrong_rounds++ == 0)
        run->difference = found;
}

void case_round(struct case_session *session, struct case_run *run)
{
    struct program *const program = &session->program;
    struct out *const facts = &run->facts[run->rounds];
    bool answered;

    if (run->rounds >= MAX_ROUNDS)
        return;
    run->judged = 0; /* what is compared is of this one */
    if (!make_input(program, run)) {
        text_printf(&run->ended, "the grader has no memory left");
        run->ran = false;
        return;
    }
    answered = ask(program, run);
    note_printed(session, run);
    if (!answered) {
        note_end(program, run);
        return;
    }
    facts_read(facts, text_string(&program->answer));
    run->rounds++;
    error_take(run->pending, sizeof run->pending, facts, "pending");
    error_take(run->late, sizeof run->late, facts, "late");
    /* A copy: the program lives, and could change what is being compared. */
    cores_copy(run->output_copy, program->output, run->output_bytes);
    compare(run);
}
