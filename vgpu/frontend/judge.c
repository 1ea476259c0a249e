/*
 * judge.c: what nvcc would refuse, by clang's own CUDA front end.
 *
 * Host and device code are compiled once here, together, so what may be called
 * or read from where nobody has to know but a student who goes to a GPU. clang
 * knows it. It reads the program, with vgpu/judge/words.h before it, beside the
 * compilation, and of what it says only that counts which is about host and
 * device. All else has been said by the compiler that the program is for, and
 * clang may well lack what nvcc takes.
 */
#include "judge.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"

enum { MOST_TOLD = 20 };

/* The device's side: it has all that kernels and host functions do. */
/* -fgpu-rdc lets variables be extern; that nothing is compiled makes headers of
 * the processor's own instructions no trouble. */
static void add_command(struct driver *d, struct list *command)
{
    static const char *const flags[] = {"-x",
                                        "cuda",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "--cuda-device-only",
                                        "--cuda-gpu-arch=sm_75",
                                        "-fgpu-rdc",
                                        "-fsyntax-only",
                                        "-w",
                                        "-Wno-unknown-cuda-version",
                                        "-ferror-limit=0",
                                        "-fno-caret-diagnostics",
                                        "-fno-color-diagnostics",
                                        "-Xclang",
                                        "-fcuda-allow-variadic-functions",
                                        "-D__VGPU__=1",
                                        "-D__CUDACC__=1",
                                        "-D__NVCC__=1",
                                        "-U_FORTIFY_SOURCE",
                                        "-U__CUDA_ARCH__"};
    const struct options *o = &d->options;

    list_addf(command, "-std=%s", o->standard ? o->standard : "gnu++17");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        list_add(command, flags[i]);
    if (!o->relaxed)
        list_adds(command, "-Xclang", "-fno-cuda-host-device-constexpr", NULL);
    list_addf(command, "-D__CUDA_ARCH__=%d", o->arch > 0 ? o->arch : 750);
    list_add_all(command, &o->preprocess);
    list_addf(command, "-isystem%s/vgpu/judge", d->include_dir);
    list_adds(command, "-isystem", d->include_dir, "-include",
              "vgpu/judge/words.h", NULL);
    list_add_all(command, &o->included);
}

const char *judge_begin(struct driver *d, const char *input)
{
    static const char *const names[] = {"clang++", "clang", NULL};
    const char *clang = d->cxx.clang && d->cxx.command.count == 1
                            ? d->cxx.command.items[0]
                            : host_program(names);
    const char *said = NULL;
    struct list command = {0};

    if (!clang || d->options.unjudged || d->options.dry_run)
        return NULL;
    list_add(&command, clang);
    add_command(d, &command);
    list_add(&command, input);
    said = host_temp_file(".said");
    if (host_begin(&command, said))
        said = NULL;
    list_free(&command);
    return said;
}

/* ---- what clang says ----------------------------------------------------- */

/* "file:12:34: error: words" */
struct message {
    const char *file;
    int file_length, line, column;
    bool error;
    const char *text;
    int length;
    const char *next; /* the next message */
};

/* Is it a line of that form, with a place? */
static bool read_line(const char *line, size_t length, struct message *m)
{
    static const char *const kinds[] = {": error: ", ": note: "};

    for (size_t i = 1; i + 2 < length; i++) {
        char *after;

        if (line[i] != ':' || !isdigit((unsigned char)line[i + 1]))
            continue;
        m->file = line;
        m->file_length = (int)i;
        m->line = (int)strtol(line + i + 1, &after, 10);
        m->column = *after == ':' ? (int)strtol(after + 1, &after, 10) : 0;
        for (size_t k = 0; k < 2; k++) {
            if (strncmp(after, kinds[k], strlen(kinds[k])))
                continue;
            m->error = k == 0;
            m->text = after + strlen(kinds[k]);
            m->length = (int)(line + length - m->text);
            return true;
        }
    }
    return false;
}

