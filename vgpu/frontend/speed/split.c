/*
 * split.c: kernels whose threads need not wait at their barriers.
 *
 * A thread that waits has a stack of its own, and to go on with the next one
 * takes longer than what most threads do between two barriers. Where all
 * threads of a block go the same way, each part between two barriers is a loop
 * over them instead, and what a thread needs later is kept in an array
 * (vgpu/split.h). That is a kernel with __syncthreads() in its own block, and
 * in ifs and loops whose headers hold nothing but parameters, blockIdx,
 * blockDim, gridDim, numbers, and variables that are computed from these for
 * all threads at once (SPLIT_SAME, SPLIT_MOVING). What is computed from
 * threadIdx, too, and never changed, is computed again in each part
 * (SPLIT_AGAIN).
 *
 * Nothing of that may show. Threads come in their order, as they do where they
 * wait, so a kernel that lacks a barrier does the same wrong things: no two
 * parts that do something may follow each other without one. Only blocks that
 * nobody watches are run so, and one that fails is run again, watched
 * (device/grid.c): reports, lines and messages are those of fibers. Everything
 * else keeps its fibers: a thread that returns early, a barrier that not all
 * come to, shuffles and votes, atomics but the last ones (sums.c), and what is
 * not understood. What is written is a second copy of the kernel, each token on
 * its own line and as if in a system header, so that no warning comes twice.
 */
#include "split.h"

#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

bool split_is_common(const struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;

    return is(p, i, W_typedef) || is(p, i, W_using) ||
           is(p, i, W_static_assert) || var_is_shared(p, i, end);
}

int split_statement_end(const struct parse *p, int i, int end)
{
    if (mark(p, i) == '{')
        return skip(p, i);
    if (is(p, i, W_do)) {
        i = split_statement_end(p, i + 1, end);
        i = find(p, i, end, ';');
        return i < end ? i + 1 : end;
    }
    if (is(p, i, W_for) || is(p, i, W_while) || is(p, i, W_switch) ||
        is(p, i, W_if)) {
        const bool chooses = is(p, i, W_if);

        i = find(p, i, end, '(');
        i = i < end ? split_statement_end(p, skip(p, i), end) : end;
        return chooses && i < end && is(p, i, W_else)
                   ? split_statement_end(p, i + 1, end)
                   : i;
    }
    i = find(p, i, end, ';');
    return i < end ? i + 1 : end;
}

static bool has_barrier(const struct parse *p, int i, int end)
{
    return split_has(p, i, end, W___syncthreads);
}

static bool is_barrier(const struct parse *p, int i, int end)
{
    return is(p, i, W___syncthreads) && mark(p, i + 1) == '(' &&
           mark(p, i + 2) == ')' && mark(p, i + 3) == ';' && i + 4 == end;
}

/* ---- statements: which variables there are ------------------------------- */

static void add_place(struct split *sp, int from, int to)
{
    sp->fits &= sp->num_places < MOST_SPLIT_PLACES;
    if (sp->fits)
        sp->places[sp->num_places++] = (struct split_place){from, to};
}

/* The header of the loop at @i, which ends at @end. */
static void read_header(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    const int close = skip(p, i + 1) - 1, before = sp->num_variables;

    for (int k = i + 2, next, past; k < close; k = next + 1) {
        past = next = find(p, k, close, ';');
        if (k == i + 2 && split_declares(sp, k, next + 1)) {
            split_add_declared(sp, k, next, end);
            continue;
        }
        for (; k < next; k = past + 1) {
            past = find(p, k, next, ',');
            add_place(sp, k, past);
        }
    }
    for (int n = before; n < sp->num_variables; n++) {
        sp->variables[n].header = i;
        sp->variables[n].header_end = close;
    }
}

/* What a statement with a barrier in it holds. */
static void read_block(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;

    for (int next; i < end && sp->fits; i = next) {
        next = split_statement_end(p, i, end);
        if (has_barrier(p, i, next) && !is_barrier(p, i, next)) {
            int inner = i;

            if (is(p, i, W_for))
                read_header(sp, i, next);
            for (; inner < next; inner++)
                if (mark(p, inner) == '{') {
                    read_block(sp, inner + 1, skip(p, inner) - 1);
                    inner = skip(p, inner) - 1;
                }
        } else if (!split_is_common(sp, i, next) &&
                   split_declares(sp, i, next)) {
            split_add_declared(sp, i, next - 1, end);
        } else if (split_behind_assignment(p, i + 1) || is_a(p, i, ASSIGNS)) {
            add_place(sp, i, next - 1);
        }
    }
}

