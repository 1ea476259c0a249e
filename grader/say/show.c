/* show.c: a submission built and run for a person, without points */
#include "grade/grade.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "case/case.h"
#include "base/files.h"
#include "say/report.h"

enum { CANNOT_RUN = 2 };

/* ---- traces -------------------------------------------------------------- */

/* One run of one version, with nothing else in the trace's region. */
static bool run_traced(struct workplace *place, const char *who, bool check,
                       const char *trace)
{
    struct evidence *evidence = &place->evidence;
    const struct speed_result *speed = &evidence->speed;
    const struct lab_shape shape = {
        .name = "large",
        .entries = speed->entries,
        .streams = speed->streams,
        .gpus = speed->gpus,
    };
    const struct program_options options = {
        .backend = evidence->backend,
        .program_fd = place->build.program_fd,
        .folder = place->folder,
        .root = place->job.tools->root,
        .virtual_device = place->job.virtual_device,
        .virtual_gpus = evidence->lab->virtual_gpus,
        .trace = trace,
        .recorder = place->job.recorder,
        .check = check,
        .seconds = 3 * place->job.seconds,
    };
    struct reference reference = {0};
    struct run_result result = {0};
    struct program program;
    bool done = false;

    unlink(trace);
    if (program_start(&program, &options,
                      (2 * speed->entries + 2) * sizeof(uint64_t)) &&
        run_setup(&program, &shape, 0, &result) &&
        reference_make(&reference, speed->entries, 0, speed->iters)) {
        run_student(&program, &reference, who, false, &result);
        program_finish(&program);
        done = result.ran;
    }
    program_free(&program);
    reference_free(&reference);
    run_free(&result);
    return done && access(trace, R_OK) == 0;
}

static bool record(struct workplace *place, const char *who, const char *path)
{
    char *trace = text_format("%s/run.trace", place->folder);
    char *checked = text_format("%s/checked.trace", place->folder);
    bool done = run_traced(place, who, false, trace);

    if (done && place->evidence.backend == BACKEND_VGPU &&
        run_traced(place, who, true, checked))
        hazards_take(trace, checked);
    done = done && rename(trace, path) == 0;
    free(trace);
    free(checked);
    return done;
}

/* Where the speed was not measured, what is drawn is smaller. */
static void choose_size(struct evidence *evidence, const struct grade_job *job)
{
    const struct lab_speed *const rules = &evidence->lab->speed;
    const bool cuda = evidence->backend == BACKEND_CUDA;
    struct speed_result *const speed = &evidence->speed;

    if (speed->measured)
        return;
    speed->entries = cuda ? rules->entries_cuda : rules->entries_vgpu;
    speed->streams = cuda ? rules->streams_cuda : rules->streams_vgpu;
    speed->gpus = shape_gpus(evidence->lab, job, evidence->backend, 0);
    speed->iters = evidence->lab->shape_iters;
}

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

static void print_no_timeline(bool baseline, bool solution)
{
    printf("  no timeline of %s: it leaves no trace here\n",
           baseline   ? "the baseline"
           : solution ? "the solution"
                      : "your lab.cu");
}

/* Both traces; without a @place, only away with those of an earlier run. */
static void record_both(struct workplace *place,
                        const struct grade_request *request, bool solution)
{
    static const char *const who[] = {"serial", "student"};
    char *folder = text_format("%s/build/traces", request->tools->root);

    files_make_folders(folder);
    name_baseline(request);
    for (int i = 0; i < 2; i++) {
        char *path = trace_path(request, i, solution);

        unlink(path);
        if (place && !record(place, who[i], path))
            print_no_timeline(i == 0, solution);
        free(path);
    }
    free(folder);
}

/* ---- words --------------------------------------------------------------- */

static void print_title(const struct grade_request *request,
                        const struct verdict *verdict)
{
    printf("lab %s on %s%s%s\n  %s\n\n", request->lab->name,
           request->backend == BACKEND_CUDA ? "the GPU" : "the virtual GPU",
           verdict->device[0] ? ", " : "", verdict->device, request->file);
}

static void print_check_line(const struct check *check)
{
    const char *const seen = text_string(&check->seen);

    printf("  %-28s ", strchr(check->name, ' ') + 1);
    if (check->skipped)
        printf("%s\n", seen);
    else if (check->passed)
        printf("right: %s\n", seen);
    else /* Without the neighbours, which the grade shows. */
        printf("NOT right: %.*s\n", (int)strcspn(seen, ";"), seen);
}

static void print_case_line(const struct check *check)
{
    const bool not = !check->passed && !check->skipped;

    printf("  %-28s %s", check->name, not ? "NOT " : "");
    report_print_seen(stdout, not ? 35 : 31, text_string(&check->seen));
}

static void print_shapes(const struct verdict *verdict)
{
    for (int i = 0; i < verdict->num_checks; i++)
        if (strncmp(verdict->checks[i].name, "right: ", 7) == 0)
            print_check_line(&verdict->checks[i]);
}

static bool all_right(const struct verdict *verdict)
{
    for (int i = 0; i < verdict->num_checks; i++)
        if (strncmp(verdict->checks[i].name, "right: ", 7) == 0 &&
            !verdict->checks[i].passed)
            return false;
    return true;
}

static void print_row(const char *what, uint64_t ns, uint64_t serial_ns)
{
    printf("  %-34s %9.3f ms", what, (double)ns / 1e6);
    if (serial_ns > 0)
        printf("  %5.2fx", (double)serial_ns / (double)ns);
    putchar('\n');
}