static bool read_message(const char *at, struct message *m)
{
    while (at && *at) {
        const char *end = strchr(at, '\n');
        size_t length = end ? (size_t)(end - at) : strlen(at);

        m->next = end ? end + 1 : at + length;
        if (read_line(at, length, m))
            return true;
        at = m->next;
    }
    return false;
}

static bool says(const struct message *m, const char *words)
{
    return memmem(m->text, (size_t)m->length, words, strlen(words));
}

/* The name between the first quotes. */
static void add_quoted(const struct message *m, struct buf *name)
{
    const char *from = memchr(m->text, '\'', (size_t)m->length);
    const char *end = m->text + m->length;
    const char *to =
        from ? memchr(from + 1, '\'', (size_t)(end - from - 1)) : NULL;

    if (to)
        buf_add(name, from + 1, (size_t)(to - from - 1));
}

static bool is_below(const struct message *m, const char *folder)
{
    size_t length = strlen(folder);

    return (size_t)m->file_length > length &&
           !strncmp(m->file, folder, length) && m->file[length] == '/';
}

/* Not of a header of the system's or of ours. */
static bool is_users(const struct driver *d, const struct message *m)
{
    return !is_below(m, d->include_dir) && !is_below(m, "/usr/include") &&
           !is_below(m, "/usr/lib") && !is_below(m, "/usr/bin/../lib") &&
           !is_below(m, "/usr/local/include");
}

/* ---- what nvcc has all the same ------------------------------------------ */

/* @names: NULL behind the last. */
static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

/* A function that clang takes for the host's alone is for both: of a header of
 * the system's by its name, of ours unless it is a call of the runtime API that
 * device code has not. */
static bool is_for_both(const struct driver *d, const struct message *where,
                        const char *name)
{
    static const char *const system[] = {"printf",
                                         "vprintf",
                                         "malloc",
                                         "free",
                                         "memcpy",
                                         "memmove",
                                         "memset",
                                         "memcmp",
                                         "abs",
                                         "labs",
                                         "llabs",
                                         "clock",
                                         "abort",
                                         "alloca",
                                         "__assert",
                                         "__assert_fail",
                                         "move",
                                         "forward",
                                         "move_if_noexcept",
                                         "declval",
                                         "addressof",
                                         "__addressof",
                                         "get",
                                         "begin",
                                         "end",
                                         "operator new",
                                         "operator new[]",
                                         "operator delete",
                                         "operator delete[]",
                                         "tuple_size",
                                         NULL};
    static const char *const hosts[] = {
        "cudaMemcpy",           "cudaMemset",
        "cudaStreamCreate",     "cudaStreamSynchronize",
        "cudaMemcpyToSymbol",   "cudaMemcpyFromSymbol",
        "cudaEventCreate",      "cudaEventSynchronize",
        "cudaEventElapsedTime", "cudaMallocManaged",
        "cudaMallocHost",       "cudaSetDevice",
        "cudaFreeHost",         "cudaGetDeviceProperties",
        "cudaDeviceReset",      NULL};

    if (is_users(d, where))
        return false;
    if (!is_below(where, d->include_dir))
        return is_one_of(name, system);
    return !is_one_of(name, hosts);
}

/* ---- places that are not evaluated --------------------------------------- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the word that ends before @at stand in @words? */
static bool follows_word(const char *text, const char *at,
                         const char *const *words)
{
    struct buf word = {0};
    const char *begin;
    bool found;

    while (at > text && isspace((unsigned char)at[-1]))
        at--;
    for (begin = at; begin > text && is_word_char(begin[-1]);)
        begin--;
    buf_add(&word, begin, (size_t)(at - begin));
    found = word.data && is_one_of(word.data, words);
    buf_free(&word);
    return found;
}

/* Is the code at @at within what the compiler works out by itself, so that
 * nothing is called: behind constexpr, in sizeof, in a template's arguments or
 * in the bounds of an array that is declared? Of doubt yes. */
