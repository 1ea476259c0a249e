/*
 * body.c: statements of a function: counts operations, finds launches, lambdas
 * and __shared__ variables.
 *
 * What a kernel costs is how many operators, subscripts and calls it carries
 * out, so every block of the text is given its count when it is read, and adds
 * it to a counter each time it runs. The count is a property of the text: the
 * same with every compiler and at every optimization level.
 *
 * Statements must be told apart for that, types need not be. Where the text
 * could be read in two ways the reading is taken that changes less of it: a
 * count that is off by one is no harm, a program that no longer compiles is.
 */
#include "parse.h"

#include <string.h>

/* A statement's place. */
struct place {
    int begin; /* its first token */
    enum spot spot;
};

static int statement_read(struct parse *p, struct function *f, int i, int end,
                          struct cost *cost, enum spot spot);
static void block_read(struct parse *p, struct function *f, int open,
                       struct cost *cost);

/* ---- costs --------------------------------------------------------------- */

/* What is counted is handed over early: by functions that host code calls. */
static bool settles(const struct function *f)
{
    return f->costs && !f->device;
}

static bool is_written(const struct function *f, const struct cost *cost)
{
    return f->costs && cost->behind >= 0 &&
           (cost->count || cost->slots || cost->own || cost->idle.loop);
}

/* Close @cost: write what its place adds. */
static void cost_write(struct parse *p, struct function *f, struct cost *cost)
{
    struct buf text = {0};

    if (!is_written(f, cost))
        return;
    buf_puts(&text, cost->braces ? " {" : "");
    buf_puts(&text, cost->own ? " ::vgpu_cost vgpu_c;" : "");
    if (cost->count)
        buf_printf(&text, " vgpu_c.n += %d;", cost->count);
    if (cost->slots)
        buf_printf(&text, " vgpu_c.slots += %d;", cost->slots);
    if (cost->idle.loop)
        buf_printf(&text, " ::vgpu_idle(vgpu_c.n, %d, ::VGPU_IDLE_%s);",
                   cost->count,
                   cost->idle.meets    ? "BARRIERS"
                   : cost->idle.votes  ? "VOTES"
                   : cost->idle.rounds ? "ROUNDS"
                                       : "ALONE");
    edit_behind(p, cost->behind, LAYER_COUNT, "%s", text.data);
    f->counted |= !cost->own;
    buf_free(&text);
}

/* Is the punctuation at @i an operation? */
static bool is_operation(const struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);
    bool merged = mark(p, i) == '>' && t[1].glued && *t[1].text == '>';

    if (t->kind != LEX_PUNCT || p->roles[i] != ROLE_NONE)
        return false;
    if (t->length == 1) {
        if (*t->text == '(')
            return i > 0 &&
                   (mark(p, i - 1) == ')' || mark(p, i - 1) == ']' ||
                    p->roles[i - 1] == ROLE_ANGLE || (is_plain(p, i - 1)));
        return !merged && strchr("+-*/%^&|~!=<>?[", *t->text);
    }
    return !is(p, i, W_SCOPE) && !is(p, i, W_ARROW) && !is(p, i, W_ELLIPSIS) &&
           !is(p, i, W_PASTE) && !is(p, i, W_LAUNCH);
}

/* ---- lambdas ------------------------------------------------------------- */

/* Can an expression begin at @i? */
static bool begins_expression(const struct parse *p, int i)
{
    const struct lex_token *before = token(p, i - 1);

    if (i == 0)
        return true;
    if (before->kind == LEX_NAME)
        return is_a(p, i - 1, OPENS);
    return before->kind == LEX_PUNCT && mark(p, i - 1) != ')' &&
           mark(p, i - 1) != ']' && p->roles[i - 1] != ROLE_ANGLE;
}

/* A `[` begins a lambda or a subscript. It is a lambda where an expression may
 * begin and a `{` follows what may stand between: parameters, specifiers, a
 * return type. */
