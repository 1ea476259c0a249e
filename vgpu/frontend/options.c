/*
 * options.c: vgpucc's command line, in nvcc's spelling.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What becomes of an option. */
enum action {
    IGNORE, /* means nothing on a virtual GPU */
    REFUSE,
    HELP,
    VERSION,
    OUTPUT,
    OUTPUT_DIR,
    COMPILE,
    LINK,
    MAKE_LIBRARY,
    DEVICE_LINK,
    RUN,
    RUN_ARGUMENTS,
    PREPROCESS,
    REWRITE,
    PREPARE,
    DEP_ALL,
    DEP_USER,
    DEP_ALL_WRITE,
    DEP_USER_WRITE,
    DEP_FILE,
    DEP_PHONY,
    DEP_TARGET,
    DEP_QUOTED,
    LANGUAGE,
    STANDARD,
    OPTIMIZE,
    DEBUG,
    DEVICE_DEBUG,
    INCLUDE_DIR,
    SYSTEM_DIR,
    INCLUDE,
    DEFINE,
    UNDEFINE,
    LIBRARY_DIR,
    LIBRARY,
    TO_COMPILER,
    TO_LINKER,
    HOST_COMPILER,
    DEFAULT_STREAM,
    QUIET,
    WARNING_ERROR,
    TO_WARNINGS,
    TO_TEMPLATES,
    VERBOSE,
    DRY_RUN,
    SHARED,
    FORWARD,
    LENIENT,
    NO_JUDGE,
    RELAXED,
    EXTENDED_LAMBDA,
    ARCHITECTURE,
};

/* How its value is written. */
enum value {
    NO_VALUE,
    VALUE,  /* -x cu, -x=cu */
    JOINED, /* also -Idir */
};

/* What nvcc takes is either done, passed on to the host compiler, passed over
 * because nothing on a virtual GPU depends on it, or refused by name: a
 * Makefile written for nvcc works as it is, and an option that would change
 * what a program does is never silently dropped. */
