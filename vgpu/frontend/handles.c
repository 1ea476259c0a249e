/*
 * handles.c: what the program calls its streams and events.
 *
 * A timeline that says `streams[3]` and `copied[1]` needs no search for which
 * one is meant. So where a stream or an event is made in a variable,
 *     cudaEventCreate(&slot->copied[i])
 * its words and the values of its subscripts go to the runtime, too:
 *     cudaEventCreate(::vgpu_named(&slot->copied[i], "slot->copied[]", i))
 * Subscripts are evaluated twice by that: only those are taken that change
 * nothing.
 */
#include "parse.h"

#include <string.h>

enum { MAX_SUBSCRIPTS = 3, MAX_TOKENS = 24 };

static bool makes_handle(const struct parse *p, int i)
{
    return begins_with(p, i, "cudaStreamCreate") ||
           begins_with(p, i, "cudaEventCreate");
}

/* Names, numbers and plain arithmetic. */
static bool is_harmless(const struct parse *p, int from, int to)
{
    for (int i = from; i < to; i++)
        if (!is_name(p, i) && token(p, i)->kind != LEX_NUMBER &&
            !strchr("+-*/%.", mark(p, i) ? mark(p, i) : ' ') &&
            !is(p, i, W_ARROW))
            return false;
    return from < to;
}

/* Read `name[i].name[j]...` from token @i up to @end: words without what is in
 * brackets, and that. Return: is it nothing else? */
static bool read_place(const struct parse *p, int i, int end, struct buf *words,
                       struct buf *values)
{
    int subscripts = 0;

    if (!is_name(p, i) || end - i > MAX_TOKENS)
        return false;
    for (; i < end; i++) {
        if (mark(p, i) == '[') {
            const int close = skip(p, i) - 1;

            if (++subscripts > MAX_SUBSCRIPTS || !is_harmless(p, i + 1, close))
                return false;
            buf_puts(values, ", (long long)(");
            flatten(p, i + 1, close, values);
            buf_puts(values, ")");
            buf_puts(words, "[]");
            i = close;
        } else if (is_name(p, i) || mark(p, i) == '.' || is(p, i, W_ARROW)) {
            flatten(p, i, i + 1, words);
        } else {
            return false;
        }
    }
    return true;
}

void handles_name(struct parse *p)
{
    for (int i = 0; i + 3 < p->lex.count; i++) {
        struct buf words = {0}, values = {0};
        int end;

        if (!makes_handle(p, i) || mark(p, i + 1) != '(' ||
            mark(p, i + 2) != '&')
            continue;
        end = find(p, i + 3, skip(p, i + 1) - 1, ',');
        if (read_place(p, i + 3, end, &words, &values)) {
            edit_behind(p, i + 1, LAYER_CODE, "::vgpu_named(");
            edit_behind(p, end - 1, LAYER_CODE, ", \"%s\"%s)", words.data,
                        values.data ? values.data : "");
        }
        buf_free(&words);
        buf_free(&values);
    }
}
