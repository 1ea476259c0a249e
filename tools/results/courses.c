/* courses.c: grades for course sites: Gradescope, Classroom 50, PrairieLearn
 *
 * All want a list of tests with points, and show their words to students: so a
 * test is a check of a lab, and its words are the diagnosis. Gradescope takes
 * results.json from an autograder and allows fractions of points; Classroom 50
 * takes whole points only; PrairieLearn takes a fraction of 1 for all of it.
 * The formats are described in docs/results.md.
 */
#include "formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A check in words: what was seen, what it means, where to read. */
static void put_words(const struct lab_result *lab,
                      const struct check_result *check, struct out *o)
{
    struct out words = {0};

    tl_out_text(&words, check->line);
    if (!check->passed && *check->diagnosis) {
        tl_out_text(&words, words.length ? "\n" : "");
        tl_out_text(&words, check->diagnosis);
    }
    if (!check->passed && *check->read)
        tl_out_print(&words, "%sRead: labs/%s/README.md, \"%s\"",
                     words.length ? "\n" : "", lab->lab, check->read);
    tl_out_json(o, words.data ? words.data : "");
    o->failed |= words.failed;
    tl_out_free(&words);
}

/* "08 right": the labs are in one list. */
static void put_name(const struct lab_result *lab,
                     const struct check_result *check, struct out *o)
{
    char name[300];

    snprintf(name, sizeof name, "%.2s %s", lab->lab, check->name);
    tl_out_json(o, name);
}

/* ---- Gradescope ---------------------------------------------------------- */

/* A line for each lab; what its grade does not know is left out. */
static void put_summary(const struct all_results *all, struct out *o)
{
    struct out words = {0};

    for (size_t i = 0; i < all->num; i++) {
        const struct grade_result *g = &all->labs[i].grade;

        tl_out_print(&words, "%s%s: ", i > 0 ? "\n" : "", all->labs[i].lab);
        if (!g->graded) {
            tl_out_text(&words,
                        grades_why_none(&all->labs[i], "not graded yet"));
            continue;
        }
        tl_out_print(&words, "%s, %g of %g points, %s",
                     g->passed ? "passed" : "not passed", g->score,
                     g->max_score, g->backend);
        if (*g->device)
            tl_out_print(&words, " (%s)", g->device);
        if (*g->version)
            tl_out_print(&words, ", version %s", g->version);
        if (isfinite(g->speedup))
            tl_out_print(&words, ", %.2fx as fast as %s", g->speedup,
                         g->baseline);
        if (grades_is_late(all, &all->labs[i]))
            tl_out_print(&words, ", graded after %s", all->sheet->due_words);
    }
    tl_out_json(o, words.data ? words.data : "");
    o->failed |= words.failed;
    tl_out_free(&words);
}

/* All visible: the words are the grader's diagnosis, which students get at home
 * as well. */
static void put_gradescope_test(const struct lab_result *lab, size_t i,
                                struct out *o)
{
    const struct check_result *check = &lab->grade.checks[i];

    tl_out_text(o, "    {\"name\": ");
    put_name(lab, check, o);
    tl_out_print(o, ", \"number\": \"%d.%zu\", ", atoi(lab->lab), i + 1);
    tl_out_print(o, "\"score\": %g, \"max_score\": %g, \"status\": \"%s\",\n",
                 check->score, check->max_score,
                 check->passed ? "passed" : "failed");
    tl_out_text(o, "     \"visibility\": \"visible\", "
                   "\"output_format\": \"text\", \"output\": ");
    put_words(lab, check, o);
    tl_out_text(o, "}");
}

void formats_put_gradescope(const struct all_results *all, struct out *o)
{
    const struct totals sum = grades_add_up(all);
    const char *between = "";

    tl_out_print(o, "{\n  \"score\": %g,\n  \"execution_time\": %.0f,\n",
                 sum.score, sum.seconds);
    tl_out_text(o, "  \"visibility\": \"visible\",\n"
                   "  \"stdout_visibility\": \"hidden\",\n"
                   "  \"output_format\": \"text\",\n  \"output\": ");
    put_summary(all, o);
    tl_out_text(o, ",\n  \"tests\": [\n");
    for (size_t i = 0; i < all->num; i++)
        for (size_t k = 0; k < all->labs[i].grade.num_checks; k++) {
            tl_out_text(o, between);
            put_gradescope_test(&all->labs[i], k, o);
            between = ",\n";
        }
    tl_out_text(o, "\n  ]\n}\n");
}

/* ---- Classroom 50 -------------------------------------------------------- */

/* Whole points: every lab has 100, or those of the sheet, and no check gets all
 * of its points before it has passed. */
struct whole {
    long score, max_score;
};

static struct whole whole_points(const struct lab_result *lab, size_t i)
{
    const struct grade_result *g = &lab->grade;
    const double all = lab->points > 0 ? lab->points : 100;
    const struct check_result *check = &g->checks[i];
    double before = 0, most = 0;
    struct whole points;