static bool is_constant_place(const char *text, const char *at)
{
    static const char *const words[] = {"sizeof",   "decltype",      "alignof",
                                        "noexcept", "static_assert", "typeid",
                                        NULL};
    static const char *const constant[] = {"constexpr", "static_assert", "case",
                                           "enum",      "consteval",     NULL};
    const char *begin = at;
    int round = 0, square = 0, angle = 0;

    for (; begin > text && !strchr(";{}", begin[-1]); begin--) {
        const char c = begin[-1];

        round += c == ')' ? 1 : c == '(' ? -1 : 0;
        square += c == ']' ? 1 : c == '[' ? -1 : 0;
        angle += c == '>' ? 1 : c == '<' ? -1 : 0;
        if (round < 0 && c == '(') {
            if (follows_word(text, begin - 1, words))
                return true;
            round = 0;
        }
        if (angle < 0 && c == '<') {
            angle = 0;
            if (begin - 2 >= text && is_word_char(begin[-2]) &&
                memchr(at, '>', strcspn(at, ";\n")))
                return true;
        }
        if (!is_word_char(c) && is_word_char(*begin)) {
            const char *end = begin;

            while (is_word_char(*end))
                end++;
            if (follows_word(text, end, constant))
                return true;
        }
    }
    while (isspace((unsigned char)*begin))
        begin++;
    if (square >= 0)
        return follows_word(text, begin + strcspn(begin, " (\t"), constant);
    begin += strcspn(begin, " \t([=");
    begin += strspn(begin, " \t");
    return is_word_char(*begin); /* int a[...] */
}

