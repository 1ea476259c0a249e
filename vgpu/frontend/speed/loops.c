/*
 * loops.c: loops of a kernel that its threads can do together, in step. See
 * include/vgpu/loops.h.
 *
 * Such a loop counts by a number of its own, calls nothing and decides nothing,
 * and writes nothing but numbers of the thread's, its *sums*:
 *
 *     for (T k = FROM; k < TO; k++) { T x = EXPRESSION; sum += EXPRESSION; }
 *
 * What stands in FROM and TO is the same for all threads, or they do it one by
 * one. Names are taken as they are, as arguments of a call, so they may be of
 * anything that has a value: no type need be known. Before the loop is put
 *
 *     for (bool vgpu_l = !(::vgpu_loop_is_long(FROM, TO) &&
 *         ::vgpu_gang_open() && [&]() { static ::vgpu_gang_site vgpu_s;
 *             auto vgpu_f = ::vgpu_loop_of<HEADER, SUMS>([](auto vgpu_g,
 *                 auto vgpu_n, ::vgpu_cost &vgpu_d, auto *const *vgpu_m)
 *                 { LOOP }, sum, ITEM ...);
 *             if (!::vgpu_loop_join(&vgpu_s, vgpu_f)) return false;
 *             sum = ::vgpu_loop_get<0>(vgpu_f);
 *             return true; }()); vgpu_l; vgpu_l = false)
 *
 * for neither an if nor an else would always leave the text as it was meant. In
 * LOOP item number I is vgpu_vI in the body and vgpu_hI in the header. What
 * is not understood is left as it is.
 */
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS 10
#define LONG       128 /* VGPU_LOOP_LONG */

struct item {
    int token;
    int length; /* 3 for threadIdx.x */
    bool header;
};

struct loop {
    struct speed *s;
    const struct parse *p;
    int kernel; /* its first token */
    int word;   /* `for` */
    int open, close;
    int begin, end; /* of the body, without its braces */
    int counter;    /* its name */
    int from, from_end, to, to_end;
    struct item sums[MOST_ITEMS], items[MOST_ITEMS];
    int num_sums, num_items;
    int temps[MOST_ITEMS]; /* names of the body's own */
    int num_temps;
};

/* ---- names --------------------------------------------------------------- */

static bool is_geometry(const struct parse *p, int i)
{
    return is_a(p, i, INDEX) && mark(p, i + 1) == '.' &&
           (is(p, i + 2, W_x) || is(p, i + 2, W_y) || is(p, i + 2, W_z));
}

static bool is_item(const struct parse *p, const struct item *item, int i)
{
    return is_same(p, item->token, i) &&
           (item->length == 1) == !is_geometry(p, i) &&
           (item->length == 1 || is_same(p, item->token + 2, i + 2));
}

static int find_item(const struct loop *l, const struct item *items, int count,
                     int i)
{
    for (int n = 0; n < count; n++)
        if (is_item(l->p, &items[n], i))
            return n;
    return -1;
}

static bool is_temp(const struct loop *l, int i)
{
    for (int n = 0; n < l->num_temps; n++)
        if (is_same(l->p, l->temps[n], i))
            return true;
    return false;
}

static bool add_item(struct loop *l, int i, bool header)
{
    int n = find_item(l, l->items, l->num_items, i);

    if (n < 0) {
        if (l->num_items == MOST_ITEMS)
            return false;
        n = l->num_items++;
        l->items[n] =
            (struct item){.token = i, .length = is_geometry(l->p, i) ? 3 : 1};
    }
    l->items[n].header |= header;
    return true;
}

/* The first token of the statement that token @i is in. */
static int statement_of(const struct loop *l, int i)
{
    const struct parse *p = l->p;

    while (i > l->kernel + 1 && mark(p, i - 1) != ';' &&
           mark(p, i - 1) != '{' && mark(p, i - 1) != '}')
        i--;
    return i;
}

/* Does the token at @i declare a number, in a statement that begins with its
 * type? */
static bool declares_number(const struct loop *l, int i)
{
    const struct parse *p = l->p;
    const int begin = statement_of(l, i);

    return begin < i && lanes_type(p, begin) != TYPE_NONE &&
           mark(p, i + 1) != '[' &&
           (lanes_type(p, i - 1) != TYPE_NONE || mark(p, i - 1) == ',');
}

/* Is the name at @i that of a number which the kernel has declared before,
 * which has a value, and which nothing points to? */
