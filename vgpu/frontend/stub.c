/*
 * stub.c: a kernel's definition becomes its stub. See README.md.
 *
 * The kernel's body stays where it is, as a lambda inside of a function of the
 * kernel's own name and parameters. So the compiler converts arguments, deduces
 * template parameters and chooses overloads as for any function, and the lambda
 * copies the arguments, which is what a launch does.
 */
#include "parse.h"

static void add_name(struct parse *p, const struct head *h, struct buf *out)
{
    flatten(p, h->name, h->name + 1, out);
}

/* Does the name begin with `::` or `ns::`? Return: its first token. */
static int name_begin(const struct parse *p, int name)
{
    while (is(p, name - 1, W_SCOPE)) {
        name--;
        if (is_plain(p, name - 1))
            name--;
    }
    return name;
}

/* `, {X, Y, Z}` of a __cluster_dims__; without a number in it the launch has to
 * say them. */
static void add_cluster(struct parse *p, const struct head *h, struct buf *out)
{
    const int from = h->cluster + 1;
    const int end = h->cluster < 0 ? 0 : skip(p, h->cluster) - 1;

    buf_puts(out, h->cluster >= 0 && from == end ? ", {-1" : ", {");
    for (int n = 0, i = from, comma; n < 3 && from < end; n++, i = comma + 1) {
        comma = i < end ? find(p, i, end, ',') : end;
        buf_puts(out, n ? ", (int)(" : "(int)(");
        if (i < comma)
            flatten(p, i, comma, out);
        else
            buf_puts(out, "1");
        buf_puts(out, ")");
    }
    buf_puts(out, "}");
}

/* {"k", "file", LINE, T, B, {CLUSTER}} */
static void add_kernel(struct parse *p, const struct head *h, struct buf *out)
{
    const struct lex_token *name = token(p, h->name);
    int i = h->bounds >= 0 ? h->bounds + 1 : 0;
    int end = h->bounds >= 0 ? skip(p, h->bounds) - 1 : 0;

    buf_puts(out, "{\"");
    add_name(p, h, out);
    buf_puts(out, "\", ");
    if (name->file >= 0)
        buf_add(out, p->lex.files[name->file].name,
                (size_t)p->lex.files[name->file].length);
    else
        buf_puts(out, "\"\"");
    buf_printf(out, ", %d", name->line);
    for (int n = 0; n < 2; n++) {
        int comma = find(p, i, end, ',');

        buf_puts(out, ", ");
        if (i < comma) {
            buf_puts(out, "(int)(");
            flatten(p, i, comma, out);
            buf_puts(out, ")");
        } else {
            buf_puts(out, "0");
        }
        i = comma < end ? comma + 1 : end;
    }
    add_cluster(p, h, out);
    buf_puts(out, "}");
}

/* The parameters without default arguments and qualifiers. */
static void add_params(struct parse *p, int open, struct buf *out)
{
    int end = skip(p, open) - 1;
    int i = open + 1;

    while (i < end) {
        int next = i, init = -1;

        for (; next < end && mark(p, next) != ','; next = skip(p, next)) {
            if (mark(p, next) == '=' && init < 0)
                init = next;
            if (mark(p, next) == '<' && init < 0)
                next = angle_end(p, next, end) - 1;
            else if (mark(p, next) == '<' && template_end(p, next, end) > 0)
                next = template_end(p, next, end) - 1;
        }
        if (is(p, i, W___grid_constant__))
            i++;
        for (int k = i; k < (init < 0 ? next : init); k++) {
            if (is(p, k, W___grid_constant__))
                continue;
            flatten(p, k, k + 1, out);
            buf_puts(out, " ");
        }
        if (next < end)
            buf_puts(out, ",");
        i = next + 1;
    }
}

/* The comma behind the parameter at @i, of a function or a template, or @end.
 */
static int parameter_end(const struct parse *p, int i, int end)
{
    while (i < end && mark(p, i) != ',')
        i = mark(p, i) == '<' ? angle_end(p, i, end) : skip(p, i);
    return i;
}

/*
 * The name of the template parameter in [i, end), with `...` behind it if it
 * is a pack. Return: -1 if it has none.
 */
static int add_parameter_name(struct parse *p, int i, int end, struct buf *out)
{
    int words = 0, name = -1;
    bool pack = false;

    for (; i < end && mark(p, i) != '='; i = skip(p, i)) {
        if (mark(p, i) == '<')
            i = angle_end(p, i, end) - 1;
        else if (is_name(p, i))
            name = i, words++;
        pack |= is(p, i, W_ELLIPSIS);
    }
    if (words < 2 || is(p, name, W_class) || is(p, name, W_typename))
        return -1;
    flatten(p, name, name + 1, out);
    buf_puts(out, pack ? "..." : "");
    return 0;
}

/* <T, N> for the header at @open. Return: -1 if a parameter has no name. */
static int add_template_arguments(struct parse *p, int open, struct buf *out)
{
    int end;

    if (open < 0)
        return -1;
    end = angle_end(p, open, p->lex.count) - 1;

    buf_puts(out, "<");
    for (int i = open + 1; i < end;) {
        const int next = parameter_end(p, i, end);

        if (add_parameter_name(p, i, next, out))
            return -1;
        buf_puts(out, next < end ? ", " : "");
        i = next + 1;
    }
    buf_puts(out, ">");
    return 0;
}

