/* results_json.c: results.json, the project's own format: all that is known of
 * all labs, described in docs/results.md. What is added here must be added
 * there. A member that changes its meaning makes a new number of the schema.
 */
#include "formats.h"

#include <math.h>

static void put_string(struct out *o, const char *key, const char *value)
{
    tl_out_print(o, "\"%s\": ", key);
    tl_out_json(o, value);
    tl_out_text(o, ", ");
}

/* null says "there is none", where "" could be a text that got lost. */
static void put_string_or_null(struct out *o, const char *key,
                               const char *value)
{
    if (*value)
        put_string(o, key, value);
    else
        tl_out_print(o, "\"%s\": null, ", key);
}

/* JSON has no NaN. Three digits: a measurement has no more. */
static void put_ratio(struct out *o, const char *key, double value)
{
    if (isfinite(value))
        tl_out_print(o, "\"%s\": %.3f, ", key, value);
    else
        tl_out_print(o, "\"%s\": null, ", key);
}

static void put_check(const struct check_result *check, struct out *o)
{
    tl_out_text(o, "        {");
    put_string(o, "name", check->name);
    tl_out_print(o, "\"passed\": %s, \"tried\": %s, ",
                 check->passed ? "true" : "false",
                 check->tried ? "true" : "false");
    put_string(o, "line", check->line);
    put_string(o, "diagnosis", check->diagnosis);
    put_string_or_null(o, "diagnosis_id", check->id);
    put_string_or_null(o, "read", check->read);
    tl_out_print(o, "\"score\": %g, \"max_score\": %g}", check->score,
                 check->max_score);
}

static void put_grade(const struct grade_result *g, struct out *o)
{
    tl_out_text(o, "      ");
    put_string(o, "file", g->file);
    put_string(o, "backend", g->backend);
    put_string(o, "device", g->device);
    put_string_or_null(o, "version", g->version);
    tl_out_print(o, "\"passed\": %s, ", g->passed ? "true" : "false");
    tl_out_print(o, "\"score\": %g, \"max_score\": %g,\n      ", g->score,
                 g->max_score);
    put_ratio(o, "eta", g->eta);
    put_ratio(o, "speedup", g->speedup);
    put_ratio(o, "bound_speedup", g->bound);
    put_ratio(o, "needed_speedup", g->needed);
    tl_out_print(o, "\"seconds\": %.1f,\n      \"graded_at\": \"", g->seconds);
    grades_put_time(o, g->when, "Z");
    tl_out_text(o, "\",\n      \"checks\": [\n");
    for (size_t i = 0; i < g->num_checks; i++) {
        put_check(&g->checks[i], o);
        tl_out_text(o, i + 1 < g->num_checks ? ",\n" : "\n");
    }
    tl_out_text(o, "      ]}");
}

/* A lab without a grade is there, too, so that a reader sees how many there
 * are. */
static void put_lab(const struct all_results *all, const struct lab_result *lab,
                    struct out *o)
{
    const struct grade_result *g = &lab->grade;

    tl_out_text(o, "    {");
    put_string(o, "lab", lab->lab);
    put_string_or_null(o, "error", grades_why_none(lab, ""));
    if (all->sheet)
        tl_out_print(o, "\"points\": %g, \"late\": %s, ", lab->points,
                     grades_is_late(all, lab) ? "true" : "false");
    if (g->graded) {
        tl_out_text(o, "\"graded\": true,\n");
        put_grade(g, o);
    } else {
        tl_out_text(o, "\"graded\": false}");
    }
}

void formats_put_results(const struct all_results *all, struct out *o)
{
    const struct totals sum = grades_add_up(all);

    tl_out_text(o, "{\n  \"schema\": \"cuda-streams-lab/results/1\",\n"
                   "  \"created\": \"");
    grades_put_time(o, all->now, "Z\"");
    if (all->sheet) {
        tl_out_text(o, ",\n  \"sheet\": ");
        tl_out_json(o, all->sheet->name);
        tl_out_print(o, ",\n  \"due\": %s", all->sheet->due ? "\"" : "null");
        if (all->sheet->due)
            grades_put_time(o, all->sheet->due, "Z\"");
    }
    tl_out_print(o,
                 ",\n  \"labs_total\": %zu,\n  \"labs_graded\": %u,\n"
                 "  \"labs_passed\": %u,\n  \"score\": %g,\n"
                 "  \"max_score\": %g,\n  \"labs\": [\n",
                 all->num, sum.graded, sum.passed, sum.score, sum.max_score);
    for (size_t i = 0; i < all->num; i++) {
        put_lab(all, &all->labs[i], o);
        tl_out_text(o, i + 1 < all->num ? ",\n" : "\n");
    }
    tl_out_text(o, "  ]\n}\n");
}
