/*
 * lanes.c: device functions that can be done for many threads at once, and the
 * second copy of each. See include/vgpu/lanes.h and device/gang.c.
 *
 * Such a function takes and gives numbers of 32 or 64 bits and touches nothing
 * else: its text holds its parameters, its own variables, arithmetic, and calls
 * of such functions. The way through it must be the same for all threads: every
 * name in a loop's or an if's header, and whatever such a name is computed
 * from, is *common*. The other variables become lanes, one value for each
 * thread. With T F(T a, U n), n common and K a number:
 *
 *     template <class vgpu_P0, class vgpu_P1>
 *     __attribute__((always_inline)) static inline ::vgpu_lane<T>
 *     vgpu_lanes_K(::vgpu_cost &vgpu_c, const vgpu_P0 &vgpu_p0,
 *                  const vgpu_P1 &vgpu_p1)
 *     { typename ::vgpu_lane_param<T, vgpu_P0>::type a(vgpu_p0);
 *       U n(vgpu_p1); BODY }
 *     T F(T a, U n) { HEAD BODY }
 *
 * HEAD, only where there is a loop, joins a gang. Types are known by their
 * words alone, so whatever is not understood leaves the function as it is.
 */
#include "lanes.h"

#include <string.h>

enum type lanes_type(const struct parse *p, int i)
{
    if (is_a(p, i, INTEGER))
        return TYPE_INTEGER;
    return is(p, i, W_float)    ? TYPE_FLOAT
           : is(p, i, W_double) ? TYPE_DOUBLE
                                : TYPE_NONE;
}

/* ---- functions that are known -------------------------------------------- */

const struct lane_function *lanes_callee(const struct speed *s, int i)
{
    const int lane = known_of(s, i)->lane;

    return mark(s->p, i + 1) == '(' && lane && s->lanes[lane - 1].simple
               ? &s->lanes[lane - 1]
               : NULL;
}

/* ---- variables ----------------------------------------------------------- */

struct variable *lanes_variable(struct lanes *l, int i)
{
    for (int v = 0; v < l->num_variables; v++)
        if (is_same(l->p, l->variables[v].token, i))
            return &l->variables[v];
    return NULL;
}

static struct variable *add_variable(struct lanes *l, int i)
{
    struct variable *v = &l->variables[l->num_variables];

    if (l->num_variables == MOST_VARIABLES || lanes_variable(l, i))
        return NULL; /* of two with one name only one would be judged */
    l->num_variables++;
    memset(v, 0, sizeof *v);
    v->token = i;
    return v;
}

/* [from, to) is a type: at least one word of one. */
static bool is_type(const struct parse *p, int from, int to)
{
    bool found = false;

    for (int i = from; i < to; i++) {
        found |= lanes_type(p, i) != TYPE_NONE;
        if (lanes_type(p, i) == TYPE_NONE && !is(p, i, W_const))
            return false;
    }
    return found;
}

static bool read_params(struct lanes *l)
{
    const struct parse *p = l->p;
    int end = skip(p, l->head->params) - 1;

    for (int i = l->head->params + 1, next; i < end; i = next + 1) {
        struct variable *v;

        next = find(p, i, end, ',');
        if (next - i < 2 || !is_name(p, next - 1) || lanes_type(p, next - 1) ||
            !is_type(p, i, next - 1))
            return false;
        v = add_variable(l, next - 1);
        if (!v)
            return false;
        v->type = i;
        v->end = next - 1;
    }
    l->num_params = l->num_variables;
    return l->num_params > 0 && l->num_params <= MOST_VALUES &&
           end + 1 == l->open;
}

static bool read_result(struct lanes *l)
{
    int i = l->head->begin;

    while (is_a(l->p, i, SPECIFIER))
        i++;
    l->result = i;
    l->result_end = l->head->name;
    return is_type(l->p, i, l->head->name);
}

/* ---- pieces of the body -------------------------------------------------- */

