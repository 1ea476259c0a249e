/* formats.c: what the formats share, and results.json, the project's own */
#include "formats.h"

#include <math.h>
#include <string.h>

struct totals formats_add_up(const struct all_results *all)
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
        sum.seconds += formats_seconds(g);
    }
    return sum;
}

double formats_seconds(const struct grade_result *g)
{
    const struct json *labs = json_get(&g->document, "labs");
    double seconds = 0;

    if (labs && labs->kind == JSON_ARRAY && labs->num == 1)
        seconds = json_number(&labs->items[0], "seconds", 0);
    return seconds > 0 ? seconds : 0;
}

const struct check_result *formats_main_mistake(const struct grade_result *g)
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

void formats_put_time(struct out *o, time_t when, const char *zone)
{
    struct tm utc;
    char text[32] = "1970-01-01T00:00:00";

    if (gmtime_r(&when, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    tl_out_print(o, "%s%s", text, zone);
}

/* ---- results.json -------------------------------------------------------- */

static void put_string(struct out *o, const char *key, const char *value)
{
    tl_out_print(o, "\"%s\": ", key);
    tl_out_json(o, value);
    tl_out_text(o, ", ");
}

static void put_string_or_null(struct out *o, const char *key,
                               const char *value)
{
    if (*value)
        put_string(o, key, value);
    else
        tl_out_print(o, "\"%s\": null, ", key);
}

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
    tl_out_print(o, "\"passed\": %s, ", g->passed ? "true" : "false");
    tl_out_print(o, "\"score\": %g, \"max_score\": %g,\n      ", g->score,
                 g->max_score);
    put_ratio(o, "eta", g->eta);
    put_ratio(o, "speedup", g->speedup);
    put_ratio(o, "bound_speedup", g->bound);
    put_ratio(o, "needed_speedup", g->needed);
    tl_out_print(o, "\"seconds\": %.1f,\n      \"graded_at\": \"",
                 formats_seconds(g));
    formats_put_time(o, g->when, "Z");
    tl_out_text(o, "\",\n      \"checks\": [\n");
    for (size_t i = 0; i < g->num_checks; i++) {
        put_check(&g->checks[i], o);
        tl_out_text(o, i + 1 < g->num_checks ? ",\n" : "\n");
    }
    tl_out_text(o, "      ]}");
}

static void put_lab(const struct lab_result *lab, struct out *o)
{
    const struct grade_result *g = &lab->grade;

    tl_out_text(o, "    {");
    put_string(o, "lab", lab->lab);
    put_string_or_null(o, "error", g->error);
    if (g->graded) {
        tl_out_text(o, "\"graded\": true,\n");
        put_grade(g, o);
    } else {
        tl_out_text(o, "\"graded\": false}");
    }
}

void formats_put_results(const struct all_results *all, struct out *o)
{
    const struct totals sum = formats_add_up(all);

    tl_out_text(o, "{\n  \"schema\": \"cuda-streams-lab/results/1\",\n"
                   "  \"created\": \"");
    formats_put_time(o, all->now, "Z");
    tl_out_print(o,
                 "\",\n  \"labs_total\": %zu,\n  \"labs_graded\": %u,\n"
                 "  \"labs_passed\": %u,\n  \"score\": %g,\n"
                 "  \"max_score\": %g,\n  \"labs\": [\n",
                 all->num, sum.graded, sum.passed, sum.score, sum.max_score);
    for (size_t i = 0; i < all->num; i++) {
        put_lab(&all->labs[i], o);
        tl_out_text(o, i + 1 < all->num ? ",\n" : "\n");
    }
    tl_out_text(o, "  ]\n}\n");
}