static bool is_own_number(const struct loop *l, int i)
{
    const struct parse *p = l->p;
    struct known *word = known_of(l->s, i);
    int d = word->number.next;

    if (word->number.kernel != l->kernel + 1) {
        memset(&word->number, 0, sizeof word->number);
        word->number.kernel = l->kernel + 1;
        for (d = i; p->links[d].before > l->kernel;)
            d = p->links[d].before;
    }
    /* Each token once for all loops, which come in the order of the text. */
    for (; d && d < l->word; d = p->links[d].next) {
        if (mark(p, d - 1) == '.' || is(p, d - 1, W_ARROW))
            continue;
        word->number.pointed |= mark(p, d - 1) == '&';
        word->number.declared |= declares_number(l, d);
        word->number.has_value |= mark(p, d + 1) == '=';
    }
    word->number.next = d;
    return word->number.declared && word->number.has_value &&
           !word->number.pointed;
}

/* ---- is it one? ---------------------------------------------------------- */

/* Arithmetic that cannot fault, and subscripts. */
static bool is_operator(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);

    return t->length == 1 && strchr("+-*()[]", *t->text);
}

/* `(name) x`: a cast to what may be a type. */
static bool is_cast(const struct parse *p, int i)
{
    return mark(p, i - 1) == '(' && mark(p, i + 1) == ')' &&
           (token(p, i + 2)->kind != LEX_PUNCT || mark(p, i + 2) == '(');
}

/* An expression's tokens, [i, end). */
static bool expression(struct loop *l, int i, int end, bool header)
{
    const struct parse *p = l->p;

    for (; i < end; i++) {
        const struct lex_token *t = token(p, i);

        if (t->kind == LEX_NUMBER ||
            (t->kind == LEX_PUNCT && is_operator(p, i)))
            continue;
        if (t->kind != LEX_NAME)
            return false;
        if (lanes_type(p, i) != TYPE_NONE)
            continue;
        if (is_same(p, i, l->counter) || is_temp(l, i) ||
            find_item(l, l->sums, l->num_sums, i) >= 0) {
            if (header)
                return false;
            continue;
        }
        if (is_geometry(p, i)) {
            if (!add_item(l, i, header))
                return false;
            i += 2;
            continue;
        }
        if (is_a(p, i, KEYWORD) || mark(p, i + 1) == '(' || is_cast(p, i) ||
            !add_item(l, i, header))
            return false;
    }
    return true;
}

/* `T k = FROM; k < TO; k++` */
static bool read_header(struct loop *l)
{
    const struct parse *p = l->p;
    int i = l->open + 1;
    const int first = find(p, i, l->close, ';');
    const int second = find(p, first + 1, l->close, ';');
    const int step = second + 1;

    while (i < first && lanes_type(p, i) == TYPE_INTEGER)
        i++;
    if (i == l->open + 1 || second >= l->close || !is_name(p, i) ||
        mark(p, i + 1) != '=')
        return false;
    l->counter = i;
    l->from = i + 2;
    l->from_end = first;
    l->to = first + 3;
    l->to_end = second;
    return is_same(p, first + 1, i) &&
           (is(p, first + 2, '<') || is(p, first + 2, W_LESS_EQUAL)) &&
           ((is_same(p, step, i) && is(p, step + 1, W_PLUSPLUS) &&
             step + 2 == l->close) ||
            (is(p, step, W_PLUSPLUS) && is_same(p, step + 1, i) &&
             step + 2 == l->close) ||
            (is_same(p, step, i) && is(p, step + 1, W_ADD) &&
             token(p, step + 2)->kind == LEX_NUMBER && step + 3 == l->close)) &&
           l->from < l->from_end && l->to < l->to_end &&
           expression(l, l->from, l->from_end, true) &&
           expression(l, l->to, l->to_end, true);
}

/* `T x = EXPRESSION` or `sum += EXPRESSION`, [i, end) */
static bool statement(struct loop *l, int i, int end)
{
    const struct parse *p = l->p;
    const int begin = i;

    while (i < end && (lanes_type(p, i) != TYPE_NONE || is(p, i, W_const)))
        i++;
    if (!is_plain(p, i) || is_same(p, i, l->counter))
        return false;
    if (i > begin) {
        if (mark(p, i + 1) != '=' || l->num_temps == MOST_ITEMS ||
            is_temp(l, i) || find_item(l, l->items, l->num_items, i) >= 0 ||
            !expression(l, i + 2, end, false))
            return false;
        l->temps[l->num_temps++] = i;
        return true;
    }
    if (mark(p, i + 1) != '=' && !is(p, i + 1, W_ADD) &&
        !is(p, i + 1, W_SUBTRACT) && !is(p, i + 1, W_MULTIPLY))
        return false;
    if (!is_temp(l, i) && find_item(l, l->sums, l->num_sums, i) < 0) {
        if (l->num_sums == MOST_ITEMS || !is_own_number(l, i) ||
            find_item(l, l->items, l->num_items, i) >= 0)
            return false;
        l->sums[l->num_sums++] = (struct item){.token = i, .length = 1};
    }
    return expression(l, i + 2, end, false);
}