int body_lambda(const struct parse *p, int i, int end)
{
    if (!begins_expression(p, i))
        return -1;
    i = skip(p, i);
    if (i < end && mark(p, i) == '<')
        i = angle_end(p, i, end);
    while (i < end &&
           (is_a(p, i, LAMBDA) || mark(p, i) == '[' || mark(p, i) == '('))
        i = skip(p, i);
    if (i < end && is(p, i, W_ARROW))
        for (i++; i < end && mark(p, i) != '{'; i = skip(p, i)) {
            if (mark(p, i) == '<')
                i = angle_end(p, i, end) - 1;
            else if (!is_name(p, i) && !is(p, i, W_SCOPE) &&
                     !is(p, i, W_ANDAND) && mark(p, i) != '*' &&
                     mark(p, i) != '&' && mark(p, i) != '(')
                return -1;
        }
    return i < end && mark(p, i) == '{' ? i : -1;
}

/* The lambda from `[` at @i with its body at @open. Return: after it. */
static int lambda_read(struct parse *p, const struct function *outer, int i,
                       int open)
{
    struct function f = {.begin = outer->begin,
                         .head = i,
                         .class_open = outer->class_open,
                         .outer = outer,
                         .device = outer->device,
                         .host = outer->host,
                         .costs = true};
    bool qualified = false;

    for (int k = skip(p, i); k < open; k = skip(p, k)) {
        qualified |= is(p, k, W___device__);
        f.host |= is(p, k, W___host__);
        f.costs &= !is(p, k, W_constexpr) && !is(p, k, W_consteval);
    }
    f.device |= qualified;
    if (qualified && !outer->device)
        note_code(p, &(struct code){.kind = CODE_LAMBDA,
                                    .head = {.begin = i, .name = -1},
                                    .open = open});
    body_read(p, &f, open, qualified || (f.device && skip(p, i) == i + 2));
    return skip(p, open);
}

/* ---- expressions --------------------------------------------------------- */

/* By what the virtual GPU has of that name. Not a member of that name, nor
 * another namespace's function. */
static void replace_call(struct parse *p, int i)
{
    const struct lex_token *t = token(p, i);
    const int skipped = is(p, i, W___assert_fail) ? 2 : 0; /* its `__` */

    if (is(p, i - 1, '.') || is(p, i - 1, W_ARROW))
        return;
    if (is(p, i - 1, W_SCOPE)) {
        if (is(p, i - 2, W_std))
            edit_drop(p, i - 2);
        else if (is_plain(p, i - 2))
            return; /* another namespace's */
        edit_drop(p, i - 1);
    }
    edit_replace(p, i, "::vgpu_%s%.*s", is_a(p, i, MATH) ? "math_" : "",
                 t->length - skipped, t->text + skipped);
}

/* A word of device code. */
static void device_word(struct parse *p, const struct function *f, int i)
{
    if (mark(p, i + 1) == '(' && (is_a(p, i, DEVICE) || math_is_call(p, i)))
        replace_call(p, i);
    if (f->kernel && (is(p, i, W___PRETTY_FUNCTION__) || is(p, i, W___func__) ||
                      is(p, i, W___FUNCTION__)))
        edit_replace(p, i, "vgpu_self.name");
}

/* `({ ...; })`: statements within an expression? */
static bool is_statement_expression(const struct parse *p, int i)
{
    int end = skip(p, i) - 1;

    return mark(p, i) == '{' && mark(p, i - 1) == '(' &&
           find(p, i + 1, end, ';') < end;
}

/* The clock may be looked at: by a call, or by who calls this lambda. */
static void note_loud(struct function *f, struct cost *cost)
{
    f->loud = true;
    if (cost)
        cost->loud = true;
}

/* Goes through an expression's tokens from left to right, nested brackets
 * included. Lambdas and statement expressions hold statements of their own and
 * are read as such. */
void body_scan(struct parse *p, struct function *f, int i, int end,
               struct cost *cost)
{
    int from = i;