/* As it is now. Return: where line and column are in @text, or NULL. */
static const char *find_place(const struct message *m, struct buf *text)
{
    struct buf path = {0};
    const char *at;

    buf_printf(&path, "%.*s", m->file_length, m->file);
    if (host_read_file(path.data, text))
        text->size = 0;
    buf_free(&path);
    at = text->data;
    for (int line = 1; at && line < m->line; line++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    return at && m->column > 0 && (size_t)m->column <= strcspn(at, "\n") + 1
               ? at + m->column - 1
               : NULL;
}

static bool is_evaluated(const struct message *m)
{
    struct buf text = {0};
    const char *at = find_place(m, &text);
    bool evaluated = !at || !is_constant_place(text.data, at);

    buf_free(&text);
    return evaluated;
}

/* Is the line that @where names a consteval function's? */
static bool is_consteval(const struct message *where)
{
    struct buf text = {0};
    const char *at = find_place(where, &text);
    const char *end = at ? at + strcspn(at, "\n") : NULL;
    bool found;

    while (at && at > text.data && at[-1] != '\n')
        at--;
    found = at && memmem(at, (size_t)(end - at), "consteval", 9);
    buf_free(&text);
    return found;
}

/* ---- what is told -------------------------------------------------------- */

/* "... __host__ function from __global__ function" */
struct sides {
    char callee[16], caller[16];
};

/* A candidate that clang does not take for where it runs. */
static bool read_sides(const struct message *note, struct sides *sides)
{
    const char *at =
        memmem(note->text, (size_t)note->length, ": call to __", 12);

    return at && sscanf(at, ": call to %15s function from %15s function",
                        sides->callee, sides->caller) == 2;
}

/*
 * The error @m, about a call that has only candidates of the other side, with
 * its notes. nvcc only warns where a function for both sides calls the host's.
 */
static bool is_wrong_side(const struct driver *d, const struct message *m,
                          struct buf *out)
{
    struct message note = {.next = m->next};
    struct buf name = {0};
    struct sides sides;
    bool found = false;

    add_quoted(m, &name);
    while (!found && read_message(note.next, &note) && !note.error) {
        if (says(&note, "in implicit initialization of binding"))
            break;
        found = read_sides(&note, &sides) && name.data &&
                strcmp(sides.callee, "__global__") &&
                (!strcmp(sides.caller, "__global__") ||
                 !strcmp(sides.caller, "__device__") ||
                 !strcmp(sides.callee, "__device__")) &&
                !is_for_both(d, &note, name.data) && !is_consteval(&note);
    }
    if (found && is_evaluated(m))
        buf_printf(out, "%s%.*s%s: it is %s, and called from a %s function%s",
                   says(m, "no matching function") ? "'" : "",
                   says(m, "no matching function") ? (int)name.size : m->length,
                   says(m, "no matching function") ? name.data : m->text,
                   says(m, "no matching function") ? "'" : "", sides.callee,
                   sides.caller,
                   is_users(d, &note) ? ": declare it for both" : "");
    buf_free(&name);
    return out->size;
}

/* "reference to __host__ function 'f' in __global__ function": of a member,
 * which has no candidates. */
static bool is_wrong_member(const struct driver *d, const struct message *m,
                            struct buf *out)
{
    struct message note = {.next = m->next};
    struct buf name = {0};
    struct sides s;
    bool found;

    found = sscanf(m->text, "reference to %15s function '%*[^']' in %15s",
                   s.callee, s.caller) == 2 &&
            !strcmp(s.callee, "__host__");
    add_quoted(m, &name);
    while (found && read_message(note.next, &note) && !note.error)
        if (says(&note, "declared here"))
            break;
    if (found && name.data && !note.error && says(&note, "declared here") &&
        !is_for_both(d, &note, name.data) && is_evaluated(m))
        buf_printf(out, "'%s': it is %s, and called from a %s function",
                   name.data, s.callee, s.caller);
    buf_free(&name);
    return out->size;
}

/* A variable of the host's in device code. */
static bool is_wrong_variable(const struct driver *d, const struct message *m,
                              struct buf *out)
{
    struct message note = {.next = m->next};

    if (!says(m, "reference to __host__ variable '") ||
        !read_message(m->next, &note) || note.error ||
        is_below(&note, d->include_dir) || !is_evaluated(m))
        return false;
    buf_printf(out, "%.*s%s", m->length, m->text,
               is_users(d, &note) ? ": pass its value as an argument, or "
                                    "declare it __device__ or __constant__"
                                  : "");
    return true;
}

/* What clang says in words that need no more. */
static bool is_plain_error(const struct message *m, struct buf *out)
{
    static const char *const words[] = {
        "kernel call to non-global function",
        "must be a free function or static member function",
        "'host' and 'global' attributes are not compatible",
        "'device' and 'global' attributes are not compatible",
        "dynamic initialization is not supported for __device__, __constant__",
        "cannot use variable-length arrays in __global__ function",
        "cannot use variable-length arrays in __device__ function",
        "cannot use 'throw' in __global__ function",
        "cannot use 'throw' in __device__ function",
        "cannot use 'try' in __global__ function",
        "cannot use 'try' in __device__ function",
        "are not allowed on non-static local variables",
        "__shared__ local variables not allowed in __host__ functions"};
    bool found = says(m, "redeclaration of '") && says(m, "[]' vs '");

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= says(m, words[i]);
    if (found)
        buf_add(out, m->text, (size_t)m->length);
    return found;
}

/* What @text, all that clang said, has of nvcc's refusals. */
/* A name that is wrong in many places is told twenty times at most. */
static int judge(const struct driver *d, const char *text, struct buf *errors)
{
    struct message m = {.next = text};
    int count = 0;

    while (count < MOST_TOLD && read_message(m.next, &m)) {
        struct buf words = {0};

        if (m.error && is_users(d, &m) &&
            (is_plain_error(&m, &words) || is_wrong_variable(d, &m, &words) ||
             is_wrong_member(d, &m, &words) || is_wrong_side(d, &m, &words))) {
            buf_printf(errors, "%.*s:%d: error: vgpucc: %s\n", m.file_length,
                       m.file, m.line, words.data);
            count++;
        }
        buf_free(&words);
    }
    return count;
}

int judge_end(struct driver *d, const char *said, int status)
{
    struct buf text = {0}, errors = {0};

    if (!said)
        return status;
    host_end(!status);
    if (!status && !host_read_file(said, &text) &&
        judge(d, text.data, &errors)) {
        diagnose_messages(errors.data);
        fputs("vgpucc: note: nvcc refuses this, too; --lenient takes it\n",
              stderr);
        status = 1;
    }
    buf_free(&text);
    buf_free(&errors);
    return status;
}
