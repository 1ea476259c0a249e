/*
 * settle.c: where host code hands over the operations that it counted.
 *
 * A function adds what it counted when it returns. The virtual clock must
 * have it sooner where somebody looks: before calls of CUDA, launches, reads
 * of a timer, and calls of whatever may do one of these. There are names
 * only, no types: a name is *loud* if calling it may do so. Functions of
 * system headers are not loud unless they are known to be, nor are those of
 * the user's that were seen to name nothing loud.
 */
#include "parse.h"

#include <string.h>

enum {
    WORD_FUNCTION = 1, /* the user's */
    WORD_QUIET = 2,    /* ... a body of it names nothing loud */
    WORD_LOUD = 4,     /* ... a body of it does */
    WORD_VALUE = 8,    /* a variable or a parameter, it seems */
    WORD_CLASS = 16,
    WORD_MAKES = 32, /* a class with a constructor of the host's */
    WORD_ENDS = 64,  /* a class with a destructor */
};

static unsigned word_flags(const struct parse *p, int i)
{
    return word_of(p, i)->flags;
}

/* ---- what a name is ------------------------------------------------------ */

/* May the token before a declared name be @i? */
static bool ends_type(const struct parse *p, int i)
{
    if (is_name(p, i))
        return !is_a(p, i, KEYWORD) || is(p, i, W_auto) || is(p, i, W_const);
    return mark(p, i) == '*' || mark(p, i) == '&' || mark(p, i) == '>' ||
           is(p, i, W_ANDAND);
}

/* May the token after parameters of a function that is defined be @i? */
static bool follows_params(const struct parse *p, int i)
{
    return mark(p, i) == '{' || is(p, i, W_const) || is(p, i, W_noexcept) ||
           is(p, i, W_override) || is(p, i, W_final) || is(p, i, W_ARROW);
}

static bool begins_constructor(const struct parse *p, int i)
{
    return mark(p, i) == '{' || mark(p, i) == '}' || mark(p, i) == ';' ||
           mark(p, i) == ':' || mark(p, i) == '>' || is(p, i, W_SCOPE) ||
           is(p, i, W_explicit) || is(p, i, W_inline);
}

/* A guess from a name's neighbours. It may say too much: a name that is taken
 * for loud costs a call that hands over nothing. */
static unsigned flags_at(const struct parse *p, int i)
{
    unsigned flags = 0;
    char next = mark(p, i + 1);

    if (is(p, i - 1, W_class) || is(p, i - 1, W_struct))
        return WORD_CLASS;
    if (next == '(') {
        if (mark(p, i - 1) == '~')
            return WORD_ENDS;
        if (ends_type(p, i - 1) && follows_params(p, skip(p, i + 1)))
            flags |= WORD_FUNCTION;
        if (begins_constructor(p, i - 1))
            flags |= WORD_MAKES;
    } else if (next && strchr("=;,){:", next) && ends_type(p, i - 1)) {
        flags |= WORD_VALUE;
    }
    return flags;
}

/* Before anything is rewritten, since a function may be called above its
 * definition. */
void settle_index(struct parse *p)
{
    for (int i = 0; i < p->lex.count; i++)
        if (is_plain(p, i))
            word_of(p, i)->flags |= flags_at(p, i);
}

void settle_note(struct parse *p, int name, enum settle_kind kind)
{
    word_of(p, name)->flags |= kind == SETTLE_DECLARED ? WORD_FUNCTION
                               : kind == SETTLE_QUIET
                                   ? WORD_FUNCTION | WORD_QUIET
                                   : WORD_FUNCTION | WORD_LOUD;
}

/* ---- loud names ---------------------------------------------------------- */

static bool is_called(const struct parse *p, int i)
{
    if (mark(p, i + 1) == '<' && p->roles[i + 1] == ROLE_ANGLE)
        return mark(p, angle_end(p, i + 1, p->lex.count)) == '(';
    return mark(p, i + 1) == '(';
}

/* A function of the user's is loud until a body of it was seen to be quiet: its
 * definition may come later, or lie in another file. A pointer that is called
 * may point to anything. */
static bool is_loud_name(const struct parse *p, int i)
{
    unsigned flags = word_flags(p, i);

    if ((flags & WORD_FUNCTION) ||
        ((flags & WORD_CLASS) && (flags & WORD_MAKES)))
        return (flags & WORD_LOUD) || !(flags & WORD_QUIET);
    if (!is_called(p, i))
        return false;
    if (is_a(p, i, TIMER) || begins_with(p, i, "cuda"))
        return true;
    return (flags & WORD_VALUE) && !is(p, i - 1, '.') &&
           !is(p, i - 1, W_ARROW) && !is(p, i - 1, W_SCOPE);
}