    while (i < end) {
        int open = mark(p, i) == '[' ? body_lambda(p, i, end) : -1;

        if (open >= 0) {
            i = lambda_read(p, f, i, open);
            note_loud(f, cost);
            continue;
        }
        if (mark(p, i) == '[' && mark(p, i + 1) == '[') {
            i = skip(p, i); /* an attribute */
            continue;
        }
        if (is_statement_expression(p, i)) {
            struct cost inner = {.behind = i};

            block_read(p, f, i, &inner);
            i = skip(p, i);
            continue;
        }
        if (mark(p, i) == '<' && p->roles[i] == ROLE_NONE)
            template_end(p, i, end);
        else if (is_name(p, i) && mark(p, i + 1) == '<')
            template_end(p, i + 1, end);
        if (settle_is_loud(p, i))
            note_loud(f, cost);
        if (is(p, i, W_LAUNCH))
            launch_rewrite(p, f, from, i, end);
        if (is_name(p, i) && f->device)
            device_word(p, f, i);
        if (is_a(p, i, ASM) && f->device) {
            const int count = ptx_rewrite(p, i);

            if (cost)
                cost->count += count;
        }
        if (is_name(p, i) && mark(p, i + 1) == '(')
            names_check(p, f, i);
        if (cost && is_operation(p, i)) {
            cost->count++;
            cost->slots += f->device ? math_division_slots(p, i) : 0;
        }
        i++;
    }
}

/* ---- statements ---------------------------------------------------------- */

static void statements_read(struct parse *p, struct function *f, int i, int end,
                            struct cost *cost)
{
    while (i < end) {
        int next = statement_read(p, f, i, end, cost, SPOT_BLOCK);

        i = next > i ? next : i + 1;
    }
}

/* The edit at the block's beginning was made before its statements are read,
 * and gets its text when their count is known. */
static void block_read(struct parse *p, struct function *f, int open,
                       struct cost *cost)
{
    statements_read(p, f, open + 1, skip(p, open) - 1, cost);
    cost_write(p, f, cost);
}

/* The brace block at @open. Return: after it. */
static int nested_block(struct parse *p, struct function *f, int open)
{
    struct cost cost = {.behind = open, .own = token(p, open)->parallel};

    block_read(p, f, open, &cost);
    return skip(p, open);
}

/*
 * A loop's body at @i; the token before it is its header's last. @cost has
 * the header's count and stays open. Return: after the body.
 */
static int loop_body(struct parse *p, struct function *f, int i, int end,
                     struct cost *cost)
{
    if (i < end && mark(p, i) == '{') {
        cost->behind = i;
        statements_read(p, f, i + 1, skip(p, i) - 1, cost);
        return skip(p, i);
    }
    cost->behind = i - 1;
    cost->braces = true;
    return i < end ? statement_read(p, f, i, end, cost, SPOT_ALONE) : i;
}

/* Close a loop whose last token's index is @past - 1. */
static void loop_write(struct parse *p, struct function *f, struct cost *cost,
                       int past)
{
    cost_write(p, f, cost);
    if (!is_written(f, cost))
        return;
    if (cost->idle.writes && !cost->braces)
        edit_before(p, past - 1, LAYER_CODE, " ::vgpu_idle_end(vgpu_c.n); ");
    else if (cost->braces)
        edit_behind(p, past - 1, LAYER_CODE, "%s }",
                    cost->idle.writes ? " ::vgpu_idle_end(vgpu_c.n);" : "");
}

/* A header's parts, [i, end). */
static void header_scan(struct parse *p, struct function *f, int i, int end,
                        struct cost *cost)
{
    while (i < end) {
        int semicolon = find(p, i, end, ';');
        struct header header = settle_header(p, i, semicolon);

        cost->loud = false;
        body_scan(p, f, i, semicolon, cost);
        if (cost->loud && settles(f))
            settle_expression(p, f, &header);
        i = semicolon + 1;
    }
}

/* The header of a loop that OpenMP or a range shapes is left as it is. */
static bool is_fixed(const struct parse *p, int i, int end)
{
    return token(p, i)->openmp ||
           (is(p, i, W_for) && find(p, i + 2, end, ';') >= end);
}

