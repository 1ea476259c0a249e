/*
 * sides.c: what nvcc refuses, or warns of, because it knows two sides, as far
 * as names and their places tell. Where there is a clang it finds more
 * (judge.c).
 *
 * All has been read when this begins, so that what stands further down counts,
 * too. Of doubt nothing is said: a name may be hidden by a local one, and what
 * stands in constexpr or sizeof runs nowhere. A program that nvcc takes must
 * not be refused; of one that it refuses the student hears on the GPU machine
 * at the latest.
 *
 * Source: guide, "C++ Language Support", the restrictions; nvcc 13.0 for what
 * is an error there and what a warning.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

static bool is_text(const struct parse *p, int i, const char *text)
{
    return (size_t)token(p, i)->length == strlen(text) &&
           begins_with(p, i, text);
}

static bool is_one_of(const struct parse *p, int i, const char *const *names)
{
    for (; *names; names++)
        if (is_text(p, i, *names))
            return true;
    return false;
}

/* Is token @i a sign of one of @marks? */
static bool is_mark(const struct parse *p, int i, const char *marks)
{
    return mark(p, i) && strchr(marks, mark(p, i));
}

/* ---- places -------------------------------------------------------------- */

/* The bracket that token @i is in, or -1. */
static int around(const struct parse *p, int i)
{
    for (i--; i >= 0; i--) {
        const int match = token(p, i)->match;

        if (match > i)
            return i;
        if (match >= 0)
            i = match;
    }
    return -1;
}

/* Is what stands at @i worked out by the compiler, and nothing runs? */
static bool is_constant(const struct parse *p, int i)
{
    static const char *const words[] = {
        "sizeof", "decltype",      "alignof", "noexcept",
        "typeid", "constexpr",     "enum",    "consteval",
        "case",   "static_assert", NULL};

    for (int k = i - 1; k >= 0; k--) {
        const char c = mark(p, k);

        if (c == ';' || c == '{' || c == '}')
            return false;
        if (is_one_of(p, k, words) || (c == '<' && p->roles[k] == ROLE_ANGLE))
            return true;
        if (c == '[' && is_plain(p, k - 1) && is_name(p, k - 2) &&
            !is_a(p, k - 2, OPENS))
            return true; /* int a[...] */
        if (token(p, k)->match >= 0 && token(p, k)->match < k)
            k = token(p, k)->match;
    }
    return false;
}

/* May token @i be what declares its name? */
static bool may_declare(const struct parse *p, int i)
{
    int k = i - 1;

    if (is_name(p, k))
        return !is_a(p, k, OPENS) &&
               (!is_a(p, k, KEYWORD) || is(p, k, W_auto) || is(p, k, W_const));
    if (mark(p, k) == '>')
        return p->roles[k] == ROLE_ANGLE;
    if (mark(p, k) == ',' || mark(p, k) == '[') {
        k = around(p, i);
        if (mark(p, k) == '[')
            return is(p, k - 1, W_auto) || mark(p, k - 1) == '&';
        return mark(p, k) != '(' || !is_plain(p, k - 1);
    }
    if (mark(p, k) != '*' && mark(p, k) != '&' && !is(p, k, W_ANDAND))
        return false;
    while (mark(p, k) == '*' || mark(p, k) == '&' || is(p, k, W_ANDAND))
        k--;
    return is_a(p, k, TYPE | CV) || is(p, k, W_auto) || mark(p, k) == '>' ||
           (is_plain(p, k) &&
            (is_mark(p, k - 1, ";{}(,") ||
             is_a(p, k - 1, TYPE | CV | TAG | SPECIFIER | QUALIFIER) ||
             is(p, k - 1, W_SCOPE)));
}

/* May the name at @i, in the function that begins at @begin, be a local one? */
static bool may_be_local(const struct parse *p, int i, int begin)
{
    if (is(p, i - 1, '.') || is(p, i - 1, W_ARROW) || is(p, i - 1, W_SCOPE))
        return true;
    for (; i > begin; i = p->links[i].before)
        if (may_declare(p, i))
            return true;
    return false;
}

