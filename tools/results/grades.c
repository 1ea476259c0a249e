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

        if (!g->graded && !all->sheet)
            continue;
        sum.graded += g->graded;
        sum.passed += g->passed;
        sum.score += g->score;
        sum.max_score += g->max_score;
        sum.seconds += g->seconds;
    }
    return sum;
}

void grades_count(struct lab_result *lab, double points)
{
    struct grade_result *const g = &lab->grade;
    const double scale = g->max_score > 0 ? points / g->max_score : 0;

    lab->points = points;
    g->score *= scale;
    g->max_score = points;
    for (size_t i = 0; i < g->num_checks; i++) {
        g->checks[i].score *= scale;
        g->checks[i].max_score *= scale;
    }
    if (!g->graded) {
        g->num_checks = 1;
        g->checks[0] = (struct check_result){
            .name = "graded",
            .line = grades_why_none(lab, "there is no grade of it yet"),
            .diagnosis = "",
            .id = "",
            .read = "",
            .max_score = points,
        };
    }
}

const char *grades_why_none(const struct lab_result *lab, const char *otherwise)
{
    return *lab->grade.error ? lab->grade.error
           : *lab->reason    ? lab->reason
                             : otherwise;
}

bool grades_is_late(const struct all_results *all, const struct lab_result *lab)
{
    return lab->grade.graded && all->sheet && all->sheet->due > 0 &&
           lab->grade.when > all->sheet->due;
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
