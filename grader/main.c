/*
 * main.c: grade a lab.
 *
 *   grade [options] LAB|all
 *
 * Exit status: 0 passed, 1 not passed, 2 could not grade.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cage/child.h"
#include "base/files.h"
#include "grade/grade.h"
#include "say/json.h"
#include "say/output.h"
#include "cage/program.h"
#include "say/report.h"
#include "version.h"

enum { PASSED = 0, NOT_PASSED = 1, CANNOT = 2 };

static const char usage[] =
    "usage: grade [options] LAB|all\n"
    "\n"
    "Grade labs/NN_name/lab.cu. LAB is a number (08) or a name.\n"
    "\n"
    "  --backend cuda|vgpu|auto  a real GPU, the virtual GPU, or a real one\n"
    "                            where nvcc and a GPU are found (default)\n"
    "  --solution                grade solutions/NN_name/lab.cu\n"
    "  --file PATH               grade this file as that lab\n"
    "  --json PATH               write the result there as well\n"
    "  --run                     run it for a person, without points, and\n"
    "                            leave timelines in build/traces/\n"
    "  --sweep                   measure it with 1, 2, 4 ... 64 streams\n"
    "  --timeout SECONDS         limit for one run of the program (10)\n"
    "  --under COMMAND           run the program by this command, out of its\n"
    "                            cage: for compute-sanitizer, not for marks\n"
    "  --isolation               say what keeps lab programs apart here\n"
    "  --help                    this text\n"
    "  --version                 the version of this program\n"
    "\n"
    "Exit status: 0 passed, 1 not passed, 2 could not grade.\n";

struct options {
    enum backend backend;
    bool solution, run, sweep;
    const char *file, *json, *lab;
    double seconds;
};

static int refuse(const char *cause, const char *what)
{
    fprintf(stderr, "grade: %s%s%s (try --help)\n", cause, what ? ": " : "",
            what ? what : "");
    return CANNOT;
}

/* ---- command line -------------------------------------------------------- */

static bool parse_backend(const char *word, enum backend *backend)
{
    static const enum backend all[] = {BACKEND_AUTO, BACKEND_CUDA,
                                       BACKEND_VGPU};

    for (int i = 0; i < 3; i++)
        if (strcmp(word, backend_word(all[i])) == 0) {
            *backend = all[i];
            return true;
        }
    return false;
}

/* --name VALUE or --name=VALUE. Return: true if this argument is it. */
static bool take_value(char **argv, int *i, const char *name,
                       const char **value)
{
    const size_t length = strlen(name);

    if (strncmp(argv[*i], name, length) != 0)
        return false;
    if (argv[*i][length] == '=') {
        *value = argv[*i] + length + 1;
        return true;
    }
    if (argv[*i][length] != '\0')
        return false;
    *value = argv[*i + 1];
    *i += argv[*i + 1] != NULL;
    return true;
}

/* Return: -1 to go on, else the exit status. */
static int parse_value(struct options *options, const char *name,
                       const char *value)
{
    char *end;

    if (value == NULL)
        return refuse("this option needs a value", name);
    if (strcmp(name, "--backend") == 0 &&
        !parse_backend(value, &options->backend))
        return refuse("unknown backend (cuda, vgpu or auto)", value);
    if (strcmp(name, "--file") == 0)
        options->file = value;
    if (strcmp(name, "--json") == 0)
        options->json = value;
    if (strcmp(name, "--under") == 0) {
        if (!program_run_under(value))
            return refuse("--under wants a command of 1 to 16 words", NULL);
        fprintf(stderr, "grade: programs run by `%s`, out of their cage\n",
                value);
    }
    if (strcmp(name, "--timeout") == 0) {
        options->seconds = strtod(value, &end);
        if (*end || !(options->seconds >= 0.1 && options->seconds <= 3600))
            return refuse("the timeout is 0.1 to 3600 seconds, not", value);
    }
    return -1;
}

