/*
 * scope.c: declarations of namespaces and classes.
 */
#include "parse.h"

#include <string.h>

static int declaration_read(struct parse *p, int i, int end, bool in_class);

/* Each step goes on by one token at least, whatever the reader of a declaration
 * made of broken code; and a file of ten thousand braces must not end the
 * stack. */
void scope_read(struct parse *p, int i, int end, bool in_class)
{
    if (++p->depth > 200) {
        refuse(p, i, "nested too deeply");
        i = end;
    }
    while (i < end) {
        int next = declaration_read(p, i, end, in_class);

        i = next > i ? next : i + 1;
    }
    p->depth--;
}

/* Its name is the last word ahead of its bases: `final` may follow. */
void class_read(struct parse *p, int open)
{
    const int outer = p->class_open;

    for (int k = open - 1; k > 0 && k > open - 200; k--) {
        if (mark(p, k) == ';' || mark(p, k) == '{' || mark(p, k) == '}')
            break;
        if (is(p, k - 1, W_struct) || is(p, k - 1, W_class) ||
            is(p, k - 1, W_union)) {
            word_of(p, k)->class_open = is_plain(p, k) ? open : 0;
            break;
        }
    }
    p->class_open = open;
    scope_read(p, open + 1, skip(p, open) - 1, true);
    p->class_open = outer;
}

/* ---- the head of a declaration ------------------------------------------- */

/* Attributes come in any order and from macros, so they are gathered from
 * anywhere in the head. "struct" behind the parameters is a type of theirs and
 * makes no class. */
static void note_word(const struct parse *p, struct head *h, int i)
{
    static const struct {
        int word;
        size_t field;
    } words[] = {{W___global__, offsetof(struct head, global)},
                 {W___device__, offsetof(struct head, device)},
                 {W___host__, offsetof(struct head, host)},
                 {W___constant__, offsetof(struct head, constant)},
                 {W___managed__, offsetof(struct head, managed)},
                 {W___shared__, offsetof(struct head, shared)},
                 {W_constexpr, offsetof(struct head, constexpr_)},
                 {W_consteval, offsetof(struct head, constexpr_)},
                 {W_inline, offsetof(struct head, inline_)},
                 {W_extern, offsetof(struct head, extern_)},
                 {W_void, offsetof(struct head, void_)},
                 {W_enum, offsetof(struct head, is_enum)}};

    if (h->params < 0 && h->key < 0 && !h->is_enum && (is_a(p, i, CLASS)))
        h->key = i;
    if (is(p, i, W___launch_bounds__) && mark(p, i + 1) == '(')
        h->bounds = i + 1;
    if (is(p, i, W___cluster_dims__) && mark(p, i + 1) == '(')
        h->cluster = i + 1;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(p, i, words[w].word))
            *(bool *)((char *)h + words[w].field) = true;
}

/* Is the parenthesis at @i a function's parameters? */
static bool opens_params(const struct parse *p, int i)
{
    if (is(p, i - 1, W___launch_bounds__) || is(p, i - 1, W___maxnreg__) ||
        is(p, i - 1, W___cluster_dims__) || is(p, i - 1, W___builtin_align__))
        return false;
    if (is(p, i - 1, W___block_size__))
        return false;
    return !is_a(p, i - 1, KEYWORD) || is(p, i - 1, W_auto) ||
           is(p, i - 1, W_const);
}

/* The `operator` at @i: index of its parameters' parenthesis. */
static int skip_operator(const struct parse *p, int i, int end)
{
    i++;
    if (mark(p, i) == '(' || mark(p, i) == '[')
        return skip(p, i);
    while (i < end && mark(p, i) != '(' && mark(p, i) != ';' &&
           mark(p, i) != '{')
        i++;
    return i;
}

/* Token after the initialisers of the constructor's `:` at @i. */
static int skip_initialisers(struct parse *p, int i, int end)
{
    struct function f = {.costs = false};

    do {
        i++;
        while (i < end && mark(p, i) != '(' && mark(p, i) != '{' &&
               mark(p, i) != ';')
            i = mark(p, i) == '<' ? angle_end(p, i, end) : i + 1;
        if (i >= end || mark(p, i) == ';')
            return i;
        body_scan(p, &f, i + 1, skip(p, i) - 1, NULL);
        i = skip(p, i);
        i += is(p, i, W_ELLIPSIS);
    } while (i < end && mark(p, i) == ',');
    return i;
}

