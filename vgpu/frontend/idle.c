/*
 * idle.c: loops that do nothing but look: nothing in them is
 * written, and nothing called that could. Such a loop ends at once, or when
 * somebody else writes what it reads. A thread that goes round in one has to
 * give its turn away, and so each round is told (device/spin.c). Where what is
 * read is volatile or atomic, the reads tell as well, and they alone count.
 *
 * What was looked at may be kept, in a variable that the loop has not read
 * before: all rounds then do the same. So do those that a kernel's thread
 * counts, in a variable that nothing else in the loop names. And a round may
 * wait for other threads, at barriers or votes: then they all go round, or one
 * of them will do more.
 *
 * A compiler reads what is not volatile once, and the loop then goes round for
 * ever if it does at all. Here it ends if it can: the other case is told. So it
 * is with a loop of the host's (runtime/go_on.c).
 */
#include "parse.h"

#include <string.h>

#define MOST_TOKENS 200 /* who only looks looks at little */

/* Atomics that come to nothing new when they are done again. */
static bool is_settled(const struct parse *p, int i)
{
    const int last = skip(p, i + 1) - 2;

    if (is_a(p, i, SETTLED))
        return true;
    if (is(p, i, W_load)) /* of std::atomic */
        return mark(p, i - 1) == '.' || is(p, i - 1, W_ARROW);
    return is_a(p, i, SUMS) && mark(p, last - 1) == ',' &&
           token(p, last)->text[0] == '0' && token(p, last)->length <= 2;
}

static bool is_write(const struct parse *p, int i)
{
    return is(p, i, '=') || is_a(p, i, ASSIGNS);
}

/* Is the `=` at @i all of what a statement does, to a variable's name that the
 * loop from @begin on has not read up to the statement's end? */
static bool is_kept(const struct parse *p, int begin, int i, int end)
{
    const int name = i - 1, past = find(p, i, end, ';');
    const char before = mark(p, i - 2);

    if (!is(p, i, '=') || !is_plain(p, name))
        return false;
    if (is(p, i - 2, W_ARROW) || is(p, i - 2, W_SCOPE) ||
        (before && !strchr(";{})", before)))
        return false;
    for (int k = begin; k < past; k++)
        if (k != name && is_same(p, k, name) && !is(p, k + 1, '='))
            return false;
    return true;
}

/* Is the `++` at @i all of what a statement does, or the end of a header, to a
 * variable that the loop does not name elsewhere? */
static bool is_counted(const struct parse *p, int begin, int i, int end)
{
    const bool before = is_name(p, i + 1);
    const int name = before ? i + 1 : i - 1;
    const char first = mark(p, before ? i - 1 : i - 2);
    const char last = mark(p, before ? i + 2 : i + 1);

    if (!(is(p, i, W_PLUSPLUS) || is(p, i, W_MINUSMINUS)) ||
        !is_name(p, name) || !first || !strchr(";{})", first) || !last ||
        !strchr(";)", last))
        return false;
    for (int k = begin; k < end; k++)
        if (k != name && is_same(p, k, name))
            return false;
    return true;
}

/* A call is a name, or what a bracket closes, ahead of a `(`. */
static bool is_call(const struct parse *p, int i)
{
    if (mark(p, i) != '(')
        return false;
    return mark(p, i - 1) == ')' || mark(p, i - 1) == ']' ||
           (is_name(p, i - 1) &&
            !is_a(p, i - 1, KEYWORD | QUIET | VOTES | MEETS));
}

/* A `for` says in its header what comes after its body. */
static int header_end(const struct parse *p, int i)
{
    return is(p, i, W_for) ? skip(p, i + 1) : i;
}

/* What is atomic tells by itself, where nobody waits between. */
static struct idle read_loop(const struct parse *p, int begin, int end)
{
    struct idle idle = {.loop = true};
    bool atomics = false;
    int header = header_end(p, begin);

    for (int i = begin + 1; i < end && idle.loop; i++) {
        const bool atomic = is_call(p, i) && is_settled(p, i - 1);
        const bool kept = i >= header && is_kept(p, begin, i, end);
        const bool counted = is_counted(p, begin, i, end);

        header = i > header ? header_end(p, i) : header;
        atomics |= atomic;
        idle.writes |= kept;
        idle.counts |= counted;
        idle.votes |= is_a(p, i, VOTES);
        idle.meets |= is_a(p, i, MEETS);
        idle.loop = (!is_write(p, i) || kept || counted) &&
                    !is_a(p, i, ACTS | ASM) && (!is_call(p, i) || atomic);
    }
    if (!idle.loop)
        return (struct idle){0};
    idle.looks = true;
    return !atomics || idle.votes || idle.meets ? idle
                                                : (struct idle){.looks = true};
}

/* After the statement at @i: a block, or what ends with a `;`. */
static int statement_end(const struct parse *p, int i, int end)
{
    return i < end && mark(p, i) == '{' ? skip(p, i) : find(p, i, end, ';') + 1;
}

struct idle idle_loop(const struct parse *p, int i, int end)
{
    const struct idle none = {0};
    int past;

    if (end > i + MOST_TOKENS)
        end = i + MOST_TOKENS;
    if (is(p, i, W_do)) {
        past = statement_end(p, i + 1, end);
        if (past + 1 >= end || !is(p, past, W_while))
            return none;
        past = skip(p, past + 1);
        return past <= end ? read_loop(p, i, past) : none;
    }
    if (!is(p, i, W_while) && !is(p, i, W_for))
        return none;
    if (mark(p, i + 1) != '(')
        return none;
    past = statement_end(p, skip(p, i + 1), end);
    return past <= end ? read_loop(p, i, past) : none;
}

/* For the checker (check/flag.c). What came from no file has no lines. */
void idle_note(struct parse *p, int i, int past)
{
    const struct lex_token *const first = token(p, i);
    const struct lex_token *const last = token(p, past - 1);
    const struct lex_file *file;

    if (first->file < 0 || last->file != first->file)
        return;
    file = &p->lex.files[first->file];
    if (!file->user)
        return;
    buf_puts(&p->looks, "{");
    buf_add(&p->looks, file->name, (size_t)file->length);
    buf_printf(&p->looks, ", %d, %d}, ", first->line, last->line);
}

void idle_write(const struct parse *p, struct buf *out)
{
    if (p->looks.data)
        buf_printf(out,
                   "static struct { const char *file; unsigned from, to; } "
                   "vgpu_looks[] __attribute__((section(\"vgpu_looks\"), used))"
                   " = {%s};",
                   p->looks.data);
}
