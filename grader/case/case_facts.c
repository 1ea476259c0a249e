/* case_facts.c: what the driver's part reported, taken apart */
#include "case/case.h"

#include "trace_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one round ----------------------------------------------------------- */

static void add_decoded(struct out *facts, const char *from, size_t length)
{
    const size_t at = facts->length;

    text_add(facts, from, length);
    tl_record_decode(facts->data + at);
    facts->length = at + strlen(facts->data + at);
    text_add(facts, "", 1);
}

void facts_read(struct out *facts, const char *answer)
{
    text_clear(facts);
    while (*answer) {
        const size_t word = strcspn(answer, " ");
        const size_t key = strcspn(answer, "= ");

        if (key < word) {
            text_add(facts, answer, key);
            text_add(facts, "", 1);
            add_decoded(facts, answer + key + 1, word - key - 1);
        }
        answer += word;
        answer += *answer == ' ';
    }
}

const char *facts_find(const struct out *facts, const char *key)
{
    const char *at = facts->data;
    const char *const end = at ? at + facts->length : NULL;

    while (at < end) {
        const char *const value = at + strlen(at) + 1;

        if (strcmp(at, key) == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

/* ---- errors ------------------------------------------------------------- */

void error_take(char *name, size_t size, const struct out *facts,
                const char *key)
{
    const char *const error = facts_find(facts, key);
    const char *const slash = error ? strchr(error, '/') : NULL;

    if (name[0] == '\0' && slash && strtol(error, NULL, 10) != 0)
        snprintf(name, size, "%s", slash + 1);
}

/* Two lines: "FILE:LINE: CALL" and "    NAME: words". */
static bool take_check(struct api_error *error, const char *line,
                       const char *next)
{
    const char *colon = strstr(line, ": ");
    const int call = colon ? (int)strcspn(colon + 2, "\n(") : 0;
    char place[256];

    if (colon == NULL || colon > strchr(line, '\n') ||
        strncmp(next, "    cuda", 8) != 0)
        return false;
    snprintf(place, sizeof place, "%.*s", (int)(colon - line), line);
    snprintf(error->at, sizeof error->at, "%s",
             strstr(place, "grader/drivers/") ? "the grader"
                                              : query_place(place));
    snprintf(error->call, sizeof error->call, "%.*s", call, colon + 2);
    snprintf(error->name, sizeof error->name, "%.*s",
             (int)strcspn(next + 4, ":\n"), next + 4);
    return true;
}

void api_error_find(struct api_error *error, const char *printed)
{
    memset(error, 0, sizeof *error);
    for (const char *line = printed; line && *line;) {
        const char *next = strchr(line, '\n');

        if (next == NULL)
            return;
        take_check(error, line, next + 1);
        line = next + 1;
    }
}

/* ---- what a judge asks --------------------------------------------------- */

static int judged_round(const struct case_run *run)
{
    const int last = run->rounds > 0 ? run->rounds - 1 : 0;

    return run->judged > 0 ? run->judged - 1 : last;
}

const char *case_printed(const struct case_run *run)
{
    return text_string(&run->printed[judged_round(run)]);
}

/* What is the same for all rows; else of the row that is judged. */
static const char *find_fact(const struct case_run *run, const char *key)
{
    const struct out *const facts = &run->facts[judged_round(run)];
    const char *value = facts_find(facts, key);
    char of_row[64];

    if (value == NULL && facts_find(facts, "rows")) {
        snprintf(of_row, sizeof of_row, "%s%d", key, run->row);
        value = facts_find(facts, of_row);
    }
    return value;
}

bool case_has(const struct case_run *run, const char *key)
{
    return find_fact(run, key) != NULL;
}

const char *case_text(const struct case_run *run, const char *key)
{
    const char *const value = find_fact(run, key);

    return value ? value : "";
}

int64_t case_fact(const struct case_run *run, const char *key)
{
    return strtoll(case_text(run, key), NULL, 10);
}

int64_t case_numbered_fact(const struct case_run *run, const char *key,
                           unsigned number)
{
    char name[32];

    snprintf(name, sizeof name, "%s%u", key, number);
    return case_fact(run, name);
}

uint64_t case_param(const struct case_run *run, const char *key)
{
    size_t length;
    const char *const value = text_find_field(run->params, key, ' ', &length);

    return value ? strtoull(value, NULL, 10) : 0;
}

bool case_says(const struct case_run *run, const char *key, const char *word)
{
    size_t length;
    const char *const value = text_find_field(run->params, key, ' ', &length);

    return value && length == strlen(word) && strncmp(value, word, length) == 0;
}

uint64_t case_cipher_work(const struct case_run *run)
{
    return case_param(run, "entries") *
           (case_has(run, "rounds") ? (uint64_t)case_fact(run, "rounds")
                                    : case_param(run, "iters"));
}

const char *case_reported(const struct case_run *run, reported_t kinds)
{
    return report_find(text_string(&run->reported), kinds, NULL, NULL, NULL);
}

bool case_failed(const struct case_run *run, const char *call,
                 const char *error)
{
    return run->error.at[0] != '\0' &&
           text_matches(run->error.call, call ? call : "*") &&
           text_matches(run->error.name + strlen("cudaError"),
                        error ? error : "*");
}

struct case_run *case_find(const struct evidence *evidence, const char *name)
{
    for (size_t i = 0; evidence->cases && i < evidence->lab->num_cases; i++)
        if (strcmp(evidence->lab->cases[i].name, name) == 0 &&
            evidence->cases[i].run.rules)
            return &evidence->cases[i].run;
    return NULL;
}

const struct case_run *case_other(const struct case_run *run, const char *name)
{
    return case_find(run->evidence, name);
}

bool case_is(const struct case_run *run, const char *name)
{
    return strcmp(run->rules->name, name) == 0;
}

bool case_is_open(const struct case_run *run, int todo)
{
    const int first = run->evidence->first_todo;

    return first > 0 && first <= todo;
}

bool case_todo_is_open(const struct case_run *run)
{
    return case_is_open(run, (int)case_param(run, "todo"));
}

const struct trace *case_trace(const struct case_run *run)
{
    return run && run->virtual_run ? &run->virtual_run->trace : NULL;
}

const struct checked *case_checked(const struct case_run *run)
{
    static const struct checked nothing;

    return run->virtual_run ? &run->virtual_run->checked : &nothing;
}
