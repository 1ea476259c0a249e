/*
 * main.c: vgpucc, the compiler driver of the virtual GPU.
 *
 * A .cu file is preprocessed, rewritten (rewrite.h) and compiled, a .c or
 * .cpp file just compiled; what results is linked with libvgpu.a. Loads and
 * stores are instrumented (-fsanitize=thread) but the sanitizer's runtime is
 * never linked: libvgpu.a defines what the instrumentation calls.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "diagnose.h"
#include "driver.h"
#include "host.h"
#include "judge.h"
#include "lacking.h"
#include "options.h"
#include "rewrite.h"
#include "version.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char PROGRAM[] = "vgpu/program.h";
static const char STRICT[] = "VGPUCC_STRICT"; /* an environment variable */

/* From this version on clang can be told not to leave out a read that comes
 * before a write of the same address, as gcc does not. */
enum { CLANG_WITH_READS = 13 };

int driver_run(struct driver *d, const struct list *command, struct buf *errors)
{
    if (d->options.verbose || d->options.dry_run) {
        for (int i = 0; i < command->count; i++)
            fprintf(stderr, "%s%s", i ? " " : "", command->items[i]);
        fputs("\n", stderr);
    }
    return d->options.dry_run ? 0 : host_run(command, errors);
}

/* ---- finding our own files ----------------------------------------------- */

/* Beside the program itself, wherever it was built or copied to: in the
 * repository's build folder, or installed (install/install). Nothing is
 * compiled in, so that a folder may be moved. */
static int find_own_files(struct driver *d, const char *argv0)
{
    static const struct {
        const char *include, *library;
    } places[] = {{"../../vgpu/include", "../lib"},
                  {"../../../vgpu/include", "../lib"}, /* B=build/clang */
                  {"../../include", "../lib"},         /* vgpu/ alone */
                  {"../include/vgpucc", "../lib/vgpucc"}};
    char *dir = host_own_dir(argv0);
    struct buf path = {0};

    for (size_t i = 0; dir && i < sizeof places / sizeof *places; i++) {
        path.size = 0;
        buf_printf(&path, "%s/%s/vgpu/kernel.h", dir, places[i].include);
        if (access(path.data, R_OK))
            continue;
        path.size = 0;
        buf_printf(&path, "%s/%s", dir, places[i].include);
        d->include_dir = realpath(path.data, NULL);
        path.size = 0;
        buf_printf(&path, "%s/%s/libvgpu.a", dir, places[i].library);
        d->library = realpath(path.data, NULL);
        if (!d->library)
            d->library = buf_copy_string(path.data);
        path.size = 0;
        buf_printf(&path, "%s/%s/headers", dir, places[i].library);
        d->prepared_dir = buf_copy_string(path.data);
        break;
    }
    buf_free(&path);
    free(dir);
    if (d->include_dir)
        return 0;
    fputs("vgpucc: error: the virtual GPU's headers are not where vgpucc "
          "looks for them: vgpu/include of the repository, or include/vgpucc "
          "where it was installed\n",
          stderr);
    return -1;
}

/* ---- commands ------------------------------------------------------------ */

void driver_begin_command(struct driver *d, struct list *command,
                          enum input_kind kind)
{
    list_add_all(command, &d->cxx.command);
    if (kind == INPUT_CUDA || kind == INPUT_CXX)
        list_addf(command, "-std=%s",
                  d->options.standard ? d->options.standard : "gnu++17");
}

/* nvcc's default, as g++ has it, and what the labs are compiled with. */
static const char *const standards[] = {"gnu++17", "c++17"};

static bool is_prepared_for(const char *standard)
{
    bool is = !standard;

    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        is = is || !strcmp(standard, standards[i]);
    return is;
}

/* g++'s holds what was read, the same at each level that inlines. */
static bool is_prepared_at(const char *level, bool clang)
{
    return strlen(level) == 1 && strchr(clang ? "2" : "123", *level);
}

/* -Xcompiler -Wall, and not what -Wl or -Wp hand on. */
static bool only_warns(const struct list *host)
{
    for (int i = 0; i < host->count; i++)
        if (strncmp(host->items[i], "-W", 2) || strchr(host->items[i], ','))
            return false;
    return true;
}

/* Most of a short program's compilation is the headers before it: where they
 * are compiled already, and for these options, g++ takes them so. It looks by
 * itself whether they fit its version and the macros, and else reads the text.
 * Not where a cache stands before g++, nor where dependencies are asked for. */
