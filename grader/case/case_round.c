/* case_round.c: a lab program that runs cases, and one round of a case */
#include "case/case_round.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cores.h"
#include "number.h"
#include "trace_read.h"

/* ---- the program --------------------------------------------------------- */

static bool is_same(const struct case_place *one,
                    const struct case_place *other)
{
    return one->backend == other->backend &&
           one->program_fd == other->program_fd &&
           (one->gpus == other->gpus || one->backend == BACKEND_CUDA) &&
           !one->check && !other->check && !one->look && !other->look &&
           !one->trace && !other->trace &&
           (one->profile == other->profile ||
            (one->profile && other->profile &&
             strcmp(one->profile, other->profile) == 0));
}

static struct program_options make_options(struct case_session *session,
                                           const struct case_place *place)
{
    struct program_options options = {
        .backend = place->backend,
        .program_fd = place->program_fd,
        .folder = place->job->folder,
        .root = place->job->tools->root,
        .virtual_device = place->profile,
        .virtual_gpus = place->gpus,
        .check = place->check,
        .seconds = place->seconds,
        .trace = place->trace,
    };

    if ((place->check || place->look) && !place->trace) {
        session->trace = text_format("%s/case.trace", place->job->folder);
        unlink(session->trace);
        options.trace = session->trace;
    }
    if (place->trace && place->backend == BACKEND_CUDA)
        options.recorder = place->job->recorder;
    return options;
}

bool case_session_open(struct case_session *session,
                       const struct case_place *place, struct case_run *run)
{
    struct program_options options;

    if (session->alive && is_same(&session->place, place) &&
        session->program.bytes >= place->room) {
        session->program.options.seconds = place->seconds;
        return true;
    }
    case_session_close(session, NULL);
    session->place = *place;
    options = make_options(session, place);
    session->alive = true;
    session->out_before = 0;
    if (program_start(&session->program, &options, place->room))
        return true;
    run->end = session->program.child.end;
    program_describe_end(&session->program, &run->ended);
    return false;
}

/* What the checker and the trace tell once the program has ended. */
static void read_reports(struct case_session *session, struct case_run *run)
{
    struct trace_error error;

    program_finish(&session->program);
    child_stop(&session->program.child);
    checked_read(&run->checked, text_string(&session->program.child.report));
    /* What a program leaves that CHECK has ended at last says nothing. */
    if (run->ran && session->program.child.code != 0) {
        run->checked.warnings = 0;
        text_clear(&run->checked.first_warning);
    }
    if (session->trace)
        run->traced =
            trace_read(session->trace, true, &run->trace, &error) == TRACE_OK;
}

void case_session_close(struct case_session *session, struct case_run *run)
{
    if (session->alive) {
        if (run && (session->place.check || session->place.look))
            read_reports(session, run);
        else if (session->place.trace || program_is_under())
            program_finish(&session->program);
        /* Nobody reads what others say at their end, and on a GPU it is
         * quicker to end them: the driver gives back all at once. */
        program_free(&session->program);
    }
    free(session->trace);
    memset(session, 0, sizeof *session);
}

/* ---- input --------------------------------------------------------------- */

/* Fresh input, kept here: what the child does to its copy is its own affair. */
static bool make_input(struct program *program, struct case_run *run)
{
    bool made;

    if (run->own_free)
        run->own_free(run->own);
    run->own = NULL;
    run->own_free = NULL;
    if (run->input == NULL)
        run->input = malloc(run->input_bytes + 1);
    if (run->output_copy == NULL)
        run->output_copy = malloc(run->output_bytes + 1);
    if (run->input == NULL || run->output_copy == NULL)
        return false;
    run->output = run->output_copy;
    made = run->data.fill ? run->data.fill(run, run->input)
                          : case_fill_random(run, run->input);
    if (!made)
        return false;
    cores_copy(program->input, run->input, run->input_bytes);
    cores_copy(program->output, NULL, run->output_bytes);
    return true;
}

/* ---- one round ----------------------------------------------------------- */

static void note_end(struct program *program, struct case_run *run)
{
    const char *const answer = text_string(&program->answer);
    const char *const name = strstr(answer, " name=");
    const char *const report = text_string(&program->child.report);
    struct text crash = {0};

    run->ran = false;
    run->end = program->child.end;
    run->code = program->child.code;
    if (program->so_far.length > 0)
        facts_read(&run->facts[run->rounds++], text_string(&program->so_far));
    api_error_find(&run->error, text_string(&program->child.err));
    fault_find(&run->fault, report, "fault");
    fault_find(&crash, report, "crash");
    text_clear(&run->ended);
    /* Whoever knows a line goes first. */
    if (run->end == CHILD_EXITED && run->error.at[0] != '\0') {
        text_printf(&run->ended, "%s at %s: %s", run->error.name, run->error.at,
                    run->error.call);
    } else if (strncmp(answer, "failed", 6) == 0 && name) {
        snprintf(run->late, sizeof run->late, "%.*s",
                 (int)strcspn(name + 6, " "), name + 6);
        text_printf(&run->ended, "the device reports %s", run->late);
    } else if (run->end == CHILD_SIGNALLED && crash.length > 0) {
        text_printf(&run->ended, "it crashed: %s", text_string(&crash));
    } else {
        program_describe_end(program, &run->ended);
    }
    text_free(&crash);
    if (run->fault.length > 0)
        text_printf(&run->ended, "; %s", text_string(&run->fault));
}

static bool ask(struct program *program, const struct case_run *run,
                const char *who, bool drawn)
{
    char name[64];

    snprintf(name, sizeof name, "%s", run->rules->name);
    for (char *at = name; *at; at++)
        if (*at == ' ')
            *at = '_';
    return program_ask(
        program, "case name=%s who=%s input=%zu output=%zu%s%s%s %s", name, who,
        run->input_bytes, run->output_bytes, drawn ? " picture=1" : "",
        program->options.check ? " checked=1" : "",
        program_is_under() ? " under=1" : "", run->params ? run->params : "");
}

static void note_printed(struct case_session *session, struct case_run *run)
{
    const struct text *const out = &session->program.child.out;

    if (out->length > session->out_before)
        text_add(&run->printed, out->data + session->out_before,
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

void case_round(struct case_session *session, struct case_run *run,
                const char *who)
{
    struct program *const program = &session->program;
    const char *answer;

    if (run->rounds >= MAX_ROUNDS)
        return;
    run->judged = 0; /* what is compared is of this one */
    if (!make_input(program, run)) {
        text_printf(&run->ended, "the grader has no memory left");
        run->ran = false;
        return;
    }
    if (!ask(program, run, who, session->place.trace != NULL)) {
        note_end(program, run);
        note_printed(session, run);
        return;
    }
    note_printed(session, run);
    answer = text_string(&program->answer);
    facts_read(&run->facts[run->rounds++], answer);
    if (run->pending[0] == '\0')
        error_take(run->pending, sizeof run->pending, answer, " pending=");
    if (run->late[0] == '\0')
        error_take(run->late, sizeof run->late, answer, " late=");
    /* A copy: the program lives, and could change what is being compared. */
    cores_copy(run->output_copy, program->output, run->output_bytes);
    compare(run);
}
