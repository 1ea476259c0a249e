/* lines.c: one grade in one line
 *
 * Of a class: a CSV file for a spreadsheet, and a table for the terminal while
 * the grading goes on. For scripts: fields. In all of them a submission takes
 * one line, whatever its diagnosis holds.
 */
#include "lines.h"

#include "utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "no file" is what tools/grade-class calls a folder without a submission. */
static const char *status_word(const struct submission *s)
{
    if (s->to_do)
        return "to do";
    if (!s->result.grade.graded)
        return s->trouble && strcmp(s->trouble, "no file") == 0 ? "no file"
                                                                : "not graded";
    return s->result.grade.passed ? "passed" : "not passed";
}

/* In one line: what was seen, and what it means. */
static void put_mistake(const struct grade_result *g, struct out *o)
{
    const struct check_result *check = grades_main_mistake(g);

    if (!check)
        return;
    tl_out_print(o, "%s: ", check->name);
    if (*check->id)
        tl_out_text(o, check->diagnosis);
    else
        tl_out_text(o, *check->line ? check->line : check->diagnosis);
}

/* For those who grade: why there is no grade, in the words of whoever could not
 * make one. */
static void put_reason(const struct submission *s, struct out *o)
{
    if (s->result.grade.graded)
        put_mistake(&s->result.grade, o);
    else if (s->trouble && *s->trouble)
        tl_out_text(o, s->trouble);
    else
        tl_out_text(o, s->result.grade.error);
}

/* ---- CSV ----------------------------------------------------------------- */

/* A name or a diagnosis may come from a student, and a spreadsheet runs what
 * begins like a formula: an apostrophe makes it a text. Newlines would be legal
 * inside quotes, but not all readers know that.
 */