static const struct row {
    const char *shorter, *longer; /* without dashes */
    enum value value;
    enum action action;
} rows[] = {
    {"h", "help", NO_VALUE, HELP},
    {"V", "version", NO_VALUE, VERSION},
    {"o", "output-file", VALUE, OUTPUT},
    {"c", "compile", NO_VALUE, COMPILE},
    {"dc", "device-c", NO_VALUE, COMPILE},
    {"dw", "device-w", NO_VALUE, COMPILE},
    {"link", "", NO_VALUE, LINK},
    {"lib", "", NO_VALUE, MAKE_LIBRARY},
    {"dlink", "device-link", NO_VALUE, DEVICE_LINK},
    {"run", "", NO_VALUE, RUN},
    {"run-args", "", VALUE, RUN_ARGUMENTS},
    {"odir", "output-directory", VALUE, OUTPUT_DIR},
    {"E", "preprocess", NO_VALUE, PREPROCESS},
    {"", "show-rewritten", NO_VALUE, REWRITE},
    {"", "prepare", NO_VALUE, PREPARE},
    {"M", "generate-dependencies", NO_VALUE, DEP_ALL},
    {"MM", "generate-nonsystem-dependencies", NO_VALUE, DEP_USER},
    {"MD", "generate-dependencies-with-compile", NO_VALUE, DEP_ALL_WRITE},
    {"MMD", "generate-nonsystem-dependencies-with-compile", NO_VALUE,
     DEP_USER_WRITE},
    {"MF", "dependency-output", VALUE, DEP_FILE},
    {"MP", "generate-dependency-targets", NO_VALUE, DEP_PHONY},
    {"MT", "dependency-target-name", VALUE, DEP_TARGET},
    {"MQ", "", VALUE, DEP_QUOTED},
    {"x", "x", VALUE, LANGUAGE},
    {"std", "std", VALUE, STANDARD},
    {"O", "optimize", JOINED, OPTIMIZE},
    {"g", "debug", NO_VALUE, DEBUG},
    {"G", "device-debug", NO_VALUE, DEVICE_DEBUG},
    {"lineinfo", "generate-line-info", NO_VALUE, IGNORE},
    {"I", "include-path", JOINED, INCLUDE_DIR},
    {"isystem", "system-include", VALUE, SYSTEM_DIR},
    {"include", "pre-include", VALUE, INCLUDE},
    {"D", "define-macro", JOINED, DEFINE},
    {"U", "undefine-macro", JOINED, UNDEFINE},
    {"L", "library-path", JOINED, LIBRARY_DIR},
    {"Xcompiler", "compiler-options", VALUE, TO_COMPILER},
    {"Xlinker", "linker-options", VALUE, TO_LINKER},
    {"Xptxas", "ptxas-options", VALUE, IGNORE},
    {"Xnvlink", "nvlink-options", VALUE, IGNORE},
    {"Xarchive", "archive-options", VALUE, IGNORE},
    {"Xcudafe", "", VALUE, IGNORE},
    {"", "lenient", NO_VALUE, LENIENT},
    {"", "no-judge", NO_VALUE, NO_JUDGE},
    {"arch", "gpu-architecture", VALUE, ARCHITECTURE},
    {"code", "gpu-code", VALUE, IGNORE},
    {"gencode", "generate-code", VALUE, ARCHITECTURE},
    {"ccbin", "compiler-bindir", VALUE, HOST_COMPILER},
    {"default-stream", "", VALUE, DEFAULT_STREAM},
    {"use_fast_math", "", NO_VALUE, IGNORE},
    {"maxrregcount", "", VALUE, IGNORE},
    {"rdc", "relocatable-device-code", VALUE, IGNORE},
    {"ftz", "", VALUE, IGNORE},
    {"prec-div", "", VALUE, IGNORE},
    {"prec-sqrt", "", VALUE, IGNORE},
    {"fmad", "", VALUE, IGNORE},
    {"extra-device-vectorization", "", NO_VALUE, IGNORE},
    {"res-usage", "resource-usage", NO_VALUE, IGNORE},
    {"extended-lambda", "expt-extended-lambda", NO_VALUE, EXTENDED_LAMBDA},
    {"expt-relaxed-constexpr", "", NO_VALUE, RELAXED},
    {"dlto", "dlink-time-opt", NO_VALUE, IGNORE},
    {"allow-unsupported-compiler", "", NO_VALUE, IGNORE},
    {"arbin", "archiver-binary", VALUE, IGNORE},
    {"cudadevrt", "", VALUE, IGNORE},
    {"ldir", "libdevice-directory", VALUE, IGNORE},
    {"target-dir", "target-directory", VALUE, IGNORE},
    {"objtemp", "objdir-as-tempdir", NO_VALUE, IGNORE},
    {"use-local-env", "", NO_VALUE, IGNORE},
    {"pg", "profile", NO_VALUE, IGNORE},
    {"opt-info", "optimization-info", VALUE, IGNORE},
    {"Ofc", "Ofast-compile", VALUE, IGNORE},
    {"dopt", "", VALUE, IGNORE},
    {"lto", "", NO_VALUE, IGNORE},
    {"gen-opt-lto", "", NO_VALUE, IGNORE},
    {"noeh", "no-exceptions", NO_VALUE, IGNORE},
    {"nohdinitlist", "no-host-device-initializer-list", NO_VALUE, IGNORE},
    {"nohdmoveforward", "no-host-device-move-forward", NO_VALUE, IGNORE},
    {"static-global-template-stub", "", VALUE, IGNORE},
    {"device-entity-has-hidden-visibility", "", VALUE, IGNORE},
    {"noprof", "dont-use-profile", NO_VALUE, IGNORE},
    {"split-compile-extended", "", VALUE, IGNORE},
    {"fdevice-syntax-only", "", NO_VALUE, IGNORE},
    {"fdevice-time-trace", "", VALUE, IGNORE},
    {"keep", "save-temps", NO_VALUE, IGNORE},
    {"keep-dir", "", VALUE, IGNORE},
    {"time", "", VALUE, IGNORE},
    {"idp", "input-drive-prefix", VALUE, IGNORE},
    {"ddp", "dependency-drive-prefix", VALUE, IGNORE},
    {"dp", "drive-prefix", VALUE, IGNORE},
    {"no-align-double", "", NO_VALUE, IGNORE},
    {"nodlink", "no-device-link", NO_VALUE, IGNORE},
    {"e", "entries", VALUE, IGNORE},
    {"keep-device-functions", "", NO_VALUE, IGNORE},
    {"src-in-ptx", "source-in-ptx", NO_VALUE, IGNORE},
    {"restrict", "", NO_VALUE, IGNORE},
    {"ewp", "extensible-whole-program", NO_VALUE, IGNORE},
    {"no-compress", "", NO_VALUE, IGNORE},
    {"compress-mode", "", VALUE, IGNORE},
    {"qpp-config", "", VALUE, IGNORE},
    {"astoolspatch", "compile-as-tools-patch", NO_VALUE, IGNORE},
    {"hls", "host-linker-script", VALUE, IGNORE},
    {"aug-hls", "augment-host-linker-script", NO_VALUE, IGNORE},
    {"brief-diag", "brief-diagnostics", VALUE, IGNORE},
    {"jtd", "jump-table-density", VALUE, IGNORE},
    {"reloc-ptx", "relocatable-ptx", NO_VALUE, IGNORE},
    {"device-stack-protector", "", VALUE, IGNORE},
    {"frandom-seed", "", VALUE, IGNORE},
    {"jobserver", "", NO_VALUE, IGNORE},
    {"cudart", "", VALUE, IGNORE},
    {"m64", "", NO_VALUE, IGNORE},
    {"m", "machine", VALUE, IGNORE},
    {"t", "threads", VALUE, IGNORE},
    {"split-compile", "", VALUE, IGNORE},
    {"diag-suppress", "diag_suppress", VALUE, IGNORE},
    {"diag-error", "diag_error", VALUE, IGNORE},
    {"diag-warn", "diag_warn", VALUE, IGNORE},
    {"err-no", "display-error-number", NO_VALUE, IGNORE},
    {"no-err-no", "no-display-error-number", NO_VALUE, IGNORE},
    {"Wno-deprecated-gpu-targets", "", NO_VALUE, IGNORE},
    {"Wdefault-stream-launch", "", NO_VALUE, IGNORE},
    {"Wmissing-launch-bounds", "", NO_VALUE, IGNORE},
    {"Wext-lambda-captures-this", "", NO_VALUE, IGNORE},
    {"ftemplate-depth", "", VALUE, TO_TEMPLATES},
    {"ftemplate-backtrace-limit", "", VALUE, TO_TEMPLATES},
    {"Wreorder", "", NO_VALUE, TO_WARNINGS},
    {"Wno-deprecated-declarations", "", NO_VALUE, TO_WARNINGS},
    {"Werror", "", VALUE, WARNING_ERROR},
    {"w", "disable-warnings", NO_VALUE, QUIET},
    {"v", "verbose", NO_VALUE, VERBOSE},
    {"dryrun", "", NO_VALUE, DRY_RUN},
    {"shared", "", NO_VALUE, SHARED},
    {"forward-unknown-to-host-compiler", "", NO_VALUE, FORWARD},
    {"forward-unknown-to-host-linker", "", NO_VALUE, FORWARD},
    {"forward-unknown-opts", "", NO_VALUE, FORWARD},
    {"ptx", "", NO_VALUE, REFUSE},
    {"cubin", "", NO_VALUE, REFUSE},
    {"fatbin", "", NO_VALUE, REFUSE},
    {"cuda", "", NO_VALUE, REFUSE},
    {"optix-ir", "", NO_VALUE, REFUSE},
    {"ltoir", "", NO_VALUE, REFUSE},
    {"r", "relocatable-link", NO_VALUE, REFUSE},
    {"clean", "clean-targets", NO_VALUE, REFUSE},
    {"code-ls", "list-gpu-code", NO_VALUE, REFUSE},
    {"arch-ls", "list-gpu-arch", NO_VALUE, REFUSE},
    {"sanitize", "", VALUE, REFUSE},
    {"optf", "options-file", VALUE, REFUSE},
    {"l", "library", JOINED, LIBRARY},
};

