/*
 * lanes_write.c: the second copy of a device function, and the head that has
 * its callers wait for each other. See lanes.c for the text.
 */
#include "lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A piece's tokens, those of types and calls changed. */
struct writer {
    struct lanes *l;
    struct buf out;
    const struct edit **edits; /* within the body, in order */
    int num_edits, next_edit;
};

static void write_edits(struct writer *w, const char *up_to)
{
    while (w->next_edit < w->num_edits && w->edits[w->next_edit]->at <= up_to) {
        const char *text = w->edits[w->next_edit++]->text;

        /* The copy is given its counter. */
        if (text && strncmp(text, " ::vgpu_cost ", 13) != 0)
            buf_puts(&w->out, text);
    }
}

/* Return: how many tokens were written. */
static int write_lane_token(struct writer *w, int i, int to)
{
    const struct parse *p = w->l->p;
    const struct lane_function *callee;
    int end = i;

    while (end < to && lanes_type(p, end))
        end++;
    if (end > i) {
        buf_puts(&w->out, "::vgpu_lane<");
        flatten(p, i, end, &w->out);
        buf_puts(&w->out, ">");
        return end - i;
    }
    callee = p->lex.tokens[i].kind == LEX_NAME && !lanes_variable(w->l, i)
                 ? lanes_callee(p, i)
                 : NULL;
    if (!callee) {
        flatten(p, i, i + 1, &w->out);
        return 1;
    }
    buf_printf(&w->out, "vgpu_lanes_%d(vgpu_c, ", callee->serial);
    return 2;
}

static void write_tokens(struct writer *w, int from, int to, bool lanes)
{
    const struct parse *p = w->l->p;

    for (int i = from; i < to;) {
        write_edits(w, p->lex.tokens[i].text);
        if (!p->lex.tokens[i].glued)
            buf_puts(&w->out, " ");
        if (lanes) {
            i += write_lane_token(w, i, to);
        } else {
            flatten(p, i, i + 1, &w->out);
            i++;
        }
    }
}

static void write_body(struct writer *w)
{
    struct lanes *l = w->l;
    struct piece piece;

    for (int i = l->open + 1, next; i < l->close; i = next) {
        next = lanes_piece(l, i, &piece);
        write_tokens(w, i, piece.from, false);
        write_tokens(w, piece.from, piece.to,
                     piece.from < piece.to && !lanes_common(l, &piece));
        write_tokens(w, piece.to, next, false);
    }
    write_edits(w, l->p->lex.tokens[l->close].text);
}

static int compare_places(const void *a, const void *b)
{
    return edit_compare(*(struct edit *const *)a, *(struct edit *const *)b);
}

/* What the rest of the front end puts into the body: no edit before @first. */
static void collect_edits(struct writer *w, int first)
{
    const struct parse *p = w->l->p;
    const char *from = p->lex.tokens[w->l->open].text;
    const char *to = p->lex.tokens[w->l->close].text;

    w->edits = buf_alloc((size_t)(p->num_edits - first + 1) * sizeof *w->edits);
    for (int e = first; e < p->num_edits; e++)
        if (p->edits[e].at > from && p->edits[e].at <= to)
            w->edits[w->num_edits++] = &p->edits[e];
    qsort(w->edits, (size_t)w->num_edits, sizeof *w->edits, compare_places);
}

static void add_type(const struct lanes *l, int from, int to, struct buf *out)
{
    while (is(l->p, from, W_const))
        from++;
    flatten(l->p, from, to, out);
}

static void write_copy(struct lanes *l, int serial, int edit, int first)
{
    struct writer w = {.l = l};

    collect_edits(&w, first);
    buf_puts(&w.out, "template <");
    for (int v = 0; v < l->num_params; v++)
        buf_printf(&w.out, "%sclass vgpu_P%d", v ? ", " : "", v);
    buf_puts(&w.out,
             "> __attribute__((always_inline)) static inline ::vgpu_lane<");
    add_type(l, l->result, l->result_end, &w.out);
    buf_printf(&w.out, "> vgpu_lanes_%d([[maybe_unused]] ::vgpu_cost &vgpu_c",
               serial);
    for (int v = 0; v < l->num_params; v++)
        buf_printf(&w.out, ", const vgpu_P%d &vgpu_p%d", v, v);
    buf_puts(&w.out, ") {");
    /* What is changed must be a lane at once; the others are what they are
     * given, for a number that all share is cheaper. */
    for (int v = 0; v < l->num_params; v++) {
        const struct variable *param = &l->variables[v];

        buf_puts(&w.out, param->common     ? " "
                         : param->assigned ? " ::vgpu_lane<"
                                           : " typename ::vgpu_lane_param<");
        add_type(l, param->type, param->end, &w.out);
        if (!param->common && !param->assigned)
            buf_printf(&w.out, ", vgpu_P%d>::type", v);
        buf_puts(&w.out, !param->common && param->assigned ? "> " : " ");
        flatten(l->p, param->token, param->token + 1, &w.out);
        buf_printf(&w.out, "(vgpu_p%d);", v);
    }
    write_body(&w);
    buf_puts(&w.out, " } ");
    edit_quicken(l->p, edit, w.out.data);
    buf_free(&w.out);
    free(w.edits);
}

/* An argument of call @call. */
static void add_argument(const struct lanes *l, int v, const char *call,
                         struct buf *out)
{
    buf_puts(out, v ? ", ::vgpu_gang_value<" : "::vgpu_gang_value<");
    add_type(l, l->variables[v].type, l->variables[v].end, out);
    buf_printf(out, ">(vgpu_m[%s]->value[%d])", call, v);
}

