/*
 * argument.c: what a call was given, in words, for a call that failed
 *
 * What an argument is, its type in api.def says. A pointer that a call writes
 * through is worth no words, unless it is null; a handle is told by what it
 * stands for, an address by the memory that is there.
 */
#include "array.h"
#include "pool.h"
#include "rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORDS sizeof(vgpu_thread_self()->words.room[0])

/* Several of them go into one sentence. */
static char *room(void)
{
    struct vgpu_words *const words = &vgpu_thread_self()->words;

    return words->room[words->next++ % VGPU_WORDS_ROOMS];
}

const char *vgpu_at(uint64_t pc)
{
    return vgpu_rt.explains ? vgpu_line_format(pc, room(), WORDS) : "";
}

/* A whole number where that is short. What a program has subtracted too much
 * from is told as what it is. */
const char *vgpu_amount(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    char *const text = room();
    uint64_t whole = bytes;
    unsigned unit = 0;

    while (unit < 4 && whole >= 1024 && whole % 1024 == 0) {
        whole /= 1024;
        unit++;
    }
    if ((int64_t)bytes < 0)
        snprintf(text, WORDS, "%" PRIu64 " bytes (%" PRId64 ", with a sign)",
                 bytes, (int64_t)bytes);
    else if (whole < 1000000)
        snprintf(text, WORDS, "%" PRIu64 " %s", whole, units[unit]);
    else
        snprintf(text, WORDS, "%.1f MiB", (double)bytes / (1 << 20));
    return text;
}

static const char *sort_of(const struct vgpu_memory *memory)
{
    static const char *const names[] = {
        [VGPU_MEM_DEVICE] = "device memory",
        [VGPU_MEM_PINNED] = "pinned host memory",
        [VGPU_MEM_MAPPED] = "pinned host memory",
        [VGPU_MEM_MANAGED] = "managed memory",
        [VGPU_MEM_REGISTERED] = "registered host memory",
    };

    return names[memory->kind];
}

static const char *variable_words(const void *address)
{
    char *const text = room();
    const void *at;
    size_t bytes;
    const char *const name = vgpu_variable_find(address, &at, &bytes);

    if (!name)
        return "memory that CUDA has not allocated";
    snprintf(text, WORDS, "the variable %s, of %s", name, vgpu_amount(bytes));
    return text;
}

const char *vgpu_memory_words(const void *address)
{
    const struct vgpu_memory *memory;
    char *text;
    size_t length;

    if (!vgpu_rt.explains)
        return "";
    memory = address ? vgpu_memory_find(address) : NULL;
    if (!memory || !memory->id)
        return address ? variable_words(address) : "NULL";
    text = room();
    length = (size_t)snprintf(
        text, WORDS, "byte %zu of ",
        (size_t)((const char *)address - (const char *)memory->base));
    if (address == memory->base)
        length = 0;
    snprintf(text + length, WORDS - length, "%s of %s, %s at %s",
             vgpu_amount(memory->bytes), sort_of(memory),
             memory->kind == VGPU_MEM_REGISTERED ? "registered" : "allocated",
             vgpu_at(memory->pc));
    length = strlen(text);
    if (memory->free_pc)
        snprintf(text + length, WORDS - length, " and freed at %s",
                 vgpu_at(memory->free_pc));
    return text;
}

/* A handle that stands for nothing: for nothing any more? */
static const char *dead(const void *handle, const char *what)
{
    const uint64_t pc = vgpu_handle_end(handle);
    char *const text = room();

    if (!handle)
        return "NULL";
    if (pc)
        snprintf(text, WORDS, "%s that was destroyed at %s", what, vgpu_at(pc));
    else
        snprintf(text, WORDS, "no handle of %s", what);
    return text;
}

const char *vgpu_stream_words(cudaStream_t handle)
{
    const struct vgpu_stream *const stream =
        vgpu_rt.explains ? vgpu_stream_find(handle) : NULL;
    char *text;

    if (!stream)
        return dead(handle, "a stream");
    text = room();
    vgpu_stream_label(stream, text, WORDS);
    return text;
}

const char *vgpu_event_words(cudaEvent_t handle)
{
    const struct vgpu_event *event;
    char *text;

    if (!vgpu_rt.explains || vgpu_handle_find(handle) != VGPU_HANDLE_EVENT)
        return dead(handle, "an event");
    event = (const struct vgpu_event *)handle;
    text = room();
    snprintf(text, WORDS, "the event %s%smade at %s", event->name,
             *event->name ? ", " : "", vgpu_at(event->pc));
    return text;
}

/* ---- one argument -------------------------------------------------------- */

