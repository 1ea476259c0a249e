/*
 * main.c: the program report: one page of all labs, from what the grader left
 * in build/. Called by tools/report-labs in the repository's folder.
 *
 *   report [--force] [--reference FOLDER] [--results FOLDER]
 *          [--traces FOLDER] --out FILE [--passed] LAB...
 *   report --version
 *
 * --passed: the lab behind it has passed once, whatever its last grade says.
 * Exit status: 0; 1 where the page cannot be written; 2 for a wrong option.
 */
#include "html.h"
#include "lab_page.h"
#include "page.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { MAX_LABS = 100 };

extern const char timeline_report_css[];
extern const char timeline_report_js[];

struct report {
    const char *out, *reference, *results, *traces;
    bool force;
    struct lab_page *labs;
    unsigned num_labs;
};

/* The processor's name, where the system tells it. */
static void find_processor(char *name, size_t size)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[300];

    *name = '\0';
    while (in && !*name && fgets(line, sizeof line, in)) {
        char *colon = strchr(line, ':');

        line[strcspn(line, "\n")] = '\0';
        if (colon && strncmp(line, "model name", 10) == 0)
            snprintf(name, size, "%s", colon + 1 + (colon[1] == ' '));
    }
    if (in)
        fclose(in);
}

/* Last on the page, for whoever compares two reports and wonders why the times
 * differ. */
static void put_machine(struct out *o)
{
    struct utsname system;
    char processor[200], when[40];
    time_t now = time(NULL);

    find_processor(processor, sizeof processor);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime(&now));
    tl_out_print(o, "<p class=\"machine\">Made %s", when);
    if (uname(&system) == 0) {
        tl_out_text(o, " on ");
        tl_out_xml(o, system.nodename);
        tl_out_text(o, ", ");
        tl_out_xml(o, system.sysname);
        tl_out_text(o, " ");
        tl_out_xml(o, system.machine);
    }
    tl_out_text(o, *processor ? ", " : "");
    tl_out_xml(o, processor);
    tl_out_text(o, ". Times of the virtual GPU come from its device profile, "
                   "not from this machine.</p>\n");
}

/* Points only of what was graded: labs that are still to come count as nothing,
 * neither for nor against. */
static void put_overview(const struct report *r, struct out *o)
{
    double score = 0, most = 0;
    unsigned passed = 0, solutions = 0, solved = 0;

    for (unsigned i = 0; i < r->num_labs; i++) {
        passed += r->labs[i].passed;
        solutions += r->labs[i].solution.graded;
        solved += r->labs[i].solution.graded && r->labs[i].solution.passed;
        score += r->labs[i].grade.score;
        most += r->labs[i].grade.max_score;
    }
    tl_out_text(o, "<p>");
    if (solutions == 0 || passed > 0 || most > 0)
        tl_out_print(o, "%u of %u lab%s passed", passed, r->num_labs,
                     r->num_labs == 1 ? "" : "s");
    if (most > 0)
        tl_out_print(o, ", %g of %g points in those that were graded", score,
                     most);
    if (solutions == 0 || passed > 0 || most > 0)
        tl_out_text(o, ". ");
    if (solutions > 0)
        tl_out_print(o, "Of the reference solutions, %u of %u passed.", solved,
                     solutions);
    tl_out_text(o, "</p>\n<div class=\"scroll\"><table class=\"overview\">\n"
                   "<tr><th>lab</th><th>verdict</th><th class=\"n\">points"
                   "</th><th class=\"n\">speed</th><th class=\"n\">limit</th>"
                   "<th class=\"n\">quiz</th><th>run on</th></tr>\n");
    for (unsigned i = 0; i < r->num_labs; i++)
        lab_page_put_row(&r->labs[i], o);
    tl_out_text(o, "</table></div>\n");
    for (unsigned i = 0; i < r->num_labs; i++)
        if (!r->labs[i].has_section) {
            tl_out_print(o,
                         "<p class=\"note\">A lab has a section of its own "
                         "from its first grade on: <code>make grade "
                         "LAB=%.2s</code></p>\n",
                         r->labs[i].lab);
            break;
        }
}

