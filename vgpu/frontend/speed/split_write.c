/*
 * split_write.c: the second copy of a kernel, whose parts are loops over a
 * block's threads. See split.c. Of
 *
 *     const int t = threadIdx.x; float a = in[t];
 *     part[t] = a; __syncthreads(); out[t] = a + part[n - t];
 *
 * it is, with vgpu_b the block (vgpu/split.h) and room number 3 for `a`,
 *
 *     [=](const ::vgpu_split_block &vgpu_b, blockIdx, blockDim, gridDim,
 *         ::vgpu_cost &vgpu_c) mutable {
 *     typedef float vgpu_t3; auto *const vgpu_v3 =
 *         ::vgpu_split_room<vgpu_t3>(vgpu_b, 3);
 *     EACH { const int t = threadIdx.x; float vgpu_n3 = in[t];
 *            auto &a = vgpu_v3[vgpu_i]; ::vgpu_split_keep(a, vgpu_n3);
 *            part[t] = a; }
 *     EACH { const int t = threadIdx.x; auto &a = vgpu_v3[vgpu_i];
 *            out[t] = a + part[n - t]; } }
 *
 * What the rest of the front end puts into the kernel's text is put in here,
 * too; what a block counts that all threads come to is counted for all.
 */
#include "split.h"

#include <string.h>

/* ---- tokens -------------------------------------------------------------- */