/* How a gang's calls are done: for all at once, or one by one. */
static void add_run(const struct lanes *l, int serial, struct buf *out)
{
    unsigned common = 0;

    /* A thread alone is no gang, and of threads that want different ways each
     * is done as if nobody waited. */
    for (int v = 0; v < l->num_params; v++)
        common |= (unsigned)l->variables[v].common << v;
    buf_printf(out,
               " struct vgpu_gang { __attribute__((no_sanitize(\"thread\"))) "
               "static ::vgpu_gang_outcome run(::vgpu_gang_call *const *vgpu_m,"
               " int vgpu_n) { const bool vgpu_fits = "
               "::vgpu_gang_fits(vgpu_m, vgpu_n, %uu);"
               " if (!vgpu_fits || vgpu_n < ::VGPU_GANG_FEW) {"
               " for (int vgpu_i = 0; vgpu_i < vgpu_n; vgpu_i++)"
               " vgpu_m[vgpu_i]->result = ::vgpu_gang_bits(",
               common);
    flatten(l->p, l->head->name, l->head->name + 1, out);
    buf_puts(out, "(");
    for (int v = 0; v < l->num_params; v++)
        add_argument(l, v, "vgpu_i", out);
    buf_printf(out,
               ")); return vgpu_fits ? ::VGPU_GANG_SINGLY : "
               "::VGPU_GANG_UNLIKE; } ::vgpu_cost vgpu_c;"
               " ::vgpu_gang_give(vgpu_m, vgpu_n, vgpu_lanes_%d(vgpu_c",
               serial);
    for (int v = 0; v < l->num_params; v++) {
        if (l->variables[v].common) {
            buf_puts(out, ", ::vgpu_gang_value<");
            add_type(l, l->variables[v].type, l->variables[v].end, out);
            buf_printf(out, ">(vgpu_m[0]->value[%d])", v);
        } else {
            buf_puts(out, ", ::vgpu_gang_take<");
            add_type(l, l->variables[v].type, l->variables[v].end, out);
            buf_printf(out, ">(vgpu_m, vgpu_n, %d)", v);
        }
    }
    buf_puts(out, ")); vgpu_c.n *= (unsigned)vgpu_n;"
                  " return ::VGPU_GANG_TOGETHER; } };");
}

static void write_head(struct lanes *l, int serial, int edit)
{
    struct buf out = {0};

    add_run(l, serial, &out);
    buf_puts(&out, " if (::vgpu_gang_open()) { static ::vgpu_gang_site vgpu_s;"
                   " const ::vgpu_gang_answer vgpu_a = "
                   "::vgpu_gang_join(&vgpu_s, vgpu_gang::run");
    for (int v = 0; v < MOST_VALUES; v++) {
        if (v >= l->num_params) {
            buf_puts(&out, ", 0");
            continue;
        }
        buf_puts(&out, ", ::vgpu_gang_bits(");
        flatten(l->p, l->variables[v].token, l->variables[v].token + 1, &out);
        buf_puts(&out, ")");
    }
    buf_puts(&out, "); if (vgpu_a.done) return ::vgpu_gang_value<");
    add_type(l, l->result, l->result_end, &out);
    buf_puts(&out, ">(vgpu_a.result); }");
    edit_quicken(l->p, edit, out.data);
    buf_free(&out);
}

void lanes_write(struct parse *p, const struct head *h, int open, int first)
{
    struct lanes l = {
        .p = p, .head = h, .open = open, .close = skip(p, open) - 1};
    int serial, copy, head = -1;

    if (p->options->plain || !lanes_suited(&l))
        return;
    serial = ++p->serial;
    copy = edit_before(p, h->begin, LAYER_COPY);
    write_copy(&l, serial, copy, first);
    if (l.loops) {
        head = edit_after(p, open, LAYER_GANG);
        write_head(&l, serial, head);
    }
    if (!(p->num_lane_functions & (p->num_lane_functions + 1)))
        p->lane_functions =
            buf_resize(p->lane_functions, (size_t)(p->num_lane_functions + 1) *
                                              2 * sizeof *p->lane_functions);
    p->lane_functions[p->num_lane_functions++] =
        (struct lane_function){.name = h->name,
                               .open = open,
                               .serial = serial,
                               .copy = copy,
                               .head = head,
                               .simple = !l.branches};
    word_of(p, h->name)->lane = p->num_lane_functions;
}

/* Functions that are waited for alone: the others' copies are for these. */
void lanes_note_call(struct parse *p, int i)
{
    const int lane = word_of(p, i)->lane;

    if (lane && p->lane_functions[lane - 1].head >= 0)
        p->lane_functions[lane - 1].needed = true;
}

/* The copies that a copy calls stand before it. */
static void need_callees(struct parse *p, const struct lane_function *caller)
{
    for (int i = caller->open; i < skip(p, caller->open); i++) {
        const int lane = word_of(p, i)->lane;

        if (lane && mark(p, i + 1) == '(')
            p->lane_functions[lane - 1].needed = true;
    }
}

/*
 * Compiling a copy takes longer than reading it, and headers have more than
 * what is called. And threads that wait for each other go on in another order:
 * none is promised, but where kernels print it, or count in it, it stays what
 * it was.
 */
void lanes_finish(struct parse *p)
{
    for (int n = p->num_lane_functions - 1; n >= 0; n--) {
        const struct lane_function *f = &p->lane_functions[n];

        if (f->needed && !p->ordered) {
            need_callees(p, f);
            continue;
        }
        edit_set(p, f->copy, "");
        if (f->head >= 0)
            edit_set(p, f->head, "");
    }
}
