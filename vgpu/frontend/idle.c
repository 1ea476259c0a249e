/*
 * idle.c: loops of device code that do nothing but look: nothing in them is
 * written, and nothing called that could. Such a loop ends at once, or when
 * somebody else writes what it reads. A thread that goes round in one has to
 * give its turn away, and so each round is told (device/spin.c). Where what is
 * read is volatile or atomic, the reads tell as well, and they alone count.
 *
 * A GPU's compiler reads what is not volatile once, and the loop then goes
 * round for ever if it does at all. Here it ends if it can: the other case is
 * told.
 */
#include "parse.h"

#include <string.h>

#define MOST_TOKENS 200 /* who only looks looks at little */

/* Words before a bracket that are no calls, and calls that write nothing. */
static bool is_quiet(const struct parse *p, int i)
{
    static const char *const words[] = {"if",
                                        "while",
                                        "for",
                                        "sizeof",
                                        "static_cast",
                                        "const_cast",
                                        "alignof",
                                        "__nanosleep",
                                        "reinterpret_cast",
                                        "__syncwarp",
                                        "__threadfence",
                                        "__ldg",
                                        "__ldcg",
                                        "__ldcv",
                                        "__ldca",
                                        "__ldcs",
                                        "__threadfence_block",
                                        "__activemask",
                                        "__builtin_expect",
                                        "__threadfence_system"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(p, i, words[w]))
            return true;
    return is_keyword(p, i);
}

/* Words that do more than to choose the way. */
static bool is_loud(const struct parse *p, int i)
{
    static const char *const words[] = {"asm",    "__asm__", "__asm",  "new",
                                        "delete", "throw",   "switch", "<<<"};

    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(p, i, words[w]))
            return true;
    return false;
}

/* `=` and `+=`, but not `==`; `++`. */
static bool is_write(const struct parse *p, int i)
{
    const struct lex_token *t = &p->lex.tokens[i];

    if (t->kind != LEX_PUNCT)
        return false;
    if (is(p, i, "++") || is(p, i, "--"))
        return true;
    return t->text[t->length - 1] == '=' && !is(p, i, "==") &&
           !is(p, i, "!=") && !is(p, i, "<=") && !is(p, i, ">=");
}

/* A call is a name, or what a bracket closes, ahead of a `(`. */
static bool is_call(const struct parse *p, int i)
{
    if (mark(p, i) != '(')
        return false;
    return mark(p, i - 1) == ')' || mark(p, i - 1) == ']' ||
           (is_name(p, i - 1) && !is_quiet(p, i - 1));
}

static bool is_idle(const struct parse *p, int i, int end)
{
    for (i++; i < end; i++)
        if (is_write(p, i) || is_loud(p, i) || is_call(p, i))
            return false;
    return true;
}

/* After the statement at @i: a block, or what ends with a `;`. */
static int statement_end(const struct parse *p, int i, int end)
{
    return i < end && mark(p, i) == '{' ? skip(p, i) : find(p, i, end, ';') + 1;
}

bool idle_is_loop(const struct parse *p, int i, int end)
{
    int past;

    if (end > i + MOST_TOKENS)
        end = i + MOST_TOKENS;
    if (is(p, i, "do")) {
        past = statement_end(p, i + 1, end);
        if (past + 1 >= end || !is(p, past, "while"))
            return false;
        past = skip(p, past + 1);
        return past <= end && is_idle(p, i, past);
    }
    if (!is(p, i, "while") && !is(p, i, "for"))
        return false;
    if (mark(p, i + 1) != '(')
        return false;
    past = statement_end(p, skip(p, i + 1), end);
    return past <= end && is_idle(p, i, past);
}
