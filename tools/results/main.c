/*
 * main.c: the program results: grades in the formats that others read.
 *
 *   results write FOLDER GRADES LAB...    all formats, of GRADES/NN.json
 *   results sheet FOLDER GRADES NAME DUE LAB=POINTS...    those of a sheet
 *   results get GRADE LAB FIELD...        fields of one grade, for scripts
 *   results brief GRADE LAB               one grade in a few lines
 *   results mistakes LAB GRADE...         the named mistakes, with tabs
 *   results changes BEFORE GRADE LAB      checks that are other than before
 *   results plan OUT DIR LAB...           a class, see class.h
 *   results row OUT WHERE
 *   results begin OUT WHERE
 *   results end OUT WHERE TROUBLE
 *   results collect OUT
 *   results --version
 *
 * GRADE is what `grade --json` wrote. Exit status: 0; 1 where a file is of no
 * use or cannot be written; 2 for wrong arguments or without any grade.
 */
#include "class.h"
#include "formats.h"
#include "lines.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vgpu/input_file.h"

enum { GOOD = 0, BAD_FILE = 1, CANNOT = 2, MAX_LABS = 100 };

static int refuse(const char *text, const char *what)
{
    fprintf(stderr, "results: %s%s%.300s\n", text, what ? ": " : "",
            what ? what : "");
    return CANNOT;
}

static int write_out(struct out *o, const char *path)
{
    int status = GOOD;

    if (!tl_out_write(o, path)) {
        fprintf(stderr, "results: cannot write %s: %s\n", path,
                strerror(errno));
        status = BAD_FILE;
    }
    tl_out_free(o);
    return status;
}

/* ---- all formats --------------------------------------------------------- */

/* The files have the names that the sites ask for: two of them are one name,
 * and so in folders of their own. */
static const struct {
    const char *folder, *name, *what;
    void (*put)(const struct all_results *all, struct out *o);
} formats[] = {
    {"", "results.json", "all labs, see docs/results.md", formats_put_results},
    {"", "results.xml", "JUnit", formats_put_junit},
    {"gradescope/", "results.json", "Gradescope", formats_put_gradescope},
    {"classroom50/", "result.json", "Classroom 50", formats_put_classroom50},
    {"prairielearn/", "results.json", "PrairieLearn", formats_put_prairielearn},
};

static int write_format(const struct all_results *all, const char *folder,
                        size_t i)
{
    struct out o = {0};
    char path[PATH_MAX];
    int status;

    snprintf(path, sizeof path, "%s/%s", folder, formats[i].folder);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "results: cannot make %s: %s\n", path, strerror(errno));
        return BAD_FILE;
    }
    snprintf(path, sizeof path, "%s/%s%s", folder, formats[i].folder,
             formats[i].name);
    formats[i].put(all, &o);
    status = write_out(&o, path);
    if (status == GOOD)
        printf("%-14s %s\n", formats[i].what, path);
    return status;
}

/* "2026-12-01 23:59" of this machine's clock. Return: false for another text;
 * "-" is no deadline. */
static bool read_due(const char *text, time_t *due)
{
    struct tm when = {.tm_isdst = -1};
    const char *end;

    *due = 0;
    if (strcmp(text, "-") == 0)
        return true;
    end = strptime(text, "%Y-%m-%d %H:%M", &when);
    *due = end && *end == '\0' ? mktime(&when) : 0;
    return *due > 0;
}

static void print_sheet(const struct all_results *all)
{
    const struct totals sum = grades_add_up(all);
    unsigned late = 0;

    for (size_t i = 0; i < all->num; i++)
        late += grades_is_late(all, &all->labs[i]);
    printf("sheet %s: %g of %g points, %u of %zu labs graded", all->sheet->name,
           sum.score, sum.max_score, sum.graded, all->num);
    if (late > 0)
        printf(", %u after %s", late, all->sheet->due_words);
    printf("\n");
}

/* GRADES/NN.txt says why nobody has made a grade. */
static void read_reason(const char *grades, struct lab_result *lab)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%.2s.txt", grades, lab->lab);
    file = lab->grade.graded ? NULL : input_file_read(path, LLONG_MAX);
    if (file && !fgets(lab->reason, sizeof lab->reason, file))
        *lab->reason = '\0';
    if (file)
        fclose(file);
    lab->reason[strcspn(lab->reason, "\n")] = '\0';
}

/* A grade that is of no use does not keep the others from being written, but
 * shows in the exit status; without any grade nothing is written.
 */
static int write_all(const char *folder, const char *grades,
                     const struct sheet *sheet, char **labs, int num)
{
    static struct lab_result results[MAX_LABS];
    const struct all_results all = {results, (size_t)num, time(NULL), sheet};
    char path[PATH_MAX];
    int status = GOOD;

    if (num > MAX_LABS)
        return refuse("too many labs", NULL);
    for (int i = 0; i < num; i++) {
        char *const points = sheet ? strchr(labs[i], '=') : NULL;

        snprintf(path, sizeof path, "%s/%.2s.json", grades, labs[i]);
        if (points)
            *points = '\0';
        results[i].lab = labs[i];
        results_read(path, labs[i], &results[i].grade);
        read_reason(grades, &results[i]);
        if (points)
            grades_count(&results[i], strtod(points + 1, NULL));
        if (results[i].grade.error[0]) {
            fprintf(stderr,
                    "results: %s is of no use: %s (make grade LAB=%.2s)\n",
                    path, results[i].grade.error, labs[i]);
            status = BAD_FILE;
        }
    }
    if (grades_add_up(&all).graded == 0 && status == GOOD) {
        status = refuse("no results yet: run make grade first", NULL);
    } else {
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            if (write_format(&all, folder, i) != GOOD)
                status = BAD_FILE;
    }
    if (sheet && status == GOOD)
        print_sheet(&all);
    for (int i = 0; i < num; i++)
        results_free(&results[i].grade);
    return status;
}

