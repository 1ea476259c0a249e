/*
 * names.c: which functions run where. Calls that nvcc refuses are refused
 * here too, else a program would work on the virtual GPU only.
 *
 * There are names only, no types: where functions of one name differ, or a
 * variable may hide them, nothing is said.
 */
#include "parse.h"

/* Is the head a function's, by all that one can tell? */
static bool declares_function(const struct parse *p, const struct head *h)
{
    int inner = h->params + 1;

    return h->params >= 0 && h->name > h->begin && is_plain(p, h->name) &&
           !is(p, h->begin, W_typedef) && !is(p, h->begin, W_using) &&
           mark(p, inner) != '*' && token(p, inner)->kind != LEX_NUMBER &&
           mark(p, inner) != '&' && !is(p, inner + 1, W_SCOPE);
}

/* Is one of two namespaces' `{` in the other's? 0 is what is in none. */
static bool is_nested(const struct parse *p, int a, int b)
{
    const int outer = a < b ? a : b, inner = a < b ? b : a;

    return !outer || outer == inner || inner < token(p, outer)->match;
}

static void note_where(struct parse *p, int name, enum where where)
{
    struct word *word = word_of(p, name);

    if (!word->declared++) {
        word->where = where;
        word->space = p->space;
        return;
    }
    word->where = word->where == where ? where : WHERE_UNKNOWN;
    word->apart |= !is_nested(p, word->space, p->space);
    word->space = word->space > p->space ? word->space : p->space;
}

/* Members and qualified names are noted as unknown, so that a free function of
 * the same name is not judged by them; and what CUDA has for both sides, of
 * which a declaration in the text is the same again, or one for other types. */
void names_note(struct parse *p, const struct head *h)
{
    enum where where = h->global              ? WHERE_KERNEL
                       : h->device && h->host ? WHERE_UNKNOWN
                       : h->device            ? WHERE_DEVICE
                                              : WHERE_HOST;

    if (!declares_function(p, h))
        return;
    if (h->host || !h->device)
        settle_note(p, h->name,
                    h->device || h->constexpr_ ? SETTLE_QUIET
                                               : SETTLE_DECLARED);
    if (h->in_class || h->constexpr_ || is(p, h->name - 1, W_SCOPE) ||
        is(p, h->name - 1, '~') || is_a(p, h->name, BOTH | MATH))
        where = WHERE_UNKNOWN;
    note_where(p, h->name, where);
}

/* Overloads for both sides are common; with two answers there is none. A
 * namespace's function may be meant outside of it (`using`) or not: then it is
 * a function of the same name that nobody here has seen, as min is. */
enum where names_where(const struct parse *p, int i)
{
    const struct word *word = word_of(p, i);
    const int space = word->space;

    if (!word->declared)
        return WHERE_NOWHERE;
    return word->apart || (space && (i <= space || i >= token(p, space)->match))
               ? WHERE_UNKNOWN
               : word->where;
}

/* May a local variable or a parameter of the function that begins at @begin
 * have the name at @i? */
static bool is_hidden(const struct parse *p, int begin, int i)
{
    return p->links[i].bare > begin;
}

/* Only plain calls, f(...): behind a dot, an arrow, "::" or a type's name
 * stands something whose home is not known by its name. */
void names_check(struct parse *p, const struct function *f, int i)
{
    const struct lex_token *t = token(p, i);
    enum where where;

    if (mark(p, i + 1) != '(' || is_a(p, i, KEYWORD) || is(p, i - 1, '.') ||
        is(p, i - 1, W_ARROW) || is(p, i - 1, W_SCOPE) ||
        mark(p, i - 1) == '>' || (is_plain(p, i - 1)))
        return;
    where = names_where(p, i);
    if (where == WHERE_NOWHERE || where == WHERE_UNKNOWN ||
        is_hidden(p, f->begin, i))
        return;
    if (where == WHERE_KERNEL)
        refuse(p, i,
               "kernel '%.*s' is called like a function: launch it with "
               "%.*s<<<grid, block>>>(...)",
               t->length, t->text, t->length, t->text);
    else if (where == WHERE_HOST && f->device && !f->host)
        refuse(p, i,
               "host function '%.*s' is called from device code: declare it "
               "__device__",
               t->length, t->text);
    else if (where == WHERE_DEVICE && f->device && f->host && !f->outer &&
             p->options->strict && !is(p, f->begin, W_template))
        refuse(p, i,
               "__device__ function '%.*s' is called from a function that is "
               "__host__, too",
               t->length, t->text);
    else if (where == WHERE_DEVICE && !f->device)
        refuse(p, i, "__device__ function '%.*s' is called from host code",
               t->length, t->text);
}
