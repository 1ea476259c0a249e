/*
 * sums.c: atomics that do not show in which order a kernel's blocks run.
 *
 * Two kinds are told from their text. One is of a __shared__ variable, which
 * each block has for itself. The other is the last thing that a thread does,
 * for its effect alone: then nobody in the kernel may rely on seeing it, and it
 * may as well be made when all blocks have run, in their order
 * (device/later.c). Sums of a block's threads end so, and histograms.
 */
#include "parts.h"

/* A pointer to shared memory is none. */
void sums_note_shared(struct speed *s, const struct device_function *f)
{
    const struct parse *p = s->p;
    bool within = false;

    for (int i = f->begin; i < f->end; i++) {
        if (is(p, i, W___shared__))
            within = true;
        else if (mark(p, i) == ';')
            within = false;
        if (!within || !is_plain(p, i) || mark(p, i - 1) == '*')
            continue;
        known_of(s, i)->shared_in = f->end;
        if (mark(p, i + 1) == '[')
            known_of(s, i)->shared_array_in = f->end;
    }
}

/* `&x,`, `&a[i],`, `a,` or `a +`: nothing that was read from it is followed. */
bool sums_own(const struct speed *s, const struct device_function *f, int i)
{
    const struct parse *p = s->p;
    const bool address = mark(p, i + 2) == '&';
    const int name = i + 2 + address;
    int end = name + 1;

    if (!begins_with(p, i, "atomic") || mark(p, i + 1) != '(' ||
        !is_name(p, name))
        return false;
    while (address && mark(p, end) == '[')
        end = skip(p, end);
    return (mark(p, end) == ',' || (!address && mark(p, end) == '+')) &&
           (!address || end > name + 1
                ? known_of(s, name)->shared_array_in
                : known_of(s, name)->shared_in) == f->end;
}

/* Is token @i where a statement begins? Behind a parenthesis it is if that is
 * an if's. */
static bool begins_statement(const struct parse *p, int i)
{
    const int before = mark(p, i - 1);

    if (before == ';' || before == '{' || before == '}' || is(p, i - 1, W_else))
        return true;
    return before == ')' && is(p, token(p, i - 1)->match - 1, W_if);
}

/* Behind the statement that begins at token @i, or at @end. */
static int behind_statement(const struct parse *p, int i, int end)
{
    do {
        i += is(p, i, W_else);
        while (mark(p, i) != ';' && mark(p, i) != '{' && i < end)
            i = skip(p, i);
        if (i < end)
            i = skip(p, i);
    } while (is(p, i, W_else));
    return i;
}

int sums_loop_end(const struct parse *p, const struct device_function *f, int i)
{
    if (!is_a(p, i, LOOP))
        return 0;
    return behind_statement(p, mark(p, i + 1) == '(' ? skip(p, i + 1) : i + 1,
                            f->end);
}

bool sums_last(const struct parse *p, const struct device_function *f, int i)
{
    int end;

    if (!is_a(p, i, SUMS) || !f->kernel || mark(p, i + 1) != '(' ||
        !begins_statement(p, i))
        return false;
    end = skip(p, i + 1);
    if (mark(p, end) != ';')
        return false;
    while (++end < f->end)
        if (mark(p, end) != '}')
            return false;
    return true;
}