static void print_speed(const struct evidence *evidence)
{
    const struct speed_result *speed = &evidence->speed;

    printf("\n  %llu entries in %llu streams, %llu rounds an entry\n\n",
           (unsigned long long)speed->entries,
           (unsigned long long)speed->streams,
           (unsigned long long)speed->iters);
    print_row("copy in by itself", speed->h2d_ns, 0);
    print_row("kernel by itself", speed->kernel_ns, 0);
    print_row("copy back by itself", speed->d2h_ns, 0);
    print_row("one after the other", speed->serial_ns, speed->serial_ns);
    print_row("your version", speed->student_ns, speed->serial_ns);
    if (speed->gradable)
        print_row("needed to pass", speed->needed_ns, speed->serial_ns);
    print_row("the limit of this device", speed->bound_ns, speed->serial_ns);
    putchar('\n');
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

/* ---- labs of cases ------------------------------------------------------- */

/* The drawn case once with and once without the checker, as record() does. */
static bool record_case(struct workplace *place, const struct lab_case *rules,
                        const char *who, int virtual_fd, const char *path)
{
    char *trace = text_format("%s/run.trace", place->folder);
    char *checked = text_format("%s/checked.trace", place->folder);
    const struct evidence *const evidence = &place->evidence;
    const int fd = place->build.program_fd;
    bool done = case_draw(evidence, &place->job, rules, who, fd, virtual_fd,
                          trace, false);

    if (done && evidence->backend == BACKEND_VGPU &&
        case_draw(evidence, &place->job, rules, who, fd, virtual_fd, checked,
                  true))
        hazards_take(trace, checked);
    done = done && rename(trace, path) == 0;
    free(trace);
    free(checked);
    return done;
}

static void record_cases(struct workplace *place,
                         const struct grade_request *request, bool solution)
{
    const struct lab_rules *const lab = request->lab;
    const int virtual_fd = workplace_virtual_program(place, request);
    const struct lab_case *drawn = NULL;

    for (size_t i = 0; i < lab->num_cases && !drawn; i++)
        drawn = lab->cases[i].drawn ? &lab->cases[i] : NULL;
    for (int i = lab->has_baseline ? 0 : 1; drawn && i < 2; i++) {
        char *path = trace_path(request, i, solution);

        if (!record_case(place, drawn, i == 0 ? "baseline" : "student",
                         virtual_fd, path))
            print_no_timeline(i == 0, solution);
        free(path);
    }
}

/* The program's own words, where it is the drawn case that says them. */
static void print_printed(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->lab->num_cases; i++) {
        const struct text *printed = &evidence->cases[i].run.printed;

        if (evidence->lab->cases[i].drawn && printed->length > 0)
            printf("\n%s", text_string(printed));
    }
}

static int show_cases(struct workplace *place,
                      const struct grade_request *request, bool solution)
{
    struct evidence *evidence = &place->evidence;
    struct verdict verdict;
    int status;

    grade_cases(evidence, &place->job, place->build.program_fd,
                workplace_virtual_program(place, request));
    if (evidence->no_start.length > 0)
        return CANNOT_RUN;
    progress_done();
    verdict_make(&verdict, evidence, request->file);
    print_title(request, &verdict);
    for (int i = 1; i < verdict.num_checks; i++)
        print_case_line(&verdict.checks[i]);
    print_printed(evidence);
    record_cases(place, request, solution);
    print_finding(&verdict);
    status = verdict.passed ? 0 : 1;
    verdict_free(&verdict);
    return status;
}

static int show_it(struct workplace *place, const struct grade_request *request,
                   bool solution)
{
    struct evidence *evidence = &place->evidence;
    struct verdict verdict;
    int status;

    grade_shapes(evidence, &place->job, place->build.program_fd);
    if (evidence->no_start.length > 0)
        return CANNOT_RUN;
    progress("lab %s: order of the work", request->lab->name);
    workplace_check_order(place, request);
    if (evidence->shapes[0].right) {
        progress("lab %s: measuring", request->lab->name);
        grade_speed(evidence, &place->job, place->build.program_fd);
    }
    progress_done();
    verdict_make(&verdict, evidence, request->file);
    print_title(request, &verdict);
    print_shapes(&verdict);
    if (evidence->speed.measured)
        print_speed(evidence);
    if (evidence->shapes[0].ran) {
        choose_size(evidence, &place->job);
        record_both(place, request, solution);
    }
    print_finding(&verdict);
    status = all_right(&verdict) ? 0 : 1;
    verdict_free(&verdict);
    return status;
}

int show_file(const struct grade_request *request, bool solution, char **cause)
{
    struct workplace place;
    int status = 2;

    record_both(NULL, request, solution);
    if (workplace_open(&place, request, cause) == GRADE_DONE) {
        if (place.evidence.built == BUILD_OK) {
            status = request->lab->num_shapes > 0
                         ? show_it(&place, request, solution)
                         : show_cases(&place, request, solution);
            if (status == CANNOT_RUN)
                *cause =
                    text_format("%s", text_string(&place.evidence.no_start));
        } else {
            progress_done();
            printf("%s does not compile:\n%s", request->file,
                   text_string(&place.evidence.messages));
            status = 1;
        }
    }
    workplace_close(&place);
    return status;
}