    /* Rounded sums and not rounded points: so they add up to 100. */
    for (size_t k = 0; k < g->num_checks; k++) {
        most += g->checks[k].max_score;
        before += k < i ? g->checks[k].max_score : 0;
    }
    if (!(most > 0) || !(check->max_score > 0))
        return (struct whole){0, 0};
    points.max_score = lround(all * (before + check->max_score) / most) -
                       lround(all * before / most);
    points.score =
        (long)floor(check->score / check->max_score * (double)points.max_score);
    if (check->passed || points.score > points.max_score)
        points.score = points.max_score;
    if (points.score < 0)
        points.score = 0;
    return points;
}

/* Outside of Classroom 50's runner nobody sets these. */
static void put_setting(struct out *o, const char *key, const char *variable,
                        const char *other)
{
    const char *value = getenv(variable);

    tl_out_print(o, "  \"%s\": ", key);
    tl_out_json(o, value && *value ? value : other);
    tl_out_text(o, ",\n");
}

/* The runner tells by its environment which assignment this is. At home the
 * file is made, too, so that it can be looked at, with "local" in those places.
 */
static void put_settings(const struct all_results *all, struct out *o)
{
    const char *tag = getenv("SUBMISSION_TAG");
    const char *commit = getenv("COMMIT_URL");
    const char *user = getenv("USERNAME");
    const char *type = getenv("ASSIGNMENT_TYPE");

    put_setting(o, "classroom", "CLASSROOM", "local");
    put_setting(o, "assignment", "ASSIGNMENT",
                all->sheet      ? all->sheet->name
                : all->num == 1 ? all->labs[0].lab
                                : "labs");
    tl_out_print(o, "  \"assignment_type\": \"%s\",\n",
                 type && strcmp(type, "group") == 0 ? "group" : "individual");
    put_setting(o, "owner", "OWNER", user && *user ? user : "local");
    tl_out_text(o, "  \"submission\": ");
    tl_out_json(o,
                tag && strncmp(tag, "submit/", 7) == 0 ? tag : "submit/local");
    tl_out_text(o, ",\n");
    put_setting(o, "commit", "COMMIT_URL", "local");
    put_setting(o, "release", "RELEASE_URL", "local");
    put_setting(o, "review", "REVIEW_URL",
                commit && *commit ? commit : "local");
    tl_out_text(o, "  \"datetime\": \"");
    grades_put_time(o, all->now, "Z");
    tl_out_text(o, "\",\n");
}

static void put_classroom_test(const struct lab_result *lab, size_t i,
                               struct out *o)
{
    const struct check_result *check = &lab->grade.checks[i];
    const struct whole points = whole_points(lab, i);

    tl_out_text(o, "    {\"test-name\": ");
    put_name(lab, check, o);
    tl_out_print(o, ", \"passed\": %s, \"score\": %ld, \"max-score\": %ld,\n",
                 check->passed ? "true" : "false", points.score,
                 points.max_score);
    tl_out_text(o, "     \"message\": ");
    put_words(lab, check, o);
    tl_out_text(o, "}");
}

/* The sums are made of the whole points, not of the grade's: a course site adds
 * the tests up itself and compares. */
void formats_put_classroom50(const struct all_results *all, struct out *o)
{
    long score = 0, most = 0;
    const char *between = "";

    for (size_t i = 0; i < all->num; i++)
        for (size_t k = 0; k < all->labs[i].grade.num_checks; k++) {
            const struct whole points = whole_points(&all->labs[i], k);

            score += points.score;
            most += points.max_score;
        }
    tl_out_text(o, "{\n  \"schema\": \"classroom50/result/v1\",\n");
    put_settings(all, o);
    tl_out_print(o, "  \"score\": %ld,\n  \"max-score\": %ld,\n", score, most);
    tl_out_text(o, "  \"tests\": [\n");
    for (size_t i = 0; i < all->num; i++)
        for (size_t k = 0; k < all->labs[i].grade.num_checks; k++) {
            tl_out_text(o, between);
            put_classroom_test(&all->labs[i], k, o);
            between = ",\n";
        }
    tl_out_text(o, "\n  ]\n}\n");
}

/* ---- PrairieLearn ----------------------------------------------------------
 */

/* Points of a test are for the eye there: the score is what counts. A lab
 * without a grade counts as its lab's full points that were not got. */
void formats_put_prairielearn(const struct all_results *all, struct out *o)
{
    double score = 0, most = 0;
    const char *between = "";

    for (size_t i = 0; i < all->num; i++) {
        const struct grade_result *g = &all->labs[i].grade;

        score += g->graded ? g->score : 0;
        most += g->max_score > 0 ? g->max_score : 100;
    }
    tl_out_print(o, "{\n  \"gradable\": true,\n  \"score\": %.6g,\n",
                 most > 0 ? score / most : 0);
    tl_out_text(o, "  \"output\": ");
    put_summary(all, o);
    tl_out_text(o, ",\n  \"tests\": [\n");
    for (size_t i = 0; i < all->num; i++)
        for (size_t k = 0; k < all->labs[i].grade.num_checks; k++) {
            const struct check_result *check = &all->labs[i].grade.checks[k];

            tl_out_print(o, "%s    {\"name\": ", between);
            put_name(&all->labs[i], check, o);
            tl_out_print(o, ", \"points\": %g, \"max_points\": %g,\n",
                         check->score, check->max_score);
            tl_out_text(o, "     \"message\": ");
            put_words(&all->labs[i], check, o);
            tl_out_text(o, "}");
            between = ",\n";
        }
    tl_out_text(o, "\n  ]\n}\n");
}
