/*
 * main.c: grade a lab.
 *
 *   grade [options] LAB|all
 *
 * Exit status: 0 passed, 1 not passed, 2 could not grade.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cage/child.h"
#include "cage/fences.h"
#include "base/files.h"
#include "grade/grade.h"
#include "say/json.h"
#include "cage/program.h"
#include "cage/turn.h"
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
    "  --file PATH               grade this file as that lab; its compiler\n"
    "                            options are in `flags` beside a lab.cu,\n"
    "                            in x.flags beside x.cu\n"
    "  --json PATH               write the result there as well\n"
    "  --run                     run it for a person, without points unless\n"
    "                            there is a --json, and leave timelines\n"
    "  --traces FOLDER           in there: a path from the repository\n"
    "                            (build/traces)\n"
    "  --sweep                   measure it with 1, 2, 4 ... 64 streams\n"
    "  --timeout SECONDS         limit for one run of the program (6)\n"
    "  --wait SECONDS            for a turn of another grading on the GPU "
    "(180);\n"
    "                            one that takes longer is named, and nothing "
    "is\n"
    "                            graded\n"
    "  --under COMMAND           run the program by this command, out of its\n"
    "                            cage: for compute-sanitizer, not for marks\n"
    "  --say-refused             tell on stderr what the cage refuses, by "
    "name:\n"
    "                            for a GPU whose driver fails in there\n"
    "  --need-fences             refuse where the system lacks one of the "
    "cage's\n"
    "                            fences: Landlock, seccomp, namespaces\n"
    "  --help                    this text\n"
    "  --version                 the version of this program\n"
    "\n"
    "Exit status: 0 passed, 1 not passed, 2 could not grade.\n";

struct options {
    enum backend backend;
    bool solution, run, sweep, need_fences;
    const char *file, *json, *traces, *lab;
    double seconds, wait;
};

static int refuse(const char *cause, const char *what)
{
    fprintf(stderr, "grade: %s%s%s (try --help)\n", cause, what ? ": " : "",
            what ? what : "");
    return CANNOT;
}

/* ---- command line -------------------------------------------------------- */

/* One letter each for take_option(); the command line knows the words only. */
static const struct option names[] = {
    {"backend", required_argument, NULL, 'b'},
    {"file", required_argument, NULL, 'f'},
    {"json", required_argument, NULL, 'j'},
    {"timeout", required_argument, NULL, 't'},
    {"wait", required_argument, NULL, 'q'},
    {"under", required_argument, NULL, 'u'},
    {"say-refused", no_argument, NULL, 'c'},
    {"need-fences", no_argument, NULL, 'n'},
    {"solution", no_argument, NULL, 's'},
    {"run", no_argument, NULL, 'r'},
    {"traces", required_argument, NULL, 'd'},
    {"sweep", no_argument, NULL, 'w'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},
    {NULL, 0, NULL, 0},
};

/* Of those without a value. Return: false where it is none. */
static bool take_flag(struct options *options, int option)
{
    switch (option) {
    case 'n':
        options->need_fences = true;
        return true;
    case 'c':
        child_report_refused();
        return true;
    case 's':
        options->solution = true;
        return true;
    case 'r':
        options->run = true;
        return true;
    case 'w':
        options->sweep = true;
        return true;
    default:
        return false;
    }
}

static bool take_seconds(double *seconds)
{
    char *end;

    *seconds = strtod(optarg, &end);
    return *end == '\0' && *seconds >= 0.1 && *seconds <= 3600;
}

/* @word: the argument as it stands there. Return: -1 to go on, else the exit
 * status. */
static int take_option(struct options *options, int option, const char *word)
{
    switch (option) {
    case 1: /* not an option */
        if (options->lab)
            return refuse("one lab at a time, or all; too much", optarg);
        options->lab = optarg;
        return -1;
    case 'b':
        for (int i = BACKEND_AUTO; i <= BACKEND_VGPU; i++)
            if (strcmp(optarg, backend_word((enum backend)i)) == 0) {
                options->backend = (enum backend)i;
                return -1;
            }
        return refuse("unknown backend (cuda, vgpu or auto)", optarg);
    case 'f':
        options->file = optarg;
        return -1;
    case 'j':
        options->json = optarg;
        return -1;
    case 't':
        if (!take_seconds(&options->seconds))
            return refuse("the timeout is 0.1 to 3600 seconds, not", optarg);
        return -1;
    case 'q':
        if (!take_seconds(&options->wait))
            return refuse("one waits 0.1 to 3600 seconds, not", optarg);
        program_turn_most(options->wait);
        return -1;
    case 'u':
        if (optarg[strspn(optarg, " ")] == '\0')
            return refuse("--under wants a command", NULL);
        program_run_under(optarg);
        fprintf(stderr, "grade: programs run by `%s`, out of their cage\n",
                optarg);
        return -1;
    case 'd':
        options->traces = optarg;
        return -1;
    case 'h':
        fputs(usage, stdout);
        return PASSED;
    case 'v':
        puts(VERSION_OF("grade"));
        return PASSED;
    case ':':
        return refuse("this option needs a value", word);
    default:
        return take_flag(options, option) ? -1 : refuse("unknown option", word);
    }
}