/* Is the `(` at @i a call through what (*f), (o->*f) or a[1] names? */
static bool calls_pointer(const struct parse *p, int i)
{
    int open = token(p, i - 1)->match;

    if (mark(p, i - 1) == ']')
        return true;
    if (mark(p, i - 1) != ')' || open < 0)
        return false;
    for (int k = open + 1; k < i - 1; k = skip(p, k))
        if (is(p, k, W_ARROW_STAR) || is(p, k, W_DOT_STAR))
            return true;
    return mark(p, open + 1) == '*';
}

bool settle_is_loud(const struct parse *p, int i)
{
    if (is_name(p, i))
        return !is_a(p, i, KEYWORD) && is_loud_name(p, i);
    return is(p, i, W_LAUNCH) ||
           (i > 0 && mark(p, i) == '(' && calls_pointer(p, i));
}

/* ---- handing over -------------------------------------------------------- */

/* In front of the statement, and with braces where it stands alone behind an if
 * or a loop's header. */
void settle_statement(struct parse *p, struct function *f, int begin, int past,
                      enum spot spot)
{
    edit_before(p, begin, LAYER_STATEMENT, "%svgpu_c.flush(); ",
                spot == SPOT_ALONE ? "{ " : "");
    if (spot == SPOT_ALONE)
        edit_behind(p, past - 1, LAYER_CODE, " }");
    f->counted = true;
}

/* Is the header [i, end) a declaration? Tells `T *p = q` from `a * b`. */
static bool declares(struct parse *p, int i, int end)
{
    int begin = i, past;

    if (is(p, i, W_auto) || is(p, i, W_const) || is(p, i, W_volatile) ||
        is(p, i, W_typename))
        return true;
    for (; i < end; i = past) {
        past = mark(p, i) == '<' ? template_end(p, i, end) : i + 1;
        if (past < 0 || is_a(p, i, KEYWORD))
            return false;
        if (i > begin && is_name(p, i)) {
            if (is_name(p, i - 1) || p->roles[i - 1] == ROLE_ANGLE)
                return true;
            if (!is(p, i - 1, W_SCOPE))
                return mark(p, i + 1) == '=';
        } else if (!is_name(p, i) && !is(p, i, W_SCOPE) &&
                   !is(p, i, W_ANDAND) && !mark(p, i)) {
            return false;
        } else if (mark(p, i) && !strchr("<*&", mark(p, i))) {
            return false;
        }
    }
    return false;
}

/* In a condition there is no room for a statement, but for an expression with a
 * comma; in a declaration only behind its `=`, and not where that would come
 * between a brace or several variables. */
struct header settle_header(struct parse *p, int i, int end)
{
    struct header header = {.at = -1, .end = end};

    if (i >= end)
        return header;
    if (!declares(p, i, end)) {
        header.at = i;
        return header;
    }
    i = find(p, i, end, '=');
    if (i < end && mark(p, i + 1) != '{' && find(p, i, end, ',') >= end) {
        header.at = i;
        header.declares = true;
    }
    return header;
}

void settle_expression(struct parse *p, struct function *f,
                       const struct header *header)
{
    if (header->at < 0)
        return;
    if (header->declares) {
        edit_behind(p, header->at, LAYER_STATEMENT, " (vgpu_c.flush(), ");
        edit_behind(p, header->end - 1, LAYER_CODE, ")");
    } else {
        edit_before(p, header->at, LAYER_STATEMENT, "vgpu_c.flush(), ");
    }
    f->counted = true;
}

/* ---- objects that look at the clock when they go --------------------------
 */

/* Its destructor may stop a timer at the block's end: an object declared after
 * it goes before it, and hands over first. */
void settle_object(struct parse *p, struct function *f, int from, int past)
{
    bool found = false;

    if (is_a(p, from, KEYWORD) && !is(p, from, W_const) && !is(p, from, W_auto))
        return;
    for (int i = from; i < past && !found; i++)
        found = is_name(p, i) && (word_flags(p, i) & WORD_ENDS);
    if (found) {
        edit_behind(p, past - 1, LAYER_CODE,
                    " ::vgpu_flusher vgpu_flusher_%d(vgpu_c);", ++p->serial);
        f->counted = true;
    }
}
