/*
 * shared.c: which __shared__ variable a name means, if any.
 *
 * One at namespace scope is one per block all the same: every function that
 * names it makes its own reference to the running block's, at its top. So does
 * a lambda, and a function of a local class, that names one of the function
 * around it: there it is static, and nobody captures it. But parameters, local
 * variables and members of that name hide it. References stand in a block
 * around the body, where what the body declares may have their names; that
 * leaves what is declared outside of the body.
 */
#include "parse.h"

#include <string.h>

#define MOST_PLACES 64   /* that may declare a name */
#define MOST_STEPS  4096 /* from a token to what it is in */
#define MOST_BASES  8    /* of a class, one of the other */

void shared_note(struct parse *p, int name, int serial, bool dynamic, int end)
{
    struct shared *s;

    if (!is_plain(p, name))
        return;
    BUF_ROOM(p->shared, p->num_shared);
    s = &p->shared[p->num_shared++];
    *s = (struct shared){.name = name,
                         .end = end,
                         .serial = serial,
                         .dynamic = dynamic,
                         .before = word_of(p, name)->shared};
    word_of(p, name)->shared = p->num_shared;
}

/* ---- what declares a name ------------------------------------------------ */

/* May the token before a declared name be @i? */
static bool ends_type(const struct parse *p, int i)
{
    if (is_name(p, i))
        return !is_a(p, i, KEYWORD) || is(p, i, W_auto) || is(p, i, W_const) ||
               is(p, i, W_typename);
    return mark(p, i) == '*' || mark(p, i) == '&' || mark(p, i) == '>' ||
           is(p, i, W_ANDAND) || is(p, i, W_ELLIPSIS);
}

static bool looks_declared(const struct parse *p, int i)
{
    const char next = mark(p, i + 1);

    return ends_type(p, i - 1) && next && strchr("=;,[{():>", next);
}

/* The bracket that token @i is in, or -1. */
static int bracket_around(const struct parse *p, int i)
{
    const int limit = i - MOST_STEPS;

    for (i--; i > limit && i >= 0; i--) {
        const char c = mark(p, i);

        if (c == '(' || c == '[' || c == '{')
            return i;
        if (c == ')' || c == ']' || c == '}')
            i = token(p, i)->match;
    }
    return -1;
}

/* Is what token @i declares to be seen at token @at, behind it? */
static bool is_in_scope(const struct parse *p, int i, int at)
{
    int open = bracket_around(p, i), past;

    if (open >= 0 && mark(p, open) == '[') /* auto [a, b] = ... */
        open = bracket_around(p, open);
    if (open < 0)
        return false;
    past = skip(p, open);
    if (mark(p, open) == '{' || past > at)
        return past > at;
    if (mark(p, past) != '{') /* a loop's header */
        return find(p, past, at + 1, ';') >= at;
    return skip(p, past) > at;
}

/* Is the name at @i declared again behind token @from, so that it is seen at
 * token @at? */
static bool is_declared(const struct parse *p, int i, int from, int at)
{
    int steps = 0, places = 0;

    for (i = p->links[i].before; i > from && steps++ < MOST_STEPS;
         i = p->links[i].before) {
        if (i >= at || !looks_declared(p, i))
            continue;
        if (++places > MOST_PLACES)
            return false;
        if (is_in_scope(p, i, at))
            return true;
    }
    return false;
}

/* Is it a parameter in the head [begin, open)? */
static bool is_parameter(const struct parse *p, int i, int begin, int open)
{
    for (i = p->links[i].before; i > begin; i = p->links[i].before)
        if (i < open && ends_type(p, i - 1))
            return true;
    return false;
}

/* Is it a member of the class whose body opens at @open, or of a base that is
 * named ahead of that? */