static bool takes_prepared(const struct driver *d)
{
    const struct options *o = &d->options;

    return d->way == WAY_FIRST && d->prepared_dir &&
           d->cxx.command.count == 1 && (!d->cxx.clang || d->cxx.prepares) &&
           only_warns(&o->host) && !o->debug && !o->device_debug &&
           !o->dep_write && is_prepared_at(o->optimize, d->cxx.clang) &&
           is_prepared_for(o->standard) &&
           (o->mode == MODE_LINK || o->mode == MODE_COMPILE);
}

/* Is it told that a program is slow? A test makes an error of it. */
static bool tells_slow(const struct driver *d)
{
    return d->options.verbose || getenv(STRICT);
}

/* Is another way tried after one that ended with @status? */
static bool is_tried_again(const struct driver *d, int status)
{
    return status && (d->host_only || d->way == WAY_NOT_INLINED ||
                      (d->way == WAY_FIRST && (takes_prepared(d) || d->quick)));
}

/* _FORTIFY_SOURCE would replace memcpy by a function that the checker does not
 * see. The header comes before the first line of the program, as nvcc includes
 * its own. */
static void add_macros(struct driver *d, struct list *command,
                       enum input_kind kind)
{
    list_add(command, "-D__VGPU__=1");
    list_add(command, "-U_FORTIFY_SOURCE"); /* another memcpy */
    list_add(command, "-D__NVCC__=1");
    if (kind == INPUT_CUDA)
        list_add(command, "-D__CUDACC__=1");
    list_add_all(command, &d->options.preprocess);
}

static void add_preprocess_flags(struct driver *d, struct list *command,
                                 enum input_kind kind)
{
    add_macros(d, command, kind);
    if (kind == INPUT_CUDA && takes_prepared(d)) {
        list_add(command, "-fpch-preprocess");
        list_add(command, "-isystem"); /* the first that g++ looks into */
        list_add(command, d->prepared_dir);
    }
    list_adds(command, "-isystem", d->include_dir, NULL);
    if (d->lacking_dir)
        list_adds(command, "-isystem", d->lacking_dir, NULL);
    list_adds(command, "-include",
              kind == INPUT_CUDA ? PROGRAM : "vgpu/memory.h", NULL);
    list_add_all(command, &d->options.included);
}

/* -ffp-contract=off: results must not depend on whether the host's processor
 * has fused multiply-add. Calls keep their lines, and memory functions stay
 * calls, because reports name them. */
static void add_compile_flags(struct driver *d, struct list *command)
{
    static const char *const all[] = {
        "-gdwarf-4",
        "-fsanitize=thread",
        "-fno-optimize-sibling-calls", /* each call has its line */
        "-ffp-contract=off",
        "-fno-builtin-memcpy",
        "-fno-builtin-memset",
        "-fno-builtin-memmove",
        "-fno-builtin-memcmp",
        "-pipe"};
    const struct options *o = &d->options;

    list_addf(command, "-O%s", o->optimize);
    list_add(command, o->debug || o->device_debug ? "-g"
                      : d->cxx.clang              ? "-gline-tables-only"
                                                  : "-g1");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        list_add(command, all[i]);
    if (d->cxx.clang) {
        list_adds(command, "-mllvm", "-tsan-instrument-func-entry-exit=0",
                  "-mllvm", "-tsan-distinguish-volatile=1", NULL);
        if (d->cxx.clang >= CLANG_WITH_READS)
            list_adds(command, "-mllvm", "-tsan-instrument-read-before-write=1",
                      NULL);
    } else {
        list_adds(command, "--param", "tsan-instrument-func-entry-exit=0",
                  "--param", "tsan-distinguish-volatile=1", NULL);
        /* What two lines do alike keeps both lines. */
        list_adds(command, "-fno-crossjumping", "-fno-tree-tail-merge", NULL);
        list_add(command, "-Wno-tsan"); /* a fence is a call here */
    }
    list_add_all(command, &o->compile);
    if (o->quiet)
        list_add(command, "-w");
}

/* The object that @input is compiled to when no name is given. */
static char *default_output(const char *input, const char *extension)
{
    const char *slash = strrchr(input, '/');
    const char *base = slash ? slash + 1 : input;
    const char *dot = strrchr(base, '.');
    struct buf out = {0};

    buf_printf(&out, "%.*s%s", (int)(dot ? dot - base : (long)strlen(base)),
               base, extension);
    return out.data;
}

/* The object of @input where -o does not name it. */
static char *named_object(struct driver *d, const char *input)
{
    char *name = default_output(input, ".o");
    struct buf path = {0};

    if (!d->options.output_dir)
        return name;
    buf_printf(&path, "%s/%s", d->options.output_dir, name);
    free(name);
    return path.data;
}