/* ---- variables of a namespace -------------------------------------------- */

struct variable {
    int name;                             /* token */
    int end;                              /* behind where it is known */
    bool device, constant, array, folded; /* const; constexpr */
};

struct variables {
    struct variable *items;
    int count;
};

/* What is const can be a number to nvcc, unless it is an array: the last word
 * that is no star decides. References are names of something else. */
static void add_variable(struct parse *p, const struct head *h, int name,
                         struct variables *out)
{
    const int open = around(p, name);
    struct variable v = {.name = name,
                         .end = open < 0 ? p->lex.count : token(p, open)->match,
                         .device = h->device || h->constant,
                         .array = mark(p, name + 1) == '['};

    v.folded = h->constexpr_;
    for (int i = h->begin; i < name; i++)
        v.constant = is(p, i, W_const) || is(p, i, W_constexpr) ||
                     (v.constant && mark(p, i) != '*');
    if (mark(p, name - 1) == '&' || is(p, name - 1, W_ANDAND))
        return;
    BUF_ROOM(out->items, out->count);
    out->items[out->count++] = v;
}

/* The names that a declaration declares, up to @semicolon. */
static void add_declared(struct parse *p, const struct head *h, int semicolon,
                         struct variables *out)
{
    int i = h->begin;

    if (h->in_class || h->is_template || h->key >= 0 || h->is_enum ||
        h->managed || h->shared || is(p, i, W_typedef) || is(p, i, W_using) ||
        is(p, i, W_friend) || is(p, i, W_namespace))
        return;
    for (int k = i; k < h->end; k++) /* references, which kernels read */
        if (is_text(p, k, "texture") || is_text(p, k, "surface"))
            return;
    while (i < semicolon) {
        int name = -1;

        for (; i < semicolon && !is_mark(p, i, "=[({,"); i = skip(p, i))
            name = i;
        if (mark(p, i) == '(' || name <= h->begin || !is_plain(p, name) ||
            is_a(p, name, TYPE | CV) || is(p, name - 1, W_SCOPE))
            return;
        add_variable(p, h, name, out);
        i = find(p, i, semicolon, ',') + 1;
    }
}

/* The last one of that name which is known at token @i: one in a namespace is
 * meant within that alone, as nobody here follows `using`. */
static const struct variable *find_variable(const struct parse *p,
                                            const struct variables *all, int i)
{
    for (int n = 0; n < all->count; n++)
        if (is_same(p, all->items[n].name, i) && i > all->items[n].name &&
            i < all->items[n].end)
            return &all->items[n];
    return NULL;
}

/* ---- device code --------------------------------------------------------- */

static void refuse_in_device(struct parse *p, int i, const char *why)
{
    refuse(p, i, "'%.*s' in device code%s", token(p, i)->length,
           token(p, i)->text, why);
}

/* A variable of the host's, but what nvcc takes for a number. */
static void check_variable(struct parse *p, const struct head *h,
                           const struct variables *all, int i)
{
    const struct variable *v = find_variable(p, all, i);

    if (!v || v->device || mark(p, i + 1) == '(' || is_constant(p, i) ||
        may_be_local(p, i, h->begin) ||
        (v->constant && !v->array && mark(p, i - 1) != '&') ||
        (v->constant && !v->array && is_name(p, i - 2)) ||
        (v->folded && token(p, i + 2)->kind == LEX_NUMBER))
        return;
    refuse_in_device(p, i,
                     " is a variable of the host's: pass its value as an "
                     "argument, or declare it __device__ or __constant__");
}