/* The first edit of those that were sorted which is no earlier token's. */
static int first_edit(const struct split *sp, const char *at)
{
    int low = 0, high = sp->s->num_sorted;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        const struct edit *e = &sp->p->edits.list[middle];

        if (e->at < at || (e->at == at && e->side == SIDE_BEHIND))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_edit(struct split *sp, const struct edit *e)
{
    if (e->text && (e->side == SIDE_TOKEN || e->rank != LAYER_NOTE))
        buf_puts(sp->out, e->text);
}

/* Each token on its line. */
static void add_line(struct split *sp, int i)
{
    const struct lex_token *t = token(sp->p, i);
    const struct lex_file *file;

    if (t->file < 0 || t->line == sp->line)
        return;
    file = &sp->p->lex.files[t->file];
    buf_printf(sp->out, "\n# %d %.*s 3\n", t->line, file->length, file->name);
    sp->line = t->line;
}

/* @jump  a token for which the thread's end stands, and so for each `return` if
 * it is negative; 0: none */
static void add_tokens(struct split *sp, int from, int to, int jump)
{
    const struct parse *p = sp->p;
    const struct edit *all = p->edits.list;
    const struct lex_token *last = token(p, to - 1);
    const char *const end = last->text + last->length;
    int e = first_edit(sp, token(p, from)->text), lambda_end = 0;

    for (int i = from; i < to; i++) {
        const char *at = token(p, i)->text;
        bool dropped = is_a(p, i, QUALIFIER);

        add_line(sp, i);
        buf_puts(sp->out, i > from && token(p, i)->glued ? "" : " ");
        for (; e < sp->s->num_sorted && all[e].at <= at; e++) {
            dropped |= all[e].side == SIDE_TOKEN && all[e].at == at;
            add_edit(sp, &all[e]);
        }
        if (mark(p, i) == '[' && body_lambda(p, i, to) >= 0)
            lambda_end = skip(p, body_lambda(p, i, to));
        if (i == jump || (jump < 0 && is(p, i, W_return) && i >= lambda_end))
            buf_printf(sp->out, "goto vgpu_end_%d", sp->num_parts);
        else if (!dropped)
            flatten(p, i, i + 1, sp->out);
    }
    for (;
         e < sp->s->num_sorted &&
         (all[e].at < end || (all[e].at == end && all[e].side == SIDE_BEHIND));
         e++)
        add_edit(sp, &all[e]);
}

void split_write_tokens(struct split *sp, int from, int to)
{
    if (from < to)
        add_tokens(sp, from, to, 0);
}

/* What is put in behind the bracket at @i: of a @layer. Return: is there any?
 */
static bool add_behind(struct split *sp, int i, enum layer layer)
{
    const struct lex_token *t = token(sp->p, i);
    const char *const at = t->text + t->length;
    bool any = false;

    for (int e = first_edit(sp, t->text); e < sp->s->num_sorted; e++) {
        const struct edit *edit = &sp->p->edits.list[e];

        if (edit->at > at)
            break;
        if (edit->at == at && edit->side == SIDE_BEHIND &&
            edit->rank == (int)layer) {
            buf_puts(sp->out, edit->text);
            any = true;
        }
    }
    return any;
}

void split_write_count(struct split *sp, int i)
{
    buf_puts(sp->out, " { ::vgpu_split_cost vgpu_a(vgpu_c, vgpu_b.threads); "
                      "{ [[maybe_unused]] auto &vgpu_c = vgpu_a;");
    add_behind(sp, i, LAYER_COUNT);
    buf_puts(sp->out, " } }");
}

/* ---- variables ----------------------------------------------------------- */

static int number_of(const struct split *sp, const struct split_variable *v)
{
    return (int)(v - sp->variables);
}

/* A type's words, @shared: as of a place that can be written to. */
static void add_type(struct split *sp, const struct split_variable *v,
                     bool writable)
{
    const bool pointer = mark(sp->p, v->begin) == '*';

    for (int i = v->base; i < v->base_end; i++)
        if (!writable ||
            (!is(sp->p, i, W_constexpr) && (pointer || !is(sp->p, i, W_const))))
            split_write_tokens(sp, i, i + 1);
    for (int i = v->begin; i < v->name; i++)
        if (!writable || mark(sp->p, i) == '*' || mark(sp->p, i + 1) == '*')
            split_write_tokens(sp, i, i + 1);
}

/* The declaration of one variable, as it is. */
static void add_declaration(struct split *sp, const struct split_variable *v)
{
    buf_puts(sp->out, " [[maybe_unused]]");
    add_type(sp, v, false);
    split_write_tokens(sp, v->name, v->past);
    buf_puts(sp->out, ";");
}

static void add_reference(struct split *sp, const struct split_variable *v)
{
    buf_puts(sp->out, " [[maybe_unused]] auto &");
    split_write_tokens(sp, v->name, v->name + 1);
    buf_printf(sp->out, " = vgpu_v%d[vgpu_i];", number_of(sp, v));
}

/* Where it is kept. */
static void add_room(struct split *sp, const struct split_variable *v)
{
    const int n = number_of(sp, v);

    buf_puts(sp->out, " typedef");
    if (v->base < 0) {
        buf_puts(sp->out, " ::vgpu_split_value<decltype(");
        flatten(sp->p, v->name, v->name + 1, sp->out);
        buf_printf(sp->out, ")> vgpu_t%d", n);
    } else {
        add_type(sp, v, true);
        buf_printf(sp->out, " vgpu_t%d", n);
        split_write_tokens(sp, v->name + 1, v->end);
    }
    buf_printf(sp->out,
               "; auto *const vgpu_v%d = ::vgpu_split_room<vgpu_t%d>(vgpu_b, "
               "%d);",
               n, n, n);
}

/* Its declaration in a thread. */
static void add_kept(struct split *sp, const struct split_variable *v)
{
    const int n = number_of(sp, v);

    if (v->value >= 0) {
        add_type(sp, v, false);
        buf_printf(sp->out, " vgpu_n%d", n);
        split_write_tokens(sp, v->name + 1, v->past);
        buf_puts(sp->out, ";");
    }
    add_reference(sp, v);
    if (v->value < 0)
        return;
    buf_puts(sp->out, " ::vgpu_split_keep(");
    flatten(sp->p, v->name, v->name + 1, sp->out);
    buf_printf(sp->out, ", vgpu_n%d);", n);
}

/* ---- a part -------------------------------------------------------------- */

/* A statement's place, and what is to be done with it. */
struct part {
    int from, to;
    bool used[MOST_SPLIT_VARIABLES];
};

static void mark_used(struct split *sp, struct part *part, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct split_variable *v = split_variable_at(sp, i);

        if (v)
            part->used[number_of(sp, v)] = true;
    }
}

/* Those that come from before, and those that these are computed from. */
static void find_used(struct split *sp, struct part *part)
{
    mark_used(sp, part, part->from, part->to);
    for (int n = sp->num_variables; n-- > 0;) {
        const struct split_variable *v = &sp->variables[n];

        if (v->name >= part->from)
            part->used[n] = false;
        else if (part->used[n] && v->kind == SPLIT_AGAIN)
            mark_used(sp, part, v->value, v->past);
    }
}

static bool is_moved_in(struct split *sp, const struct part *part,
                        const struct split_variable *v)
{
    for (int i = part->from, next; i < part->to; i = next) {
        next = split_statement_end(sp->p, i, part->to);
        if (split_is_move(sp, i, next) && (split_variable_at(sp, i) == v ||
                                           split_variable_at(sp, i + 1) == v))
            return true;
    }
    return false;
}

