/* grades.c: what all formats ask of grades
 *
 * Here, so that two formats never disagree about a sum or about which mistake
 * is the main one.
 */
#include "grades.h"

struct totals grades_add_up(const struct all_results *all)
{
    struct totals sum = {0};

    for (size_t i = 0; i < all->num; i++) {
        const struct grade_result *g = &all->labs[i].grade;

        if (!g->graded)
            continue;
        sum.graded++;
        sum.passed += g->passed;
        sum.score += g->score;
        sum.max_score += g->max_score;
        sum.seconds += g->seconds;
    }
    return sum;
}

const struct check_result *grades_main_mistake(const struct grade_result *g)
{
    const struct check_result *first = NULL;

    for (size_t i = 0; i < g->num_checks; i++) {
        const struct check_result *check = &g->checks[i];

        if (check->passed)
            continue;
        if (*check->id)
            return check;
        if (!first)
            first = check;
    }
    return first;
}

void grades_put_time(struct out *o, time_t when, const char *zone)
{
    struct tm utc;
    /* Without a time there is the one that nobody takes for real. */
    char text[32] = "1970-01-01T00:00:00";

    if (gmtime_r(&when, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    tl_out_print(o, "%s%s", text, zone);
}
