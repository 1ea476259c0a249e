/* junit.c: grades as JUnit XML, valid for the two schemas that are common:
 * Windy Road's of Apache Ant and Jenkins' xUnit plug-in
 *
 * A lab is a test suite and a check a test case. There is no official schema;
 * what both of these allow is a narrow way: attributes, their order and the two
 * empty elements at a suite's end are as they want them, and readers such as
 * GitLab take it, too.
 */
#include "formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Text of one or more lines. XML has no U+FFFE and U+FFFF. */
static void put_text(struct out *o, const char *text)
{
    char *copy = strdup(text), *line = copy, *end;

    o->failed |= !copy;
    for (char *at = copy; at && (at = strstr(at, "\xef\xbf")); at += 3)
        if (at[2] == '\xbe' || at[2] == '\xbf')
            memcpy(at, "???", 3);
    for (; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        tl_out_xml(o, line);
        tl_out_text(o, end ? "\n" : "");
    }
    free(copy);
}

/* The first line of a text, for an attribute. */
static void put_first_line(struct out *o, const char *text)
{
    char line[300];

    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    put_text(o, line);
}

static void put_property(struct out *o, const char *name, const char *value)
{
    tl_out_print(o, "      <property name=\"%s\" value=\"", name);
    put_first_line(o, value);
    tl_out_text(o, "\"/>\n");
}

/* What was not measured has no property, rather than one that says NaN. */
static void put_number(struct out *o, const char *name, double value)
{
    char text[40];

    if (!isfinite(value))
        return;
    snprintf(text, sizeof text, "%g", value);
    put_property(o, name, text);
}

static void put_properties(const struct lab_result *lab, struct out *o)
{
    const struct grade_result *g = &lab->grade;

    tl_out_text(o, "    <properties>\n");
    if (g->graded) {
        put_property(o, "backend", g->backend);
        put_property(o, "device", g->device);
        put_property(o, "version", g->version);
        put_property(o, "file", g->file);
        put_number(o, "score", g->score);
        put_number(o, "max_score", g->max_score);
        put_number(o, "eta", g->eta);
        put_number(o, "speedup", g->speedup);
        put_number(o, "bound_speedup", g->bound);
        put_number(o, "needed_speedup", g->needed);
    } else if (*lab->reason) {
        put_property(o, "not_graded", lab->reason);
    }
    tl_out_text(o, "    </properties>\n");
}

/* In a list a reader shows the message; the text is for who opens it. */
static void put_failure(const struct check_result *check, struct out *o)
{
    const bool said = *check->line != '\0';

    tl_out_text(o, ">\n      <failure type=\"");
    put_first_line(o, *check->id ? check->id : "not-passed");
    tl_out_text(o, "\" message=\"");
    put_first_line(o, said ? check->line : check->diagnosis);
    tl_out_text(o, "\">");
    put_text(o, check->line);
    if (*check->diagnosis) {
        tl_out_text(o, said ? "\n" : "");
        put_text(o, check->diagnosis);
    }
    if (*check->read) {
        tl_out_text(o, "\nRead in the lab's README.md: ");
        put_text(o, check->read);
    }
    tl_out_text(o, "</failure>\n    </testcase>\n");
}

/* time is a must of the schemas; a check has none of its own. */
static void put_case(const char *lab, const struct check_result *check,
                     struct out *o)
{
    tl_out_text(o, "    <testcase name=\"");
    put_first_line(o, check->name);
    tl_out_text(o, "\" classname=\"");
    put_first_line(o, lab);
    tl_out_text(o, "\" time=\"0.000\"");
    if (check->passed)
        tl_out_text(o, "/>\n");
    else if (!check->tried)
        tl_out_text(o, ">\n      <skipped/>\n    </testcase>\n");
    else
        put_failure(check, o);
}

/* A lab without a grade is one test that did not run, or that failed. */
static void put_missing(const struct lab_result *lab, struct out *o)
{
    const struct check_result check = {.name = "graded",
                                       .line = lab->grade.error,
                                       .diagnosis = "the grade is of no use",
                                       .id = "no-grade",
                                       .read = "",
                                       .tried = *lab->grade.error != '\0'};

    put_case(lab->lab, &check, o);
}

/* A check that was not tried (it must be right before its speed is measured) is
 * skipped, and counts neither as failed nor as passed.
 */
static void put_suite(const struct all_results *all, size_t i, const char *host,
                      struct out *o)
{
    const struct lab_result *lab = &all->labs[i];
    const struct grade_result *g = &lab->grade;
    size_t failures = 0, skipped = 0;

    for (size_t k = 0; k < g->num_checks; k++) {
        failures += !g->checks[k].passed && g->checks[k].tried;
        skipped += !g->checks[k].passed && !g->checks[k].tried;
    }
    if (!g->graded)
        *(*g->error ? &failures : &skipped) = 1;
    tl_out_text(o, "  <testsuite name=\"");
    put_first_line(o, lab->lab);
    tl_out_print(o, "\" package=\"labs\" id=\"%zu\" tests=\"%zu\" ", i,
                 g->graded ? g->num_checks : 1);
    tl_out_print(o, "failures=\"%zu\" errors=\"0\" skipped=\"%zu\" ", failures,
                 skipped);
    tl_out_print(o, "time=\"%.3f\" hostname=\"", g->seconds);
    put_first_line(o, host);
    tl_out_text(o, "\" timestamp=\"");
    grades_put_time(o, g->graded ? g->when : all->now, "");
    tl_out_text(o, "\">\n");
    put_properties(lab, o);
    for (size_t k = 0; k < g->num_checks; k++)
        put_case(lab->lab, &g->checks[k], o);
    if (!g->graded)
        put_missing(lab, o);
    tl_out_text(o, "    <system-out></system-out>\n"
                   "    <system-err></system-err>\n  </testsuite>\n");
}

/* The schemas want a host's name that is not empty. */
void formats_put_junit(const struct all_results *all, struct out *o)
{
    struct utsname system;
    const char *host = "localhost";

    if (uname(&system) == 0 && system.nodename[0])
        host = system.nodename;
    tl_out_text(o,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < all->num; i++)
        put_suite(all, i, host, o);
    tl_out_text(o, "</testsuites>\n");
}