/* Is there something for each thread to do? */
static bool is_for_threads(struct split *sp, const struct part *part)
{
    for (int i = part->from, next; i < part->to; i = next) {
        next = split_statement_end(sp->p, i, part->to);
        if (split_is_common(sp, i, next) || split_is_move(sp, i, next) ||
            split_is_exit(sp, i, next))
            continue;
        if (!split_declares(sp, i, next))
            return true;
        for (int n = 0; n < sp->num_variables; n++)
            if (sp->variables[n].base == i &&
                sp->variables[n].kind == SPLIT_KEPT)
                return true;
    }
    return false;
}

/* What stands before the loop over threads. */
static void add_common(struct split *sp, const struct part *part)
{
    for (int i = part->from, next; i < part->to; i = next) {
        next = split_statement_end(sp->p, i, part->to);
        if (split_is_common(sp, i, next))
            split_write_tokens(sp, i, next);
        for (int n = 0; n < sp->num_variables; n++) {
            const struct split_variable *v = &sp->variables[n];

            if (v->base != i)
                continue;
            if (v->kind <= SPLIT_MOVING)
                add_declaration(sp, v);
            else if (v->kind == SPLIT_KEPT && split_is_alive(sp, v, part->to))
                add_room(sp, v);
        }
    }
    for (int n = 0; n < sp->num_variables; n++)
        if (is_moved_in(sp, part, &sp->variables[n])) {
            buf_printf(sp->out, " const auto vgpu_m%d_%d =", n, sp->num_parts);
            flatten(sp->p, sp->variables[n].name, sp->variables[n].name + 1,
                    sp->out);
            buf_puts(sp->out, ";");
        }
}

/* What a thread has from before. */
static void add_prologue(struct split *sp, const struct part *part)
{
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (is_moved_in(sp, part, v)) {
            buf_puts(sp->out, " [[maybe_unused]] auto ");
            flatten(sp->p, v->name, v->name + 1, sp->out);
            buf_printf(sp->out, " = vgpu_m%d_%d;", n, sp->num_parts);
        } else if (part->used[n] && v->kind == SPLIT_KEPT) {
            add_reference(sp, v);
        } else if (part->used[n] && v->kind == SPLIT_AGAIN) {
            add_declaration(sp, v);
        }
    }
}

static void add_statement(struct split *sp, const struct part *part, int i,
                          int next)
{
    const int exit = split_is_exit(sp, i, next);

    if (split_is_common(sp, i, next))
        return;
    if (!split_declares(sp, i, next)) {
        add_tokens(sp, i, next, exit ? exit : -1);
        return;
    }
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (v->base != i || v->kind <= SPLIT_MOVING)
            continue;
        if (v->kind == SPLIT_KEPT && split_is_alive(sp, v, part->to))
            add_kept(sp, v);
        else
            add_declaration(sp, v);
    }
}

/* Is token @i what is threadIdx.x, in a type that has room for it? Return:
 * behind it, or 0. */
static int behind_x(struct split *sp, int i)
{
    const struct parse *p = sp->p;
    const struct split_variable *v = split_variable_at(sp, i);

    if (is(p, i, W_threadIdx))
        return mark(p, i + 1) == '.' && is(p, i + 2, W_x) ? i + 3 : 0;
    return v && v->kind == SPLIT_AGAIN && mark(p, v->value) == '=' &&
                   !v->is_auto && !split_has(p, v->base, v->begin, W_char) &&
                   !split_has(p, v->base, v->begin, W_bool) &&
                   v->past == v->value + 4 &&
                   behind_x(sp, v->value + 1) == v->past
               ? i + 1
               : 0;
}

/* How many of a row have something to do: of a part that is nothing but
 * `if (threadIdx.x < the same for all)`, as in a sum of halves, only those. */
static void add_limit(struct split *sp, const struct part *part)
{
    const struct parse *p = sp->p;
    const int i = part->from, close = skip(p, i + 1) - 1;
    const int sign = mark(p, i + 1) == '(' ? behind_x(sp, i + 2) : 0;
    const struct split_variable *v = split_variable_at(sp, i + 2);

    if (!is(p, i, W_if) || !sign || mark(p, sign) != '<' ||
        split_statement_end(p, close + 1, part->to) != part->to ||
        !split_is_limit(sp, sign + 1, close)) {
        buf_puts(sp->out, " { const unsigned vgpu_m = vgpu_b.dim.x;");
        return;
    }
    buf_puts(sp->out, " { const unsigned vgpu_m = ::vgpu_split_limit<");
    if (v)
        add_type(sp, v, true);
    else
        buf_puts(sp->out, "unsigned");
    buf_puts(sp->out, ">(vgpu_b.dim.x,");
    split_write_tokens(sp, sign + 1, close);
    buf_puts(sp->out, ");");
}