struct reader {
    struct options *o;
    bool forward; /* unknown options go to the host's */
    int language; /* -x, or -1: by the file's name */
    struct list forwarded;
};

/* One line on stderr, like a compiler's own. */
static int fail(const char *format, const char *what)
{
    fputs("vgpucc: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("\n", stderr);
    return -1;
}

/* The last one given counts, as with nvcc and gcc. */
static void set(char **field, const char *value)
{
    free(*field);
    *field = buf_copy_string(value);
}

/* -Xcompiler a,b or "a b" */
static void add_split(struct list *l, const char *prefix, const char *values)
{
    while (*values) {
        size_t length = strcspn(values, ", ");

        if (length && *prefix) {
            list_add(l, prefix);
            list_addf(l, "%.*s", (int)length, values);
        } else if (length) {
            list_addf(l, "%.*s", (int)length, values);
        }
        values += length;
        values += strspn(values, ", ");
    }
}

/* A folder with NVIDIA's headers would hide the virtual GPU's. */
static bool is_toolkit(const char *dir)
{
    struct buf path = {0};
    bool found;

    buf_printf(&path, "%s/cuda_runtime_api.h", dir);
    found = !access(path.data, R_OK);
    buf_free(&path);
    buf_printf(&path, "%s/vgpu/launch.h", dir);
    found = found && access(path.data, R_OK);
    buf_free(&path);
    return found;
}

/* Instrumentation is what the checker lives on; a second sanitizer's library
 * would define the same names. */
static int add_host_flags(struct options *o, const char *value)
{
    if (strstr(value, "-fsanitize="))
        return fail("'%s' cannot be combined with the virtual GPU's own "
                    "memory checks",
                    value);
    add_split(&o->host, "", value);
    return 0;
}

static int set_language(struct reader *r, const char *value)
{
    if (!strcmp(value, "cu"))
        r->language = INPUT_CUDA;
    else if (!strcmp(value, "c++"))
        r->language = INPUT_CXX;
    else if (!strcmp(value, "c"))
        r->language = INPUT_C;
    else
        return fail("unknown language '-x %s' (cu, c++ or c)", value);
    return 0;
}

static int number_in(const char *value)
{
    return atoi(value + strcspn(value, "0123456789"));
}

/* A macro is all it takes: cuda_runtime_api.h renames the calls. */
static int set_default_stream(struct options *o, const char *value)
{
    if (!strcmp(value, "per-thread"))
        list_add(&o->preprocess, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (strcmp(value, "legacy") && strcmp(value, "null"))
        return fail("unknown default stream '%s' (legacy or per-thread)",
                    value);
    return 0;
}

/* What is older than C++17 is raised to it, which no course's code minds. */
static int set_standard(struct options *o, const char *value)
{
    const char *number = value + strcspn(value, "0123456789");

    if (strncmp(value, "c++", 3) && strncmp(value, "gnu++", 5))
        return fail("unknown language standard '%s'", value);
    if (!strncmp(number, "03", 2) || !strncmp(number, "98", 2) ||
        !strncmp(number, "11", 2) || !strncmp(number, "14", 2) ||
        !strncmp(number, "0x", 2) || !strncmp(number, "1y", 2))
        set(&o->standard, "c++17");
    else
        set(&o->standard, value);
    return 0;
}

/* -M and -MM print instead of compiling; -MD and -MMD write besides. gcc's
 * rules, which nvcc has, too. */
static void apply_dependencies(struct options *o, enum action action,
                               const char *value)
{
    switch (action) {
    case DEP_ALL:
        o->dep_all = true;
        o->mode = MODE_DEPENDENCIES;
        break;
    case DEP_USER:
        o->mode = MODE_DEPENDENCIES;
        break;
    case DEP_ALL_WRITE:
        o->dep_all = true;
        o->dep_write = true;
        break;
    case DEP_USER_WRITE:
        o->dep_write = true;
        break;
    case DEP_FILE:
        set(&o->dep_file, value);
        break;
    case DEP_PHONY:
        o->dep_phony = true;
        break;
    case DEP_TARGET:
        list_adds(&o->dep_targets, "-MT", value, NULL);
        break;
    default:
        list_adds(&o->dep_targets, "-MQ", value, NULL);
    }
}

/* A toolkit's include folder, which many Makefiles name, would bring NVIDIA's
 * headers in: it is passed over. */
static void apply_path(struct options *o, enum action action, const char *value)
{
    size_t length = action == DEFINE ? strlen(value) : strcspn(value, ",");

    if (value[length]) { /* nvcc takes a,b */
        struct buf first = {0};

        buf_printf(&first, "%.*s", (int)length, value);
        apply_path(o, action, first.data);
        apply_path(o, action, value + length + 1);
        buf_free(&first);
        return;
    }
    if (action == INCLUDE_DIR && !is_toolkit(value)) {
        list_addf(&o->preprocess, "-I%s", value);
    } else if (action == SYSTEM_DIR && !is_toolkit(value)) {
        list_adds(&o->preprocess, "-isystem", value, NULL);
    } else if (action == INCLUDE) {
        list_adds(&o->included, "-include", value, NULL);
    } else if (action == DEFINE) {
        list_addf(&o->preprocess, "-D%s", value);
    } else if (action == UNDEFINE) {
        list_addf(&o->preprocess, "-U%s", value);
    } else if (action == LIBRARY_DIR) {
        list_addf(&o->link, "-L%s", value);
    }
}

/* What to make is one thing, the last one asked for; the rest can be asked for
 * together, and never taken back. */
static void apply_flag(struct reader *r, enum action action)
{
    static const struct {
        enum action action;
        enum options_mode mode;
    } modes[] = {{HELP, MODE_HELP},
                 {VERSION, MODE_VERSION},
                 {COMPILE, MODE_COMPILE},
                 {LINK, MODE_LINK},
                 {MAKE_LIBRARY, MODE_LIBRARY},
                 {DEVICE_LINK, MODE_DEVICE_LINK},
                 {PREPROCESS, MODE_PREPROCESS},
                 {REWRITE, MODE_REWRITE},
                 {PREPARE, MODE_PREPARE}};
    struct options *o = r->o;

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (action == modes[i].action)
            o->mode = modes[i].mode;
    o->debug |= action == DEBUG;
    o->device_debug |= action == DEVICE_DEBUG;
    o->verbose |= action == VERBOSE;
    o->dry_run |= action == DRY_RUN;
    o->shared |= action == SHARED;
    o->quiet |= action == QUIET;
    o->run |= action == RUN;
    o->lenient |= action == LENIENT;
    o->unjudged |= action == NO_JUDGE || action == LENIENT;
    o->relaxed |= action == RELAXED;
    o->lambda |= action == EXTENDED_LAMBDA;
    r->forward |= action == FORWARD;
}

/* Each option is one row of the table, and what it does a word in it (action),
 * so that its spellings cannot come to differ. @spelling: as it was written. */
static int apply(struct reader *r, const struct row *row, const char *value,
                 const char *spelling)
{
    struct options *o = r->o;

    switch (row->action) {
    case REFUSE:
        return fail("'%s' is not supported by the virtual GPU", spelling);
    case OUTPUT:
        set(&o->output, value);
        return 0;
    case OUTPUT_DIR:
        set(&o->output_dir, value);
        return 0;
    case RUN_ARGUMENTS:
        add_split(&o->run_arguments, "", value);
        return 0;
    case LANGUAGE:
        return set_language(r, value);
    case STANDARD:
        return set_standard(o, value);
    case OPTIMIZE:
        set(&o->optimize, value);
        return 0;
    case LIBRARY:
        library_add(o, value);
        return 0;
    case TO_COMPILER:
        return add_host_flags(o, value);
    case TO_LINKER:
        add_split(&o->link, "-Xlinker", value);
        return 0;
    case HOST_COMPILER:
        set(&o->host_compiler, value);
        return 0;
    case DEFAULT_STREAM:
        return set_default_stream(o, value);
    case WARNING_ERROR:
        if (strstr(value, "all-warnings"))
            list_add(&o->compile, "-Werror");
        return 0;
    case ARCHITECTURE:
        o->arch = o->arch ? o->arch : 10 * number_in(value);
        return 0;
    case TO_WARNINGS:
        list_add(&o->compile, spelling);
        return 0;
    case TO_TEMPLATES:
        list_addf(&o->compile, "-%s=%s", row->shorter, value);
        return 0;
    default:
        if (row->action >= DEP_ALL && row->action <= DEP_QUOTED)
            apply_dependencies(o, row->action, value);
        else if (row->value != NO_VALUE)
            apply_path(o, row->action, value);
        else
            apply_flag(r, row->action);
        return 0;
    }
}

/* Is @arg the name @name, perhaps with `=value`? */
static bool has_name(const char *arg, const char *name, enum value value)
{
    size_t length = strlen(name);

    if (!length || strncmp(arg, name, length))
        return false;
    return !arg[length] || (value != NO_VALUE && arg[length] == '=');
}

/* The row for @arg, and its value where it is joined, else NULL. */
static const struct row *find_row(const char *arg, const char **value)
{
    const char *name = arg + 1 + (arg[1] == '-');
    const char *equals;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];

        if (!has_name(name, row->shorter, row->value) &&
            !has_name(name, row->longer, row->value))
            continue;
        equals = strchr(name, '=');
        *value = equals && row->value != NO_VALUE ? equals + 1 : NULL;
        return row;
    }
    /* Whole names first: -lineinfo is no library called "ineinfo". */
    for (size_t i = 0; arg[1] != '-' && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value == JOINED && name[0] == rows[i].shorter[0]) {
            *value = name + 1;
            return &rows[i];
        }
    return NULL;
}

