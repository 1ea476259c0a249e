/* run.c: one run of the student's function, and what came out of it */
#include "case/evidence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "pending=9/cudaErrorInvalidConfiguration": the name, or "" for success. */
void error_take(char *name, size_t size, const char *answer, const char *key)
{
    const char *at = strstr(answer, key);
    int length;

    name[0] = '\0';
    if (at == NULL || strtol(at + strlen(key), NULL, 10) == 0)
        return;
    at = strchr(at, '/');
    length = at ? (int)strcspn(at + 1, " ") : 0;
    snprintf(name, size, "%.*s", length, at ? at + 1 : "");
}

static void note_end(struct program *program, struct run_result *result)
{
    const char *const answer = text_string(&program->answer);
    const char *const name = strstr(answer, " name=");

    result->ran = false;
    result->end = program->child.end;
    result->code = program->child.code;
    api_error_find(&result->error, text_string(&program->child.err));
    fault_find(&result->fault, text_string(&program->child.report));
    if (result->end == CHILD_EXITED && result->error.at[0] != '\0') {
        text_printf(&result->ended, "%s at %s: %s", result->error.name,
                    result->error.at, result->error.call);
    } else if (strncmp(answer, "failed", 6) == 0 && name) {
        /* The driver's own call met an error that the student's work left. */
        snprintf(result->late, sizeof result->late, "%.*s",
                 (int)strcspn(name + 6, " "), name + 6);
        text_printf(&result->ended, "the device reports %s", result->late);
    } else {
        program_describe_end(program, &result->ended);
    }
    if (result->fault.length > 0)
        text_printf(&result->ended, "; %s", text_string(&result->fault));
}

bool run_setup(struct program *program, const struct lab_shape *shape,
               uint64_t guard, struct run_result *result)
{
    if (program_ask(program,
                    "setup entries=%llu streams=%llu guard=%llu gpus=%u",
                    (unsigned long long)shape->entries,
                    (unsigned long long)shape->streams,
                    (unsigned long long)guard, shape->gpus))
        return true;
    note_end(program, result);
    return false;
}

/* Both buffers, entry by entry, and what is behind them. */
static void compare_all(struct program *program, const struct reference *ref,
                        struct run_result *result)
{
    const uint64_t *const output = program->output;
    const uint64_t half = ref->entries + ref->guard;
    uint64_t *const device =
        malloc((ref->entries + ref->gpus * ref->guard + 1) * sizeof *device);

    reference_compare(ref, output, &result->host);
    if (device == NULL)
        return;
    reference_gather(ref, output + half, device);
    reference_compare(ref, device, &result->device);
    if (ref->guard > 0)
        reference_find_overrun(ref, output + ref->entries,
                               device + ref->entries, &result->overrun);
    free(device);
}

void run_student(struct program *program, const struct reference *ref,
                 const char *who, bool full, struct run_result *result)
{
    const char *answer;

    reference_write(ref, program->input);
    if (!program_ask(program, "run who=%s iters=%llu timed=0 ask=%d", who,
                     (unsigned long long)ref->iters, !program->options.check)) {
        note_end(program, result);
        return;
    }
    answer = text_string(&program->answer);
    result->ran = true;
    result->running = program_number(program, " running=");
    error_take(result->pending, sizeof result->pending, answer, " pending=");
    error_take(result->late, sizeof result->late, answer, " late=");
    if (full && result->late[0] != '\0') {
        /* The device cannot be read any more. */
        reference_compare(ref, program->output, &result->host);
    } else if (full) {
        compare_all(program, ref, result);
    } else {
        result->host.wrong = reference_count_wrong(ref, program->output);
        if (result->host.wrong > 0)
            reference_compare(ref, program->output, &result->host);
    }
    result->right = result->host.wrong == 0;
}

void run_free(struct run_result *result)
{
    text_free(&result->ended);
    text_free(&result->fault);
}