static void put_csv_text(struct out *o, const char *text, const char *after)
{
    const bool formula = *text && strchr("=+-@\t\r", *text);
    struct out safe = {0};
    char *copy = strdup(text);

    for (char *at = copy; at && *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    tl_out_plain(&safe, copy ? copy : "");
    tl_out_text(o, formula ? "\"'" : "\"");
    for (const char *at = safe.data; at && *at; at++)
        tl_out_bytes(o, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    tl_out_print(o, "\"%s", after);
    o->failed |= safe.failed || !copy;
    tl_out_free(&safe);
    free(copy);
}

/* An unknown value is an empty cell: a spreadsheet leaves it out of a mean,
 * where 0 or a dash would spoil it. */
static void put_csv_number(struct out *o, bool known, double value)
{
    if (known && isfinite(value))
        tl_out_print(o, "%.6g", value);
    tl_out_text(o, ",");
}

void lines_put_csv_header(struct out *o)
{
    tl_out_text(o, "student,lab,status,score,max_score,percent,eta,speedup,"
                   "backend,device,seconds,diagnosis_id,diagnosis,file,"
                   "json,version,late\n");
}

void lines_put_csv(const struct submission *s, struct out *o)
{
    const struct grade_result *g = &s->result.grade;
    const struct check_result *mistake = grades_main_mistake(g);
    struct out reason = {0};

    put_reason(s, &reason);
    put_csv_text(o, s->student, ",");
    put_csv_text(o, s->result.lab, ",");
    tl_out_print(o, "%s,", status_word(s));
    /* Nothing handed in is 0 points; what could not be graded is not. */
    put_csv_number(o, g->graded || strcmp(status_word(s), "no file") == 0,
                   g->score);
    put_csv_number(o, g->graded, g->max_score);
    put_csv_number(o, g->graded && g->max_score > 0,
                   floor(1000 * g->score / g->max_score) / 10);
    put_csv_number(o, g->graded, g->eta);
    put_csv_number(o, g->graded, g->speedup);
    put_csv_text(o, g->backend, ",");
    put_csv_text(o, g->device, ",");
    put_csv_number(o, g->graded, g->seconds);
    put_csv_text(o, mistake ? mistake->id : "", ",");
    put_csv_text(o, reason.data ? reason.data : "", ",");
    put_csv_text(o, s->file, ",");
    put_csv_text(o, s->json, ",");
    put_csv_text(o, g->version, ",");
    tl_out_print(o, "%s\n", s->late ? s->late : "");
    o->failed |= reason.failed;
    tl_out_free(&reason);
}

/* ---- for people ---------------------------------------------------------- */

/* At most so many characters, the rest as "...". */
static void put_cut(struct out *o, const char *text, size_t most)
{
    struct out plain = {0};
    size_t chars = 0, len = 0, cut = 0;

    tl_out_plain(&plain, text);
    while (plain.data && plain.data[len]) {
        if (chars + 3 == most)
            cut = len;
        len += tl_utf8_length(plain.data + len, UTF8_TERMINATED);
        chars++;
    }
    tl_out_bytes(o, plain.data ? plain.data : "", chars > most ? cut : len);
    if (chars > most)
        tl_out_text(o, "...");
    if (chars < most)
        tl_out_repeat(o, " ", most - chars);
    o->failed |= plain.failed;
    tl_out_free(&plain);
}

void lines_put_row(const struct submission *s, struct out *o)
{
    const struct grade_result *g = &s->result.grade;
    struct out reason = {0};
    char points[40] = "-", eta[20] = "-";

    put_reason(s, &reason);
    if (g->graded)
        snprintf(points, sizeof points, "%g/%g", g->score, g->max_score);
    if (g->graded && isfinite(g->eta))
        snprintf(eta, sizeof eta, "%.2f", g->eta);
    put_cut(o, s->student, 20);
    tl_out_print(o, "  %.2s  %-10s  %8s  %5s  %s", s->result.lab,
                 status_word(s), points, eta,
                 s->late && *s->late ? "(late) " : "");
    if (reason.data) {
        reason.data[strcspn(reason.data, "\n")] = '\0';
        put_cut(o, reason.data, 120);
    }
    while (o->length > 0 && o->data[o->length - 1] == ' ')
        o->data[--o->length] = '\0';
    tl_out_text(o, "\n");
    o->failed |= reason.failed;
    tl_out_free(&reason);
}

/* The first line of a diagnosis is enough between two saves of a file; the
 * whole stands in the report. */
void lines_put_brief(const struct lab_result *result, struct out *o)
{
    const struct grade_result *g = &result->grade;
    const struct check_result *mistake = grades_main_mistake(g);
    struct out reason = {0};

    tl_out_print(o, "%s: %g of %g", g->passed ? "passed" : "not passed",
                 g->score, g->max_score);
    if (isfinite(g->eta) && isfinite(g->speedup))
        tl_out_print(o, ", %.2fx as fast (eta %.2f)", g->speedup, g->eta);
    tl_out_text(o, "\n");
    put_mistake(g, &reason);
    if (reason.data) {
        reason.data[strcspn(reason.data, "\n")] = '\0';
        tl_out_text(o, "    ");
        tl_out_plain(o, reason.data);
        tl_out_text(o, "\n");
    }
    if (mistake && *mistake->read)
        tl_out_print(o, "    Read: labs/%s/README.md, \"%s\"\n", result->lab,
                     mistake->read);
    o->failed |= reason.failed;
    tl_out_free(&reason);
}

/* The names are those of the grade's own JSON, and verdict. "-" for null keeps
 * the columns of a script in place. */
bool lines_put_field(const struct grade_result *g, const char *name,
                     struct out *o)
{
    const struct {
        const char *name;
        double value;
        const char *format;
    } numbers[] = {{"score", g->score, "%g"},
                   {"max_score", g->max_score, "%g"},
                   {"eta", g->eta, "%.3f"},
                   {"speedup", g->speedup, "%.3f"},
                   {"bound_speedup", g->bound, "%.3f"},
                   {"needed_speedup", g->needed, "%.3f"}};
    const struct check_result *mistake = grades_main_mistake(g);
    char text[40] = "-";

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(name, numbers[i].name) == 0) {
            if (isfinite(numbers[i].value))
                snprintf(text, sizeof text, numbers[i].format,
                         numbers[i].value);
            tl_out_text(o, text);
            return true;
        }
    if (strcmp(name, "verdict") == 0)
        tl_out_text(o, g->passed ? "passed" : "failed");
    else if (strcmp(name, "backend") == 0)
        tl_out_plain(o, *g->backend ? g->backend : "-");
    else if (strcmp(name, "version") == 0)
        tl_out_plain(o, *g->version ? g->version : "-");
    else if (strcmp(name, "diagnosis_id") == 0)
        tl_out_plain(o, mistake && *mistake->id ? mistake->id : "-");
    else
        return false;
    return true;
}