/* Functions of the C library that device code has not. */
static bool is_hosts_function(const struct parse *p, int i)
{
    static const char *const names[] = {"puts",
                                        "fprintf",
                                        "sprintf",
                                        "snprintf",
                                        "scanf",
                                        "strlen",
                                        "strcmp",
                                        "strcpy",
                                        "strcat",
                                        "rand",
                                        "srand",
                                        "exit",
                                        "getenv",
                                        "fopen",
                                        "fclose",
                                        "fflush",
                                        "qsort",
                                        "atoi",
                                        "perror",
                                        "usleep",
                                        "sleep",
                                        "calloc",
                                        "realloc",
                                        "cudaMemcpy",
                                        "cudaMemset",
                                        "cudaMemcpyToSymbol",
                                        "cudaMallocManaged",
                                        "cudaSetDevice",
                                        "cudaEventCreate",
                                        "cudaEventElapsedTime",
                                        "cudaStreamCreate",
                                        NULL};

    return mark(p, i + 1) == '(' && !word_of(p, i)->declared &&
           is_one_of(p, i, names);
}

/* A namespace of the program's that is called std within another one is not
 * meant. std::NAME, of what no device has; or has with
 * --expt-relaxed-constexpr. */
static bool is_hosts_std(const struct parse *p, int i)
{
    static const char *const never[] = {
        "vector",     "string",   "cout",       "cerr",        "endl",
        "map",        "set",      "list",       "sort",        "swap",
        "accumulate", "function", "unique_ptr", "make_unique", NULL};
    static const char *const relaxed[] = {"min", "max", "clamp",
                                          "numeric_limits", NULL};

    return is(p, i - 1, W_SCOPE) && is(p, i - 2, W_std) &&
           !is(p, i - 3, W_SCOPE) &&
           (is_one_of(p, i, never) ||
            (!p->options->relaxed && is_one_of(p, i, relaxed)));
}

/* Does the text have printf's declaration? */
static bool has_printf(const struct parse *p)
{
    return memmem(p->text, p->size, " printf (const char", 19) ||
           memmem(p->text, p->size, " printf(const char", 18);
}

/* A function of the program's that is constexpr, and not for the device? */
static bool is_hosts_constexpr(const struct parse *p, int i)
{
    bool found = false;

    if (p->options->relaxed || mark(p, i + 1) != '(' ||
        !word_of(p, i)->declared)
        return false;
    for (int n = 0; n < p->num_code; n++) {
        const struct head *h = &p->code[n].head;

        if (p->code[n].kind != CODE_FUNCTION || !is_same(p, h->name, i))
            continue;
        if (h->device || h->global || h->in_class || !h->constexpr_)
            return false;
        found = true;
        for (int k = h->begin; k < h->name; k++)
            if (is(p, k, W_consteval))
                return false;
    }
    return found;
}

static void check_device_token(struct parse *p, const struct head *h, int i)
{
    if (is(p, i, W_throw) || is(p, i, W_try))
        refuse_in_device(p, i, ": there are no exceptions");
    else if (is(p, i, W_typeid) || is_text(p, i, "dynamic_cast"))
        refuse_in_device(p, i, ": there are no types at run time");
    else if (is(p, i, W_printf) && mark(p, i + 1) == '(' &&
             !word_of(p, i)->declared && !has_printf(p))
        refuse_in_device(p, i, " is not declared: include <cstdio>");
    else if (is_hosts_std(p, i) && !is_constant(p, i))
        refuse_in_device(p, i, ": std has it for the host only");
    else if (is_hosts_constexpr(p, i) && !may_be_local(p, i, h->begin) &&
             !is_constant(p, i))
        refuse_in_device(p, i,
                         " is constexpr and not __device__: nvcc takes that "
                         "with --expt-relaxed-constexpr only");
    else if (is_hosts_function(p, i) && !may_be_local(p, i, h->begin) &&
             !is_constant(p, i))
        refuse_in_device(p, i, " is a function of the host's");
}

/* In a member function a name may be a member's, also a base's that nobody here
 * has seen: no variables are looked for. */
static void check_device(struct parse *p, const struct head *h, int open,
                         const struct variables *all)
{
    const int end = skip(p, open) - 1;
    const bool member = h->in_class || is(p, h->name - 1, W_SCOPE);

    for (int i = open + 1; i < end; i++) {
        if (!is_name(p, i))
            continue;
        check_device_token(p, h, i);
        if (!member && word_of(p, i)->last)
            check_variable(p, h, all, i);
    }
}

