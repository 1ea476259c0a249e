/* changes.c: two grades of one file, check by check
 *
 * For a file that is graded again, perhaps by another version: which checks are
 * new, which are gone, which have other points or another mistake. A check is
 * known by its name.
 */
#include "lines.h"

#include <string.h>

static const struct check_result *find_check(const struct grade_result *g,
                                             const char *name)
{
    for (size_t i = 0; i < g->num_checks; i++)
        if (strcmp(g->checks[i].name, name) == 0)
            return &g->checks[i];
    return NULL;
}

/* "15 of 15", or "0 of 15 (too-slow)" */
static void put_points(const struct check_result *check, struct out *o)
{
    tl_out_print(o, "%g of %g", check->score, check->max_score);
    if (!check->passed && *check->id) {
        tl_out_text(o, " (");
        tl_out_plain(o, check->id);
        tl_out_text(o, ")");
    }
}

static void put_change(const char *what, const struct check_result *before,
                       const struct check_result *now, struct out *o)
{
    tl_out_text(o, what);
    tl_out_plain(o, before ? before->name : now->name);
    tl_out_text(o, ": ");
    if (before)
        put_points(before, o);
    if (before && now)
        tl_out_text(o, " -> ");
    if (now)
        put_points(now, o);
    tl_out_text(o, "\n");
}

static bool is_same(const struct check_result *a, const struct check_result *b)
{
    return a->score == b->score && a->max_score == b->max_score &&
           a->passed == b->passed && strcmp(a->id, b->id) == 0;
}

void lines_put_changes(const struct grade_result *before,
                       const struct grade_result *now, struct out *o)
{
    for (size_t i = 0; i < now->num_checks; i++) {
        const struct check_result *const check = &now->checks[i];
        const struct check_result *const old = find_check(before, check->name);

        if (!old)
            put_change("new: ", NULL, check, o);
        else if (!is_same(old, check))
            put_change("", old, check, o);
    }
    for (size_t i = 0; i < before->num_checks; i++)
        if (!find_check(now, before->checks[i].name))
            put_change("gone: ", &before->checks[i], NULL, o);
}
