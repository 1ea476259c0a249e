/* mistakes.c: the mistakes of a grade, a line for each: for the report of a
 * class, which counts them. */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

/* A text as a field of a line: a diagnosis has lines of its own. */
static void put_field(const char *text, const char *after, struct out *o)
{
    char *copy = strdup(text);

    for (char *at = copy; at && *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    tl_out_plain(o, copy ? copy : "");
    tl_out_text(o, after);
    o->failed |= !copy;
    free(copy);
}

void lines_put_mistakes(const char *path, const struct lab_result *result,
                        struct out *o)
{
    const struct grade_result *g = &result->grade;

    for (size_t i = 0; i < g->num_checks; i++) {
        const struct check_result *const check = &g->checks[i];

        if (check->passed || !*check->id)
            continue;
        put_field(path, "\t", o);
        put_field(result->lab, "\t", o);
        put_field(check->id, "\t", o);
        put_field(check->read, "\t", o);
        put_field(check->line, "\t", o);
        put_field(check->diagnosis, "\n", o);
    }
}