/* Dependencies are written while preprocessing, when the compiler does not know
 * yet what the object will be called: it is told. */
static void add_dependency_flags(struct driver *d, struct list *command,
                                 const char *input)
{
    const struct options *o = &d->options;
    char *object = o->mode == MODE_COMPILE && o->output
                       ? buf_copy_string(o->output)
                       : named_object(d, input);
    char *file = default_output(object, "");

    list_adds(command, o->dep_all ? "-MD" : "-MMD", "-MF", NULL);
    if (o->dep_file)
        list_add(command, o->dep_file);
    else if (o->mode == MODE_COMPILE && (o->output || o->output_dir))
        list_addf(command, "%.*s.d",
                  (int)(strrchr(object, '.') > strrchr(object, '/')
                            ? (size_t)(strrchr(object, '.') - object)
                            : strlen(object)),
                  object);
    else
        list_addf(command, "%s.d", file);
    if (o->dep_phony)
        list_add(command, "-MP");
    if (o->dep_targets.count) {
        list_add_all(command, &o->dep_targets);
    } else {
        list_adds(command, "-MT", object, NULL);
    }
    free(object);
    free(file);
}

static const char *language_name(enum input_kind kind)
{
    return kind == INPUT_C ? "c" : "c++";
}

/* ---- one input ----------------------------------------------------------- */

/* Have the headers of libraries that are not there taken for empty, one more
 * with each try; not where all headers are listed as dependencies. Return: is
 * there one more? */
static bool take_for_empty(struct driver *d, const struct buf *errors)
{
    char *header = d->options.dep_all ? NULL : lacking_header(errors->data);

    if (!header)
        return false;
    d->lacking_dir = host_temp_header(header);
    free(header);
    return true;
}

/* Preprocess @input into @output, or to stdout if that is NULL. */
static int preprocess(struct driver *d, const char *input, enum input_kind kind,
                      const char *output)
{
    const struct options *o = &d->options;
    struct list command = {0};
    struct buf errors = {0};
    int status;

    driver_begin_command(d, &command, kind);
    if (o->mode == MODE_DEPENDENCIES) {
        list_add(&command, o->dep_all ? "-M" : "-MM");
        list_add_all(&command, &o->dep_targets);
    } else {
        list_add(&command, "-E");
    }
    if (o->dep_write)
        add_dependency_flags(d, &command, input);
    if (o->quiet)
        list_add(&command, "-w");
    list_add_all(&command, &o->host);
    add_preprocess_flags(d, &command, kind);
    list_adds(&command, "-x", language_name(kind), input, NULL);
    if (output)
        list_adds(&command, "-o", output, NULL);
    status = driver_run(d, &command, &errors);
    list_free(&command);
    if (status && take_for_empty(d, &errors))
        status = preprocess(d, input, kind, output);
    else if (errors.size && !is_tried_again(d, status))
        fwrite(errors.data, 1, errors.size, stderr);
    buf_free(&errors);
    return status;
}

/* Rewrite the preprocessed file @from into @to (NULL: stdout). */
static int rewrite_file(struct driver *d, const char *from, const char *to)
{
    struct rewrite_options options = {
        .own_dir = d->include_dir,
        .for_clang = d->cxx.clang,
        .plain = d->way == WAY_PLAIN || !strcmp(d->options.optimize, "0"),
        .no_inline = d->way != WAY_FIRST,
        .strict = !d->options.lenient,
        .lambda = d->options.lambda,
        .relaxed = d->options.relaxed,
        .host_only = d->host_only};
    struct rewrite_result result;
    struct buf text = {0};
    int status;

    if (d->options.dry_run)
        return 0;
    if (host_read_file(from, &text)) {
        fprintf(stderr, "vgpucc: error: cannot read %s: %s\n", from,
                strerror(errno));
        return 1;
    }
    status =
        rewrite_text(text.data ? text.data : "", text.size, &options, &result);
    d->quick = result.quick;
    if (d->way == WAY_FIRST && !d->options.quiet)
        diagnose_messages(result.warnings);
    if (status) {
        if (!is_tried_again(d, status))
            diagnose_messages(result.errors);
    } else if (!to) {
        fwrite(result.text, 1, result.size, stdout);
    } else if (host_write_file(to, result.text, result.size)) {
        fprintf(stderr, "vgpucc: error: cannot write %s: %s\n", to,
                strerror(errno));
        status = 1;
    }
    rewrite_result_free(&result);
    buf_free(&text);
    return status;
}