/* One step through a head. Return: the next token. */
static int head_step(struct parse *p, struct head *h, int i, int end)
{
    char c = mark(p, i);

    if (is(p, i, W_template)) {
        if (mark(p, i + 1) != '<')
            return i + 1;
        h->is_template = true;
        h->arguments = i + 1;
        return angle_end(p, i + 1, end);
    }
    if (is(p, i, W_operator) && h->params < 0) {
        h->name = i;
        return skip_operator(p, i, end);
    }
    if (is(p, i, W_requires) && mark(p, i + 1) == '{')
        return skip(p, i + 1);
    if (is(p, i, W_requires) && mark(p, i + 1) == '(')
        return mark(p, skip(p, i + 1)) == '{' ? skip(p, skip(p, i + 1))
                                              : skip(p, i + 1);
    if (c == '(' && h->params < 0 && opens_params(p, i)) {
        h->params = i;
        if (h->name < 0)
            h->name = i - 1;
    }
    if (c == '<' && is_name(p, i - 1)) {
        int past = angle_end(p, i, end);

        if (h->params < 0 && mark(p, past) == '(')
            h->name = i - 1; /* k<int>(...) */
        return past;
    }
    if (c == ':' && h->params >= 0)
        return skip_initialisers(p, i, end);
    if (is_name(p, i))
        note_word(p, h, i);
    return skip(p, i);
}

/* Read a head up to `{`, `;` or `=`. */
static void head_read(struct parse *p, struct head *h, int i, int end,
                      bool in_class)
{
    memset(h, 0, sizeof *h);
    h->begin = i;
    h->in_class = in_class;
    h->params = h->name = h->init = h->key = h->bounds = h->cluster = -1;
    h->arguments = -1;
    while (i < end && mark(p, i) != '{' && mark(p, i) != ';' &&
           mark(p, i) != '=')
        i = head_step(p, h, i, end);
    if (i < end && mark(p, i) == '=')
        h->init = i;
    h->end = i < end ? i : end;
}

/* ---- what follows the head ----------------------------------------------- */

/* Their calls are renamed by the assembler, which a definition prevents. */
static void refuse_memory_function(struct parse *p, const struct head *h)
{
    if (is_a(p, h->name, MEMORY) && !p->named && !h->in_class &&
        !is(p, h->name - 1, W_SCOPE))
        refuse(p, h->name,
               "the virtual GPU has a %.*s of its own, which checks what "
               "it touches: give yours another name",
               token(p, h->name)->length, token(p, h->name)->text);
}

void note_code(struct parse *p, const struct code *code)
{
    BUF_ROOM(p->code, p->num_code);
    p->code[p->num_code++] = *code;
}

/* The `{` of the class that the function @h is a member of, or 0. */
static int class_of(const struct parse *p, const struct head *h)
{
    return h->in_class                   ? p->class_open
           : is(p, h->name - 1, W_SCOPE) ? word_of(p, h->name - 2)->class_open
                                         : 0;
}

/* `using V = void;` or `typedef void V;` for a word of the head. */
static bool names_void(const struct parse *p, const struct head *h)
{
    for (int i = h->begin; i < h->name; i++)
        for (int j = is_plain(p, i) ? p->links[i].before : 0; j > 0;
             j = p->links[j].before)
            if ((is(p, j - 1, W_using) && is(p, j + 2, W_void) &&
                 mark(p, j + 3) == ';') ||
                (is(p, j - 2, W_typedef) && is(p, j - 1, W_void)))
                return true;
    return false;
}

/* What is said of a function is noted when its body is known: whether calling
 * it may look at the clock (settle.c). */
static void read_function(struct parse *p, const struct head *h, int open)
{
    struct function f = {.begin = h->begin,
                         .head = h->begin,
                         .class_open = class_of(p, h),
                         .device = h->device || h->global,
                         .host = h->host,
                         .kernel = h->global,
                         .main = is(p, h->name, W_main),
                         .costs = !h->constexpr_};

    refuse_memory_function(p, h);
    if (h->global && h->in_class)
        refuse(p, h->name, "a kernel that is a class member is not allowed");
    else if (h->global && !h->void_ && !names_void(p, h))
        refuse(p, h->name, "a __global__ function must return void");
    else if (h->global && (!is_plain(p, h->name)))
        refuse(p, open, "a __global__ function needs a name");
    else if (h->global)
        kernel_rewrite(p, h, open);
    else if (!p->options->host_only)
        body_read(p, &f, open, f.device);
    note_code(p, &(struct code){.kind = CODE_FUNCTION,
                                .head = *h,
                                .open = open,
                                .in_c = p->c_scopes > 0});
    if (h->global || !is_plain(p, h->name))
        return;
    for (int i = skip(p, h->params); i < open; i++)
        f.loud |= settle_is_loud(p, i);
    settle_note(p, h->name, f.loud && !f.device ? SETTLE_LOUD : SETTLE_QUIET);
}

/* A function's body at @open, and the handlers of a function-try-block. */
static int function_end(struct parse *p, const struct head *h, int open,
                        int end)
{
    int i = open;

    for (;;) {
        read_function(p, h, i);
        i = skip(p, i);
        if (i >= end || !is(p, i, W_catch) || mark(p, i + 1) != '(')
            return i;
        i = skip(p, i + 1);
        if (i >= end || mark(p, i) != '{')
            return i;
    }
}