/* What report.js puts together when a timeline is explored. */
static void put_parts(struct out *o)
{
    tl_out_text(o, "<template id=\"timeline-page\">\n");
    tl_out_text(o, timeline_page_html);
    tl_out_text(o, "</template>\n<script type=\"text/plain\" "
                   "id=\"timeline-css\">\n");
    tl_out_text(o, timeline_page_css);
    tl_out_text(o, "</script>\n<script type=\"text/plain\" "
                   "id=\"timeline-js\">\n");
    tl_html_put_scripts(o);
    tl_out_text(o, "</script>\n<script>\n");
    tl_out_text(o, timeline_report_js);
    tl_out_text(o, "</script>\n");
}

/* One file without anything from outside, as the page of timeline: it can be
 * handed in, and opens anywhere. */
static void put_report(const struct report *r, struct out *o)
{
    tl_out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\""
                   "default-src 'none'; style-src 'unsafe-inline'; "
                   "script-src 'unsafe-inline'\">\n"
                   "<title>CUDA streams lab: report</title>\n<style>\n");
    tl_out_text(o, timeline_page_css);
    tl_out_text(o, timeline_report_css);
    tl_out_text(o, "</style>\n</head>\n<body>\n<main>\n"
                   "<h1>CUDA streams lab</h1>\n");
    put_overview(r, o);
    for (unsigned i = 0; i < r->num_labs; i++)
        lab_page_put(&r->labs[i], o);
    put_machine(o);
    tl_out_text(o, "</main>\n");
    put_parts(o);
    tl_out_text(o, "</body>\n</html>\n");
}

static int refuse(const char *text, const char *what)
{
    fprintf(stderr, "report: %s%s%s\n", text, what ? ": " : "",
            what ? what : "");
    return 2;
}

/* @passed: --passed stood before it; no longer behind it. */
static void add_lab(struct report *r, const char *lab, bool *passed)
{
    struct lab_page *page = &r->labs[r->num_labs++];

    page->lab = lab;
    page->passed_once = *passed;
    *passed = false;
}

/* Return: 0, or the exit status. */
static int parse(struct report *r, int argc, char **argv)
{
    bool passed = false;

    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--out") == 0       ? &r->out
                             : strcmp(argv[i], "--results") == 0 ? &r->results
                             : strcmp(argv[i], "--traces") == 0  ? &r->traces
                             : strcmp(argv[i], "--reference") == 0
                                 ? &r->reference
                                 : NULL;

        if (strcmp(argv[i], "--force") == 0)
            r->force = true;
        else if (strcmp(argv[i], "--passed") == 0)
            passed = true;
        else if (value && i + 1 < argc)
            *value = argv[++i];
        else if (value)
            return refuse("this option needs a value", argv[i]);
        else if (argv[i][0] == '-')
            return refuse("unknown option", argv[i]);
        else if (r->num_labs == MAX_LABS || strlen(argv[i]) < 3)
            return refuse("not a lab", argv[i]);
        else
            add_lab(r, argv[i], &passed);
    }
    if (passed)
        return refuse("which lab has passed? --passed LAB", NULL);
    return r->out ? 0 : refuse("where to? --out FILE", NULL);
}

int main(int argc, char **argv)
{
    /* A lab's page holds its whole grade: too large for a stack. */
    static struct lab_page labs[MAX_LABS];
    struct report r = {
        .labs = labs, .results = "build/results", .traces = "build/traces"};
    struct out o = {0};
    int status;

    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts(VERSION_OF("report"));
        return 0;
    }
    status = parse(&r, argc, argv);
    if (status)
        return status;
    for (unsigned i = 0; i < r.num_labs; i++) {
        labs[i].results = r.results;
        labs[i].traces = r.traces;
        labs[i].reference = r.reference;
        labs[i].force = r.force;
        lab_page_read(&labs[i]);
    }
    put_report(&r, &o);
    if (!tl_out_write(&o, r.out)) {
        fprintf(stderr, "report: %s: %s\n", r.out, strerror(errno));
        status = 1;
    }
    tl_out_free(&o);
    for (unsigned i = 0; i < r.num_labs; i++)
        lab_page_free(&labs[i]);
    return status;
}