/* Those that are plainly the host compiler's. nvcc wants -Xcompiler before them
 * and refuses them else, but what they mean is clear: a note says what to
 * write. */
static bool is_for_host(const char *arg)
{
    return !strncmp(arg, "-W", 2) || !strncmp(arg, "-f", 2) ||
           !strncmp(arg, "-m", 2) || !strcmp(arg, "-pthread") ||
           !strcmp(arg, "-pedantic") || !strcmp(arg, "-ansi");
}

static int forward(struct options *o, const char *arg)
{
    if (!is_for_host(arg))
        return fail("unknown option '%s' (see vgpucc --help)", arg);
    fprintf(stderr,
            "vgpucc: note: '%s' is passed on to the host compiler; nvcc wants "
            "-Xcompiler before it\n",
            arg);
    return add_host_flags(o, arg);
}

/* A library or an object stays one whatever -x says; kinds[] grows in step with
 * the list of names. */
static int add_input(struct reader *r, const char *name)
{
    struct options *o = r->o;
    int kind = input_kind_of(name);

    if (r->language >= 0 && kind != INPUT_LINKED)
        kind = r->language;
    if (kind < 0)
        return fail("don't know what to do with '%s' (not .cu, .cpp, .c, .o, "
                    ".a or .so)",
                    name);
    o->kinds =
        buf_resize(o->kinds, (size_t)(o->inputs.count + 1) * sizeof *o->kinds);
    o->kinds[o->inputs.count] = (enum input_kind)kind;
    list_add(&o->inputs, name);
    return 0;
}