static void print_layer(const char *name, bool active, const char *words)
{
    printf("%-11s %-4s %s\n", name, active ? "yes" : "no", words);
}

/* One line for each, for `make doctor` too: NAME yes|no WORDS. */
static int print_isolation(void)
{
    struct cage_report report;
    char words[80];

    cage_try(&report);
    snprintf(words, sizeof words,
             report.landlock ? "version %d: files outside of its folder and "
                               "TCP are out of reach"
                             : "the kernel has none (Linux 5.13 has)",
             report.landlock);
    print_layer("landlock", report.fence, words);
    print_layer("seccomp", report.seccomp,
                report.seccomp ? "no other processes, signals or sockets"
                               : "the kernel refuses filters");
    print_layer("rlimits", report.limits,
                "size of files, processor time, descriptors");
    print_layer("namespaces", false, "not used: a GPU's driver may need more");
    snprintf(words, sizeof words,
             report.gpu == 0
                 ? "its driver starts in there"
                 : "its driver fails in there with error %d: use BACKEND=vgpu",
             report.gpu);
    if (report.gpu != CAGE_NO_GPU)
        print_layer("GPU", report.gpu == 0, words);
    return PASSED;
}

static int parse_option(struct options *options, char **argv, int *i)
{
    static const char *const valued[] = {"--backend", "--file", "--json",
                                         "--timeout", "--under"};
    const char *value = NULL;

    for (int k = 0; k < 5; k++)
        if (take_value(argv, i, valued[k], &value))
            return parse_value(options, valued[k], value);
    if (strcmp(argv[*i], "--help") == 0) {
        fputs(usage, stdout);
        return PASSED;
    }
    if (strcmp(argv[*i], "--version") == 0) {
        puts(VERSION_OF("grade"));
        return PASSED;
    }
    if (strcmp(argv[*i], "--isolation") == 0)
        return print_isolation();
    if (strcmp(argv[*i], "--solution") == 0)
        options->solution = true;
    else if (strcmp(argv[*i], "--run") == 0)
        options->run = true;
    else if (strcmp(argv[*i], "--sweep") == 0)
        options->sweep = true;
    else
        return refuse("unknown option", argv[*i]);
    return -1;
}

static int parse(struct options *options, char **argv)
{
    int status = -1;

    memset(options, 0, sizeof *options);
    options->seconds = 10;
    for (int i = 1; argv[i] && status < 0; i++) {
        if (argv[i][0] == '-')
            status = parse_option(options, argv, &i);
        else if (options->lab)
            status = refuse("one lab at a time, or all; too much", argv[i]);
        else
            options->lab = argv[i];
    }
    if (status >= 0)
        return status;
    if (options->lab == NULL)
        return refuse("which lab? a number such as 08, or all", NULL);
    if (options->file && strcmp(options->lab, "all") == 0)
        return refuse("--file needs one lab, not all", NULL);
    if (options->file && options->solution)
        return refuse("--file or --solution, not both", NULL);
    if (strcmp(options->lab, "all") != 0 && !lab_find(options->lab))
        return refuse("unknown lab", options->lab);
    return -1;
}

/* ---- grading ------------------------------------------------------------- */

/* The file as the compiler and the reader get it: from the repository where
 * it is in there, so that messages are short. To be freed. */
static char *choose_file(const struct options *options,
                         const struct tools *tools, const struct lab_rules *lab)
{
    const size_t root = strlen(tools->root);
    char path[PATH_MAX];

    if (options->file == NULL)
        return text_format("%s/%s/lab.cu",
                           options->solution ? "solutions" : "labs", lab->name);
    if (realpath(options->file, path) == NULL)
        return strdup(options->file);
    if (strncmp(path, tools->root, root) == 0 && path[root] == '/')
        return strdup(path + root + 1);
    return strdup(path);
}

