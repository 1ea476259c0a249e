/*
 * math.c: what takes longer than other operations of device code: math
 * functions and divisions.
 *
 * A call counts as one operation like any other call. Math functions of C count
 * themselves what they take (include/vgpu/math.h), so their names are replaced.
 * A division has no name; it is counted with the block that it stands in.
 */
#include "parse.h"

#include <string.h>

/*
 * Instructions that a division takes beyond the operation it is, in slots of
 * vgpu/math.h: 20 between floats, 45 between integers, and here nobody knows
 * of which type they are; but a remainder is of integers.
 */
enum { DIVIDE_SLOTS = 24, REMAINDER_SLOTS = 45 };

/* A function of the user's with the name of token @i: nothing says which of the
 * two is meant. */
static bool is_users(const struct parse *p, int i)
{
    return word_of(p, i)->declared;
}

/* A word in front means that this is declared here, not called. */
bool math_is_call(const struct parse *p, int i)
{
    if (mark(p, i + 1) != '(' || (is_plain(p, i - 1)))
        return false;
    return is_a(p, i, MATH) && !is_users(p, i);
}

/* By a number of the text the compiler divides with a product or a shift. */
int math_division_slots(const struct parse *p, int i)
{
    if (token(p, i + 1)->kind == LEX_NUMBER)
        return 0;
    if (mark(p, i) == '/' || is(p, i, W_DIVIDE))
        return DIVIDE_SLOTS;
    return mark(p, i) == '%' || is(p, i, W_REMAINDER) ? REMAINDER_SLOTS : 0;
}