/* ---- host code ----------------------------------------------------------- */

/* CUDA's own, by what words.def says of them. */
static bool is_devices_function(const struct parse *p, int i)
{
    return mark(p, i + 1) == '(' && !word_of(p, i)->declared &&
           (is_a(p, i, VOTES | SETTLED | SUMS) ||
            (is_a(p, i, MEETS) && !is_text(p, i, "sync")) ||
            (is_a(p, i, MATH) && begins_with(p, i, "__")));
}

/* A variable of the device's, which in host code is a copy of the host's. Who
 * passes it on names it for a call such as cudaMemcpyToSymbol. */
static void check_copy(struct parse *p, const struct head *h,
                       const struct variables *all, int i)
{
    const struct variable *v = find_variable(p, all, i);
    const bool written = is_a(p, i + 1, ASSIGNS) || mark(p, i + 1) == '=' ||
                         is(p, i - 1, W_PLUSPLUS) || is(p, i - 1, W_MINUSMINUS);

    if (!v || !v->device || v->constant || mark(p, i - 1) == '&' ||
        (!written && is_mark(p, i - 1, "(,") && is_mark(p, i + 1, "),")) ||
        is_constant(p, i) || may_be_local(p, i, h->begin))
        return;
    warn(p, i,
         "host code %s '%.*s', a variable of the device's: on a GPU this is a "
         "copy of the host's, and kernels do not see it: cudaMemcpy%sSymbol",
         written ? "writes" : "uses", token(p, i)->length, token(p, i)->text,
         written ? "To" : "From");
}

static void check_host(struct parse *p, const struct head *h, int open,
                       const struct variables *all)
{
    const int end = skip(p, open) - 1;

    for (int i = open + 1; i < end; i++) {
        if (!is_name(p, i))
            continue;
        if ((is(p, i, W___constant__) || is(p, i, W___managed__)) ||
            (is(p, i, W___device__) &&
             (is(p, i - 1, W_static) || is(p, i + 1, W_static))))
            refuse(p, i, "%.*s variables do not stand in host functions",
                   token(p, i)->length, token(p, i)->text);
        else if (is_devices_function(p, i) && !may_be_local(p, i, h->begin))
            refuse(p, i, "'%.*s' in host code is a function of the device's",
                   token(p, i)->length, token(p, i)->text);
        else if (word_of(p, i)->last)
            check_copy(p, h, all, i);
    }
}

/* ---- heads and launches -------------------------------------------------- */

/* Words of a kernel's head that do not go together. */
static void check_head(struct parse *p, const struct head *h, int open)
{
    if (h->global && (h->host || h->device))
        refuse(p, h->name, "a __global__ function is not __%s__, too",
               h->host ? "host" : "device");
    for (int i = h->params; h->global && i < open; i = skip(p, i))
        if (is(p, i, W_noexcept))
            refuse(p, i, "a __global__ function cannot be noexcept");
}

/* Is it a lambda, at @i, and not for the device? */
static bool is_hosts_lambda(const struct parse *p, int i, int end)
{
    const int open = mark(p, i) == '[' ? body_lambda(p, i, end) : -1;

    for (int k = i; k < open; k++)
        if (is(p, k, W___device__))
            return false;
    return open >= 0 && mark(p, skip(p, open)) != '(';
}

/* Only a template's parameter can be of a lambda's type; a pointer to a
 * function is another matter. */
static bool is_kernel_template(const struct parse *p, int name)
{
    for (int n = 0; n < p->num_code; n++)
        if (p->code[n].kind == CODE_FUNCTION && p->code[n].head.global &&
            is_same(p, p->code[n].head.name, name))
            return p->code[n].head.is_template;
    return false;
}