static bool read_body(struct loop *l)
{
    for (int i = l->begin, next; i < l->end; i = next + 1) {
        next = find(l->p, i, l->end, ';');
        if (next >= l->end || !statement(l, i, next))
            return false;
    }
    return l->num_sums > 0 && l->num_items > 0;
}

/* Does its text say that it is short? Then nobody need compile more of it. */
static bool is_short(const struct loop *l)
{
    const struct lex_token *to = &l->p->lex.tokens[l->to];

    return l->to + 1 == l->to_end && to->kind == LEX_NUMBER &&
           strtol(to->text, NULL, 0) < LONG;
}

/* `auto [a, b] = ...`: C++17 lets no lambda have these names. */
static bool has_bindings(const struct loop *l)
{
    struct speed *s = l->s;
    int i = s->bindings_next;

    if (s->bindings_kernel != l->kernel + 1) {
        s->bindings = false;
        s->bindings_kernel = l->kernel + 1;
        i = l->kernel;
    }
    for (; i < l->word; i++)
        s->bindings |= is(l->p, i, W_auto) &&
                       (mark(l->p, i + 1) == '[' || mark(l->p, i + 2) == '[');
    s->bindings_next = i;
    return s->bindings;
}

/* A pragma before a loop is the loop's. */
static bool has_pragma(const struct parse *p, int i)
{
    const struct lex_token *before = token(p, i - 1);
    const char *at = before->text + before->length;

    for (; at < token(p, i)->text; at++)
        if (*at == '#' && strncmp(at, "#pragma", 7) == 0)
            return true;
    return false;
}

/* ---- its second form ----------------------------------------------------- */

/* Tokens [i, end), items by their numbers. @kind: 'v' or 'h' */
static void write_tokens(const struct loop *l, int i, int end, char kind,
                         struct buf *out)
{
    for (; i < end; i++) {
        const int sum = find_item(l, l->sums, l->num_sums, i);
        const int item = find_item(l, l->items, l->num_items, i);

        buf_puts(out, " ");
        if (token(l->p, i)->kind != LEX_NAME || (sum < 0 && item < 0)) {
            flatten(l->p, i, i + 1, out);
            continue;
        }
        buf_printf(out, "vgpu_%c%d", kind, sum >= 0 ? sum : l->num_sums + item);
        if (sum < 0)
            i += l->items[item].length - 1;
    }
}

/* A round is done for all threads before the next one: that is the inner loop,
 * which the compiler makes vectors of. */
static void write_loop(const struct loop *l, int count, struct buf *out)
{
    const int sums = l->num_sums, all = sums + l->num_items;

    for (int n = 0; n < all; n++)
        buf_printf(out,
                   n < sums ? " auto vgpu_r%d = ::vgpu_loop_sums<%d, "
                              "decltype(vgpu_n)::value>(vgpu_m);"
                            : " auto vgpu_r%d = ::vgpu_loop_take<%d, "
                              "decltype(vgpu_n)::value>(vgpu_m);",
                   n, n);
    for (int n = sums; n < all; n++)
        if (l->items[n - sums].header)
            buf_printf(out,
                       " auto vgpu_h%d = ::vgpu_loop_at<false>(vgpu_r%d, 0);",
                       n, n);
    buf_puts(out, " for (");
    flatten(l->p, l->open + 1, l->from, out);
    write_tokens(l, l->from, l->from_end, 'h', out);
    buf_puts(out, "; ");
    flatten(l->p, l->from_end + 1, l->to, out);
    write_tokens(l, l->to, l->to_end, 'h', out);
    buf_puts(out, "; ");
    flatten(l->p, l->to_end + 1, l->close, out);
    buf_printf(out,
               ") { vgpu_d.n += %d; for (int vgpu_i = 0; vgpu_i < "
               "decltype(vgpu_n)::value; vgpu_i++) {",
               count);
    for (int n = 0; n < all; n++)
        if (n < sums)
            buf_printf(out, " auto &vgpu_v%d = vgpu_r%d.value[vgpu_i];", n, n);
        else
            buf_printf(out,
                       " [[maybe_unused]] auto vgpu_v%d = ::vgpu_loop_at<"
                       "decltype(vgpu_g)::value == %d>(vgpu_r%d, vgpu_i);",
                       n, n, n);
    write_tokens(l, l->begin, l->end, 'v', out);
    buf_puts(out, " } }");
    for (int n = 0; n < sums; n++)
        buf_printf(out,
                   " ::vgpu_loop_put<%d, decltype(vgpu_n)::value>(vgpu_m, "
                   "vgpu_r%d);",
                   n, n);
}

