/*
 * host_loops.c: functions of the host that need not be watched.
 *
 * Programs compare a kernel's results with what a loop on the host computes,
 * and that loop's accesses are of no interest unless reports were asked for.
 * So the body of such a function becomes a lambda, which vgpu_host_run
 * (launch.h) has twice: with the checker's call-backs, and without. What the
 * function is given decides at each call: where a pointer leads to memory of a
 * device its accesses are looked at, since a GPU's host would crash there.
 *
 * It has a loop, or there is nothing to gain, and names no CUDA: what it is
 * given is then what it touches. Volatile and atomic variables may be flags
 * that a kernel sets, and to wait for one is the call-backs' business.
 */
#include "parts.h"

#include <string.h>

/* What may be a flag, by itself or in what it declares. */
static bool signals(const struct parse *p, int i)
{
    return is(p, i, W_volatile) || is(p, i, W_atomic) ||
           begins_with(p, i, "atomic_");
}

void host_loops_declared(struct speed *s, const struct code *code)
{
    for (int i = code->head.begin; i < code->open; i++)
        s->signals |= is_name(s->p, i) && signals(s->p, i);
}

/* What a lambda or code without call-backs must not have. */
static bool forbids(const struct parse *p, int i)
{
    static const char *const prefixes[] = {"cuda", "__atomic", "__sync",
                                           "pthread", "omp_"};

    if (signals(p, i) || is_a(p, i, FORBIDS | ASM))
        return true;
    for (size_t n = 0; n < sizeof prefixes / sizeof *prefixes; n++)
        if (begins_with(p, i, prefixes[n]))
            return true;
    return false;
}

static bool suits_body(const struct parse *p, int open)
{
    const int end = skip(p, open) - 1;
    bool loops = false;

    for (int i = open + 1; i < end; i++) {
        if (is(p, i, W_LAUNCH) || token(p, i)->openmp ||
            (is_name(p, i) && forbids(p, i)))
            return false;
        loops |= is_a(p, i, LOOP);
    }
    return loops;
}

/* Numbers, pointers and references, with names. */
static bool suits_params(const struct parse *p, const struct head *h)
{
    for (int i = h->params + 1; i < skip(p, h->params) - 1; i++)
        if (mark(p, i) == '(' || is(p, i, W_ELLIPSIS) || is(p, i, W_ANDAND) ||
            (is_name(p, i) && signals(p, i)))
            return false;
    return true;
}

static bool suits_head(const struct parse *p, const struct head *h, int open)
{
    return h->params > 0 && !h->in_class && !h->device && !h->global &&
           !h->constexpr_ && is_plain(p, h->name) && h->name == h->params - 1 &&
           !is(p, h->name - 1, W_SCOPE) && mark(p, h->name - 1) != '~' &&
           !is(p, h->name, W_main) && h->name > h->begin &&
           skip(p, h->params) == open;
}

/* The function's type: its head's first part, without what is no type.
 * Return: false where it is deduced. */
static bool add_type(struct parse *p, const struct head *h, struct buf *out)
{
    int i = h->begin;

    while (i < h->name) {
        if (is(p, i, W_template) && mark(p, i + 1) == '<') {
            i = angle_end(p, i + 1, h->name);
        } else if (is(p, i, W___attribute__) || mark(p, i) == '[') {
            i = skip(p, mark(p, i) == '[' ? i : i + 1);
        } else if (is(p, i, W_auto) || is(p, i, W_decltype)) {
            return false;
        } else if (is_a(p, i, SPECIFIER) || token(p, i)->kind == LEX_STRING) {
            i++;
        } else {
            flatten(p, i, i + 1, out);
            buf_puts(out, " ");
            i++;
        }
    }
    return out->size > 0;
}

/* Parameters that are references are captured as such: all others by value, so
 * that the compiler has them in registers. */
static void add_captures(struct parse *p, const struct head *h, struct buf *out)
{
    const int end = skip(p, h->params) - 1;
    int name = -1;
    bool reference = false, init = false;

    buf_puts(out, "[=");
    for (int i = h->params + 1; i <= end; i++) {
        if (mark(p, i) == '<' && is_name(p, i - 1) && !init) {
            i = angle_end(p, i, end) - 1;
        } else if (i == end || mark(p, i) == ',') {
            if (reference && name >= 0) {
                buf_puts(out, ", &");
                flatten(p, name, name + 1, out);
            }
            name = -1;
            reference = init = false;
        } else if (mark(p, i) == '=') {
            init = true;
        } else if (!init && mark(p, i) == '[') {
            i = skip(p, i) - 1;
        } else if (!init) {
            reference |= mark(p, i) == '&';
            name = is_name(p, i) ? i : name;
        }
    }
    buf_puts(out, "]");
}

/* assert() says in which function it is, which is not the lambda. */
static bool replace_function_name(struct parse *p, int open)
{
    bool named = false;

    for (int i = open + 1; i < skip(p, open) - 1; i++)
        if (is(p, i, W___PRETTY_FUNCTION__)) {
            edit_replace(p, i, "vgpu_function");
            named = true;
        }
    return named;
}

void host_loops_write(struct speed *s, const struct code *code)
{
    struct parse *p = s->p;
    const struct head *h = &code->head;
    const int open = code->open;
    struct buf type = {0}, out = {0};

    if (!s->signals && suits_head(p, h, open) && suits_params(p, h) &&
        suits_body(p, open) && add_type(p, h, &type)) {
        if (replace_function_name(p, open))
            buf_puts(&out, " const char *const vgpu_function = "
                           "__PRETTY_FUNCTION__;");
        buf_puts(&out, " return ::vgpu_host_run(");
        add_captures(p, h, &out);
        edit_behind(p, open, LAYER_FRAME, "%s() %s -> %s{", out.data,
                    lambda_words(p), type.data);
        edit_close(p, skip(p, open) - 1, LAYER_FRAME, "}); ");
        p->quick = true;
    }
    buf_free(&type);
    buf_free(&out);
}

/*
 * A function without call-backs inlines none that has them, unless it must; and
 * what vectors and arrays are subscripted by is a function of the compiler's
 * own headers.
 */
void host_loops_subscripts(struct parse *p)
{
    static const char word[] = "operator[](size_type __n)";
    const char *at = p->text, *end = p->text + p->size;

    while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1))) {
        edit_at(p, at, "__attribute__((__always_inline__)) ");
        p->quick = true;
        at += sizeof word - 1;
    }
}