static int parse(struct options *options, int argc, char **argv)
{
    int status = -1;

    *options = (struct options){.seconds = 6, .traces = "build/traces"};
    /* "-": arguments in their order; ":": no words of getopt's own. */
    for (const char *word; (word = argv[optind]) && status < 0;)
        status = take_option(options,
                             getopt_long(argc, argv, "-:", names, NULL), word);
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

/* ---- standard output ----------------------------------------------------- */

/* Longer than a result, so that output_flush() is where writing fails: stdio
 * writes by itself only when it is full. A person at a terminal sees each line
 * at once. */
static char buffer[1 << 16];

/* Return: 0, or the errno of the first failure, now or before. EPIPE: nobody
 * reads it any more, as behind `| head`. */
static int output_flush(void)
{
    static int first_error;
    const int failed = fflush(stdout);

    /* Where stdio failed by itself, nobody kept the errno. */
    if (first_error == 0 && (failed || ferror(stdout)))
        first_error = failed && errno ? errno : EIO;
    return first_error;
}

/* Who closes the pipe has seen enough and is told nothing; that nothing more
 * was said is no pass all the same. */
static int finish(int status)
{
    const int error = output_flush();

    if (error && error != EPIPE)
        fprintf(stderr, "grade: cannot write the result: %s\n",
                strerror(error));
    return error ? CANNOT : status;
}

/* ---- grading ------------------------------------------------------------- */

/* One that does not compile leaves nothing to show. */
static int run_or_grade(const struct options *options, struct workplace *place,
                        struct out *json, char **cause)
{
    struct verdict verdict;
    bool passed;

    if (options->run && place->evidence.built != BUILD_OK) {
        printf("%s %s:\n%s", place->job.file,
               build_words(place->evidence.built),
               text_string(&place->evidence.messages));
        return NOT_PASSED;
    }
    if (!grade_file(place, &verdict, cause))
        return CANNOT;
    if (options->run)
        show_verdict(place, &verdict, options->solution, options->json);
    else
        report_print(&verdict);
    json_add_lab(json, &verdict);
    passed = verdict.passed;
    verdict_free(&verdict);
    return passed ? PASSED : NOT_PASSED;
}

/*
 * A lab that needs one GPU sees one of several: to start on all and to wait for
 * all takes longer. Labs are spread over GPUs of one kind, so that a round of
 * all labs uses them side by side.
 * @given  CUDA_VISIBLE_DEVICES, or NULL
 */
static void choose_gpu(const struct tools *tools, const struct lab_rules *lab,
                       const char *given)
{
    unsigned char gpus[256];
    const unsigned named = turn_gpus(given, gpus, sizeof gpus);
    const unsigned there = (unsigned)tools->gpus.count;
    const unsigned count = given && named < there ? named : there;
    unsigned number = 0, needed = 1;
    char one[12];

    for (size_t i = 0; i < lab->num_cases; i++)
        if (!lab->cases[i].profile && lab_gpus_needed(&lab->cases[i]) > needed)
            needed = lab_gpus_needed(&lab->cases[i]);
    if (needed == 1 && count > 1 && tools->gpus.num_kinds == 1)
        number = (unsigned)strtoul(lab->name, NULL, 10) % count;
    snprintf(one, sizeof one, "%u", given && named ? gpus[number] : number);
    if (needed == 1 && count > 1)
        setenv("CUDA_VISIBLE_DEVICES", one, 1);
    else if (given)
        setenv("CUDA_VISIBLE_DEVICES", given, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
}

static int grade_lab(const struct options *options, const struct tools *tools,
                     enum backend backend, const struct lab_rules *lab,
                     struct out *json)
{
    OWNED char *file =
        options->file
            ? strdup(options->file)
            : text_format("%s/%s/lab.cu",
                          options->solution ? "solutions" : "labs", lab->name);
    OWNED char *cause = NULL;
    const struct grade_job job = {.tools = tools,
                                  .lab = lab,
                                  .backend = backend,
                                  .file = file,
                                  .traces = options->traces,
                                  .shown = options->run && !options->json,
                                  .seconds = options->seconds};
    struct workplace place;
    int status = CANNOT;

    if (options->run)
        show_clear(&job, options->solution);
    if (workplace_open(&place, &job, &cause))
        status = options->sweep ? sweep_file(&place, &cause)
                                : run_or_grade(options, &place, json, &cause);
    /* What could not be opened may have made its folder all the same. */
    workplace_close(&place);
    if (cause)
        fprintf(stderr, "grade: %s\n", cause);
    return status;
}

static int write_json(const char *path, const struct out *labs)
{
    OWNED_TEXT json = {0};
    int status = PASSED;

    text_printf(&json, "{\n  \"version\": \"%s\",\n", VERSION_TEXT);
    json_add_missing(&json, fences_missing());
    text_printf(&json, "  \"labs\": [\n%s\n  ]\n}\n", text_string(labs));
    if (!files_write_whole(path, json.data, json.length)) {
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
        status = CANNOT;
    }
    return status;
}

/* What is missing is told with the marks; a program that is only shown is the
 * reader's own. Return: may it be graded? */
static bool tell_fences(const struct options *options)
{
    const char *const missing = fences_missing();

    if (missing[0] == '\0' || program_is_under())
        return true;
    if (options->need_fences)
        fprintf(stderr,
                "grade: refused: this system has no %s, and --need-fences "
                "wants all fences (make doctor)\n",
                missing);
    else if (!options->run && !options->sweep)
        printf("\n  not fenced in by: %s (SECURITY.md says what that lets "
               "through)\n",
               missing);
    return !options->need_fences;
}

static int grade_labs(const struct options *options, const struct tools *tools,
                      enum backend backend)
{
    const bool all = strcmp(options->lab, "all") == 0;
    const char *const visible = getenv("CUDA_VISIBLE_DEVICES");
    OWNED char *const given = visible ? strdup(visible) : NULL;
    OWNED_TEXT json = {0};
    const struct lab_rules *const *labs = lab_list();
    int worst = PASSED, status;

    for (size_t i = 0; labs[i] && !child_interrupted(); i++) {
        if (!all && labs[i] != lab_find(options->lab))
            continue;
        if (i > 0 && all)
            putchar('\n');
        choose_gpu(tools, labs[i], given);
        status = grade_lab(options, tools, backend, labs[i], &json);
        worst = status > worst ? status : worst;
        if (output_flush() && options->json == NULL)
            break; /* nobody would see the others */
    }
    if (!tell_fences(options))
        worst = CANNOT; /* lost on the way */
    else if (options->json && json.length > 0) {
        status = write_json(options->json, &json);
        worst = status > worst ? status : worst;
    }
    return child_interrupted() ? CANNOT : worst;
}

/* ---- all of it ----------------------------------------------------------- */

/* A path of the caller's is whole before the grader leaves that folder. To be
 * freed. */
static char *make_whole(const char *path, const char *here)
{
    if (path == NULL)
        return NULL;
    return path[0] == '/' ? strdup(path) : text_format("%s/%s", here, path);
}

/* The file as the compiler and the reader get it: from the repository where it
 * is in there, so that messages are short. To be freed. */
static char *make_short(const char *path, const char *root)
{
    char *const whole = path ? realpath(path, NULL) : NULL;
    const size_t length = strlen(root);

    if (whole && strncmp(whole, root, length) == 0 && whole[length] == '/')
        memmove(whole, whole + length + 1, strlen(whole + length));
    return whole;
}

int main(int argc, char **argv)
{
    struct options options;
    struct tools tools;
    enum backend backend;
    char here[PATH_MAX], *why = NULL, *file, *json, *real;
    int status;

    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    status = parse(&options, argc, argv);
    if (status >= 0)
        return finish(status);
    child_init();
    if (!tools_find(&tools, &why)) {
        fprintf(stderr, "grade: %s\n", why);
        return CANNOT;
    }
    backend = tools_choose(&tools, options.backend, &why);
    if (backend == BACKEND_AUTO) {
        fprintf(stderr, "grade: cannot use the %s backend: %s\n",
                backend_word(options.backend), why);
        return CANNOT;
    }
    /* From here on everything is named from the repository: the compiler's
     * messages, a trace's places and the report are then the same wherever the
     * grader was called. */
    real = make_short(options.file, tools.root);
    if (getcwd(here, sizeof here) == NULL || chdir(tools.root) != 0)
        return refuse("cannot enter the repository", tools.root);
    file = make_whole(options.file, here); /* one that is not there */
    options.file = real ? real : file;
    options.json = json = make_whole(options.json, here);
    if (options.backend == BACKEND_AUTO)
        printf("backend %s: %s\n\n", backend_word(backend), why);
    output_flush();
    free(why);
    status = options.need_fences && !tell_fences(&options)
                 ? CANNOT
                 : grade_labs(&options, &tools, backend);
    tools_free(&tools);
    free(real);
    free(file);
    free(json);
    return finish(status);
}