/* The arguments of the launch of @name, whose `<<<` is at @i: lambdas. */
static void check_arguments(struct parse *p, int name, int i)
{
    int end;

    while (mark(p, i) != ';' && i < p->lex.count &&
           !(mark(p, i) == '>' && mark(p, i + 1) == '>' &&
             mark(p, i + 2) == '>' && mark(p, i + 3) == '('))
        i = skip(p, i);
    if (mark(p, i + 3) != '(' || !is_kernel_template(p, name))
        return;
    end = skip(p, i + 3) - 1;
    for (i += 4; i < end; i = find(p, i, end, ',') + 1) {
        int made =
            is_plain(p, i) && is_mark(p, i + 1, ",)") ? p->links[i].before : 0;

        if (is_hosts_lambda(p, i, end) ||
            (made && mark(p, made + 1) == '=' &&
             is_hosts_lambda(p, made + 2, p->lex.count)))
            refuse(p, i,
                   "a kernel takes no lambda of the host's: [=] "
                   "__device__ (...), with --extended-lambda");
    }
}

/* k<<<...>>> of what is no kernel, and grids that are none. */
static void check_launch(struct parse *p, int i)
{
    const enum where where =
        is_plain(p, i - 1) ? names_where(p, i - 1) : WHERE_NOWHERE;

    if ((where == WHERE_HOST || where == WHERE_DEVICE) &&
        !is(p, i - 2, W_SCOPE) && !is(p, i - 2, '.') &&
        !is(p, i - 2, W_ARROW) && p->links[i - 1].bare == 0)
        refuse(p, i - 1,
               "'%.*s' is launched and is no kernel: it lacks __global__",
               token(p, i - 1)->length, token(p, i - 1)->text);
    if (is_plain(p, i - 1))
        check_arguments(p, i - 1, i);
    for (int k = i; is(p, k, W_LAUNCH) || mark(p, k) == ','; k = k + 2) {
        if (mark(p, k + 1) == '-' && token(p, k + 2)->kind == LEX_NUMBER)
            warn(p, k + 1, "a negative number of blocks or threads");
        if (mark(p, k + 1) == '(' && token(p, k + 2)->kind == LEX_NUMBER &&
            mark(p, k + 3) == ',' && token(p, k + 4)->kind == LEX_NUMBER)
            warn(p, k + 1,
                 "'(%.*s,%.*s)' is its last number alone: write "
                 "dim3(...)",
                 token(p, k + 2)->length, token(p, k + 2)->text,
                 token(p, k + 4)->length, token(p, k + 4)->text);
        if (mark(p, k + 1) == '(')
            k = skip(p, k + 1) - 2;
    }
}

/* `[...] __device__`, which needs an option, and copies. */
static void check_lambda(struct parse *p, int i)
{
    if (!p->options->lambda)
        refuse(p, i, "a __device__ lambda needs --extended-lambda");
    for (int k = i + 1; k < skip(p, i) - 1; k++)
        if (mark(p, k) == '&' &&
            (mark(p, k - 1) == '[' || mark(p, k - 1) == ','))
            refuse(p, i, "a __device__ lambda cannot capture by reference");
}

void sides_check(struct parse *p)
{
    struct variables all = {0};

    for (int n = 0; n < p->num_code; n++)
        if (p->code[n].kind == CODE_DECLARATION)
            add_declared(p, &p->code[n].head, p->code[n].open, &all);
    for (int n = 0; n < p->num_code; n++) {
        const struct code *c = &p->code[n];

        if (c->kind == CODE_LAMBDA)
            check_lambda(p, c->head.begin);
        if (c->kind != CODE_FUNCTION)
            continue;
        check_head(p, &c->head, c->open);
        if (c->head.global || (c->head.device && !c->head.host))
            check_device(p, &c->head, c->open, &all);
        else if (!c->head.device && !c->head.constexpr_)
            check_host(p, &c->head, c->open, &all);
    }
    for (int i = 1; i < p->lex.count; i++)
        if (is(p, i, W_LAUNCH))
            check_launch(p, i);
    free(all.items);
}
