/*
 * var.c: variables in shared memory, and those that live on the device.
 *
 * A __shared__ declaration becomes a structure that has its variables as
 * members and references to them: declarators are passed on as they are, so
 * arrays of any shape and alignments keep their meaning without being
 * understood. Each block gets its instance from the device library by the
 * structure's type.
 */
#include "parse.h"

#include <string.h>

#define VARS(name) "__attribute__((section(\"" name "\")))"

/* ---- __shared__ ---------------------------------------------------------- */

bool var_is_shared(const struct parse *p, int i, int end)
{
    for (; i < end && mark(p, i) != '='; i = skip(p, i))
        if (is(p, i, W___shared__))
            return true;
    return false;
}

/* The name that the declarator in [i, end) declares, or -1. */
static int declared_name(const struct parse *p, int i, int end)
{
    int name = -1;

    while (i < end) {
        if (is_a(p, i, PARENS)) {
            i = skip(p, i + 1);
            continue;
        }
        if (is_name(p, i))
            name = i;
        else if (mark(p, i) == '<' && is_name(p, i - 1)) {
            i = angle_end(p, i, end);
            continue;
        } else if (mark(p, i) == '(')
            return declared_name(p, i + 1, skip(p, i) - 1);
        else if (mark(p, i) == '=' ||
                 (mark(p, i) == '[' && mark(p, i + 1) != '[') ||
                 (mark(p, i) == ':' && name >= 0))
            break;
        i = skip(p, i);
    }
    return name;
}

/* The end of the declarator at @i: a comma or @end. */
static int declarator_end(const struct parse *p, int i, int end)
{
    while (i < end && mark(p, i) != ',') {
        if (mark(p, i) == '<' && is_name(p, i - 1))
            i = angle_end(p, i, end);
        else
            i = skip(p, i);
    }
    return i < end ? i : end;
}

/* One variable of a declaration that begins at @i. */
static void shared_variable(struct parse *p, int name, int serial, bool dynamic,
                            bool outside, int end, struct buf *out)
{
    if (dynamic)
        edit_replace(p, name, "vgpu_dynamic_%d", serial);
    shared_note(p, name, serial, dynamic, end);
    if (!outside)
        shared_add_reference(p, name, serial, dynamic, out);
}

/* Take the storage class and, of a typedef, the alignment out. */
static void drop_storage(struct parse *p, int i, int end, bool dynamic)
{
    for (; i < end; i = skip(p, i)) {
        if (is(p, i, W___shared__) || is(p, i, W_static) || is(p, i, W_extern))
            edit_drop(p, i);
        if (dynamic && is(p, i, W_alignas) && mark(p, i + 1) == '(')
            for (int k = skip(p, i + 1); k-- > i;)
                edit_drop(p, k);
    }
}

static bool has_specifier(const struct parse *p, int i, int end, int word)
{
    for (; i < end; i = skip(p, i))
        if (is(p, i, word))
            return true;
    return false;
}

/* For reports: the key says what is in it. */
static void add_names(struct parse *p, int i, int semicolon, struct buf *out)
{
    const char *between = "";

    buf_puts(out, " = \"");
    for (int k = i; k < semicolon;) {
        int next = declarator_end(p, k, semicolon);
        int name = declared_name(p, k, next);

        if (name >= 0) {
            buf_puts(out, between);
            flatten(p, name, name + 1, out);
            between = ", ";
        }
        k = next + 1;
    }
    buf_puts(out, "\";");
}

/* By what the device library knows the variable: the same in all copies of a
 * kernel. */
static void add_key(struct parse *p, int i, int semicolon, int serial,
                    int kernel, struct buf *out)
{
    struct buf names = {0};

    add_names(p, i, semicolon, &names);
    if (kernel)
        edit_behind(p, kernel, LAYER_SELF,
                    " static constexpr const char *vgpu_key_%d%s", serial,
                    names.data);
    buf_puts(out, " static const char *const *vgpu_key() {");
    if (!kernel)
        buf_printf(out, " static constexpr const char *vgpu_key_%d%s", serial,
                   names.data);
    buf_printf(out, " return &vgpu_key_%d; } };", serial);
    buf_free(&names);
}

/* A kernel's own: how much it is, is known before it runs. */
static void note_size(struct parse *p, int semicolon, int serial)
{
    edit_behind(
        p, semicolon, LAYER_NOTE,
        " (void)&::vgpu_shared_size<&vgpu_self, vgpu_shared_%d>::noted;",
        serial);
}

/* An extern array has no size, so it becomes a typedef and a reference to where
 * dynamic memory begins; several of them all begin there, as in CUDA. */
void var_shared(struct parse *p, int i, int semicolon, int end,
                enum shared_place place, int open)
{
    const bool in_kernel = place == SHARED_IN_KERNEL;
    bool dynamic = has_specifier(p, i, semicolon, W_extern);
    struct buf tail = {0};
    int serial = ++p->serial;

