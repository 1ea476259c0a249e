/* show.c: a submission built and run for a person, without points */
#include "grade/grade.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/progress.h"
#include "grade/cases.h"
#include "base/files.h"
#include "say/json.h"
#include "say/report.h"
#include "trace_read.h"

enum { CANNOT_RUN = 2 };

/* ---- traces -------------------------------------------------------------- */

/* Where a trace is left: 0 the baseline, 1 the student's. To be freed. */
static char *trace_path(const struct grade_request *request, int which,
                        bool solution)
{
    const char *const names[] = {"baseline", solution ? "solution" : "student"};

    return text_format("%s/build/traces/%.2s_%s.trace", request->tools->root,
                       request->lab->name, names[which]);
}

/* What the baseline's picture is called, beside its trace. */
static void name_baseline(const struct grade_request *request)
{
    const char *const words = lab_baseline(request->lab);
    char *path = text_format("%s/build/traces/%.2s_baseline.title",
                             request->tools->root, request->lab->name);

    files_write_whole(path, words, strlen(words));
    free(path);
}

/* The traces of an earlier run go away, and the baseline gets its name. */
static void clear_traces(const struct grade_request *request, bool solution)
{
    char *folder = text_format("%s/build/traces", request->tools->root);

    files_make_folders(folder);
    name_baseline(request);
    for (int i = 0; i < 2; i++) {
        char *path = trace_path(request, i, solution);

        unlink(path);
        free(path);
    }
    free(folder);
}

/* The drawn case once without the checker and, for the hazards, once with it.
 */
static bool record(struct workplace *place, const struct lab_case *rules,
                   const char *who, const char *path)
{
    char *trace = text_format("%s/run.trace", place->folder);
    char *checked = text_format("%s/checked.trace", place->folder);
    const struct evidence *const evidence = &place->evidence;
    bool done = case_draw(evidence, &place->job, rules, who, trace, false);

    if (done && evidence->backend == BACKEND_VGPU &&
        case_draw(evidence, &place->job, rules, who, checked, true))
        trace_take_hazards(trace, checked);
    done = done && rename(trace, path) == 0;
    free(trace);
    free(checked);
    return done;
}

static void record_both(struct workplace *place,
                        const struct grade_request *request, bool solution)
{
    const struct lab_rules *const lab = request->lab;
    const struct lab_case *drawn = NULL;

    for (size_t i = 0; i < lab->num_cases && !drawn; i++)
        drawn = lab->cases[i].drawn ? &lab->cases[i] : NULL;
    for (int i = lab->no_baseline ? 1 : 0; drawn && i < 2; i++) {
        char *path = trace_path(request, i, solution);

        if (!record(place, drawn, i == 0 ? "baseline" : "student", path))
            printf("  no timeline of %s: it leaves no trace here\n",
                   i == 0     ? "the baseline"
                   : solution ? "the solution"
                              : "your lab.cu");
        free(path);
    }
}

/* ---- words --------------------------------------------------------------- */

/* Room for the longest name of a check. */
static int name_width(const struct verdict *verdict)
{
    int width = 28;

    for (int i = 1; i < verdict->num_checks; i++)
        if ((int)strlen(verdict->checks[i].name) > width)
            width = (int)strlen(verdict->checks[i].name);
    return width;
}

static void print_check(const struct check *check, int width)
{
    const bool not = !check->passed && !check->skipped;

    printf("  %-*s %s", width, check->name, not ? "NOT " : "");
    report_print_seen(stdout, width + (not ? 7 : 3), text_string(&check->seen));
}

static void print_row(const char *what, uint64_t ns, uint64_t serial_ns)
{
    printf("  %-34s %9.3f ms", what, (double)ns / 1e6);
    if (serial_ns > 0)
        printf("  %5.2fx", (double)serial_ns / (double)ns);
    putchar('\n');
}

