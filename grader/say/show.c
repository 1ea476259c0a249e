/* show.c: a submission built and run for a person, without points */
#include "say/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "judge/judge.h"
#include "trace_read.h"

/* ---- traces -------------------------------------------------------------- */

/* Where a trace is left: 0 the baseline, 1 the student's. To be freed. */
static char *trace_path(const struct grade_job *job, int which, bool solution)
{
    const char *const names[] = {"baseline", solution ? "solution" : "student"};

    return text_format("%s/%.2s_%s.trace", job->traces, job->lab->name,
                       names[which]);
}

/* The baseline gets its name, which stands beside its trace. */
void show_clear(const struct grade_job *job, bool solution)
{
    const char *const words = lab_baseline(job->lab);
    OWNED char *title =
        text_format("%s/%.2s_baseline.title", job->traces, job->lab->name);

    files_make_folders(job->traces);
    files_write_whole(title, words, strlen(words));
    for (int i = 0; i < 2; i++) {
        OWNED char *path = trace_path(job, i, solution);

        unlink(path);
    }
}

/* The drawn case once without the checker and, for the hazards of the
 * student's, once with it. @failed: a check's name */
static bool record(struct workplace *place, const struct lab_case *rules,
                   const char *who, const char *failed, const char *path)
{
    OWNED char *trace = text_format("%s/run.trace", place->job.folder);
    struct evidence *const evidence = &place->evidence;
    bool done = case_draw(evidence, rules, who, trace, false);

    const bool checked =
        done && evidence->backend == BACKEND_VGPU && strcmp(who, "baseline") &&
        case_draw(evidence, rules, who, place->job.trace, true);

    done = done && trace_add(trace, checked ? place->job.trace : NULL, failed);
    done = done && rename(trace, path) == 0;
    return done;
}

static void record_both(struct workplace *place, const struct verdict *verdict,
                        bool solution)
{
    const char *const whose[] = {"the baseline",
                                 solution ? "the solution" : "your lab.cu"};
    const char *const failed = verdict->failed ? verdict->failed->name : "";
    const struct lab_rules *const lab = place->job.lab;
    const struct lab_case *drawn = NULL;

    for (size_t i = 0; i < lab->num_cases && !drawn; i++)
        drawn = lab->cases[i].drawn ? &lab->cases[i] : NULL;
    for (int i = lab->no_baseline ? 1 : 0; drawn && i < 2; i++) {
        OWNED char *path = trace_path(&place->job, i, solution);
        const bool hangs = i == 1 && place->evidence.costly > 0;

        if (hangs || !record(place, drawn, i == 0 ? "baseline" : "student",
                             i == 0 ? "" : failed, path))
            printf("  no timeline of %s: %s\n", whose[i],
                   hangs ? "it had to be stopped" : "it leaves no trace here");
    }
}

/* ---- words --------------------------------------------------------------- */

/* Where the drawn case reported all of it: what took how long. */
static void print_times(const struct case_run *run, const struct speed *speed,
                        const struct verdict *verdict)
{
    static const struct {
        const char *what, *fact; /* NULL: what is needed */
        bool whole;              /* and not a part of the work */
    } rows[] = {
        {"copy in by itself", "h2d_ns", false},
        {"kernel by itself", "kernel_ns", false},
        {"copy back by itself", "d2h_ns", false},
        {"one after the other", "serial_ns", true},
        {"your version", "student_ns", true},
        {"needed to pass", NULL, true},
        {"the limit of this device", "limit_ns", true},
    };
    const double serial_ns = (double)case_fact(run, "serial_ns");
    const double limit_ns =
        judge_limit_ns((double)case_fact(run, "bound_ns"),
                       speed->known ? (double)case_fact(run, "student_ns") : 0);

    if (!run->ran || serial_ns <= 0 || !case_has(run, "h2d_ns"))
        return;
    printf("\n  %lld entries in %llu streams, %lld rounds an entry\n\n",
           (long long)case_fact(run, "entries"),
           (unsigned long long)case_param(run, "streams"),
           (long long)case_fact(run, "rounds"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const fact = rows[i].fact;
        const double ns = !fact ? serial_ns / speed->needed
                          : strcmp(fact, "limit_ns") == 0
                              ? limit_ns
                              : (double)case_fact(run, fact);

        if (fact || speed->known) {
            printf("  %-34s %9.3f ms", rows[i].what, ns / 1e6);
            if (verdict->failed && fact && strcmp(fact, "student_ns") == 0)
                printf("  not compared: see NO above\n");
            else
                printf(rows[i].whole ? "  %5.2fx\n" : "\n", serial_ns / ns);
        }
    }
}

/* What there is to say of the drawn case, beside its verdict. */
static void print_drawn(const struct evidence *evidence,
                        const struct verdict *verdict)
{
    for (size_t i = 0; i < evidence->lab->num_cases; i++) {
        const struct case_result *const result = &evidence->cases[i];

        if (!evidence->lab->cases[i].drawn)
            continue;
        print_times(&result->run, &result->judgement.speed, verdict);
        if (*case_printed(&result->run))
            printf("\n%s", case_printed(&result->run));
        if (result->run.ran && result->run.backend == BACKEND_CUDA &&
            case_fact(&result->run, "serial_ns") > 0)
            printf("\n  The timelines are of one more run, which its recording "
                   "makes longer.\n");
    }
}

/* ---- all of it ----------------------------------------------------------- */

void show_verdict(struct workplace *place, const struct verdict *verdict,
                  bool solution, bool whole)
{
    if (whole) {
        report_print(verdict);
    } else {
        report_print_checks(verdict, false);
        print_drawn(&place->evidence, verdict);
        report_print_findings(verdict, 1);
    }
    record_both(place, verdict, solution);
}