/* The loop in the body at @body, if OpenMP makes one of it and the loop at @i,
 * or -1. Nothing may stand between the two, so the inner one has the counts. */
static int collapsed_loop(struct parse *p, int i, int body)
{
    const struct lex_token *outer = token(p, i);
    int inner = mark(p, body) == '{' ? body + 1 : body;

    if (outer->collapse < 2 || !is(p, inner, W_for))
        return -1;
    p->lex.tokens[inner].openmp = true;
    p->lex.tokens[inner].parallel = outer->parallel;
    p->lex.tokens[inner].collapse = (unsigned char)(outer->collapse - 1);
    return inner;
}

/* Who waits for others of a block is device code, and a host's loop that counts
 * may be there to take time: of such a one, and of one whose atomics tell
 * themselves, the runtime knows that it goes round. */
static struct idle idle_of(const struct parse *p, const struct function *f,
                           int i, int end)
{
    struct idle idle = idle_loop(p, i, end);

    if (f->device)
        return idle;
    idle.rounds = idle.counts || !idle.loop;
    idle.loop = idle.looks && !idle.votes && !idle.meets;
    return idle;
}

static void note_loop(struct parse *p, int kernel, int i, int past, int count)
{
    BUF_ROOM(p->loops, p->num_loops);
    p->loops[p->num_loops++] = (struct kernel_loop){kernel, i, past, count};
}

/* `for` or `while` with a header. */
static int loop_read(struct parse *p, struct function *f, int i, int end)
{
    struct cost cost = {.behind = -1,
                        .own = token(p, i)->parallel,
                        .idle = idle_of(p, f, i, end)};
    int header = i + 1;
    int last = skip(p, header) - 1;
    int inner, past;

    if (mark(p, header) != '(')
        return i + 1;
    if (is_fixed(p, i, last))
        body_scan(p, f, header + 1, last, &cost);
    else
        header_scan(p, f, header + 1, last, &cost);
    inner = collapsed_loop(p, i, last + 1);
    if (inner >= 0) {
        past = loop_read(p, f, inner, end);
        return inner > last + 1 ? skip(p, last + 1) : past;
    }
    past = loop_body(p, f, last + 1, end, &cost);
    loop_write(p, f, &cost, past);
    if (cost.idle.looks)
        idle_note(p, i, past);
    if (f->kernel && is(p, i, W_for) && !token(p, i)->openmp && !cost.slots &&
        !cost.idle.loop)
        note_loop(p, f->begin, i, past, cost.count);
    return past;
}

/* The condition belongs to the body's count: both are done once each round. */
static int do_read(struct parse *p, struct function *f, int i, int end)
{
    struct cost cost = {.behind = -1, .idle = idle_of(p, f, i, end)};
    int past = loop_body(p, f, i + 1, end, &cost);
    int condition = past + 1;

    if (past < end && is(p, past, W_while) && mark(p, condition) == '(')
        header_scan(p, f, condition + 1, skip(p, condition) - 1, &cost);
    loop_write(p, f, &cost, past);
    if (past >= end || !is(p, past, W_while))
        return past;
    past = find(p, condition, end, ';');
    if (cost.idle.looks)
        idle_note(p, i, past);
    return past < end ? past + 1 : end;
}

/* Index of the `:` that ends the label at @i. */
static int label_end(const struct parse *p, int i, int end)
{
    int questions = 0;

    for (; i < end && mark(p, i) != ';'; i = skip(p, i)) {
        questions += mark(p, i) == '?';
        if (mark(p, i) == ':' && questions-- == 0)
            return i;
    }
    return i < end ? i : end;
}

/* A switch's block: each label's statements have a count of their own. A label
 * can be jumped to, so what comes behind it counts from there on. Falling
 * through adds both counts, as it does both labels' work. */
