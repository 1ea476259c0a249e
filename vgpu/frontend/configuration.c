/*
 * configuration.c: kernel<<<config>>>(args) becomes a call. See README.md.
 *
 * Both ends must be found without a grammar. Backwards from `<<<` goes the
 * callee: a name, perhaps with namespaces, template arguments, or an object in
 * front of it. Forwards the last `>>>` with arguments behind it closes, because
 * a template in the configuration may end in the same characters.
 *
 * Source: guide, "Execution Configuration".
 */
#include "parse.h"

/* The < for the > at @i, or -1; not farther away than template_end() looks. */
static int angle_begin(const struct parse *p, int i, int from)
{
    const int limit = i - 512;
    int depth = 0;

    while (i >= from && i > limit) {
        char c = mark(p, i);

        if (c == '>')
            depth++;
        else if (c == '<' && !--depth)
            return i;
        else if (c == ';' || c == '{')
            return -1;
        if (c == ')' || c == ']' || c == '}')
            i = token(p, i)->match;
        i--;
    }
    return -1;
}

/* Is the parenthesis at @i the header of a statement? */
static bool is_header(const struct parse *p, int i)
{
    return is(p, i - 1, W_if) || is(p, i - 1, W_while) || is(p, i - 1, W_for) ||
           is(p, i - 1, W_switch) ||
           (is(p, i - 1, W_constexpr) && is(p, i - 2, W_if));
}

/* Index of the first token of the name, call, ... that ends at @i; -1. */
static int primary_begin(const struct parse *p, int i, int from)
{
    while (i >= from) {
        char c = mark(p, i);

        if (is_name(p, i))
            return is_a(p, i, KEYWORD) ? -1 : i;
        if (c == '>') {
            i = angle_begin(p, i, from) - 1;
            if (i < from || !is_name(p, i))
                return -1;
        } else if (c == ')' || c == ']') {
            int open = token(p, i)->match;
            char before = mark(p, open - 1);
            bool closes =
                before == ')' || before == ']' || (c == ')' && before == '>');

            if (open <= from)
                return open == from && c == ')' ? open : -1;
            if (before == ')' && is_header(p, token(p, open - 1)->match))
                closes = false;
            if (!closes && (!is_plain(p, open - 1)))
                return c == ')' ? open : -1;
            i = open - 1;
        } else {
            return -1;
        }
    }
    return -1;
}

/* First token of the callee that ends at @i, or -1. */
static int callee_begin(const struct parse *p, int i, int from)
{
    for (;;) {
        int begin = primary_begin(p, i, from);

        if (begin < from)
            return -1;
        if (begin > from && is(p, begin - 1, W_template))
            begin--;
        if (begin > from && is(p, begin - 1, W_SCOPE)) {
            begin--;
            i = begin - 1;
            if (i < from || is_a(p, i, KEYWORD) ||
                (!is_name(p, i) && mark(p, i) != '>'))
                return begin;
            if (mark(p, i) == '>' && angle_begin(p, i, from) < 0)
                return begin;
        } else if (begin > from + 1 &&
                   (is(p, begin - 1, '.') || is(p, begin - 1, W_ARROW))) {
            i = begin - 2;
        } else {
            return begin;
        }
    }
}

/* `>>>` or, where an editor set blanks, `>> >`. */
static bool closes_launch(const struct parse *p, int i)
{
    return mark(p, i) == '>' && mark(p, i + 1) == '>' &&
           mark(p, i + 2) == '>' && token(p, i + 1)->glued;
}

/*
 * The `>>>` for the `<<<` before @i: the last one with arguments behind it
 * before the expression ends. A template in the configuration may end in
 * `>>>` too. Return: its first token, or -1.
 */
static int launch_close(const struct parse *p, int i, int end)
{
    int found = -1;

    while (i < end && mark(p, i) != ';' && !is(p, i, W_LAUNCH)) {
        if (closes_launch(p, i) && mark(p, i + 3) == '(') {
            found = i;
            i += 3;
        }
        i = skip(p, i);
    }
    return found;
}

static int any_close(const struct parse *p, int i, int end)
{
    for (; i < end && mark(p, i) != ';' && !is(p, i, W_LAUNCH); i = skip(p, i))
        if (closes_launch(p, i))
            return i;
    return -1;
}

static void refuse_launch(struct parse *p, int i, int end)
{
    int close = any_close(p, i + 1, end);

    if (close >= 0)
        refuse(p, close,
               "expected the kernel's arguments, '(...)', "
               "after '>>>'");
    else
        refuse(p, i, "this '<<<' has no '>>>'");
    p->roles[i] = ROLE_USED;
}

/* A grid at least; blocks are of one thread then, as with nvcc. */
static bool config_suits(int i, int close)
{
    return i < close;
}

/* The callee moves behind the configuration, since that is evaluated first;
 * line breaks within it are kept as blanks. Only what can be nothing but a
 * launch is changed: everything else is refused with the likely reason. */
void launch_rewrite(struct parse *p, const struct function *f, int from, int i,
                    int end)
{
    int begin = callee_begin(p, i - 1, from);
    int close = launch_close(p, i + 1, end);
    struct buf callee = {0};

    if (f->device)
        refuse(p, i,
               "a launch from device code (dynamic parallelism) "
               "is not supported by the virtual GPU");
    else if (close < 0)
        refuse_launch(p, i, end);
    else if (begin < 0)
        refuse(p, i, "expected a kernel's name before '<<<'");
    else if (!config_suits(i + 1, close))
        refuse(p, i,
               "a launch needs a grid and a block: "
               "kernel<<<grid, block>>>(...)");
    if (f->device || close < 0 || begin < 0 || !config_suits(i + 1, close)) {
        p->roles[i] = ROLE_USED;
        return;
    }
    edit_before(p, begin, LAYER_CODE, "(::vgpu_configure(");
    flatten(p, begin, i, &callee);
    for (int k = begin; k <= i; k++)
        edit_drop(p, k);
    edit_replace(p, close, "), %s", callee.data);
    edit_drop(p, close + 1);
    edit_drop(p, close + 2);
    edit_behind(p, skip(p, close + 3) - 1, LAYER_CODE, ")");
    buf_free(&callee);
}