/* Without default arguments, which a kernel's parameters may have. */
static void read_params(struct split *sp)
{
    const struct parse *p = sp->p;
    const int end = skip(p, sp->code->head.params) - 1;

    for (int i = sp->code->head.params + 1, next; i < end; i = next + 1) {
        struct split_variable *v;
        bool object;
        int name, base;

        while (is(p, i, W___grid_constant__))
            i++;
        next = find(p, i, end, ',');
        base = split_type_end(p, i, next, &object);
        for (name = base; split_is_pointer_sign(p, name); name++) {
            sp->fits &= mark(p, name) != '&' && !is(p, name, W_ANDAND);
            object = false;
        }
        if (base > i && name == next)
            continue; /* it has no name */
        sp->fits &= !is(p, i, W_auto) && base > i && is_plain(p, name) &&
                    (name + 1 == next || mark(p, name + 1) == '=');
        v = sp->fits ? split_add_variable(sp, name) : NULL;
        if (!v)
            return;
        v->base = -1;
        v->object = object;
        v->scope_end = sp->close;
        v->is_constant = split_has(p, i, base, W_const) && base == name;
    }
}

/* ---- statements: what follows what --------------------------------------- */

/* Would the word at @i leave what is beside a barrier? */
static bool leaves(const struct parse *p, int from, int i)
{
    for (int k = from; k < i; k++)
        if ((is_a(p, k, LOOP) || is(p, k, W_switch)) &&
            split_statement_end(p, k, i + 2) > i)
            return false;
    return true;
}

/* Can threads do [i, end) one after the other, each to its end? */
static bool is_whole(const struct parse *p, int i, int end, bool tail)
{
    int open;

    if (mark(p, i + 1) == ':' && is_plain(p, i))
        return false;
    for (int k = i; k < end; k++) {
        if (is(p, k, W_goto) || is(p, k, W_static) || is(p, k, W_class) ||
            is(p, k, W_struct) || is(p, k, W_union) || is(p, k, W_try) ||
            (is(p, k, W_return) && !tail))
            return false;
        if ((is(p, k, W_break) || is(p, k, W_continue)) && leaves(p, i, k))
            return false;
        /* A lambda's `return` is its own, and its `__shared__` is another. */
        open = mark(p, k) == '[' ? body_lambda(p, k, end) : -1;
        if (open >= 0 && split_has(p, k, skip(p, open), W___shared__))
            return false;
        k = open >= 0 ? skip(p, open) - 1 : k;
    }
    return true;
}

/* What the statement [i, end) does that other threads may see. */
static unsigned effects_of(struct split *sp, int i, int end)
{
    unsigned effects = 0;

    if (split_is_common(sp, i, end) || split_is_move(sp, i, end) ||
        split_is_exit(sp, i, end))
        return 0;
    if (!split_declares(sp, i, end))
        return split_effects(sp, i, end);
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (v->base == i && v->value >= 0)
            effects |= split_effects(sp, v->value, v->past);
    }
    return effects;
}

/* Can its variables be kept up to their scope's end? */
static bool can_keep(struct split *sp, int from, int to)
{
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (v->name < from || v->name >= to || v->kind != SPLIT_KEPT ||
            v->base < 0)
            continue;
        if (split_is_alive(sp, v, to)
                ? v->reference || v->is_auto
                : v->is_auto && to < v->scope_end && sp->s->destructors)
            return false;
    }
    return true;
}

/* A statement that names what it declares in a way that is not known. */
static bool is_strange(const struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    bool object;

    if (split_is_common(sp, i, end) || split_declares(sp, i, end) ||
        mark(p, i) == '{')
        return false;
    if (is(p, i, W_auto) || is(p, i, W_extern) || is_a(p, i, CV | TAG) ||
        is(p, i, W_constexpr) || is_a(p, i, TYPE | INTEGER))
        return true;
    return split_type_end(p, i, end, &object) > i &&
           is_name(p, split_type_end(p, i, end, &object));
}

static void check_part(struct split *sp, int from, int to, bool tail)
{
    const struct parse *p = sp->p;
    unsigned effects = 0;

    for (int i = from, next; i < to && sp->fits; i = next) {
        const int exit = split_is_exit(sp, i, split_statement_end(p, i, to));

        next = split_statement_end(p, i, to);
        if (is(p, exit, W_break))
            sp->left |= sp->effects | effects;
        if (is(p, exit, W_continue))
            sp->next |= sp->effects | effects;
        sp->fits &=
            (exit || is_whole(p, i, next, tail)) && !is_strange(sp, i, next);
        effects |= effects_of(sp, i, next);
    }
    sp->fits &=
        !split_effects_meet(effects, sp->effects) && can_keep(sp, from, to);
    sp->effects |= effects;
}

static void part(struct split *sp, int from, int to, bool tail)
{
    if (from >= to)
        return;
    if (sp->out)
        split_write_part(sp, from, to);
    else
        check_part(sp, from, to, tail);
}

static void write_text(struct split *sp, const char *text)
{
    if (sp->out)
        buf_puts(sp->out, text);
}

static void write_tokens(struct split *sp, int from, int to)
{
    if (sp->out)
        split_write_tokens(sp, from, to);
}

/* A body, in braces or not. */
static void body(struct split *sp, int i, int end)
{
    const bool braces = mark(sp->p, i) == '{';

    write_text(sp, " {");
    if (braces && sp->out)
        split_write_count(sp, i);
    split_block(sp, i + braces, end - braces, false);
    write_text(sp, " }");
}

