/*
 * host_wasm.c: host.c where this program is WebAssembly (web/README.md).
 *
 * There are no processes: who runs this runs clang for it, a program of the
 * same kind on the same files. That clang is the one that compiled this file.
 */
#include "host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sites.h"

/*
 * Run a command and wait. @words: its words, each with a NUL after it. Its
 * stderr becomes the file @errors, or goes where ours goes if that is "".
 * Return: as host_run().
 */
__attribute__((import_module("lab"), import_name("run"))) int
lab_run(const char *words, size_t size, const char *errors);

/* ---- temporary files ----------------------------------------------------- */

static char *temp_dir;
static struct list temp_files;

static void temp_remove(void)
{
    for (int i = temp_files.count - 1; i >= 0; i--)
        if (unlink(temp_files.items[i]))
            rmdir(temp_files.items[i]);
    rmdir(temp_dir);
    list_free(&temp_files);
    free(temp_dir);
}

int host_temp_open(void)
{
    struct buf path = {0};
    int number = 0;

    do {
        path.size = 0;
        buf_printf(&path, "/tmp/vgpucc-%d", number++);
    } while (mkdir(path.data, 0700) && errno == EEXIST);
    temp_dir = path.data;
    atexit(temp_remove);
    return 0;
}

const char *host_temp_add(char *path)
{
    list_add(&temp_files, path);
    free(path);
    return temp_files.items[temp_files.count - 1];
}

const char *host_temp_file(const char *suffix)
{
    struct buf path = {0};

    buf_printf(&path, "%s/%d%s", temp_dir, temp_files.count, suffix);
    return host_temp_add(path.data);
}

/* ---- programs ------------------------------------------------------------ */

/* There is one of everything here: nothing runs beside. */
int host_begin(const struct list *command, const char *errors)
{
    (void)command;
    (void)errors;
    return -1;
}

void host_end(bool wanted)
{
    (void)wanted;
}

const char *host_program(const char *const *names)
{
    (void)names;
    return NULL;
}

static int run_words(const struct list *command, const char *errors)
{
    struct buf words = {0};
    int status;

    for (int i = 0; i < command->count; i++)
        buf_add(&words, command->items[i], strlen(command->items[i]) + 1);
    fflush(NULL);
    status = lab_run(words.data, words.size, errors);
    buf_free(&words);
    return status;
}

static bool has_word(const struct list *command, const char *word)
{
    for (int i = 0; i < command->count; i++)
        if (!strcmp(command->items[i], word))
            return true;
    return false;
}

/* ---- headers that are compiled already (web/tools/pack.mjs) ----------------
 */

/* The headers that come before every program, as a file for clang, while the
 * text that was preprocessed last goes without them. Else NULL. */
static char *prepared;

/* Macros that the headers were compiled with, and one that none of them asks
 * for. With any other they may be different ones. */
static bool is_known_macro(const char *word)
{
    static const char *const known[] = {"-D__VGPU__=1", "-U_FORTIFY_SOURCE",
                                        "-D__CUDACC__=1", "-D__NVCC__=1"};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i]))
            return true;
    return !strncmp(word, "-D__ioinit=", strlen("-D__ioinit="));
}

static bool changes_headers(const char *word, const char *after)
{
    if (!strcmp(word, "-include"))
        return !after || strcmp(after, "vgpu/program.h");
    return !strcmp(word, "-imacros") ||
           ((!strncmp(word, "-D", 2) || !strncmp(word, "-U", 2)) &&
            !is_known_macro(word));
}

/*
 * vgpucc says to g++: -fpch-preprocess -isystem FOLDER ... -include HEADER. To
 * clang it is: -imacros FOLDER/program.macros, so that the text is the
 * program's alone, and afterwards -include-pch.
 */
static void to_preprocess(const struct list *command, struct list *out)
{
    const char *folder = NULL;
    struct buf pch = {0};
    bool plain = false;

    for (int i = 0; i < command->count; i++) {
        if (!strcmp(command->items[i], "-fpch-preprocess"))
            folder = command->items[i + 2];
        plain |= changes_headers(command->items[i], command->items[i + 1]);
    }
    free(prepared);
    prepared = NULL;
    buf_printf(&pch, "%s/program.pch", folder ? folder : "");
    if (folder && !plain && !access(pch.data, R_OK))
        prepared = buf_copy_string(pch.data);
    for (int i = 0; i < command->count; i++) {
        if (!strcmp(command->items[i], "-fpch-preprocess")) {
            i += 2;
        } else if (prepared && !strcmp(command->items[i], "-include")) {
            list_add(out, "-imacros");
            list_addf(out, "%s/program.macros", folder);
            i++;
        } else {
            list_add(out, command->items[i]);
        }
    }
    buf_free(&pch);
}

/* ---- compiling ------------------------------------------------------------
 */

/* Every browser with what else is needed here has it. */
#define SIMD "-msimd128"

/* What clang is to be told: its driver knows of no sanitizer here, but the
 * compiler has it; copies stay calls, which the checker sees; lines are all
 * that is asked of what describes the program. */