static int grade_lab(const struct options *options, const struct tools *tools,
                     enum backend backend, const struct lab_rules *lab,
                     struct text *json)
{
    char *file = choose_file(options, tools, lab), *cause = NULL;
    const struct grade_request request = {tools, lab, backend, file,
                                          options->seconds};
    struct verdict verdict;
    int status = CANNOT;

    if (options->run) {
        status = show_file(&request, options->solution, &cause);
    } else if (options->sweep) {
        status = sweep_file(&request, &cause);
    } else if (grade_file(&request, &verdict, &cause) == GRADE_DONE) {
        report_print(stdout, &verdict, report_wants_colour(stdout));
        if (json->length > 0)
            text_printf(json, ",\n");
        json_add_lab(json, &verdict);
        status = verdict.passed ? PASSED : NOT_PASSED;
        verdict_free(&verdict);
    }
    if (cause)
        fprintf(stderr, "grade: %s\n", cause);
    free(cause);
    free(file);
    return status;
}

static int write_json(const char *path, const struct text *labs)
{
    struct text json = {0};
    int status = PASSED;

    text_printf(&json, "{\n  \"labs\": [\n%s\n  ]\n}\n", text_string(labs));
    if (!files_write_whole(path, json.data, json.length)) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
        status = CANNOT;
    }
    text_free(&json);
    return status;
}

static int grade_labs(const struct options *options, const struct tools *tools,
                      enum backend backend)
{
    const bool all = strcmp(options->lab, "all") == 0;
    struct text json = {0};
    const struct lab_rules *const *labs = lab_list();
    int worst = PASSED, status;

    for (size_t i = 0; labs[i] && !child_interrupted(); i++) {
        if (!all && labs[i] != lab_find(options->lab))
            continue;
        if (i > 0 && all)
            putchar('\n');
        status = grade_lab(options, tools, backend, labs[i], &json);
        worst = status > worst ? status : worst;
        if (!output_flush() && options->json == NULL)
            break; /* nobody would see the others */
    }
    if (options->json && json.length > 0) {
        status = write_json(options->json, &json);
        worst = status > worst ? status : worst;
    }
    text_free(&json);
    return child_interrupted() ? CANNOT : worst;
}

/* Who closes the pipe has seen enough and is told nothing; that nothing more
 * was said is no pass all the same. */
static int finish(int status)
{
    if (output_flush())
        return status;
    if (output_error() != EPIPE)
        fprintf(stderr, "grade: cannot write the result: %s\n",
                strerror(output_error()));
    return CANNOT;
}

/* Everything is named from the repository; a path of the caller's becomes
 * whole first. To be freed. */
static char *make_whole(const char *path, const char *here)
{
    if (path == NULL)
        return NULL;
    return path[0] == '/' ? strdup(path) : text_format("%s/%s", here, path);
}

int main(int argc, char **argv)
{
    struct options options;
    struct tools tools;
    enum backend backend;
    char here[PATH_MAX], *why = NULL, *file, *json;
    int status;

    (void)argc;
    output_init();
    status = parse(&options, argv);
    if (status >= 0)
        return finish(status);
    child_init();
    if (!tools_find(&tools, &why))
        return refuse(why, NULL);
    backend = tools_choose(&tools, options.backend, &why);
    if (backend == BACKEND_AUTO) {
        fprintf(stderr, "grade: cannot use the %s backend: %s\n",
                backend_word(options.backend), why);
        return CANNOT;
    }
    if (getcwd(here, sizeof here) == NULL || chdir(tools.root) != 0)
        return refuse("cannot enter the repository", tools.root);
    options.file = file = make_whole(options.file, here);
    options.json = json = make_whole(options.json, here);
    if (options.backend == BACKEND_AUTO)
        printf("backend %s: %s\n\n", backend_word(backend), why);
    output_flush();
    free(why);
    status = grade_labs(&options, &tools, backend);
    tools_free(&tools);
    free(file);
    free(json);
    return finish(status);
}