/* Where the drawn case reported all of it: what took how long. */
static void print_times(const struct case_run *run,
                        const struct judgement *judgement)
{
    const uint64_t serial_ns = (uint64_t)case_fact(run, "serial_ns");

    if (!run->ran || serial_ns == 0 || !case_has(run, "h2d_ns"))
        return;
    printf("\n  %lld entries in %llu streams, %lld rounds an entry\n\n",
           (long long)case_fact(run, "entries"),
           (unsigned long long)case_param(run, "streams"),
           (long long)case_fact(run, "rounds"));
    print_row("copy in by itself", (uint64_t)case_fact(run, "h2d_ns"), 0);
    print_row("kernel by itself", (uint64_t)case_fact(run, "kernel_ns"), 0);
    print_row("copy back by itself", (uint64_t)case_fact(run, "d2h_ns"), 0);
    print_row("one after the other", serial_ns, serial_ns);
    print_row("your version", (uint64_t)case_fact(run, "student_ns"),
              serial_ns);
    if (judgement->timed)
        print_row("needed to pass",
                  (uint64_t)((double)serial_ns / judgement->needed_speedup),
                  serial_ns);
    print_row("the limit of this device", (uint64_t)case_fact(run, "bound_ns"),
              serial_ns);
}

/* What there is to say of the drawn case, beside its verdict. */
static void print_drawn(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->lab->num_cases; i++) {
        const struct case_result *const result = &evidence->cases[i];

        if (!evidence->lab->cases[i].drawn)
            continue;
        print_times(&result->run, &result->judgement);
        if (result->run.printed.length > 0)
            printf("\n%s", text_string(&result->run.printed));
    }
}

static void print_finding(const struct verdict *verdict)
{
    const struct check *check = verdict_first_finding(verdict);

    if (check == NULL)
        return;
    printf("\n  %s\n", text_string(&check->sentence));
    if (check->read.length > 0)
        printf("  Read: labs/%s/README.md, \"%s\"\n", verdict->lab->name,
               text_string(&check->read));
}

/* ---- all of it ----------------------------------------------------------- */

static void print_run(const struct evidence *evidence,
                      const struct verdict *verdict)
{
    const int width = name_width(verdict);

    report_print_title(stdout, verdict, false);
    for (int i = 1; i < verdict->num_checks; i++)
        print_check(&verdict->checks[i], width);
    print_drawn(evidence);
}

static int show_it(struct workplace *place, const struct grade_request *request,
                   bool solution, struct text *json, double start_s)
{
    struct evidence *evidence = &place->evidence;
    struct verdict verdict;
    int status;

    grade_cases(evidence, &place->job);
    if (evidence->no_start.length > 0)
        return CANNOT_RUN;
    progress_done();
    verdict_make(&verdict, evidence, request->file);
    verdict.seconds = process_now_s() - start_s;
    if (json) {
        report_print(stdout, &verdict, report_wants_colour(stdout));
        json_add_lab(json, &verdict);
    } else {
        print_run(evidence, &verdict);
    }
    record_both(place, request, solution);
    if (json == NULL)
        print_finding(&verdict);
    status = verdict.passed ? 0 : 1;
    verdict_free(&verdict);
    return status;
}

int show_file(const struct grade_request *request, bool solution,
              struct text *json, char **cause)
{
    const double start_s = process_now_s();
    struct workplace place;
    int status = 2;

    clear_traces(request, solution);
    if (workplace_open(&place, request, cause) == GRADE_DONE) {
        if (place.evidence.built == BUILD_OK) {
            status = show_it(&place, request, solution, json, start_s);
            if (status == CANNOT_RUN)
                *cause =
                    text_format("%s", text_string(&place.evidence.no_start));
        } else {
            progress_done();
            printf("%s %s:\n%s", request->file,
                   build_words(place.evidence.built),
                   text_string(&place.evidence.messages));
            status = 1;
        }
    }
    workplace_close(&place);
    return status;
}
