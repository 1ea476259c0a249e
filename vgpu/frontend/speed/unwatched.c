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
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* Longer functions are left alone: each call of one is a copy of it. */
#define MOST_TOKENS 2000

/* What shows in which order threads run, and that not in memory alone. */
static bool tells_more(const struct parse *p, int i)
{
    return is_a(p, i, ORDER | ASM) || begins_with(p, i, "clock") ||
           begins_with(p, i, "vgpu_clock");
}

/* What shows in which order threads run. */
static bool tells_order(const struct parse *p, int i)
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

/* What waits for other threads, in CUDA's own words or in its headers'. */
static bool is_wait(const struct parse *p, int i)
{
    static const char *const words[] = {
        "__shfl",     "__ballot",   "__any_",      "__all_",    "__match_",
        "__reduce_",  "__activem",  "cooperative", "coalesced", "tiled_part",
        "this_threa", "labeled_pa", "thread_bloc", "nvcuda",    "barrier",
        "memcpy_asy", "pipeline",   "arrive",      "wmma"};

    if (is_a(p, i, VOTES | MEETS))
        return true;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (begins_with(p, i, words[w]))
            return true;
    return false;
}

static struct device_function *add_function(struct speed *s, struct code *code)
{
    struct device_function *f;

    BUF_ROOM(s->functions, s->num_functions);
    f = &s->functions[s->num_functions++];
    *f = (struct device_function){.code = code,
                                  .name = -1,
                                  .begin = code->head.begin,
                                  .end = skip(s->p, code->open),
                                  .kernel = code->head.global};
    return f;
}

/* A function of its own has its call-backs, and need not be seen otherwise. */
static void read_words(struct speed *s, struct device_function *f)
{
    const struct parse *p = s->p;
    bool signals = false;
    int loop_end = 0;

    sums_note_shared(s, f);
    for (int i = f->begin; i < f->end; i++) {
        /* A loop within a loop ends where that one does, or before. */
        const int end = i < loop_end ? 0 : sums_loop_end(p, f, i);

        loop_end = end > loop_end ? end : loop_end;
        signals |= idle_loop(p, i, f->end).loop;
        if (!is_name(p, i))
            continue;
        if (tells_order(p, i)) {
            const bool last = loop_end < i && sums_last(p, f, i);

            s->ordered |= i > f->code->open;
            f->shows |= tells_more(p, i) ? SHOWS_MORE : 0;
            f->sums |= last;
            f->shows |= !last && !sums_own(s, f, i) ? SHOWS_ORDER : 0;
        }
        signals |= is_signal(p, i);
        if (is_wait(p, i) && !(f->kernel && is(p, i, W___syncthreads)))
            f->shows |= SHOWS_WAITS;
        s->indexed |= !f->kernel && is(p, i, W_threadIdx);
        f->alone |= is_a(p, i, RESISTS);
        if (i > f->code->open)
            lanes_note_call(s, i);
    }
    if (signals)
        f->shows |= f->kernel || f->name < 0 ? SHOWS_FLAG : SHOWS_MORE;
    f->alone |= signals || f->end - f->begin > MOST_TOKENS;
}

/* What calls a lambda of device code within a host function knows it by a
 * parameter's name. What is declared and defined elsewhere may do anything. */
void unwatched_note(struct speed *s, struct code *code)
{
    const struct head *h = &code->head;
    struct device_function *f;

    if (code->kind == CODE_LAMBDA) {
        f = add_function(s, code);
        read_words(s, f);
        f->alone = true;
    } else if (code->kind == CODE_FUNCTION && (h->device || h->global)) {
        f = add_function(s, code);
        if (is_plain(s->p, h->name) && mark(s->p, h->name - 1) != '~')
            f->name = h->name;
        read_words(s, f);
    } else if (code->kind == CODE_DECLARATION && h->device && h->params >= 0 &&
               is_name(s->p, h->name)) {
        f = add_function(s, code);
        f->name = f->begin = f->end = h->name;
        f->declared = true;
        f->shows = SHOWS_MORE;
    }
}

/* ---- what runs a kernel -------------------------------------------------- */

/* What runs the kernel @f; NULL: what runs any. @others: what is shown by
 * functions that may be called without a name. */
static const char *find_runner(const struct device_function *f, unsigned others)
{
    const unsigned shows = f->shows | others;

    return shows & SHOWS_FLAG    ? NULL
           : shows & SHOWS_MORE  ? "vgpu_run_ordered"
           : shows & SHOWS_ORDER ? "vgpu_run_atomics"
           : f->sums             ? "vgpu_run_sums"
                                 : "vgpu_run_unwatched";
}

/* Where its attributes go. A definition that others may call has to stay
 * one. */
static void inline_function(struct parse *p, const struct device_function *f)
{
    const struct head *h = &f->code->head;
    bool is_inline = false, is_static = h->in_class || h->is_template;
    int at = h->begin;

    for (int i = h->begin; i < f->code->open; i++) {
        is_inline |= is(p, i, W_inline) || is(p, i, W___forceinline__) ||
                     is(p, i, W___inline__) || is(p, i, W_constexpr);
        is_static |= is(p, i, W_static);
    }
    while (at < h->params && !is(p, at, W___device__))
        at++;
    if (at >= h->params)
        return;
    edit_before(p, at, LAYER_WORD, "%s__attribute__((always_inline%s)) ",
                is_inline ? "" : "inline ",
                is_inline || is_static ? "" : ", used");
    p->quick = true;
}

/* Nobody may see in which order its blocks run, and nothing that it calls may
 * wait: not by an address, either. */
static bool may_split(const struct speed *s, const struct device_function *f,
                      unsigned others)
{
    const char *const runner = f->code->runner;

    if (!runner || ((f->shows | others) & SHOWS_WAITS) ||
        (strcmp(runner, "vgpu_run_unwatched") &&
         strcmp(runner, "vgpu_run_sums")))
        return false;
    for (int n = 0; n < s->num_functions; n++) {
        const struct device_function *g = &s->functions[n];

        if (!g->kernel && g->name >= 0 && (g->shows & SHOWS_WAITS) &&
            word_of(s->p, g->name)->bare)
            return false;
    }
    return true;
}

static void split_kernels(struct speed *s, unsigned others)
{
    for (int n = 0; n < s->num_functions; n++)
        if (s->functions[n].kernel && may_split(s, &s->functions[n], others))
            s->functions[n].code->split = split_kernel(s, &s->functions[n]);
}

/* Those without a name come first. */
void unwatched_finish(struct speed *s)
{
    struct device_function *f;
    const int count = s->num_functions;
    unsigned others = 0;
    bool any = false;

    if (!count || s->signals)
        return;
    calls_find(s);
    f = s->functions;
    for (int n = 0; n < count && f[n].name < 0; n++)
        others |= f[n].shows;
    for (int n = 0; n < count; n++)
        if (f[n].kernel) {
            f[n].code->runner = find_runner(&f[n], others);
            any |= f[n].reached = f[n].code->runner != NULL;
        }
    s->p->quick |= any;
    for (int n = 0; n < count; n++)
        f[n].reached |= any && f[n].name < 0;
    calls_reach(s);
    for (int n = 0; n < count && !s->p->options->no_inline; n++)
        if (f[n].reached && !f[n].kernel && !f[n].declared && !f[n].alone &&
            !f[n].recursive)
            inline_function(s->p, &f[n]);
    split_kernels(s, others);
}