static bool is_member(const struct parse *p, int i, int open, int depth)
{
    const int end = skip(p, open) - 1;

    for (int k = open + 1; k < end; k = skip(p, k))
        if (is_same(p, k, i) && !is(p, k - 1, W_SCOPE) && mark(p, k - 1) != '=')
            return true;
    for (int k = open - 1; k >= 0 && depth < MOST_BASES; k--) {
        const int base = word_of(p, k)->class_open;

        if (mark(p, k) == ';' || mark(p, k) == '}' || mark(p, k) == '{')
            break;
        if (base && base < open && is_member(p, i, base, depth + 1))
            return true;
    }
    return false;
}

/* ---- what a name means --------------------------------------------------- */

/* Is @s hidden where token @i of @f stands, by what is outside of @f's body? */
static bool is_hidden(const struct parse *p, const struct function *f,
                      const struct shared *s, int i)
{
    for (const struct function *g = f; g && g->head > s->name; g = g->outer)
        if (is_parameter(p, i, g->head, g->open) ||
            is_declared(p, i,
                        g->outer && g->outer->open > s->name ? g->outer->open
                                                             : s->name,
                        g->head))
            return true;
    return f->class_open > s->name && is_member(p, i, f->class_open, 0);
}

/* The variable of outside of @f that token @i of its body means, or NULL. */
static const struct shared *find_meant(const struct parse *p,
                                       const struct function *f, int i)
{
    for (int n = word_of(p, i)->shared; n; n = p->shared[n - 1].before) {
        const struct shared *s = &p->shared[n - 1];

        if (s->name < f->head && i < s->end)
            return is_hidden(p, f, s, i) ? NULL : s;
    }
    return NULL;
}

/* Does a statement that declares token @i begin shortly before it? Only what
 * can be nothing else: else there is a reference that nobody uses. */
static bool is_declaration(const struct parse *p, int i)
{
    const int limit = i - 40;
    int k = i - 1;

    if (!looks_declared(p, i))
        return false;
    for (; k > limit; k--)
        if (!is_name(p, k) && !is(p, k, W_SCOPE) && !strchr("*&<>", mark(p, k)))
            break;
    if (mark(p, k) != ';' && mark(p, k) != '{' && mark(p, k) != '}')
        return false;
    return k + 1 < i && is_name(p, k + 1) &&
           (!is_a(p, k + 1, KEYWORD) || is(p, k + 1, W_const) ||
            is(p, k + 1, W_auto) || is(p, k + 1, W_constexpr));
}

void shared_add_reference(struct parse *p, int name, int serial, bool dynamic,
                          struct buf *out)
{
    buf_puts(out, " [[maybe_unused]] auto &");
    flatten(p, name, name + 1, out);
    if (dynamic) {
        buf_printf(out,
                   " = *static_cast<vgpu_dynamic_%d *>"
                   "(::vgpu_shared_dynamic());",
                   serial);
        return;
    }
    buf_printf(out, " = ::vgpu_shared<vgpu_shared_%d>().", serial);
    flatten(p, name, name + 1, out);
    buf_puts(out, ";");
}

/* The first place of each name decides: what the body itself declares there
 * hides all that is outside. */
void shared_references(struct parse *p, const struct function *f,
                       struct buf *out)
{
    const int end = skip(p, f->open) - 1;
    bool any = false;
    int depth = 0;

    for (int i = f->open + 1; i < end; i++) {
        struct word *word = word_of(p, i);
        const struct shared *s;

        depth += token(p, i)->match > i;
        depth -= token(p, i)->match >= 0 && token(p, i)->match < i;
        if (!word->shared || word->seen_in == f->open || is(p, i - 1, '.') ||
            is(p, i - 1, W_ARROW) || is(p, i - 1, W_SCOPE))
            continue;
        word->seen_in = f->open;
        s = depth || !is_declaration(p, i) ? find_meant(p, f, i) : NULL;
        if (s)
            shared_add_reference(p, s->name, s->serial, s->dynamic, out);
        any |= s != NULL;
    }
    if (!any)
        return;
    buf_puts(out, " {");
    edit_close(p, end, LAYER_NAMES, "} ");
}
