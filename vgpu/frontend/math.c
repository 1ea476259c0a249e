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

/* Each with the `f` behind it, too, for single precision. */
static const char *const functions[] = {
    "sin",   "cos",       "tan",   "sincos", "exp",    "exp2",   "exp10",
    "expm1", "log",       "log2",  "log10",  "log1p",  "sqrt",   "cbrt",
    "asin",  "acos",      "atan",  "sinh",   "cosh",   "tanh",   "asinh",
    "acosh", "atanh",     "erf",   "erfc",   "tgamma", "lgamma", "pow",
    "fmod",  "remainder", "atan2", "hypot",
};

static const char *const fast_functions[] = {
    "__sinf", "__cosf",  "__tanf",   "__tanhf", "__expf",    "__exp10f",
    "__logf", "__log2f", "__log10f", "__powf",  "__sincosf",
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool in_table(const char *const *table, size_t count, const char *name,
                     size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(table[i]) == length && !memcmp(table[i], name, length))
            return true;
    return false;
}

bool math_is_function(const struct parse *p, int i)
{
    const char *name = p->lex.tokens[i].text;
    size_t length = (size_t)p->lex.tokens[i].length;

    return in_table(functions, COUNT(functions), name, length) ||
           (name[length - 1] == 'f' &&
            in_table(functions, COUNT(functions), name, length - 1)) ||
           in_table(fast_functions, COUNT(fast_functions), name, length);
}

/* A function of the user's with the name of token @i: nothing says which of the
 * two is meant. */
static bool is_users(const struct parse *p, int i)
{
    return word_of(p, i)->declared;
}

/* A word in front means that this is declared here, not called. */
bool math_is_call(const struct parse *p, int i)
{
    if (mark(p, i + 1) != '(' || (is_name(p, i - 1) && !is_keyword(p, i - 1)))
        return false;
    return math_is_function(p, i) && !is_users(p, i);
}

/* By a number of the text the compiler divides with a product or a shift. */
int math_division_slots(const struct parse *p, int i)
{
    if (p->lex.tokens[i + 1].kind == LEX_NUMBER)
        return 0;
    if (mark(p, i) == '/' || is(p, i, "/="))
        return DIVIDE_SLOTS;
    return mark(p, i) == '%' || is(p, i, "%=") ? REMAINDER_SLOTS : 0;
}