/* Unknown options are gathered, not refused yet:
 * --forward-unknown-to-host-compiler may still follow. */
static int read_argument(struct reader *r, int argc, char **argv, int *i)
{
    const char *arg = argv[*i];
    const char *value = NULL;
    const struct row *row;

    if (arg[0] != '-' || !arg[1])
        return add_input(r, arg);
    row = find_row(arg, &value);
    if (!row) {
        if (strcmp(arg, "--"))
            list_add(&r->forwarded, arg);
        return 0;
    }
    if (row->value != NO_VALUE && !value) {
        if (*i + 1 >= argc)
            return fail("'%s' needs a value", arg);
        value = argv[++*i];
    }
    return apply(r, row, value, arg);
}

static int check_use(struct options *o)
{
    int compiled = 0;

    if (o->mode == MODE_HELP || o->mode == MODE_VERSION)
        return 0;
    if (o->mode == MODE_PREPARE)
        return o->output ? 0 : fail("--prepare needs '-o %s'", "FOLDER");
    if (!o->inputs.count)
        return fail("no input files%s", "");
    for (int i = 0; i < o->inputs.count; i++)
        compiled += o->kinds[i] != INPUT_LINKED;
    if (o->mode != MODE_LINK && o->mode != MODE_LIBRARY && o->output &&
        compiled > 1)
        return fail("'-o %s' names one file, but there are several inputs",
                    o->output);
    return 0;
}

