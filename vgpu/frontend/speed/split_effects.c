/*
 * split_effects.c: what memory a part of a kernel that is split reads and
 * writes, by its text alone.
 *
 * Two parts with no barrier between are done by all threads one after the
 * other, and not by each thread both. That shows where one writes what the
 * other touches. A kernel's parameters point to memory that is not the block's
 * own; of what else points somewhere nothing is known.
 */
#include "split.h"

enum {
    READS = 1,
    WRITES = 2,
    READS_OWN = 4, /* the block's */
    WRITES_OWN = 8,
    DOES_ALL = 15,
};

bool split_effects_meet(unsigned a, unsigned b)
{
    const unsigned reads = READS | READS_OWN;
    const unsigned a_writes = a >> 1 & reads, b_writes = b >> 1 & reads;

    return (a_writes & (b | b_writes)) || (b_writes & (a | a_writes));
}

/* Is what the name at @i begins, `x[i].y`, read, or written as well? */
static unsigned access_of(const struct parse *p, int i, unsigned reads,
                          unsigned writes)
{
    const bool before = is(p, i - 1, W_PLUSPLUS) || is(p, i - 1, W_MINUSMINUS);

    i++;
    while (mark(p, i) == '[' || mark(p, i) == '.')
        i = mark(p, i) == '[' ? skip(p, i) : i + 2;
    return before || split_behind_assignment(p, i) ? reads | writes : reads;
}

/* A call of what computes something from numbers, and no more. */
static bool is_harmless_call(const struct split *sp, int i)
{
    const struct parse *p = sp->p;
    const struct word *word = word_of(p, i);

    if (is_a(p, i, KEYWORD | TYPE | INTEGER | MATH | BOTH) ||
        is(p, i, W_static_cast) || known_of(sp->s, i)->lane)
        return true;
    return is_plain(p, i) && !word->declared && !word->class_open &&
           !word->bare && !begins_with(p, i, "atomic") &&
           !begins_with(p, i, "__threadf") && !is_name(p, i - 1) &&
           mark(p, i - 1) != '>';
}

static unsigned effects_of_name(struct split *sp, int i)
{
    const struct parse *p = sp->p;
    const struct split_variable *v = split_variable_at(sp, i);
    const bool part = mark(p, i + 1) == '[';

    if (is(p, i - 1, '.') || is_a(p, i, INDEX))
        return 0;
    if (mark(p, i + 1) == '(')
        return is_harmless_call(sp, i) ? 0 : DOES_ALL;
    if (v && (part || mark(p, i + 1) == '.'))
        return v->base < 0         ? access_of(p, i, READS, WRITES)
               : v->array || !part ? 0
                                   : DOES_ALL;
    if (v)
        return 0;
    if (word_of(p, i)->shared)
        return part || !known_of(sp->s, i)->shared_array_in
                   ? access_of(p, i, READS_OWN, WRITES_OWN)
                   : DOES_ALL;
    if (known_of(sp->s, i)->varies)
        return access_of(p, i, READS, WRITES);
    /* `type name` within a part, or what it points to. */
    return part || (is_plain(p, i) && is_plain(p, i + 1) &&
                    !is_a(p, i, INTEGER | TYPE | CV))
               ? DOES_ALL
               : 0;
}

static unsigned effects_of_sign(struct split *sp, int i)
{
    const struct parse *p = sp->p;
    const bool operand = split_ends_operand(p, i - 1);
    const struct split_variable *v = split_variable_at(sp, i + 1);

    if (is(p, i, W_ARROW))
        return DOES_ALL;
    if (mark(p, i) == '&' && (!operand || is_a(p, i - 1, TYPE | INTEGER) ||
                              (is_plain(p, i + 1) && mark(p, i + 2) == '=')))
        return DOES_ALL;
    if (mark(p, i) == '*' && !operand)
        return v && v->base < 0 ? access_of(p, i + 1, READS, WRITES) : DOES_ALL;
    if (mark(p, i) == '(' && (mark(p, i - 1) == '>' || mark(p, i - 1) == ']' ||
                              (mark(p, i - 1) == ')' && operand)))
        return DOES_ALL;
    return 0;
}

unsigned split_effects(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    unsigned effects = 0;

    for (; i < end; i++) {
        if (token(p, i)->kind == LEX_NAME)
            effects |= effects_of_name(sp, i);
        else if (token(p, i)->kind == LEX_PUNCT)
            effects |= effects_of_sign(sp, i);
        if (mark(p, i) == '[' && body_lambda(p, i, end) >= 0)
            effects = DOES_ALL;
    }
    return effects;
}