static int switch_block(struct parse *p, struct function *f, int open)
{
    struct cost cost = {.behind = -1};
    int end = skip(p, open) - 1;
    int i = open + 1;

    while (i < end) {
        int next;

        if (is(p, i, W_case) || is(p, i, W_default)) {
            i = label_end(p, i, end);
            if (i >= end)
                break;
            cost_write(p, f, &cost);
            memset(&cost, 0, sizeof cost);
            cost.behind = i;
            i++;
            continue;
        }
        next = statement_read(p, f, i, end, &cost, SPOT_SWITCH);
        i = next > i ? next : i + 1;
    }
    cost_write(p, f, &cost);
    return end + 1;
}

/* The condition of an `if` or `switch`. Return: after it. */
static int condition_read(struct parse *p, struct function *f, int i, int end,
                          struct cost *cost)
{
    bool fixed = false;

    for (i++; i < end && is_name(p, i); i++, fixed = true)
        if (!is(p, i, W_constexpr) && !is(p, i, W_consteval))
            return i;
    if (i >= end || mark(p, i) != '(')
        return i;
    if (fixed)
        body_scan(p, f, i + 1, skip(p, i) - 1, cost);
    else
        header_scan(p, f, i + 1, skip(p, i) - 1, cost);
    return skip(p, i);
}

/* A chain of if - else if - else. The conditions count for the block around
 * them: a chain of else-ifs is taken as if all of them were asked. */
static int if_read(struct parse *p, struct function *f, int i, int end,
                   struct cost *cost)
{
    while (i < end) {
        i = condition_read(p, f, i, end, cost);
        if (i < end)
            i = statement_read(p, f, i, end, cost, SPOT_ALONE);
        if (i >= end || !is(p, i, W_else))
            return i;
        i++;
        if (!is(p, i, W_if))
            return i < end ? statement_read(p, f, i, end, cost, SPOT_ALONE) : i;
    }
    return i;
}

static int try_read(struct parse *p, struct function *f, int i, int end)
{
    i++;
    if (i < end && mark(p, i) == '{')
        i = nested_block(p, f, i);
    while (i < end && is(p, i, W_catch) && mark(p, i + 1) == '(') {
        i = skip(p, i + 1);
        if (i < end && mark(p, i) == '{')
            i = nested_block(p, f, i);
    }
    return i;
}

/* Hand over before, and after, the simple statement [i, past). */
static void simple_settle(struct parse *p, struct function *f, int i, int past,
                          const struct cost *cost, const struct place *place)
{
    if (!settles(f))
        return;
    dropped_note(p, i, past);
    if (cost->loud && !token(p, i)->openmp)
        settle_statement(p, f, place->begin, past, place->spot);
    if (place->spot == SPOT_BLOCK && !f->jumps)
        settle_object(p, f, i, past);
}

/* A declaration or an expression, with its `;`. */
static int simple_statement(struct parse *p, struct function *f, int i, int end,
                            struct cost *cost, const struct place *place)
{
    int semicolon = find(p, i, end, ';');
    int past = semicolon < end ? semicolon + 1 : end;
    int from = i;

    if (var_is_shared(p, i, semicolon)) {
        var_shared(p, i, semicolon, end,
                   f->kernel ? SHARED_IN_KERNEL : SHARED_IN_DEVICE, f->open);
    } else {
        from = scope_local_type(p, i, semicolon);
    }
    if (f->main && is(p, i, W_return) && semicolon == i + 1)
        edit_behind(p, i, LAYER_CODE, " 0");
    cost->loud = false;
    body_scan(p, f, from, semicolon, cost);
    simple_settle(p, f, i, past, cost, place);
    return past;
}

static bool labelled(const struct parse *p, int i, int end)
{
    return i + 1 < end && is_name(p, i) && mark(p, i + 1) == ':';
}

/* By its first token, as the grammar allows; what is none of these is a simple
 * statement up to its `;`. */
