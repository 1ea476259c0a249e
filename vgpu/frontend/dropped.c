/*
 * dropped.c: calls of CUDA whose code the program does not take.
 *
 * A call that is a statement of its own,
 *     cudaMalloc(&p, bytes);
 * drops the code that it returns, and the runtime is told so:
 *     cudaMalloc(&p, bytes), ::vgpu_dropped("cudaMalloc");
 * if the call is on one line, as its place in a report would be another one.
 * Whether a code that was taken was looked at, nobody can tell, so nothing is
 * said of it; nor of one that the program drops on purpose, by `(void)`.
 */
#include "parse.h"

#include <string.h>

/* A type's name in parentheses declares a variable. */
static bool is_type(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);

    return t->length > 2 && !memcmp(t->text + t->length - 2, "_t", 2);
}

/* Of what follows, `})`, the value of a block is used. */
static bool is_value(const struct parse *p, int past)
{
    return mark(p, past) == '}' && mark(p, past + 1) == ')';
}

/* A compiler would give a call of several lines another one of them. */
static bool on_one_line(const struct parse *p, int i, int past)
{
    const char *const from = token(p, i)->text;

    return !memchr(from, '\n', (size_t)(token(p, past - 1)->text - from));
}

void dropped_note(struct parse *p, int i, int past)
{
    if (is(p, i, W_SCOPE))
        i++;
    if (!is_name(p, i) || !begins_with(p, i, "cuda") || is_type(p, i) ||
        mark(p, i + 1) != '(' || skip(p, i + 1) != past - 1 ||
        is_value(p, past) || !on_one_line(p, i, past))
        return;
    edit_behind(p, past - 2, LAYER_CODE, ", ::vgpu_dropped(\"%.*s\")",
                token(p, i)->length, token(p, i)->text);
}