/* The piece at @i, or an empty one. Return: after it, and its `;` or `)`. */
int lanes_piece(struct lanes *l, int i, struct piece *piece)
{
    const struct parse *p = l->p;
    bool header = is(p, i, W_for) || is(p, i, W_while) || is(p, i, W_if);

    piece->from = piece->to = i;
    piece->header = false;
    if (header && mark(p, i + 1) == '(') {
        piece->from = i + 2;
        piece->to = skip(p, i + 1) - 1;
        piece->header = true;
        l->branches = true;
        l->loops |= !is(p, i, W_if);
        return piece->to + 1;
    }
    if (is(p, i, W_do) || is(p, i, W_else)) {
        l->branches = true;
        return i + 1;
    }
    if (mark(p, i) == '{' || mark(p, i) == '}' || mark(p, i) == ';')
        return i + 1;
    piece->to = find(p, i, l->close, ';');
    return piece->to + 1;
}

static bool is_jump(const struct parse *p, int i)
{
    return is(p, i, W_break) || is(p, i, W_continue);
}

/* Every name must be known: by what it is, or by where it is declared. */
static bool names_known(struct lanes *l, const struct piece *piece)
{
    const struct parse *p = l->p;
    bool declares = false;
    int depth = 0;

    for (int i = piece->from; i < piece->to; i++) {
        const struct lex_token *t = token(p, i);

        depth += (mark(p, i) == '(') - (mark(p, i) == ')');
        if (mark(p, i) == ';')
            declares = false;
        if (t->kind != LEX_NAME)
            continue;
        if (lanes_type(p, i) || is(p, i, W_const)) {
            declares |= i == piece->from || mark(p, i - 1) == ';';
            continue;
        }
        if (is(p, i, W_return) || is_jump(p, i))
            continue;
        if (declares && !depth &&
            (lanes_type(p, i - 1) || mark(p, i - 1) == ',')) {
            if (mark(p, i + 1) == '(' || !add_variable(l, i))
                return false;
        } else if (!lanes_variable(l, i) &&
                   (piece->header || !lanes_callee(l->s, i))) {
            return false;
        }
    }
    return true;
}

/* Does the sign at @i assign, to the name before or behind it? */
static bool assigns(const struct parse *p, int i)
{
    return is(p, i, '=') || is_a(p, i, ASSIGNS);
}

static bool is_assigned(const struct parse *p, int i)
{
    return assigns(p, i + 1) || is(p, i - 1, W_PLUSPLUS) ||
           is(p, i - 1, W_MINUSMINUS);
}

/* What is computed together is common together. */
bool lanes_common(struct lanes *l, const struct piece *piece)
{
    if (piece->header || is_jump(l->p, piece->from))
        return true;
    for (int i = piece->from; i < piece->to; i++) {
        struct variable *v = lanes_variable(l, i);

        if (v && v->common && (is_assigned(l->p, i) || v->token == i))
            return true;
    }
    return false;
}

static void spread(struct lanes *l, const struct piece *piece)
{
    bool common = lanes_common(l, piece);

    for (int i = piece->from; i < piece->to; i++) {
        struct variable *v = lanes_variable(l, i);

        if (!v)
            continue;
        v->assigned |= is_assigned(l->p, i);
        if (common && !v->common)
            v->common = l->again = true;
    }
}

/* `<< 3`, `>> 3`: what a number of the text is shifted by, and no sum. */
static bool is_shift(const struct parse *p, int i)
{
    int by = i + 1;

    if (mark(p, i) == '>' && mark(p, by) == '>' && token(p, by)->glued)
        by++;
    else if (!is(p, i, W_SHIFT))
        return false;
    return token(p, by)->kind == LEX_NUMBER &&
           !strchr("+-*", mark(p, by + 1) ? mark(p, by + 1) : ' ');
}

/* Arithmetic that is the same bits for lanes. No division: where it faults the
 * thread could not be told. No ++, which is two operators of a class. */