/* folder, grades, name, due, then the labs */
static int write_sheet(char **args, int num)
{
    struct sheet sheet = {.name = args[2], .due_words = args[3]};

    if (!read_due(args[3], &sheet.due))
        return refuse("the sheet's line due: is a time such as 2026-12-01 "
                      "23:59, and not",
                      args[3]);
    return write_all(args[0], args[1], &sheet, args + 4, num - 4);
}

/* ---- one grade ----------------------------------------------------------- */

static bool read_grade(const char *path, const char *lab,
                       struct lab_result *result)
{
    result->lab = lab;
    results_read(path, lab, &result->grade);
    if (result->grade.graded)
        return true;
    fprintf(stderr, "results: %.300s is of no use: %.300s\n", path,
            result->grade.error[0] ? result->grade.error : "not there");
    return false;
}

static int print_fields(const char *path, const char *lab, char **fields)
{
    struct lab_result result;
    struct out o = {0};
    int status = GOOD;

    if (!read_grade(path, lab, &result))
        return BAD_FILE;
    for (int i = 0; fields[i] && status == GOOD; i++) {
        tl_out_text(&o, i > 0 ? " " : "");
        if (!lines_put_field(&result.grade, fields[i], &o))
            status = refuse("unknown field", fields[i]);
    }
    tl_out_text(&o, "\n");
    results_free(&result.grade);
    if (status == GOOD)
        return write_out(&o, "-");
    tl_out_free(&o);
    return status;
}

static int print_brief(const char *path, const char *lab)
{
    struct lab_result result;
    struct out o = {0};

    if (!read_grade(path, lab, &result))
        return BAD_FILE;
    lines_put_brief(&result, &o);
    results_free(&result.grade);
    return write_out(&o, "-");
}

static int print_mistakes(const char *lab, char **paths)
{
    struct lab_result result;
    struct out o = {0};
    int status = GOOD;

    for (; *paths; paths++) {
        if (read_grade(*paths, lab, &result)) {
            lines_put_mistakes(*paths, &result, &o);
            results_free(&result.grade);
        } else {
            status = BAD_FILE;
        }
    }
    return write_out(&o, "-") == GOOD ? status : BAD_FILE;
}

/* before, now, lab */
static int print_changes(char **args, int num)
{
    const char *const before = args[0], *const now = args[1],
                      *const lab = args[2];
    struct lab_result old, new;
    struct out o = {0};

    (void)num;
    if (!read_grade(before, lab, &old))
        return BAD_FILE;
    if (!read_grade(now, lab, &new)) {
        results_free(&old.grade);
        return BAD_FILE;
    }
    lines_put_changes(&old.grade, &new.grade, &o);
    results_free(&old.grade);
    results_free(&new.grade);
    return write_out(&o, "-");
}

/* ---- what there is ---------------------------------------------------------
 */

static int run_write(char **args, int num)
{
    return write_all(args[0], args[1], NULL, args + 2, num - 2);
}

static int run_get(char **args, int num)
{
    (void)num;
    return print_fields(args[0], args[1], args + 2);
}

static int run_brief(char **args, int num)
{
    (void)num;
    return print_brief(args[0], args[1]);
}

static int run_mistakes(char **args, int num)
{
    (void)num;
    return print_mistakes(args[0], args + 1);
}

static int run_plan(char **args, int num)
{
    (void)num;
    return class_plan(args[0], args[1], args + 2);
}

static int run_row(char **args, int num)
{
    (void)num;
    return class_row(args[0], strtoul(args[1], NULL, 10));
}

static int run_begin(char **args, int num)
{
    (void)num;
    return class_begin(args[0], strtoul(args[1], NULL, 10));
}

static int run_end(char **args, int num)
{
    (void)num;
    return class_end(args[0], strtoul(args[1], NULL, 10), args[2]);
}

static int run_collect(char **args, int num)
{
    (void)num;
    return class_collect(args[0]);
}

static int run_version(char **args, int num)
{
    struct out o = {0};

    (void)args;
    (void)num;
    tl_out_text(&o, VERSION_OF("results") "\n");
    return write_out(&o, "-");
}

/* Each with how many arguments it takes at least, and at most. */
static const struct {
    const char *name;
    int least, most;
    int (*run)(char **args, int num);
} commands[] = {
    {"write", 3, INT_MAX, run_write},
    {"sheet", 5, INT_MAX, write_sheet},
    {"get", 3, INT_MAX, run_get},
    {"brief", 2, 2, run_brief},
    {"mistakes", 2, INT_MAX, run_mistakes},
    {"changes", 3, 3, print_changes},
    {"plan", 3, INT_MAX, run_plan},
    {"row", 2, 2, run_row},
    {"begin", 2, 2, run_begin},
    {"end", 3, 3, run_end},
    {"collect", 1, 1, run_collect},
    {"--version", 0, 0, run_version},
};

int main(int argc, char **argv)
{
    const int num = argc - 2;

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0 &&
            num >= commands[i].least && num <= commands[i].most)
            return commands[i].run(argv + 2, num);
    return refuse(
        "write, sheet, get, brief, mistakes, changes, plan, row, begin, end or "
        "collect; "
        "see tools/results/main.c",
        NULL);
}
