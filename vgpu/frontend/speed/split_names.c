/*
 * split_names.c: what becomes of a variable of a kernel that is split
 * (split.c): by what it is computed from, and by what changes it.
 */
#include "split.h"

#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

bool split_has(const struct parse *p, int i, int end, int word)
{
    for (; i < end; i++)
        if (is(p, i, word))
            return true;
    return false;
}

static bool is_member(const struct parse *p, int i)
{
    return is(p, i - 1, '.') || is(p, i - 1, W_ARROW) || is(p, i - 1, W_SCOPE);
}

/* Can the token at @i end an operand? Then `&` and `*` behind it have two. */
bool split_ends_operand(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);

    if (t->kind == LEX_NAME)
        return !is_a(p, i, KEYWORD);
    return t->kind != LEX_PUNCT || mark(p, i) == ')' || mark(p, i) == ']';
}

/* Behind an assignment's sign at @i, or 0 where there is none. `>>=` is two. */
int split_behind_assignment(const struct parse *p, int i)
{
    if (mark(p, i) == '>' && is(p, i + 1, W_GREATER_EQUAL) &&
        token(p, i + 1)->glued)
        return i + 2;
    return mark(p, i) == '=' || is_a(p, i, ASSIGNS) ? i + 1 : 0;
}

/* ---- declarations -------------------------------------------------------- */

/* Behind the words of a type at @i, or @i if none begins there. */
int split_type_end(const struct parse *p, int i, int end, bool *object)
{
    const int begin = i;

    *object = false;
    while (is_a(p, i, CV | TAG) || is(p, i, W_constexpr))
        i++;
    if (is_a(p, i, TYPE | INTEGER)) {
        while (is_a(p, i, TYPE | INTEGER | CV))
            i++;
        return i;
    }
    if (is(p, i, W_auto))
        return is_a(p, i + 1, CV) ? i + 2 : i + 1;
    *object = true;
    for (i += is(p, i, W_SCOPE); i < end; i++) {
        if (!is_plain(p, i) || is_a(p, i, INDEX))
            return begin;
        i++;
        if (mark(p, i) == '<')
            i = angle_end(p, i, end);
        if (!is(p, i, W_SCOPE))
            break;
    }
    while (is_a(p, i, CV))
        i++;
    return i;
}

bool split_is_pointer_sign(const struct parse *p, int i)
{
    return mark(p, i) == '*' || mark(p, i) == '&' || is(p, i, W_ANDAND) ||
           is_a(p, i, CV);
}

/* Does the statement at @i declare variables? Return: behind its type. */
static int declaration(const struct parse *p, int i, int end, bool *object)
{
    const int base = split_type_end(p, i, end, object);
    int name = base;

    while (split_is_pointer_sign(p, name))
        name++;
    if (base == i || !is_plain(p, name) || name >= end)
        return i;
    return mark(p, name + 1) && strchr("=;,[({", mark(p, name + 1)) ? base : i;
}

bool split_declares(const struct split *sp, int i, int end)
{
    bool object;

    return declaration(sp->p, i, end, &object) > i;
}

struct split_variable *split_add_variable(struct split *sp, int name)
{
    struct split_variable *v = &sp->variables[sp->num_variables];

    if (sp->num_variables == MOST_SPLIT_VARIABLES || is_a(sp->p, name, INDEX) ||
        split_variable_at(sp, name)) {
        sp->fits = false; /* of two with one name one would be forgotten */
        return NULL;
    }
    sp->num_variables++;
    memset(v, 0, sizeof *v);
    v->name = name;
    v->value = -1;
    return v;
}

/* Those that [i, end), without its `;`, declares. */
void split_add_declared(struct split *sp, int i, int end, int scope_end)
{
    const struct parse *p = sp->p;
    bool object;
    const int first = i, base = declaration(p, i, end + 1, &object);
    struct split_variable *v;

    for (i = base; i < end; i = v->past + 1) {
        int name = i;

        while (split_is_pointer_sign(p, name))
            name++;
        v = is_plain(p, name) ? split_add_variable(sp, name) : NULL;
        if (!v) {
            sp->fits = false;
            return;
        }
        v->base = first;
        v->base_end = base;
        v->begin = i;
        v->object = object && mark(p, i) != '*';
        v->is_auto = split_has(p, first, base, W_auto);
        v->is_constant = (split_has(p, first, base, W_const) && name == i) ||
                         split_has(p, first, base, W_constexpr);
        for (int k = i; k < name; k++)
            v->reference |= mark(p, k) == '&' || is(p, k, W_ANDAND);
        for (v->end = name + 1; mark(p, v->end) == '[';)
            v->end = skip(p, v->end);
        v->array = v->end > name + 1;
        v->past = find(p, v->end, end, ',');
        v->value = v->end < v->past ? v->end : -1;
        v->scope_end = scope_end;
        sp->fits &= v->value < 0 || (mark(p, v->value) != 0 &&
                                     strchr("=({", mark(p, v->value)));
    }
}