/* A variable, from its `=`, `{` or `;` on. Return: after its `;`. */
static int variable_end(struct parse *p, const struct head *h, int i, int end)
{
    struct function f = {.costs = false};
    int semicolon = find(p, i, end, ';');

    note_code(p, &(struct code){
                     .kind = CODE_DECLARATION, .head = *h, .open = semicolon});
    if (!p->options->host_only)
        body_scan(p, &f, i, semicolon, NULL);
    if (h->shared && !h->in_class)
        var_shared(p, h->begin, semicolon,
                   p->space ? token(p, p->space)->match : p->lex.count,
                   SHARED_OUTSIDE, 0);
    else if ((h->device || h->constant || h->managed) &&
             (h->params < 0 || h->init >= 0))
        var_device(p, h, semicolon);
    return semicolon < end ? semicolon + 1 : end;
}

static bool is_namespace(const struct parse *p, int i)
{
    return is(p, i, W_namespace) ||
           (is(p, i, W_inline) && is(p, i + 1, W_namespace));
}

/* `extern "C" {` or `namespace N {`: the index of its brace, else -1. */
static int opens_scope(const struct parse *p, int i, int end)
{
    if (is(p, i, W_extern) && token(p, i + 1)->kind == LEX_STRING &&
        mark(p, i + 2) == '{')
        return i + 2;
    if (!is_namespace(p, i))
        return -1;
    while (i < end && mark(p, i) != '{' && mark(p, i) != ';')
        i = skip(p, i);
    return i < end && mark(p, i) == '{' ? i : -1;
}

/* A member with a width: only a class or an enumeration with a body, or a
 * constructor, has a `:` in its head as well. */
static bool is_bit_field(const struct parse *p, const struct head *h, int end)
{
    const bool body = h->end < end && mark(p, h->end) == '{';
    int i = h->begin;

    if (!h->in_class || (body && (h->key >= 0 || h->is_enum)))
        return false;
    while (i < h->end && mark(p, i) != ':')
        i = mark(p, i) == '<' ? angle_end(p, i, h->end) : skip(p, i);
    return i < h->end && (h->params < 0 || h->params > i);
}

/* A scope, a function, a class or a variable, by what its head ends in. A class
 * may be followed by a variable of it: `struct s { ... } x;`. */
static int declaration_read(struct parse *p, int i, int end, bool in_class)
{
    struct head h;
    int open = opens_scope(p, i, end);

    if (open >= 0) {
        const int outer = p->space;

        p->named += is_namespace(p, i);
        p->c_scopes += !is_namespace(p, i);
        if (is(p, i, W_namespace) && open > i + 1)
            p->space = open;
        scope_read(p, open + 1, skip(p, open) - 1, in_class);
        p->space = outer;
        p->named -= is_namespace(p, i);
        p->c_scopes -= !is_namespace(p, i);
        return skip(p, open);
    }
    if (in_class && mark(p, i + 1) == ':' &&
        (is(p, i, W_public) || is(p, i, W_private) || is(p, i, W_protected)))
        return i + 2;
    head_read(p, &h, i, end, in_class);
    p->bit_fields |= is_bit_field(p, &h, end);
    names_note(p, &h);
    i = h.end;
    if (i >= end || mark(p, i) != '{') {
        return variable_end(p, &h, i, end);
    }
    if (h.params >= 0)
        return function_end(p, &h, i, end);
    if (h.key >= 0 || h.is_enum) {
        if (!h.is_enum)
            class_read(p, i);
        i = skip(p, i);
    }
    return variable_end(p, &h, i, end);
}

/* ---- types within functions -----------------------------------------------
 */

/* The `{` of a class or enumeration that the statement at @i defines. */
static int local_type(const struct parse *p, int i, int end, bool *is_enum)
{
    bool key = false;

    for (; i < end; i++) {
        key |= is_a(p, i, CLASS) || is(p, i, W_enum);
        *is_enum |= is(p, i, W_enum);
        if (mark(p, i) == '{')
            return key ? i : -1;
        if (mark(p, i) == '(' && is_a(p, i - 1, KEYWORD))
            i = skip(p, i) - 1;
        else if (mark(p, i) == '<')
            i = angle_end(p, i, end) - 1;
        else if (!is_name(p, i) && mark(p, i) != ':' && !is(p, i, W_SCOPE) &&
                 mark(p, i) != ',' && mark(p, i) != '[' && mark(p, i) != ']')
            return -1;
    }
    return -1;
}

int scope_local_type(struct parse *p, int i, int end)
{
    bool is_enum = false;
    const int open = is_name(p, i) ? local_type(p, i, end, &is_enum) : -1;

    if (open < 0)
        return i;
    if (!is_enum)
        class_read(p, open);
    return skip(p, open);
}
