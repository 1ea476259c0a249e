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

/* What shows in which order threads run, and that not in memory alone. */
bool tells_more(const struct parse *p, int i)
{
    return is_a(p, i, ORDER | ASM) || begins_with(p, i, "clock") ||
           begins_with(p, i, "vgpu_clock");
}

/* What shows in which order threads run. */
bool tells_order(const struct parse *p, int i)
{
    return begins_with(p, i, "atomic") || tells_more(p, i);
}

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

/* Where a device function's attributes go. */
static int attributes_edit(struct parse *p, const struct head *h)
{
    for (int i = h->begin; i < h->params; i++)
        if (is(p, i, W___device__))
            return edit_before(p, i, LAYER_WORD);
    return -1;
}

static struct device_function *add_function(struct parse *p)
{
    struct device_function *f;

    if (!(p->num_device_functions & (p->num_device_functions + 1)))
        p->device_functions = buf_resize(p->device_functions,
                                         (size_t)(p->num_device_functions + 1) *
                                             2 * sizeof *p->device_functions);
    f = &p->device_functions[p->num_device_functions++];
    memset(f, 0, sizeof *f);
    f->name = f->edit = -1;
    return f;
}

static void read_head(const struct parse *p, struct device_function *f)
{
    for (int i = f->begin; i < f->end; i++) {
        f->is_inline |= is(p, i, W_inline) || is(p, i, W___forceinline__) ||
                        is(p, i, W___inline__) || is(p, i, W_constexpr);
        f->is_static |= is(p, i, W_static);
    }
}

/* A function of its own has its call-backs, and need not be seen otherwise. */
static void read_words(struct parse *p, struct device_function *f)
{
    bool signals = false;
    int loop_end = 0;

    sums_note_shared(p, f);
    for (int i = f->begin; i < f->end; i++) {
        const int end = sums_loop_end(p, f, i);

        loop_end = end > loop_end ? end : loop_end;
        if (is_name(p, i) && tells_order(p, i)) {
            const bool last = loop_end < i && sums_last(p, f, i);

            f->shows |= tells_more(p, i) ? SHOWS_MORE : 0;
            f->sums |= last;
            f->shows |= !last && !sums_own(p, f, i) ? SHOWS_ORDER : 0;
        }
        signals |=
            (is_name(p, i) && is_signal(p, i)) || idle_loop(p, i, f->end).loop;
        f->alone |= is_name(p, i) && is_a(p, i, RESISTS);
    }
    if (signals)
        f->shows |= f->kernel || f->name < 0 ? SHOWS_FLAG : SHOWS_MORE;
    f->alone |= signals;
}

void unwatched_note(struct parse *p, const struct head *h, int open, int run)
{
    struct device_function *f = add_function(p);

    if (is_plain(p, h->name) && mark(p, h->name - 1) != '~')
        f->name = h->name;
    f->begin = h->begin;
    f->end = open;
    f->kernel = h->global;
    f->edit = h->global ? run : attributes_edit(p, h);
    read_head(p, f);
    f->is_static |= h->in_class || h->is_template;
    f->end = skip(p, open);
    read_words(p, f);
    f->alone |= f->edit < 0 || f->end - f->begin > MOST_TOKENS;
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
    f->declared = true;
    f->shows = SHOWS_MORE;
}

/* ---- what runs a kernel -------------------------------------------------- */

/* What runs the kernel @f; NULL: what runs any. @others: what is shown by
 * functions that may be called without a name. */
static const char *find_runner(const struct device_function *f, unsigned others)
{
    const unsigned shows = f->shows | others;

    return shows & SHOWS_FLAG    ? NULL
           : shows & SHOWS_MORE  ? " ::vgpu_run_ordered"
           : shows & SHOWS_ORDER ? " ::vgpu_run_atomics"
           : f->sums             ? " ::vgpu_run_sums"
                                 : AS_THEY_LIKE;
}

/* A definition that others may call has to stay one. */
static void inline_function(struct parse *p, struct device_function *f)
{
    struct buf text = {0};

    buf_printf(&text, "%s__attribute__((always_inline%s)) ",
               f->is_inline ? "" : "inline ",
               f->is_inline || f->is_static ? "" : ", used");
    edit_quicken(p, f->edit, text.data);
    buf_free(&text);
}

/* Threads that wait for each other go on in another order: not in a kernel that
 * shows it. Return: whether the kernel @f may run unwatched. */
static bool write_runner(struct parse *p, const struct device_function *f,
                         unsigned others)
{
    const char *runner = find_runner(f, others);

    if (!runner || strcmp(runner, AS_THEY_LIKE) != 0)
        loops_drop(p, f->begin);
    if (runner)
        edit_quicken(p, f->edit, runner);
    return runner;
}

void unwatched_finish(struct parse *p)
{
    struct device_function *f = p->device_functions;
    const int count = p->num_device_functions;
    unsigned others = 0;
    bool any = false;

    if (p->options->plain || !count || p->signals) {
        loops_drop(p, -1);
        return;
    }
    calls_find(p);
    for (int n = 0; n < count && f[n].name < 0; n++)
        others |= f[n].shows;
    for (int n = 0; n < count; n++)
        any |= f[n].reached = f[n].kernel && write_runner(p, &f[n], others);
    for (int n = 0; n < count; n++)
        f[n].reached |= any && f[n].name < 0;
    calls_reach(p);
    for (int n = 0; n < count && !p->options->no_inline; n++)
        if (f[n].reached && !f[n].kernel && !f[n].declared && !f[n].alone &&
            !f[n].recursive)
            inline_function(p, &f[n]);
}