/* Do all threads go by the header [i, end)? */
static bool is_common_header(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;

    for (int next; i < end; i = next + 1) {
        next = find(p, i, end, ';');
        if (split_declares(sp, i, next + 1)) {
            int known = 0;

            for (int n = 0; n < sp->num_variables; n++)
                if (sp->variables[n].base == i &&
                    sp->variables[n].kind > SPLIT_MOVING)
                    return false;
                else
                    known += sp->variables[n].base == i;
            if (!known)
                return false;
            continue;
        }
        for (int past; i < next; i = past + 1) {
            const int name =
                split_moved_name(sp, i, past = find(p, i, next, ','));

            if (name >= 0 ? split_variable_at(sp, name)->kind > SPLIT_MOVING
                          : !split_is_plain(sp, i, past, false, true))
                return false;
        }
    }
    return true;
}

/* Once more where a round begins with what the last one left. */
static void rounds(struct split *sp, int i, int end)
{
    const unsigned before = sp->effects, left = sp->left, next = sp->next;

    sp->left = sp->next = 0;
    body(sp, i, end);
    if (sp->out)
        return;
    sp->effects |= before | sp->next;
    if (sp->effects & ~before)
        body(sp, i, end);
    sp->effects |= before | sp->left | sp->next;
    sp->left = left;
    sp->next = next;
}

static void loop(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    const int close = is(p, i, W_do) ? i : skip(p, i + 1) - 1;
    const int past = is(p, i, W_do) ? split_statement_end(p, i + 1, end) : end;

    sp->fits &= mark(p, close + 1) == '{';
    if (is(p, i, W_do))
        sp->fits &= is(p, past, W_while) && mark(p, past + 1) == '(' &&
                    is_common_header(sp, past + 2, skip(p, past + 1) - 1);
    else
        sp->fits &= mark(p, i + 1) == '(' &&
                    find(p, i + 2, close, ':') == close &&
                    is_common_header(sp, i + 2, close);
    if (!sp->fits)
        return;
    write_tokens(sp, i, close + 1);
    rounds(sp, close + 1, past);
    write_tokens(sp, past, end);
}

static void choice(struct split *sp, int i, int end)
{
    const struct parse *p = sp->p;
    const int open = find(p, i, end, '('), close = skip(p, open) - 1;
    const int past = split_statement_end(p, close + 1, end);
    const unsigned before = sp->effects;
    unsigned first;

    if (!split_is_plain(sp, open + 1, close, false, true)) {
        sp->fits = false;
        return;
    }
    write_tokens(sp, i, close + 1);
    body(sp, close + 1, past < end && is(p, past, W_else) ? past : end);
    first = sp->effects;
    sp->effects = before;
    if (past < end && is(p, past, W_else)) {
        write_text(sp, " else");
        body(sp, past + 1, end);
    }
    sp->effects |= first;
}

void split_block(struct split *sp, int from, int to, bool tail)
{
    const struct parse *p = sp->p;

    for (int i = from, next; i < to && sp->fits; i = next) {
        next = split_statement_end(p, i, to);
        if (!has_barrier(p, i, next))
            continue;
        part(sp, from, i, false);
        from = next;
        if (is_barrier(p, i, next))
            sp->effects = 0;
        else if (mark(p, i) == '{')
            body(sp, i, next);
        else if (is_a(p, i, LOOP))
            loop(sp, i, next);
        else if (is(p, i, W_if))
            choice(sp, i, next);
        else
            sp->fits = false;
    }
    part(sp, from, to, tail);
}

/* ---- a kernel ------------------------------------------------------------ */

/* Atomics show who came first, but for the last ones; and memory that is copied
 * by a function of the checker's is looked at. */
static bool is_suited(const struct parse *p, const struct device_function *f)
{
    for (int i = f->code->open; i < f->end; i++)
        if (is_a(p, i, MEMORY) ||
            (begins_with(p, i, "atomic") && !sums_last(p, f, i)))
            return false;
    return has_barrier(p, f->code->open, f->end);
}

char *split_kernel(struct speed *s, const struct device_function *f)
{
    struct split sp = {.s = s,
                       .p = s->p,
                       .code = f->code,
                       .open = f->code->open,
                       .close = f->end - 1,
                       .fits = is_suited(s->p, f)};

    if (sp.fits)
        read_params(&sp);
    if (sp.fits)
        read_block(&sp, sp.open + 1, sp.close);
    if (sp.fits)
        split_find_kinds(&sp);
    for (int n = 0; n < sp.num_variables; n++)
        sp.fits &= sp.variables[n].base >= 0 || !sp.variables[n].object ||
                   sp.variables[n].kind == SPLIT_SAME;
    if (sp.fits)
        split_block(&sp, sp.open + 1, sp.close, true);
    return sp.fits ? split_write(&sp) : NULL;
}