/* An "if" would take an "else" that follows the loop. */
static void write_head(const struct loop *l, int count, struct buf *out)
{
    const int sums = l->num_sums;
    unsigned header = 0;

    for (int n = 0; n < l->num_items; n++)
        header |= (unsigned)l->items[n].header << (sums + n);
    buf_puts(out, " for (bool vgpu_l = !(::vgpu_loop_is_long(");
    flatten(l->p, l->from, l->from_end, out);
    buf_puts(out, ", ");
    flatten(l->p, l->to, l->to_end, out);
    buf_printf(out,
               ") && ::vgpu_gang_open() && [&]() "
               "__attribute__((always_inline)) -> bool { static "
               "::vgpu_gang_site vgpu_s; auto vgpu_f = ::vgpu_loop_of<%uu, "
               "%d>([]([[maybe_unused]] auto vgpu_g, auto vgpu_n, ::vgpu_cost "
               "&vgpu_d, auto *const *vgpu_m) __attribute__((always_inline)) "
               "{",
               header, sums);
    write_loop(l, count, out);
    buf_puts(out, " }");
    for (int n = 0; n < sums; n++) {
        buf_puts(out, ", ");
        flatten(l->p, l->sums[n].token, l->sums[n].token + 1, out);
    }
    for (int n = 0; n < l->num_items; n++) {
        const struct item *item = &l->items[n];

        buf_puts(out, ", ");
        flatten(l->p, item->token, item->token + item->length, out);
    }
    buf_puts(out, "); if (!::vgpu_loop_join(&vgpu_s, vgpu_f)) return false;");
    for (int n = 0; n < sums; n++) {
        buf_puts(out, " ");
        flatten(l->p, l->sums[n].token, l->sums[n].token + 1, out);
        buf_printf(out, " = ::vgpu_loop_get<%d>(vgpu_f);", n);
    }
    buf_puts(out, " return true; }()); vgpu_l; vgpu_l = false)");
}

static bool read_loop(struct loop *l, struct speed *s,
                      const struct kernel_loop *loop)
{
    const struct parse *p = s->p;

    *l = (struct loop){.s = s,
                       .p = p,
                       .kernel = loop->kernel,
                       .word = loop->begin,
                       .open = loop->begin + 1};
    l->close = skip(p, l->open) - 1;
    l->begin = l->close + 1;
    l->end = loop->end;
    if (mark(p, l->begin) == '{') {
        l->begin++;
        l->end--;
    }
    return !has_pragma(p, l->word) && read_header(l) && !is_short(l) &&
           !has_bindings(l) && read_body(l);
}

/* Is the name at @i one that the kernel has from elsewhere, or a number? */
static bool is_constant(const struct loop *l, int i)
{
    const struct parse *p = l->p;

    for (int k = p->links[i].before; k > l->kernel; k = p->links[k].before)
        if (is_name(p, k - 1) &&
            (mark(p, k + 1) != '=' || token(p, k + 2)->kind != LEX_NUMBER))
            return false;
    return true;
}

bool loops_may_be_long(struct speed *s, const struct kernel_loop *loop)
{
    struct loop l;
    bool constant = true;

    if (!read_loop(&l, s, loop))
        return false;
    for (int i = l.to; i < l.to_end; i++)
        constant &=
            !is_a(s->p, i, INDEX) && (!is_plain(s->p, i) || is_constant(&l, i));
    return !constant ||
           (l.to + 1 == l.to_end && token(s->p, l.to)->kind == LEX_NUMBER);
}

void loops_write(struct speed *s, const struct kernel_loop *loop)
{
    struct parse *p = s->p;
    struct loop l;
    struct buf out = {0};

    if (!read_loop(&l, s, loop))
        return;
    write_head(&l, loop->count, &out);
    edit_before(p, l.word, LAYER_LOOP, "%s", out.data);
    p->quick = true;
    buf_free(&out);
}