static void add_loop(struct split *sp, const struct part *part)
{
    add_limit(sp, part);
    buf_puts(sp->out,
             " for (unsigned vgpu_r = 0, vgpu_z = 0; vgpu_z < vgpu_b.dim.z; "
             "vgpu_z++) for (unsigned vgpu_y = 0; vgpu_y < vgpu_b.dim.y; "
             "vgpu_y++, vgpu_r += vgpu_b.dim.x) for (unsigned vgpu_x = 0; "
             "vgpu_x < vgpu_m; vgpu_x++) { [[maybe_unused]] const unsigned "
             "vgpu_i = vgpu_r + vgpu_x; [[maybe_unused]] const ::uint3 "
             "threadIdx = {vgpu_x, vgpu_y, vgpu_z};");
    if (sp->s->indexed)
        buf_puts(sp->out, " vgpu_b.current(vgpu_i);");
    add_prologue(sp, part);
    buf_puts(sp->out, " {");
    for (int i = part->from, next; i < part->to; i = next) {
        next = split_statement_end(sp->p, i, part->to);
        add_statement(sp, part, i, next);
    }
    buf_printf(sp->out, " } [[maybe_unused]] vgpu_end_%d:; } }", sp->num_parts);
}

void split_write_part(struct split *sp, int from, int to)
{
    struct part part = {.from = from, .to = to};

    sp->num_parts++;
    find_used(sp, &part);
    add_common(sp, &part);
    if (is_for_threads(sp, &part))
        add_loop(sp, &part);
    for (int i = from, next; i < to; i = next) {
        next = split_statement_end(sp->p, i, to);
        if (split_is_move(sp, i, next) || split_is_exit(sp, i, next))
            split_write_tokens(sp, i, next);
    }
}

/* ---- a kernel ------------------------------------------------------------ */

/* Types that are not C++'s own: whether they can be kept is seen when they are
 * known. */
static void add_kept_types(struct split *sp)
{
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (v->base < 0 || !v->object)
            continue;
        buf_puts(sp->out, ", ");
        for (int i = v->base; i < v->base_end; i++)
            if (!is_a(sp->p, i, CV))
                flatten(sp->p, i, i + 1, sp->out);
    }
}

static void add_params(struct split *sp)
{
    for (int n = 0; n < sp->num_variables; n++) {
        const struct split_variable *v = &sp->variables[n];

        if (v->base >= 0 || v->kind != SPLIT_KEPT)
            continue;
        add_room(sp, v);
        buf_printf(sp->out,
                   " for (unsigned vgpu_i = 0; vgpu_i < vgpu_b.threads; "
                   "vgpu_i++) ::vgpu_split_keep(vgpu_v%d[vgpu_i], ",
                   n);
        flatten(sp->p, v->name, v->name + 1, sp->out);
        buf_puts(sp->out, ");");
    }
}

char *split_write(struct split *sp)
{
    const struct parse *p = sp->p;
    const struct lex_token *t = token(p, sp->open);
    struct buf captures = {0}, references = {0}, out = {0};
    bool names;

    sp->out = &out;
    kernel_held(p, &sp->code->head, &captures, &references);
    buf_printf(&out, "vgpu_split<%s",
               sp->code->runner[strlen("vgpu_run_")] == 's' ? "::VGPU_BODY_SUMS"
                                                            : "0");
    add_kept_types(sp);
    buf_printf(&out,
               ">([=%s]([[maybe_unused]] const ::vgpu_split_block &vgpu_b, "
               "[[maybe_unused]] const ::uint3 blockIdx, [[maybe_unused]] "
               "const ::dim3 blockDim, [[maybe_unused]] const ::dim3 gridDim, "
               "[[maybe_unused]] ::vgpu_cost &vgpu_c) %s -> void {%s",
               captures.data ? captures.data : "", lambda_words(p),
               references.data ? references.data : "");
    names = add_behind(sp, sp->open, LAYER_NAMES); /* ends with a `{` */
    split_write_count(sp, sp->open);
    add_params(sp);
    split_block(sp, sp->open + 1, sp->close, true);
    buf_printf(&out, " %s })", names ? "}" : "");
    if (sp->line)
        buf_printf(&out, "\n# %d %.*s\n", t->line, p->lex.files[t->file].length,
                   p->lex.files[t->file].name);
    buf_free(&captures);
    buf_free(&references);
    return out.data;
}