/* Compile rewritten text. */
static int compile_rewritten(struct driver *d, const char *text,
                             const char *object)
{
    struct list command = {0};
    struct buf errors = {0};
    int status;

    driver_begin_command(d, &command, INPUT_CUDA);
    add_compile_flags(d, &command);
    list_add_all(&command, &d->options.host);
    list_add(&command, "-Wno-implicit-fallthrough"); /* comments are gone */
    diagnose_add_flags(&command, d->cxx.clang);
    list_adds(&command, "-x", "c++-cpp-output", "-c", text, "-o", object, NULL);
    status = driver_run(d, &command, &errors);
    if (!is_tried_again(d, status) ||
        (d->way == WAY_NOT_INLINED && tells_slow(d)))
        diagnose_messages(errors.data);
    buf_free(&errors);
    list_free(&command);
    return status;
}

/* Three steps with files between them, each kept only as long as the next one
 * needs it. */
static int take_steps(struct driver *d, const char *input, enum input_kind kind,
                      const char *object)
{
    const char *plain = host_temp_file(".i");
    const char *rewritten = host_temp_file(".ii");
    int status = preprocess(d, input, kind, plain);

    if (!status)
        status = rewrite_file(d, plain, rewritten);
    if (!status)
        status = compile_rewritten(d, rewritten, object);
    unlink(plain);
    unlink(rewritten);
    return status;
}

static int take_way(struct driver *d, enum way way, const char *input,
                    enum input_kind kind, const char *object)
{
    d->way = way;
    d->quick = false;
    return take_steps(d, input, kind, object);
}

/* What the plain way alone takes is a fault of ours, and the program is slow.
 */
static int tell_slow(const char *input)
{
    const bool strict = getenv(STRICT);

    fprintf(stderr,
            "vgpucc: %s: %s: what is written for speed does not compile; "
            "please report it\n",
            strict ? "error" : "warning", input);
    return strict ? EXIT_FAILED : 0;
}

static int take_ways(struct driver *d, const char *input, const char *object)
{
    int status = take_way(d, WAY_FIRST, input, INPUT_CUDA, object);

    if (!is_tried_again(d, status))
        return status;
    status = take_way(d, WAY_PLAIN, input, INPUT_CUDA, object);
    if (status || !take_way(d, WAY_NOT_INLINED, input, INPUT_CUDA, object))
        return status;
    status = take_way(d, WAY_PLAIN, input, INPUT_CUDA, object);
    return status || !tells_slow(d) ? status : tell_slow(input);
}

static int compile_cuda(struct driver *d, const char *input, const char *object)
{
    const char *said = judge_begin(d, input);
    int status = judge_end(d, said, take_ways(d, input, object));

    if (status)
        unlink(object);
    return status;
}

/* Host code is instrumented like device code, for the host's accesses are the
 * other half of every hazard with it. */
static int compile_plain(struct driver *d, const char *input,
                         enum input_kind kind, const char *object)
{
    struct list command = {0};
    int status;

    driver_begin_command(d, &command, kind);
    add_compile_flags(d, &command);
    if (d->options.dep_write)
        add_dependency_flags(d, &command, input);
    list_add_all(&command, &d->options.host);
    add_preprocess_flags(d, &command, kind);
    list_adds(&command, "-x", language_name(kind), "-c", input, "-o", object,
              NULL);
    status = driver_run(d, &command, NULL);
    list_free(&command);
    return status;
}

/* Its loops need not be watched (host_loops.c). What this way does not take is
 * compiled as it is. */
static int compile_cxx(struct driver *d, const char *input, const char *object)
{
    bool tried = strcmp(d->options.optimize, "0") && !d->options.dry_run;
    int status;

    d->host_only = true;
    status = tried ? take_way(d, WAY_FIRST, input, INPUT_CXX, object) : -1;
    d->host_only = false;
    if (!status)
        return 0;
    status = compile_plain(d, input, INPUT_CXX, object);
    return status || !tried || !tells_slow(d) ? status : tell_slow(input);
}

static int show_rewritten(struct driver *d, const char *input)
{
    const char *plain = host_temp_file(".i");
    int status = preprocess(d, input, INPUT_CUDA, plain);

    return status ? status : rewrite_file(d, plain, d->options.output);
}

/* Where objects go depends on what is asked: with -c they are the result, else
 * they are temporary. */