struct split_variable *split_variable_at(struct split *sp, int i)
{
    const struct parse *p = sp->p;

    if (!is_plain(p, i) || is_member(p, i))
        return NULL;
    for (int n = sp->num_variables; n-- > 0;) {
        struct split_variable *v = &sp->variables[n];

        if (is_same(p, v->name, i) && v->name <= i && i < v->scope_end)
            return v;
    }
    return NULL;
}

bool split_is_alive(const struct split *sp, const struct split_variable *v,
                    int to)
{
    for (int i = to; i < v->scope_end; i++)
        if (is_same(sp->p, i, v->name) && !is_member(sp->p, i))
            return true;
    return false;
}

/* ---- expressions --------------------------------------------------------- */

/* May a sign stand in what is the same whoever computes it, and when? No memory
 * is looked at. */
static bool is_plain_sign(const struct parse *p, int i)
{
    if (mark(p, i) == '[' || is(p, i, W_ARROW) || is_a(p, i, ASSIGNS) ||
        mark(p, i) == '=')
        return false;
    return (mark(p, i) != '*' && mark(p, i) != '&') ||
           split_ends_operand(p, i - 1);
}

static bool is_plain_word(struct split *sp, int i, bool threads, bool moving)
{
    const struct parse *p = sp->p;
    const struct split_variable *v = split_variable_at(sp, i);

    if (is_a(p, i, TYPE | INTEGER) || is(p, i, W_static_cast) ||
        is(p, i, W_const) || is(p, i, W_sizeof))
        return true;
    if (is_a(p, i, INDEX))
        return mark(p, i + 1) == '.' && (threads || !is(p, i, W_threadIdx));
    if (mark(p, i + 1) == '(')
        return is(p, i, W_min) || is(p, i, W_max);
    if (is_a(p, i, KEYWORD))
        return false;
    if (is(p, i - 1, '.'))
        return true;
    if (v)
        return v->kind == SPLIT_SAME || (v->kind == SPLIT_MOVING && moving) ||
               (v->kind == SPLIT_AGAIN && threads);
    return !word_of(p, i)->shared && !known_of(sp->s, i)->varies;
}

/* Is [i, end) the same whenever it is computed; without @threads for all of
 * them? @moving: now. */
bool split_is_plain(struct split *sp, int i, int end, bool threads, bool moving)
{
    const struct parse *p = sp->p;

    for (; i < end; i++) {
        const struct lex_token *t = token(p, i);

        if (t->kind == LEX_STRING ||
            (t->kind == LEX_PUNCT && !is_plain_sign(p, i)) ||
            (t->kind == LEX_NAME && !is_plain_word(sp, i, threads, moving)))
            return false;
        if (is(p, i, W_sizeof) && mark(p, i + 1) == '(')
            i = skip(p, i + 1) - 1;
    }
    return true;
}

bool split_is_limit(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;

    for (int k = i; k < end; k = skip(p, k))
        if (!(mark(p, k) == '(' || token(p, k)->kind != LEX_PUNCT ||
              is(p, k, W_SHIFT) || is(p, k, W_SCOPE) ||
              (mark(p, k) && strchr("+-*/%.", mark(p, k)))))
            return false;
    return i < end && split_is_plain(sp, i, end, false, true);
}

/* `x = ...`, `x *= ...`, `x++`, `++x`, all in [i, end), for all threads: the
 * variable's token, else -1. */
int split_moved_name(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    const bool before = is(p, i, W_PLUSPLUS) || is(p, i, W_MINUSMINUS);
    const int name = i + before, value = split_behind_assignment(p, name + 1);

    if (!split_variable_at(sp, name))
        return -1;
    if (before)
        return name + 1 == end ? name : -1;
    if (is(p, name + 1, W_PLUSPLUS) || is(p, name + 1, W_MINUSMINUS))
        return name + 2 == end ? name : -1;
    return value && value < end && split_is_plain(sp, value, end, false, true)
               ? name
               : -1;
}

bool split_is_move(struct split *sp, int i, int end)
{
    const int name = split_moved_name(sp, i, end - 1);

    return name >= 0 && split_variable_at(sp, name)->kind == SPLIT_MOVING;
}

int split_is_exit(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    const int close = skip(p, i + 1) - 1;
    int word = close + 1 + (mark(p, close + 1) == '{');

    if (!is(p, i, W_if) || mark(p, i + 1) != '(' ||
        end != word + 2 + (mark(p, close + 1) == '{') ||
        mark(p, word + 1) != ';' ||
        !split_is_plain(sp, i + 2, close, false, true))
        return 0;
    return is(p, word, W_return) || is(p, word, W_break) ||
                   is(p, word, W_continue)
               ? word
               : 0;
}

/* ---- what changes a variable --------------------------------------------- */

/* What takes its arguments by their values: no variable, no class, no function
 * of the user's with a reference. */
