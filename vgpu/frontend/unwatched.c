/*
 * unwatched.c: kernels that need not be watched at every access.
 *
 * A kernel's text is compiled twice: with the checker's call-backs, and without
 * (launch.h). Where nobody asked for reports, only some blocks of a launch run
 * with them, and the others at the processor's own speed and on all its cores
 * (device/grid.c). That must not show, so they run on all cores only if what
 * the kernel does is the same in whatever order its blocks run: it does not
 * print, count with atomics (but see sums.c), read the clock or ask for memory.
 * Nor does any function that it may call. If it does, they run one after the
 * other. Where it may look at a flag that only the call-backs see, it stays
 * watched; a function that may is never inlined.
 * Functions are inlined where that can be done: one on its own keeps its
 * call-backs, which then find nothing to do.
 *
 * There are names only, no types. A function that is called by no name (an
 * operator, a constructor, a lambda) counts as called by all.
 */
#include "parse.h"

#include <stdlib.h>
#include <string.h>

/* What runs a kernel that shows no order at all. */
#define AS_THEY_LIKE " ::vgpu_run_unwatched"

/* Longer functions are left alone: each call of one is a copy of it. */
#define MOST_TOKENS 2000

/* What needs its accesses seen. */
static bool is_signal(const struct parse *p, int i)
{
    static const char *const words[] = {"volatile", "__atomic_", "__sync_",
                                        "this_grid", "grid_group"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (begins_with(p, i, words[w]))
            return true;
    return false;
}

/* What keeps a function from being inlined, or where it should not be. */
static bool resists(const struct parse *p, int i)
{
    static const char *const words[] = {
        "goto",         "va_start", "alloca", "__builtin_alloca",
        "__noinline__", "noinline", "setjmp"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(p, i, words[w]))
            return true;
    return false;
}

/* Reserved before the body is read, since edits at one place keep their order.
 */
int unwatched_reserve(struct parse *p, const struct head *h)
{
    for (int i = h->begin; i < h->params; i++)
        if (is(p, i, "__device__"))
            return edit_before(p, i);
    return -1;
}

static struct device_function *add_function(struct parse *p)
{
    struct device_function *f;

    p->device_functions =
        buf_resize(p->device_functions, (size_t)(p->num_device_functions + 1) *
                                            sizeof *p->device_functions);
    f = &p->device_functions[p->num_device_functions++];
    memset(f, 0, sizeof *f);
    f->name = f->edit = -1;
    return f;
}

static void read_head(const struct parse *p, struct device_function *f)
{
    for (int i = f->begin; i < f->end; i++) {
        f->is_inline |= is(p, i, "inline") || is(p, i, "__forceinline__") ||
                        is(p, i, "__inline__") || is(p, i, "constexpr");
        f->is_static |= is(p, i, "static");
    }
}

static void read_words(const struct parse *p, struct device_function *f)
{
    for (int i = f->begin; i < f->end; i++) {
        if (is_name(p, i) && tells_order(p, i)) {
            const bool last = sums_last(p, f, i);

            f->more |= tells_more(p, i);
            f->sums |= last;
            f->ordered |= !last && !sums_own(p, f, i);
        }
        f->signals |= is_name(p, i) && is_signal(p, i);
        f->alone |= is_name(p, i) && resists(p, i);
    }
}

void unwatched_note(struct parse *p, const struct head *h, int open, int edit)
{
    struct device_function *f = add_function(p);

    if (is_name(p, h->name) && !is_keyword(p, h->name) &&
        mark(p, h->name - 1) != '~')
        f->name = h->name;
    f->begin = h->begin;
    f->end = open;
    f->kernel = h->global;
    f->edit = edit;
    read_head(p, f);
    f->is_static |= h->in_class || h->is_template;
    f->end = skip(p, open);
    read_words(p, f);
    f->alone |= edit < 0 || f->end - f->begin > MOST_TOKENS || f->signals;
}

/* A lambda of device code within a host function: what calls it knows it by a
 * parameter's name. */
void unwatched_lambda(struct parse *p, int begin, int end)
{
    struct device_function *f = add_function(p);

    f->begin = begin;
    f->end = end;
    read_words(p, f);
    f->alone = true;
}

/* What is declared and defined elsewhere may do anything. */
void unwatched_declared(struct parse *p, const struct head *h)
{
    struct device_function *f;

    if (!h->device || h->params < 0 || !is_name(p, h->name))
        return;
    f = add_function(p);
    f->name = f->begin = f->end = h->name;
    f->declared = f->unknown = true;
}

/* ---- who calls whom ------------------------------------------------------ */

/* By name, those without one first. */
static int compare_names(const struct parse *p, int a, int b)
{
    const struct lex_token *x, *y;
    int shorter, order;

    if (a < 0 || b < 0)
        return (a >= 0) - (b >= 0);
    x = &p->lex.tokens[a];
    y = &p->lex.tokens[b];
    shorter = x->length < y->length ? x->length : y->length;
    order = memcmp(x->text, y->text, (size_t)shorter);
    return order ? order : x->length - y->length;
}

static const struct parse *sorted; /* qsort passes nothing on */

static int compare_functions(const void *a, const void *b)
{
    const struct device_function *x = a, *y = b;
    int order = compare_names(sorted, x->name, y->name);

    return order ? order : x->begin - y->begin;
}

/* The first function that is called as token @i is; how many there are if it is
 * none's name. */
static int first_named(const struct parse *p, int i)
{
    int low = 0, high = p->num_device_functions;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (compare_names(p, p->device_functions[middle].name, i) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef void called_fn(struct parse *p, int function);

/* Call @fn with each function that @f may call by name. */
static void each_called(struct parse *p, const struct device_function *f,
                        called_fn *fn)
{
    for (int i = f->begin; i < f->end; i++) {
        if (!is_name(p, i) || i == f->name)
            continue;
        for (int n = first_named(p, i);
             n < p->num_device_functions &&
             !compare_names(p, p->device_functions[n].name, i);
             n++)
            fn(p, n);
    }
}

static void reach(struct parse *p, int n)
{
    struct device_function *f = &p->device_functions[n];

    if (f->reached)
        return;
    f->reached = true;
    each_called(p, f, reach);
}

static void forget(struct parse *p)
{
    for (int n = 0; n < p->num_device_functions; n++)
        p->device_functions[n].reached = false;
}

/* A function that calls itself, in the end, cannot be inlined. */
static void find_recursive(struct parse *p)
{
    for (int n = 0; n < p->num_device_functions; n++) {
        struct device_function *f = &p->device_functions[n];

        if (f->name < 0 || f->kernel)
            continue;
        forget(p);
        each_called(p, f, reach);
        f->alone |= f->reached;
    }
}

/* A declaration says nothing where there is a definition. */
static void drop_declared(struct parse *p)
{
    struct device_function *f = p->device_functions;

    for (int n = 0; n < p->num_device_functions; n++)
        for (int k = first_named(p, f[n].name);
             f[n].declared && k < p->num_device_functions &&
             !compare_names(p, f[k].name, f[n].name);
             k++)
            if (!f[k].declared)
                f[n].unknown = false;
}

/* What runs @kernel; NULL: what runs any. */
static const char *find_runner(struct parse *p, int kernel)
{
    struct device_function *f = p->device_functions;
    bool ordered = false, more = false;

    forget(p);
    for (int n = 0; n < p->num_device_functions && f[n].name < 0; n++)
        reach(p, n);
    reach(p, kernel);
    for (int n = 0; n < p->num_device_functions; n++) {
        if (f[n].reached && f[n].signals && (f[n].kernel || f[n].name < 0))
            return NULL;
        ordered |= f[n].reached && f[n].ordered;
        more |= f[n].reached && (f[n].more || f[n].unknown || f[n].signals);
    }
    return more                               ? " ::vgpu_run_ordered"
           : ordered                          ? " ::vgpu_run_atomics"
           : p->device_functions[kernel].sums ? " ::vgpu_run_sums"
                                              : AS_THEY_LIKE;
}

/* A definition that others may call has to stay one. */
static void inline_function(struct parse *p, struct device_function *f)
{
    struct buf text = {0};

    buf_printf(&text, "%s__attribute__((always_inline%s)) ",
               f->is_inline ? "" : "inline ",
               f->is_inline || f->is_static ? "" : ", used");
    edit_set(p, f->edit, text.data);
    buf_free(&text);
}

void unwatched_finish(struct parse *p)
{
    struct device_function *f = p->device_functions;

    if (p->options->no_lanes || !p->num_device_functions || p->signals) {
        loops_drop(p, -1);
        return;
    }
    sorted = p;
    qsort(f, (size_t)p->num_device_functions, sizeof *f, compare_functions);
    drop_declared(p);
    find_recursive(p);
    for (int kernel = 0; kernel < p->num_device_functions; kernel++) {
        const char *runner = f[kernel].kernel ? find_runner(p, kernel) : NULL;

        /* Threads that wait for each other go on in another order. */
        if (f[kernel].kernel && (!runner || strcmp(runner, AS_THEY_LIKE) != 0))
            loops_drop(p, f[kernel].begin);
        if (!runner)
            continue;
        edit_set(p, f[kernel].edit, runner);
        for (int n = 0; n < p->num_device_functions; n++)
            f[n].needed |=
                f[n].reached && !f[n].kernel && !f[n].declared && !f[n].alone;
    }
    for (int n = 0; n < p->num_device_functions; n++)
        if (f[n].needed && !p->options->no_inline)
            inline_function(p, &f[n]);
}