static int compile_input(struct driver *d, int i)
{
    const char *input = d->options.inputs.items[i];
    enum input_kind kind = d->options.kinds[i];
    char *named = NULL;
    const char *object;
    int status;

    if (access(input, R_OK)) {
        fprintf(stderr, "vgpucc: error: %s: %s\n", input, strerror(errno));
        return 1;
    }
    if (kind == INPUT_LINKED) {
        list_add(&d->objects, input);
        return 0;
    }
    if (d->options.mode == MODE_PREPROCESS ||
        d->options.mode == MODE_DEPENDENCIES)
        return preprocess(d, input, kind, d->options.output);
    if (d->options.mode == MODE_REWRITE)
        return show_rewritten(d, input);
    if (d->options.mode == MODE_COMPILE && !d->options.output)
        named = named_object(d, input);
    object = d->options.mode != MODE_COMPILE ? host_temp_file(".o")
             : named                         ? named
                                             : d->options.output;
    status = kind == INPUT_CUDA  ? compile_cuda(d, input, object)
             : kind == INPUT_CXX ? compile_cxx(d, input, object)
                                 : compile_plain(d, input, kind, object);
    list_add(&d->objects, object);
    free(named);
    return status;
}

/* PROGRAM compiled for one standard, and what make has to know of it. Its text
 * is what is preprocessed without the options of the second step, so their
 * macros go. clang has no use for it: an empty file. */
static int prepare(struct driver *d, const char *output)
{
    static const char *const as_preprocessed[] = {
        "-U__OPTIMIZE__", "-D__NO_INLINE__=1", "-U__SANITIZE_THREAD__"};
    struct list command = {0};
    int status;

    if (d->cxx.clang)
        return host_write_file(output, "", 0);
    driver_begin_command(d, &command, INPUT_CUDA);
    add_compile_flags(d, &command);
    add_macros(d, &command, INPUT_CUDA);
    for (size_t i = 0; i < sizeof as_preprocessed / sizeof *as_preprocessed;
         i++)
        list_add(&command, as_preprocessed[i]);
    list_adds(&command, "-isystem", d->include_dir, "-MD", "-MP", "-MF", NULL);
    list_addf(&command, "%s.d", d->options.output);
    list_adds(&command, "-x", "c++-header", NULL);
    list_addf(&command, "%s/%s", d->include_dir, PROGRAM);
    list_adds(&command, "-o", output, NULL);
    status = driver_run(d, &command, NULL);
    list_free(&command);
    return status;
}

/* --prepare, for takes_prepared(): of the files of a folder that has a header's
 * name g++ takes the one that fits. */
static int prepare_all(struct driver *d)
{
    const size_t count = sizeof standards / sizeof *standards;
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++) {
        struct buf output = {0};

        buf_printf(&output, "%s/%s", d->options.output, standards[i]);
        free(d->options.standard);
        d->options.standard = buf_copy_string(standards[i]);
        status = prepare(d, output.data);
        buf_free(&output);
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------- */

/* The first input that fails ends it, as with a compiler. */
static int drive(struct driver *d, const char *argv0)
{
    int status = 0;

    if (find_own_files(d, argv0) ||
        host_find(&d->cxx, d->options.host_compiler) || host_temp_open())
        return EXIT_FAILED;
    if (d->options.mode == MODE_PREPARE)
        status = prepare_all(d);
    for (int i = 0; i < d->options.inputs.count && !status; i++)
        status = compile_input(d, i);
    if (!status && d->options.mode == MODE_LINK)
        status = link_program(d);
    else if (!status && d->options.mode == MODE_LIBRARY)
        status = make_library(d);
    else if (!status && d->options.mode == MODE_DEVICE_LINK)
        status = link_device(d);
    if (!status && d->options.run && d->options.mode == MODE_LINK)
        return run_program(d);
    return status ? EXIT_FAILED : 0;
}

/* Two exit statuses for what went wrong: a build that reads them knows a wrong
 * command line from a program that does not compile. */
int main(int argc, char **argv)
{
    struct driver d = {0};
    int status = 0;

    if (options_read(&d.options, argc, argv)) {
        options_free(&d.options);
        return EXIT_USAGE;
    }
    if (d.options.mode == MODE_HELP)
        options_print_help();
    else if (d.options.mode == MODE_VERSION)
        printf("%s\n%s\n", VERSION_OF("vgpucc"),
               "CUDA C++ for the virtual GPU, API of CUDA release 13.0");
    else
        status = drive(&d, argv[0]);
    options_free(&d.options);
    list_free(&d.cxx.command);
    list_free(&d.objects);
    free(d.include_dir);
    free(d.prepared_dir);
    free(d.library);
    return status;
}