/* Is it `template <>`, a function and no template? */
static bool is_specialisation(const struct parse *p, const struct head *h)
{
    return h->is_template && h->arguments >= 0 &&
           mark(p, h->arguments + 1) == '>';
}

/* The stub's address. Return: -1 if it cannot be named. */
static int add_stub(struct parse *p, const struct head *h, struct buf *out)
{
    int begin = name_begin(p, h->name);
    int status = 0;

    if (begin < h->name && !h->is_template) {
        buf_puts(out, "&");
        flatten(p, begin, h->name + 1, out);
        return 0;
    }
    buf_puts(out, "static_cast<void (*)(");
    add_params(p, h->params, out);
    buf_puts(out, ")>(");
    if (is_specialisation(p, h) || !h->is_template)
        flatten(p, begin, h->params, out);
    else
        flatten(p, begin, h->name + 1, out);
    if (h->is_template && !is_specialisation(p, h))
        status = add_template_arguments(p, h->arguments, out);
    buf_puts(out, ")");
    return status;
}

/* A template registers each instance from within: its own name is known. */
static void add_instance(struct parse *p, const struct head *h, struct buf *out)
{
    struct buf stub = {0};

    if (!add_stub(p, h, &stub))
        buf_printf(out,
                   " (void)&::vgpu_instance<%s, &vgpu_self>::registration;",
                   stub.data);
    buf_free(&stub);
}

/* Behind the definition, on its last line: a static object registers the kernel
 * before main, for calls that name it by its address. */
static void write_registration(struct parse *p, const struct head *h, int close)
{
    int n = ++p->serial;
    struct buf out = {0};

    buf_printf(&out, " static const ::vgpu_kernel vgpu_kernel_%d = ", n);
    add_kernel(p, h, &out);
    buf_printf(&out,
               "; __attribute__((init_priority(200))) "
               "static const ::vgpu_registration vgpu_registration_%d("
               "::vgpu_stub<",
               n);
    add_stub(p, h, &out);
    buf_printf(&out, ">(), &vgpu_kernel_%d);", n);
    edit_behind(p, close, LAYER_CODE, "%s", out.data);
    buf_free(&out);
}

/*
 * The name of the parameter in [i, end) if its type may have a constructor or a
 * destructor, else -1: not of pointers, references, packs and numbers. To take
 * a number for an object does no harm.
 */
static int object_parameter(const struct parse *p, int i, int end)
{
    int name = -1;

    for (; i < end && mark(p, i) != '='; i = skip(p, i)) {
        if (mark(p, i) == '<')
            i = angle_end(p, i, end) - 1;
        else if (is_name(p, i))
            name = i;
        else if (!is(p, i, W_SCOPE))
            return -1;
    }
    if (name < 0 || is_a(p, name, KEYWORD) ||
        (!is_name(p, name - 1) && mark(p, name - 1) != '>'))
        return -1;
    for (int i = name - 1; i <= name; i++)
        if (is_a(p, i, TYPE | TAG) || is(p, i, W_size_t) || is(p, i, W_const) ||
            is(p, i, W_volatile) || is(p, i, W_SCOPE))
            return -1;
    return name;
}

/* The name of the parameter in [i, end) if it is a reference, else -1. */
static int reference_parameter(const struct parse *p, int i, int end)
{
    for (; i < end && mark(p, i) != '='; i++) {
        if (mark(p, i) == '&' && is_plain(p, i + 1))
            return i + 1;
        if (mark(p, i) == '<')
            i = angle_end(p, i, end) - 1;
        else if (mark(p, i) == '(' && mark(p, i + 1) != '&')
            i = skip(p, i) - 1;
    }
    return -1;
}

/* Objects are held as bytes, since a launch copies bytes: no constructor runs
 * for the lambda's copy and for the threads', and no destructor. Of a reference
 * a launch copies the address: what it leads to stays where it is. */
void kernel_held(const struct parse *p, const struct head *h,
                 struct buf *captures, struct buf *references)
{
    int end = skip(p, h->params) - 1;

    for (int i = h->params + 1, next, name; i < end; i = next + 1) {
        next = parameter_end(p, i, end);
        name = reference_parameter(p, i, next);
        if (name >= 0) {
            buf_puts(captures, ", &");
            flatten(p, name, name + 1, captures);
            continue;
        }
        name = object_parameter(p, i, next);
        if (name < 0)
            continue;
        buf_printf(captures, ", vgpu_held_%d = ::vgpu_held<decltype(", name);
        flatten(p, name, name + 1, captures);
        buf_puts(captures, ")>(");
        flatten(p, name, name + 1, captures);
        buf_puts(captures, ")");
        buf_puts(references, " [[maybe_unused]] auto &");
        flatten(p, name, name + 1, references);
        buf_printf(references, " = vgpu_held_%d.object();", name);
    }
}