static bool is_lane_operator(const struct parse *p, int i)
{
    if (is_shift(p, i) || is_shift(p, i - 1))
        return true;
    if (token(p, i)->length == 1)
        return strchr("(),=+-*&|^~", mark(p, i)) != NULL;
    return is(p, i, W_ADD) || is(p, i, W_SUBTRACT) || is(p, i, W_MULTIPLY) ||
           is(p, i, W_AND_BY) || is(p, i, W_OR_BY) || is(p, i, W_XOR_BY);
}

static bool is_number_of(const struct parse *p, int i, unsigned types)
{
    const struct lex_token *t = token(p, i);
    bool hex = t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X');

    if (types != 1u << TYPE_INTEGER)
        return true;
    if (memchr(t->text, '.', (size_t)t->length))
        return false;
    return hex || (!memchr(t->text, 'e', (size_t)t->length) &&
                   !memchr(t->text, 'E', (size_t)t->length));
}

/* Can the piece be written for lanes, or as it is if it is common? */
static bool suits(struct lanes *l, const struct piece *piece)
{
    const struct parse *p = l->p;
    bool common = lanes_common(l, piece);

    for (int i = piece->from; i < piece->to; i++) {
        const struct lex_token *t = token(p, i);
        bool call = t->kind == LEX_NAME && !lanes_variable(l, i) &&
                    lanes_callee(l->s, i) != NULL;

        if (t->openmp || t->parallel || (common && call))
            return false;
        if (t->kind == LEX_PUNCT &&
            (common ? strchr("[]{}.:?/%", *t->text) != NULL
                    : !is_lane_operator(p, i)))
            return false;
        if (t->kind != LEX_PUNCT && t->kind != LEX_NAME &&
            t->kind != LEX_NUMBER)
            return false;
        if (t->kind == LEX_NUMBER && !common && !is_shift(p, i - 1) &&
            !is_shift(p, i - 2) && !is_number_of(p, i, l->types))
            return false;
    }
    return true;
}

static void note_types(struct lanes *l, int from, int to)
{
    for (int i = from; i < to; i++)
        if (lanes_type(l->p, i))
            l->types |= 1u << lanes_type(l->p, i);
}

/* ---- is it one? ---------------------------------------------------------- */

typedef bool piece_fn(struct lanes *l, const struct piece *piece);

static bool each_piece(struct lanes *l, piece_fn *fn)
{
    struct piece piece;

    for (int i = l->open + 1; i < l->close;) {
        i = lanes_piece(l, i, &piece);
        if (piece.from < piece.to && !fn(l, &piece))
            return false;
    }
    return true;
}

static bool spread_piece(struct lanes *l, const struct piece *piece)
{
    spread(l, piece);
    return true;
}

static bool types_piece(struct lanes *l, const struct piece *piece)
{
    if (!lanes_common(l, piece))
        note_types(l, piece->from, piece->to);
    return true;
}

/* All lanes of one kind: a conversion out of range is anybody's guess. */
static bool one_kind(struct lanes *l)
{
    bool many = false;

    note_types(l, l->result, l->result_end);
    for (int v = 0; v < l->num_params; v++) {
        many |= !l->variables[v].common;
        if (!l->variables[v].common)
            note_types(l, l->variables[v].type, l->variables[v].end);
    }
    each_piece(l, types_piece);
    return many && (l->types & (l->types - 1)) == 0;
}

bool lanes_suited(struct lanes *l)
{
    const struct head *h = l->head;

    if (h->in_class || h->is_template || h->extern_ || h->constexpr_ ||
        h->global || !h->device || !is_name(l->p, h->name) ||
        word_of(l->p, h->name)->declared != 1 || !read_result(l) ||
        !read_params(l) || !each_piece(l, names_known))
        return false;
    do {
        l->again = false;
        each_piece(l, spread_piece);
    } while (l->again);
    return one_kind(l) && each_piece(l, suits);
}