static void to_compile(const struct list *command, struct list *out)
{
    for (int i = 0; i < command->count; i++) {
        const char *word = command->items[i];

        if (!strcmp(word, "-fsanitize=thread"))
            list_add(out, "-Xclang");
        if (strcmp(word, "-gdwarf-4") && strcmp(word, "-g"))
            list_add(out, word);
    }
    if (prepared && has_word(command, "c++-cpp-output"))
        list_adds(out, "-Xclang", "-include-pch", "-Xclang", prepared, NULL);
    list_add(out, "-fdebug-compilation-dir=.");       /* paths stay as given */
    list_add(out, "-fno-delete-null-pointer-checks"); /* they are noticed */
    list_adds(out, "-mno-bulk-memory", "-mno-bulk-memory-opt", NULL);
    list_add(out, SIMD); /* a kernel's threads in a row */
}

static void replace(char **word, const char *by)
{
    free(*word);
    *word = buf_copy_string(by);
}

/* Assembly on the way to an object: it gets the places of the calls. */
static int assemble(const char *from, const char *object)
{
    const char *placed = host_temp_file(".s");
    const char *const words[] = {"clang", "-c", SIMD, placed, "-o", object};
    struct buf text = {0}, with_sites = {0};
    struct list command = {0};
    int status = host_read_file(from, &text);

    if (!status) {
        sites_add(text.data, text.size, &with_sites);
        status = host_write_file(placed, with_sites.data, with_sites.size);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list_add(&command, words[i]);
    if (!status)
        status = run_words(&command, "");
    list_free(&command);
    buf_free(&text);
    buf_free(&with_sites);
    return status;
}

static int compile(const struct list *command, const char *errors)
{
    const char *assembly = host_temp_file(".s");
    char *object = NULL;
    struct list words = {0};
    int status;

    to_compile(command, &words);
    for (int i = 1; i < words.count; i++)
        if (!strcmp(words.items[i], "-c")) {
            replace(&words.items[i], "-S");
        } else if (!strcmp(words.items[i - 1], "-o")) {
            object = buf_copy_string(words.items[i]);
            replace(&words.items[i], assembly);
        }
    status = run_words(&words, errors);
    if (!status && object)
        status = assemble(assembly, object);
    list_free(&words);
    free(object);
    return status;
}

/* "a,b" as -Wl, and -Xlinker have it; what -z says is for ELF alone. */
static void add_split(struct list *out, const char *words)
{
    if (!strncmp(words, "-z", 2))
        return;
    while (*words) {
        size_t length = strcspn(words, ",");

        list_addf(out, "%.*s", (int)length, words);
        words += length + (words[length] == ',');
    }
}

/* clang would start the linker, which is another program: so what it would say.
 * The stack comes first in memory, so that one that overflows ends the program
 * and spoils nothing. */
static void to_link(const struct list *command, struct list *out)
{
    static const char *const first[] = {"wasm-ld",
                                        "-m",
                                        "wasm32",
                                        "--stack-first",
                                        "-z",
                                        "stack-size=8388608",
                                        "--strip-debug",
                                        "--export=__stack_pointer",
                                        "--export-table",
                                        "-L/usr/lib/wasm32-wasip1",
                                        "/usr/lib/wasm32-wasip1/crt1-command.o",
                                        NULL};
    static const char *const last[] = {
        "-lc++", "-lc++abi", "-lc",
        "/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a", NULL};

    for (int i = 0; first[i]; i++)
        list_add(out, first[i]);
    for (int i = 1; i < command->count; i++) {
        const char *word = command->items[i];

        if (!strncmp(word, "-Wl,", 4))
            add_split(out, word + 4);
        else if (!strcmp(word, "-Xlinker") && i + 3 < command->count &&
                 !strcmp(command->items[i + 1], "-z"))
            i += 3; /* -Xlinker -z -Xlinker relro: for ELF alone */
        else if (!strcmp(word, "-Xlinker") && i + 1 < command->count)
            list_add(out, command->items[++i]);
        else if (*word != '-' || strchr("lLo", word[1]))
            list_add(out, word);
    }
    for (int i = 0; last[i]; i++)
        list_add(out, last[i]);
}

int host_run(const struct list *command, struct buf *errors)
{
    const char *file = errors ? host_temp_file(".errors") : "";
    struct list words = {0};
    int status;

    if (!strcmp(command->items[0], "clang++") && has_word(command, "-c")) {
        status = compile(command, file);
    } else {
        if (strcmp(command->items[0], "clang++"))
            list_add_all(&words, command);
        else if (has_word(command, "-E") || has_word(command, "-M") ||
                 has_word(command, "-MM"))
            to_preprocess(command, &words);
        else
            to_link(command, &words);
        status = run_words(&words, file);
        list_free(&words);
    }
    if (errors)
        host_read_file(file, errors);
    return status;
}

int host_find(struct host_compiler *cxx, const char *wanted)
{
    (void)wanted;
    memset(cxx, 0, sizeof *cxx);
    list_add(&cxx->command, "clang++");
    cxx->clang = __clang_major__;
    cxx->prepares = true;
    return 0;
}

/* ---- files --------------------------------------------------------------- */

char *host_own_dir(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    struct buf dir = {0};

    buf_printf(&dir, "%.*s", slash ? (int)(slash - argv0) : 1,
               slash ? argv0 : ".");
    return dir.data;
}
