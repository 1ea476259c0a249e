/*
 * lanes_write.c: the second copy of a device function, and the head that has
 * its callers wait for each other. See lanes.c for the text.
 */
#include "lanes.h"

#include <string.h>

/* Of its copy's name. */
static int number_of(const struct speed *s, const struct lane_function *f)
{
    return (int)(f - s->lanes) + 1;
}

/* A piece's tokens, those of types and calls changed. */
struct writer {
    struct lanes *l;
    struct buf out;
    int next_edit; /* of the body */
};

static void write_edits(struct writer *w, const char *up_to)
{
    const struct edits *all = &w->l->p->edits;

    for (; w->next_edit < w->l->s->num_sorted; w->next_edit++) {
        const struct edit *edit = &all->list[w->next_edit];

        if (edit->at > up_to)
            return;
        /* The copy is given its counter. */
        if (edit->text && edit->rank != LAYER_NAMES)
            buf_puts(&w->out, edit->text);
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
    callee = token(p, i)->kind == LEX_NAME && !lanes_variable(w->l, i)
                 ? lanes_callee(w->l->s, i)
                 : NULL;
    if (!callee) {
        flatten(p, i, i + 1, &w->out);
        return 1;
    }
    buf_printf(&w->out, "vgpu_lanes_%d(vgpu_c, ", number_of(w->l->s, callee));
    return 2;
}

static void write_tokens(struct writer *w, int from, int to, bool lanes)
{
    const struct parse *p = w->l->p;

    for (int i = from; i < to;) {
        write_edits(w, token(p, i)->text);
        if (!token(p, i)->glued)
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
    write_edits(w, token(l->p, l->close)->text);
}

/* What the rest of the front end puts into the body; all that is sorted. */
static void find_edits(struct writer *w)
{
    const struct parse *p = w->l->p;
    const char *from = token(p, w->l->open)->text;
    int low = 0, high = w->l->s->num_sorted;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (p->edits.list[middle].at <= from)
            low = middle + 1;
        else
            high = middle;
    }
    w->next_edit = low;
}

static void add_type(const struct lanes *l, int from, int to, struct buf *out)
{
    while (is(l->p, from, W_const))
        from++;
    flatten(l->p, from, to, out);
}

static void write_copy(struct lanes *l, int serial)
{
    struct writer w = {.l = l};

    find_edits(&w);
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
    edit_before(l->s->p, l->head->begin, LAYER_COPY, "%s", w.out.data);
    buf_free(&w.out);
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

static void write_head(struct lanes *l, int serial)
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
    edit_behind(l->s->p, l->open, LAYER_GANG, "%s", out.data);
    buf_free(&out);
}

/* ---- which are needed -----------------------------------------------------
 */

static struct lanes lanes_of(struct speed *s, const struct code *code)
{
    return (struct lanes){.s = s,
                          .p = s->p,
                          .head = &code->head,
                          .open = code->open,
                          .close = skip(s->p, code->open) - 1};
}

void lanes_note(struct speed *s, const struct code *code)
{
    struct lanes l = lanes_of(s, code);

    if (code->kind != CODE_FUNCTION || code->in_c || !lanes_suited(&l))
        return;
    BUF_ROOM(s->lanes, s->num_lanes);
    s->lanes[s->num_lanes++] = (struct lane_function){
        .code = code, .loops = l.loops, .simple = !l.branches};
    known_of(s, code->head.name)->lane = s->num_lanes;
}

/* Functions that are waited for alone: the others' copies are for these. */
void lanes_note_call(struct speed *s, int i)
{
    const int lane = known_of(s, i)->lane;

    if (lane && s->lanes[lane - 1].loops)
        s->lanes[lane - 1].needed = true;
}

/* The copies that a copy calls stand before it. */
static void need_callees(struct speed *s, const struct lane_function *caller)
{
    const int open = caller->code->open;

    for (int i = open; i < skip(s->p, open); i++) {
        const int lane = known_of(s, i)->lane;

        if (lane && mark(s->p, i + 1) == '(')
            s->lanes[lane - 1].needed = true;
    }
}

/*
 * Compiling a copy takes longer than reading it, and headers have more than
 * what is called. And threads that wait for each other go on in another order:
 * none is promised, but where kernels print it, or count in it, it stays what
 * it was.
 */
void lanes_finish(struct speed *s)
{
    edits_sort(s->p);
    s->num_sorted = s->p->edits.count;
    for (int n = s->num_lanes - 1; n >= 0 && !s->ordered; n--) {
        struct lanes l = lanes_of(s, s->lanes[n].code);

        if (!s->lanes[n].needed)
            continue;
        need_callees(s, &s->lanes[n]);
        lanes_suited(&l);
        write_copy(&l, n + 1);
        if (l.loops)
            write_head(&l, n + 1);
        s->p->quick = true;
    }
}