static int statement_kind(struct parse *p, struct function *f, int i, int end,
                          struct cost *cost, const struct place *place)
{
    if (mark(p, i) == '{')
        return nested_block(p, f, i);
    if (is(p, i, W_if))
        return if_read(p, f, i, end, cost);
    if (is(p, i, W_for) || is(p, i, W_while))
        return loop_read(p, f, i, end);
    if (is(p, i, W_do))
        return do_read(p, f, i, end);
    if (is(p, i, W_switch)) {
        i = condition_read(p, f, i, end, cost);
        if (i < end && mark(p, i) == '{')
            return switch_block(p, f, i);
        return i < end ? statement_read(p, f, i, end, cost, SPOT_ALONE) : i;
    }
    if (is(p, i, W_try))
        return try_read(p, f, i, end);
    return simple_statement(p, f, i, end, cost, place);
}

/* Nesting is limited since reading is recursive: fuzzed text must not exhaust
 * the stack. */
static int statement_read(struct parse *p, struct function *f, int i, int end,
                          struct cost *cost, enum spot spot)
{
    struct place place = {.spot = spot};
    int begin = i;

    /* Labels and attributes in front. */
    for (;;) {
        if (i < end && is(p, i, W_case))
            begin = i = label_end(p, i, end) + 1;
        else if (labelled(p, i, end))
            begin = i += 2;
        else if (i < end && mark(p, i) == '[' && mark(p, i + 1) == '[')
            i = skip(p, i);
        else
            break;
    }
    if (i >= end)
        return end;
    if (++p->depth > 200) {
        refuse(p, i, "nested too deeply");
        i = end;
    } else {
        place.begin = begin;
        i = statement_kind(p, f, i, end, cost, &place);
    }
    p->depth--;
    return i;
}

/* ---- a whole body -------------------------------------------------------- */

static bool names_word(const struct parse *p, int open, int word)
{
    int end = skip(p, open) - 1;

    for (int i = open + 1; i < end; i++)
        if (is(p, i, word) && !is(p, i - 1, '.') && !is(p, i - 1, W_ARROW))
            return true;
    return false;
}

static bool names_parameter(const struct parse *p, int head, int open, int word)
{
    while (head < open && !is(p, head, word))
        head++;
    return head < open;
}

/* Does the body declare a variable of its own by the name of one of CUDA's? */
static bool declares_index(const struct parse *p, int open)
{
    int end = skip(p, open) - 1;

    for (int i = open + 1; i < end; i++)
        if (is_a(p, i, INDEX) && is_name(p, i - 1) && !is_a(p, i - 1, OPENS))
            return true;
    return false;
}

/* A function that a kernel calls has no parameters for these, so it asks for
 * them at its top, and only if it names them: asking is a call. */
static void add_index_variables(struct parse *p, const struct function *f,
                                int open, struct buf *out)
{
    static const struct {
        int word;
        const char *text;
    } variables[] = {
        {W_threadIdx, "::uint3 threadIdx = ::vgpu_thread_index();"},
        {W_blockIdx, "::uint3 blockIdx = ::vgpu_block_index();"},
        {W_blockDim, "::dim3 blockDim = ::vgpu_block_extent();"},
        {W_gridDim, "::dim3 gridDim = ::vgpu_grid_extent();"}};

    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        if (names_word(p, open, variables[v].word) &&
            !names_parameter(p, f->head, open, variables[v].word))
            buf_printf(out, " [[maybe_unused]] const %s", variables[v].text);
}

void body_read(struct parse *p, struct function *f, int open, bool names)
{
    struct cost cost = {.behind = open};
    struct buf out = {0};

    f->open = open;
    f->jumps = names_word(p, open, W_goto);
    block_read(p, f, open, &cost);
    if (f->counted && !f->kernel)
        buf_puts(&out, " ::vgpu_cost vgpu_c;");
    if (names)
        add_index_variables(p, f, open, &out);
    if (f->device)
        shared_references(p, f, &out);
    if (f->device && declares_index(p, open)) {
        buf_puts(&out, " {");
        edit_close(p, skip(p, open) - 1, LAYER_NAMES, "} ");
    }
    if (out.size)
        edit_behind(p, open, LAYER_NAMES, "%s", out.data);
    buf_free(&out);
}
