/* results.c: reads grades
 *
 * Text is not copied: it belongs to the document, which a grade keeps. A member
 * that is missing, for instance in a grade of an older version, has a value
 * that shows nothing.
 */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The grader puts the line in front of what it makes of it. */
static const char *without_line(const char *diagnosis, const char *line)
{
    size_t len = strlen(line);

    if (len == 0 || strncmp(diagnosis, line, len) != 0)
        return diagnosis;
    diagnosis += len;
    return diagnosis + strspn(diagnosis, ". \n");
}

static void read_check(const struct json *value, struct check_result *check)
{
    const char *diagnosis = json_string(value, "diagnosis", "");

    *check = (struct check_result){
        .name = json_string(value, "name", "?"),
        .line = json_string(value, "line", ""),
        .id = json_string(value, "diagnosis_id", ""),
        .read = json_string(value, "read", ""),
        .passed = json_bool(value, "passed", false),
        .tried = strncmp(diagnosis, "not tried", 9) != 0,
        .score = json_number(value, "score", 0),
        .max_score = json_number(value, "max_score", 0),
    };
    check->diagnosis = without_line(diagnosis, check->line);
}

/* NAN for what was not measured: 0 would be a result. */
static void read_lab(const struct json *lab, struct grade_result *g)
{
    const struct json *checks = json_get(lab, "checks");

    g->graded = true;
    g->file = json_string(lab, "file", "");
    g->backend = json_string(lab, "backend", "");
    g->device = json_string(lab, "device", "");
    g->passed = json_bool(lab, "passed", false);
    g->score = json_number(lab, "score", 0);
    g->max_score = json_number(lab, "max_score", 0);
    g->seconds = fmax(json_number(lab, "seconds", 0), 0);
    g->eta = json_number(lab, "eta", NAN);
    g->baseline = json_string(lab, "baseline", "without overlap");
    g->speedup = json_number(lab, "speedup", NAN);
    g->bound = json_number(lab, "bound_speedup", NAN);
    g->needed = json_number(lab, "needed_speedup", NAN);
    for (size_t i = 0; checks && checks->kind == JSON_ARRAY &&
                       i < checks->num && i < RESULTS_MAX_CHECKS;
         i++)
        read_check(&checks->items[i], &g->checks[g->num_checks++]);
}

/* A file may hold several labs, as `grade --json` writes them for several; one
 * that is about another lab was put in the wrong place.
 */
void results_read(const char *path, const char *lab, struct grade_result *g)
{
    struct json_error err;
    const struct json *labs;
    struct stat info;

    *g = (struct grade_result){
        .version = "", .file = "", .backend = "", .device = ""};
    if (stat(path, &info) != 0) {
        if (errno != ENOENT)
            snprintf(g->error, sizeof g->error, "%s", strerror(errno));
        return;
    }
    g->when = info.st_mtime;
    if (!json_read_file(path, &g->document, &err)) {
        snprintf(g->error, sizeof g->error, "line %zu: %s", err.line, err.text);
        return;
    }
    labs = json_get(&g->document, "labs");
    for (size_t i = 0; labs && labs->kind == JSON_ARRAY && i < labs->num; i++)
        if (strcmp(json_string(&labs->items[i], "lab", ""), lab) == 0) {
            read_lab(&labs->items[i], g);
            /* A lab of results.json has its own. */
            g->version = json_string(&labs->items[i], "version",
                                     json_string(&g->document, "version", ""));
            return;
        }
    snprintf(g->error, sizeof g->error, "it holds no grade of this lab");
}

void results_free(struct grade_result *g)
{
    json_free(&g->document);
    *g = (struct grade_result){.graded = false};
}