/* A parameter as it is declared: its type, without blanks at its ends, and its
 * name. */
struct parameter {
    const char *type, *name;
    int type_length, name_length;
};

static bool is_word(const char *text, int length, const char *word)
{
    return (int)strlen(word) == length && !memcmp(text, word, strlen(word));
}

static bool is_type(const struct parameter *p, const char *type)
{
    return is_word(p->type, p->type_length, type);
}

static bool is_named(const struct parameter *p, const char *name)
{
    return is_word(p->name, p->name_length, name);
}

/* Those that a call can do without, or without in some cases. */
static bool is_optional(const struct parameter *p)
{
    static const char *const names[] = {
        "dependencies", "dependents", "edges",  "nodes",      "from",
        "to",           "view",       "jit",    "jit_values", "options",
        "values",       "at",         "bytes",  "args",       "result",
        "status",       "devices",    "symbol", "first"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_named(p, names[i]))
            return true;
    return false;
}

static bool is_enum(const struct parameter *p)
{
    return p->type_length > 5 && !memcmp(p->type, "enum ", 5) &&
           p->type[p->type_length - 1] != '*';
}

#define AS(type) (*(const type *)value)

static const char *direction(enum cudaMemcpyKind kind)
{
    static const char *const names[] = {
        "cudaMemcpyHostToHost",   "cudaMemcpyHostToDevice",
        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
        "cudaMemcpyDefault",
    };

    return (unsigned)kind < 5 ? names[kind] : "none of cudaMemcpyKind";
}

/* Numbers, and what is made of them; NULL: @p is none of these. */
static const char *number_words(const struct parameter *p, const void *value)
{
    char *const text = room();

    if (is_type(p, "enum cudaMemcpyKind"))
        return direction(AS(enum cudaMemcpyKind));
    if (is_type(p, "size_t") && is_named(p, "bytes"))
        return vgpu_amount(AS(size_t));
    if (is_type(p, "size_t"))
        snprintf(text, WORDS, "%zu", AS(size_t));
    else if (is_type(p, "unsigned long long"))
        snprintf(text, WORDS, "%llu", AS(unsigned long long));
    else if (is_type(p, "unsigned int"))
        snprintf(text, WORDS, "%u", AS(unsigned int));
    else if (is_type(p, "int") || is_enum(p))
        snprintf(text, WORDS, "%d", AS(int));
    else if (is_type(p, "dim3"))
        snprintf(text, WORDS, "%u x %u x %u", AS(dim3).x, AS(dim3).y,
                 AS(dim3).z);
    else if (is_type(p, "struct cudaExtent"))
        snprintf(text, WORDS, "%zu x %zu x %zu", AS(struct cudaExtent).width,
                 AS(struct cudaExtent).height, AS(struct cudaExtent).depth);
    else
        return NULL;
    return text;
}

static const char *function_words(const void *function)
{
    const struct vgpu_stub *const stub = vgpu_stub_find(function);

    if (!function)
        return "NULL";
    return stub ? stub->kernel->name : "an address that is no kernel's";
}

/* Those that are told only where they stand for nothing. */
static const struct {
    const char *type, *what;
    enum vgpu_handle_kind kind;
} handles[] = {
    {"cudaGraph_t", "a graph", VGPU_HANDLE_GRAPH},
    {"cudaGraphExec_t", "an executable graph", VGPU_HANDLE_GRAPH_EXEC},
    {"cudaGraphNode_t", "a node of a graph", VGPU_HANDLE_NODE},
    {"cudaUserObject_t", "a user object", VGPU_HANDLE_USER_OBJECT},
    {"cudaArray_t", "an array", VGPU_HANDLE_ARRAY},
    {"cudaArray_const_t", "an array", VGPU_HANDLE_ARRAY},
};

/* NULL: nothing is worth saying.
 * @is_dead  out: it is a handle that stands for nothing */