    if (find(p, i, semicolon, '=') < semicolon)
        refuse(p, i, "a __shared__ variable cannot have an initial value");
    if (dynamic)
        edit_before(p, i, LAYER_CODE, "typedef ");
    else
        edit_before(p, i, LAYER_CODE, "struct vgpu_shared_%d { ", serial);
    if (!dynamic) {
        add_key(p, i, semicolon, serial, in_kernel ? open : 0, &tail);
        if (in_kernel)
            note_size(p, semicolon, serial);
    }
    drop_storage(p, i, semicolon, dynamic);
    for (int k = i; k < semicolon;) {
        int next = declarator_end(p, k, semicolon);
        int name = declared_name(p, k, next);

        if (dynamic && k > i)
            serial = ++p->serial;
        if (name >= 0)
            shared_variable(p, name, serial, dynamic, place == SHARED_OUTSIDE,
                            end, &tail);
        k = next + 1;
    }
    if (tail.data)
        edit_behind(p, semicolon, LAYER_CODE, "%s", tail.data);
    buf_free(&tail);
}

/* ---- __device__, __constant__, __managed__ ------------------------------- */

/* Is the variable itself const (and not only what it points to)? */
static bool is_constant(const struct parse *p, int i, int end)
{
    bool constant = false;

    for (; i < end && mark(p, i) != '[' && mark(p, i) != '=' &&
           mark(p, i) != ',' && mark(p, i) != '{';
         i = skip(p, i)) {
        if (mark(p, i) == '<' && is_name(p, i - 1))
            i = angle_end(p, i, end) - 1;
        if (is(p, i, W_const))
            constant = true;
        if (mark(p, i) == '*')
            constant = false;
    }
    return constant;
}

/* ptxas has room for so much and refuses a file with more. */
static void limit_constant(struct parse *p, int name, struct buf *out)
{
    buf_puts(out, " static_assert(sizeof(");
    flatten(p, name, name + 1, out);
    buf_puts(out, ") <= 64 * 1024, \"a device has 64 KiB of __constant__ "
                  "memory\");");
}

#define ROOM 256 /* bytes behind a variable that are nobody's */

/*
 * Static objects tell the names. Behind the last variable comes some room, so
 * that an access past its end is known for one; the compiler must not put
 * something else between the two.
 */
static void add_registrations(struct parse *p, const struct head *h,
                              int semicolon, bool room, struct buf *out)
{
    const int serial = ++p->serial;
    int i = h->begin;

    if (room)
        buf_printf(out,
                   " static char vgpu_room_%d[%d] __attribute__((used, "
                   "section(\"vgpu_vars\")%s));",
                   serial, ROOM, p->options->for_clang ? "" : ", no_reorder");
    for (int next; i < semicolon; i = next + 1) {
        int name;

        next = declarator_end(p, i, semicolon);
        name = declared_name(p, i, next);
        if (name < 0 || is(p, name - 1, W_SCOPE))
            continue;
        buf_printf(out,
                   " __attribute__((init_priority(200))) static const "
                   "::vgpu_variable vgpu_variable_%d(",
                   ++p->serial);
        flatten(p, name, name + 1, out);
        buf_puts(out, ", \"");
        flatten(p, name, name + 1, out);
        if (room && next >= semicolon)
            buf_printf(out, "\", vgpu_room_%d + %d);", serial, ROOM);
        else
            buf_puts(out, "\", nullptr);");
        if (h->constant)
            limit_constant(p, name, out);
    }
}

/*
 * Into a section of its own, by which the runtime tells an address of a device
 * variable from one of the host's (device/symbols.c). What the compiler merges
 * or makes many times over cannot have a section and stays an ordinary
 * variable.
 */
void var_device(struct parse *p, const struct head *h, int semicolon)
{
    const char *section = VARS("vgpu_vars");
    const bool constant = is_constant(p, h->begin, h->end);
    struct buf objects = {0};

    if (constant)
        section = VARS("vgpu_consts");
    else if (h->managed)
        section = VARS("vgpu_managed");
    else if (!p->options->for_clang)
        section = "__attribute__((section(\"vgpu_vars\"), no_reorder))";
    if (h->in_class || h->is_template || h->constexpr_ || h->inline_)
        return;
    for (int i = h->begin; i < h->end; i = skip(p, i))
        if (is(p, i, W___device__) || is(p, i, W___constant__) ||
            is(p, i, W___managed__)) {
            edit_replace(p, i, "%s", section);
            break;
        }
    if (h->extern_ && h->init < 0)
        return;
    add_registrations(p, h, semicolon, !constant && !h->managed, &objects);
    if (objects.data)
        edit_behind(p, semicolon, LAYER_CODE, "%s", objects.data);
    buf_free(&objects);
}