/* An older CUDA, for programs that were written for it; what -DVGPU_CUDA says
 * goes before. */
static int set_release(struct options *o)
{
    const char *release = getenv("VGPU_CUDA");
    char *end;
    long number;

    if (!release || !*release)
        return 0;
    number = strtol(release, &end, 10);
    if ((*end && *end != '.') || number < 8 || number > 13)
        return fail("VGPU_CUDA=%s: give a CUDA's number from 8 to 13, such as "
                    "11 for a program of that time",
                    release);
    for (int i = 0; i < o->preprocess.count; i++)
        if (!strncmp(o->preprocess.items[i], "-DVGPU_CUDA=", 12))
            return 0;
    list_addf(&o->preprocess, "-DVGPU_CUDA=%ld", number);
    return 0;
}

/* Without -O the host compiler would not optimise; nvcc does for device code,
 * which is what runs here. With -G it does not, so that a debugger shows each
 * line. */
int options_read(struct options *o, int argc, char **argv)
{
    struct reader r = {.o = o, .language = -1};
    int status = 0;

    memset(o, 0, sizeof *o);
    for (int i = 1; i < argc && !status; i++)
        status = read_argument(&r, argc, argv, &i);
    for (int i = 0; i < r.forwarded.count && !status && !r.forward; i++)
        status = forward(o, r.forwarded.items[i]);
    if (r.forward)
        list_add_all(&o->host, &r.forwarded);
    status = status ? status : set_release(o);
    list_free(&r.forwarded);
    if (!o->optimize)
        set(&o->optimize, o->device_debug ? "0" : "2");
    return status ? status : check_use(o);
}

void options_free(struct options *o)
{
    list_free(&o->inputs);
    list_free(&o->dep_targets);
    list_free(&o->preprocess);
    list_free(&o->included);
    list_free(&o->host);
    list_free(&o->compile);
    list_free(&o->link);
    list_free(&o->lacking);
    free(o->kinds);
    list_free(&o->run_arguments);
    free(o->output);
    free(o->output_dir);
    free(o->host_compiler);
    free(o->standard);
    free(o->optimize);
    free(o->dep_file);
    memset(o, 0, sizeof *o);
}