static const char *words_of(const struct parameter *p, const void *value,
                            bool *is_dead)
{
    const char *const number = number_words(p, value);
    const bool is_pointer = p->type[p->type_length - 1] == '*';
    const int length = p->type_length;

    if (number)
        return number;
    if (is_type(p, "cudaStream_t")) {
        *is_dead = !vgpu_stream_find(AS(cudaStream_t));
        return vgpu_stream_words(AS(cudaStream_t));
    }
    if (is_type(p, "cudaEvent_t")) {
        *is_dead = vgpu_handle_find(AS(void *)) != VGPU_HANDLE_EVENT;
        return vgpu_event_words(AS(cudaEvent_t));
    }
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (is_type(p, handles[i].type)) {
            *is_dead = vgpu_handle_find(AS(void *)) != handles[i].kind;
            return *is_dead ? dead(AS(void *), handles[i].what) : NULL;
        }
    if (is_type(p, "cudaMemPool_t")) {
        *is_dead = !vgpu_pool_find(AS(cudaMemPool_t));
        return *is_dead ? dead(AS(void *), "a memory pool") : NULL;
    }
    if (is_type(p, "cudaTextureObject_t") ||
        is_type(p, "cudaSurfaceObject_t")) {
        *is_dead = !vgpu_image_find(AS(unsigned long long));
        return *is_dead ? "no object that there is" : NULL;
    }
    if (is_named(p, "function"))
        return function_words(AS(void *));
    if (is_type(p, "void *") || is_type(p, "const void *"))
        return vgpu_memory_words(AS(void *));
    if (is_pointer || (length > 2 && !memcmp(p->type + length - 2, "_t", 2)))
        return AS(void *) ? NULL : "NULL";
    return NULL;
}

/* ---- all of them --------------------------------------------------------- */

/* The parameter that begins at @at. Return: behind it, and behind the comma. */
static const char *next_parameter(const char *at, struct parameter *p)
{
    const size_t whole = strcspn(at, ",)");
    size_t length = whole, name, end;

    while (length && at[length - 1] == ' ') /* in the place of a default */
        length--;
    name = length;
    while (name && at[name - 1] != ' ' && at[name - 1] != '*')
        name--;
    for (end = name; end && at[end - 1] == ' ';)
        end--;
    *p = (struct parameter){at, at + name, (int)end, (int)(length - name)};
    at += whole;
    return at[0] == ',' ? at + 1 + strspn(at + 1, " ") : at;
}

/* What stands for nothing is a reason, and is told as that. */
void vgpu_arguments_words(struct vgpu_given *given, const char *parameters,
                          const void *const values[])
{
    size_t length = strlen(given->text);

    if (!parameters || !strcmp(parameters, "(void)"))
        return;
    for (const char *at = parameters + 1; *at && *at != ')'; values++) {
        struct parameter p;
        const char *words;
        bool is_dead = false;
        int more;

        at = next_parameter(at, &p);
        words = words_of(&p, *values, &is_dead);
        if (!words)
            continue;
        if (!strcmp(words, "NULL") && p.type[p.type_length - 1] == '*' &&
            !given->null[0] && !is_type(&p, "void *") &&
            !is_type(&p, "const void *") && !is_optional(&p))
            snprintf(given->null, sizeof given->null, "%.*s is NULL",
                     p.name_length, p.name);
        if (is_dead && !given->dead[0]) {
            snprintf(given->dead, sizeof given->dead, "%.*s is %s",
                     p.name_length, p.name, words);
            continue;
        }
        more = snprintf(given->text + length, sizeof given->text - length,
                        "%s%.*s: %s", length ? "; " : "; with ", p.name_length,
                        p.name, words);
        if (more < 0 || (size_t)more >= sizeof given->text - length)
            return;
        length += (size_t)more;
    }
}

/* What a number or a handle of another kind looks like is no such thing. */
static void excuse(const struct parameter *p, const void *value)
{
    struct vgpu_stream *const stream =
        is_type(p, "cudaStream_t") ? vgpu_stream_find(AS(cudaStream_t)) : NULL;
    struct vgpu_event *const event =
        is_type(p, "cudaEvent_t") ? vgpu_event_find(AS(cudaEvent_t)) : NULL;
    struct vgpu_memory *memory = NULL;

    if (is_type(p, "void *"))
        memory = vgpu_memory_find(AS(void *));
    else if (is_type(p, "cudaArray_t") && vgpu_array_find(AS(cudaArray_t)))
        memory = vgpu_memory_find(AS(cudaArray_t)->image.base);
    else if (is_type(p, "cudaGraph_t") || is_type(p, "cudaGraphExec_t"))
        vgpu_handle_made(AS(void *), 0);
    else if (is_type(p, "cudaTextureObject_t") ||
             is_type(p, "cudaSurfaceObject_t"))
        vgpu_texture_excuse(AS(unsigned long long));
    if (stream)
        stream->excused = true;
    if (event)
        event->excused = true;
    if (memory)
        memory->flags |= VGPU_MEMORY_EXCUSED;
}

void vgpu_arguments_excuse(const char *parameters, const void *const values[])
{
    struct parameter p;

    if (!parameters || !strcmp(parameters, "(void)"))
        return;
    for (const char *at = parameters + 1; *at && *at != ')'; values++) {
        at = next_parameter(at, &p);
        excuse(&p, *values);
    }
}