static bool takes_values(const struct split *sp, int name)
{
    const struct parse *p = sp->p;

    if (is_a(p, name, KEYWORD | TYPE | INTEGER | MATH | BOTH | QUIET))
        return true;
    if (is_member(p, name) || word_of(p, name)->class_open ||
        word_of(p, name)->bare)
        return false;
    for (int n = 0; n < sp->s->num_functions; n++) {
        const struct head *h = &sp->s->functions[n].code->head;

        if (is_same(p, sp->s->functions[n].name, name) &&
            split_has(p, h->params, skip(p, h->params), '&'))
            return false;
    }
    return true;
}

/* Is it an argument as it stands, of what may change it? */
static bool is_given_away(const struct split *sp, int i)
{
    const struct parse *p = sp->p;
    int open = i - 1;

    if (!mark(p, i - 1) || !strchr("(,{", mark(p, i - 1)) || !mark(p, i + 1) ||
        !strchr("),}", mark(p, i + 1)))
        return false;
    while (open > sp->open && mark(p, open) != '(' && mark(p, open) != '{' &&
           mark(p, open) != '[' && mark(p, open) != ';')
        open = token(p, open)->match >= 0 && token(p, open)->match < open
                   ? token(p, open)->match - 1
                   : open - 1;
    if (mark(p, open) == '{')
        return is_plain(p, open - 1) && mark(p, open - 2) == '&';
    return mark(p, open) == '(' &&
           (mark(p, open - 1) == ')' || mark(p, open - 1) == ']' ||
            mark(p, open - 1) == '>' ||
            (is_name(p, open - 1) && !takes_values(sp, open - 1)));
}

/* A member of an object is changed, or may be by a function of its own. */
static bool changes_member(const struct parse *p, int i)
{
    if (mark(p, i + 1) == '[' || mark(p, i + 1) == '(' || is(p, i + 1, W_ARROW))
        return true;
    for (i++; mark(p, i) == '.'; i += 2)
        ;
    return mark(p, i) == '(' || mark(p, i) == '[' ||
           split_behind_assignment(p, i);
}

/* May what stands at token @i change @v? */
static bool changes(const struct split *sp, const struct split_variable *v,
                    int i)
{
    const struct parse *p = sp->p;

    if (split_behind_assignment(p, i + 1) || is(p, i - 1, W_PLUSPLUS) ||
        is(p, i - 1, W_MINUSMINUS))
        return true;
    if (v->is_constant)
        return mark(p, i - 1) == '&' && !split_ends_operand(p, i - 2);
    if (mark(p, i - 1) == '&' && !split_ends_operand(p, i - 2))
        return true;
    if (mark(p, i - 1) == '=' && is_plain(p, i - 2) &&
        (mark(p, i - 3) == '&' || is(p, i - 3, W_ANDAND)))
        return true;
    return is_given_away(sp, i) || (v->object && changes_member(p, i));
}

static const struct split_place *place_of(const struct split *sp, int i)
{
    for (int n = 0; n < sp->num_places; n++)
        if (sp->places[n].from <= i && i < sp->places[n].to)
            return &sp->places[n];
    return NULL;
}

/* How is it changed? The loop that declares it may, for the next round. */
static enum split_kind kind_by_changes(struct split *sp,
                                       const struct split_variable *v)
{
    const struct parse *p = sp->p;
    enum split_kind kind = SPLIT_SAME;
    const int from = v->base < 0 ? sp->open : v->past;

    for (int i = from; i < v->scope_end; i++) {
        const struct split_place *place;

        if (!is_same(p, i, v->name) || is_member(p, i) || !changes(sp, v, i))
            continue;
        place = place_of(sp, i);
        if (!place || split_moved_name(sp, place->from, place->to) != i)
            return SPLIT_KEPT;
        if (i < v->header || i >= v->header_end)
            kind = SPLIT_MOVING;
    }
    return kind;
}

static enum split_kind find_kind(struct split *sp,
                                 const struct split_variable *v)
{
    const enum split_kind kind = kind_by_changes(sp, v);

    if (v->base < 0)
        return kind;
    if (kind == SPLIT_KEPT || v->array || v->reference || v->object)
        return SPLIT_KEPT;
    if (v->value < 0)
        return kind == SPLIT_MOVING ? kind : SPLIT_KEPT;
    if (split_is_plain(sp, v->value + 1, v->past, false, v->header))
        return kind;
    return kind == SPLIT_SAME &&
                   split_is_plain(sp, v->value + 1, v->past, true, false)
               ? SPLIT_AGAIN
               : SPLIT_KEPT;
}

/* From the best that all could be. */
void split_find_kinds(struct split *sp)
{
    bool again = true;

    while (again) {
        again = false;
        for (int n = 0; n < sp->num_variables; n++) {
            struct split_variable *v = &sp->variables[n];
            const enum split_kind kind = find_kind(sp, v);

            again |= kind > v->kind;
            v->kind = kind > v->kind ? kind : v->kind;
        }
    }
}