/*
 * The name of the parameter in [i, end), or -1: where there is none, and where
 * its declarator has parentheses. A name stands behind a type, and a lone one
 * is the type.
 */
static int parameter_name(const struct parse *p, int i, int end)
{
    const int begin = i;
    int name = -1, before;

    for (; i < end && mark(p, i) != '='; i = skip(p, i)) {
        if (mark(p, i) == '(')
            return -1;
        if (mark(p, i) == '<')
            i = angle_end(p, i, end) - 1;
        else if (is_name(p, i))
            name = i;
    }
    for (before = name - 1; before >= begin; before--)
        if (!is_a(p, before, CV))
            break;
    if (name < 0 || before < begin || is_a(p, name, KEYWORD) ||
        is_a(p, name, CV | TYPE) || is(p, name, W_auto) || is_a(p, before, TAG))
        return -1;
    return is_name(p, before) || mark(p, before) == '*' ||
                   mark(p, before) == '>' || is(p, before, W_ELLIPSIS)
               ? name
               : -1;
}

/* `, a, b` for a launch's parameters, of which a graph's node can be asked.
 * Nothing if one of them cannot be named. */
static void add_arguments(struct parse *p, const struct head *h,
                          struct buf *out)
{
    const int end = skip(p, h->params) - 1;

    for (int i = h->params + 1, next; i < end; i = next + 1) {
        int name;

        next = parameter_end(p, i, end);
        name = parameter_name(p, i, next);
        if (name < 0) {
            buf_free(out);
            return;
        }
        buf_puts(out, ", ");
        flatten(p, name, name + 1, out);
        if (is(p, name - 1, W_ELLIPSIS))
            buf_puts(out, "...");
    }
}

const char *lambda_words(const struct parse *p)
{
    return p->options->for_clang ? "__attribute__((always_inline)) mutable"
                                 : "mutable __attribute__((always_inline))";
}

/* Is a parameter of the kernel called @word? Its own name is out of reach then.
 */
static bool hides_index(const struct parse *p, const struct head *h, int word)
{
    for (int i = h->params + 1; i < skip(p, h->params); i++)
        if (is(p, i, word) && mark(p, i - 1) != '.')
            return true;
    return false;
}

static void add_indices(const struct parse *p, const struct head *h,
                        struct buf *out)
{
    static const struct {
        int word;
        const char *type, *name;
    } indices[] = {{W_threadIdx, "::uint3", "threadIdx"},
                   {W_blockIdx, "::uint3", "blockIdx"},
                   {W_blockDim, "::dim3", "blockDim"},
                   {W_gridDim, "::dim3", "gridDim"}};

    for (size_t n = 0; n < sizeof indices / sizeof *indices; n++)
        buf_printf(out, "[[maybe_unused]] const %s %s%s, ", indices[n].type,
                   hides_index(p, h, indices[n].word) ? "vgpu_" : "",
                   indices[n].name);
}

/* The part of a stub before the kernel's own text, but for what runs it. */
static void write_stub(struct parse *p, const struct head *h, int open)
{
    struct buf self = {0}, captures = {0}, references = {0}, indices = {0};

    add_indices(p, h, &indices);
    kernel_held(p, h, &captures, &references);
    add_kernel(p, h, &self);
    buf_puts(&self, ";");
    if (h->is_template && !is_specialisation(p, h))
        add_instance(p, h, &self);
    edit_behind(p, open, LAYER_SELF,
                " static const ::vgpu_kernel vgpu_self = %s", self.data);
    edit_behind(p, open, LAYER_FRAME,
                "(&vgpu_self, [=%s](%s"
                "[[maybe_unused]] ::vgpu_cost &vgpu_c) %s -> void {%s",
                captures.data ? captures.data : "", indices.data,
                lambda_words(p), references.data ? references.data : "");
    buf_free(&indices);
    buf_free(&self);
    buf_free(&captures);
    buf_free(&references);
}

/* A template whose parameters have no names, for each `auto` one? */
static bool is_abbreviated(const struct parse *p, const struct head *h)
{
    for (int i = h->params + 1; i < skip(p, h->params); i++)
        if (is(p, i, W_auto))
            return true;
    return false;
}

void kernel_rewrite(struct parse *p, const struct head *given, int open)
{
    struct head own = *given;
    const struct head *const h = &own;
    struct function f = {.begin = h->begin,
                         .head = h->begin,
                         .device = true,
                         .kernel = true,
                         .costs = true};
    int close = skip(p, open) - 1;
    struct buf arguments = {0};

    if (is_abbreviated(p, h)) {
        own.is_template = true;
        own.arguments = -1;
    }
    for (int i = h->begin; i < h->name; i++)
        if (is(p, i, W_constexpr))
            edit_drop(p, i);
    write_stub(p, h, open);
    add_arguments(p, h, &arguments);
    body_read(p, &f, open, false);
    edit_close(p, close, LAYER_FRAME, "}%s); ",
               arguments.data ? arguments.data : "");
    buf_free(&arguments);
    if (!h->is_template || is_specialisation(p, h))
        write_registration(p, h, close);
}
