/*
 * ptx_text.c: PTX text becomes kernels, variables and instructions.
 *
 * Only what matters to running is kept: linkage, debugging and hints are passed
 * over.
 */
#include "ptx_reader.h"
#include "arith.h"
#include "grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST 90 /* the PTX of CUDA 13.0 */

/* ---- a kernel's operands --------------------------------------------------
 */

static bool find_register(const struct ptx_reader *r, const char *name,
                          unsigned *out)
{
    for (const struct ptx_bank *b = r->banks; b; b = b->next) {
        const size_t length = strlen(b->name);
        char *end;
        unsigned long n;

        if (!b->numbered && !strcmp(b->name, name)) {
            *out = b->first;
            return true;
        }
        if (!b->numbered || strncmp(b->name, name, length) != 0 ||
            !isdigit((unsigned char)name[length]))
            continue;
        n = strtoul(name + length, &end, 10);
        if (*end || n >= b->count)
            continue;
        *out = b->first + (unsigned)n;
        return true;
    }
    return false;
}

static struct ptx_label *find_label(struct ptx_reader *r, const char *name)
{
    struct ptx_label *l;

    for (l = r->labels; l; l = l->next)
        if (!strcmp(l->name, name))
            return l;
    l = calloc(1, sizeof *l);
    if (!l) {
        ptx_fail(r, PTX_NO_MEMORY);
        return NULL;
    }
    memcpy(l->name, name, PTX_WORD);
    l->at = UINT32_MAX;
    l->next = r->labels;
    r->labels = l;
    return l;
}

/* A name that is used: a register, a special one, a variable; or a label. */
static void read_name(struct ptx_reader *r, struct ptx_operand *o)
{
    char name[PTX_WORD];
    int special;

    ptx_take_name(r, name);
    special = ptx_special(name);
    if (find_register(r, name, &o->reg[0])) {
        o->kind = PTX_REGISTER;
    } else if (special >= 0) {
        o->kind = PTX_SPECIAL;
        o->reg[0] = (unsigned)special;
    } else if ((o->variable = ptx_find_variable(r, name))) {
        o->kind = PTX_ADDRESS;
    } else if (name[0] == '%') {
        ptx_fail(r, PTX_SYNTAX);
    } else {
        o->kind = PTX_LABEL;
        o->variable = (struct ptx_variable *)(void *)find_label(r, name);
    }
    o->count = 1;
}

static void read_list(struct ptx_reader *r, struct ptx_operand *o)
{
    o->kind = PTX_LIST;
    while (!ptx_take(r, "}") && !r->error) {
        struct ptx_operand one = {0};

        if (o->count == 4) {
            ptx_fail(r, PTX_SYNTAX);
            return;
        }
        read_name(r, &one);
        if (one.kind != PTX_REGISTER)
            ptx_fail(r, PTX_SYNTAX);
        o->reg[o->count++] = one.reg[0];
        ptx_take(r, ",");
    }
}

static void read_operand(struct ptx_reader *r, struct ptx_operand *o)
{
    const bool bracket = ptx_take(r, "[");

    memset(o, 0, sizeof *o);
    o->negated = ptx_take(r, "!");
    if (ptx_take(r, "{")) {
        read_list(r, o);
    } else if (isdigit((unsigned char)r->token[0]) || ptx_is(r, "-")) {
        o->kind = PTX_NUMBER;
        o->number = ptx_take_number(r);
    } else {
        read_name(r, o);
        if (ptx_take(r, "+") || ptx_is(r, "-"))
            o->number = ptx_take_number(r);
    }
    if (bracket)
        ptx_want(r, "]");
}

/* ---- instructions ---------------------------------------------------------
 */

/* Names of instructions that are PTX and not there: a kernel with one is read.
 * What is in neither list is no PTX. */
static bool is_known(const char *name)
{
    static const char known[] =
        " addc alloca applypriority barrier bfi bfind bmsk brkpt brx call "
        "clusterlaunchcontrol cnot copysign cp createpolicy discard dp2a dp4a "
        "elect fns getctarank griddepcontrol istypep ldmatrix lop3 mad24 madc "
        "mapa match mbarrier mma movmatrix mul24 multimem pmevent prefetch "
        "prefetchu prmt redux sad set setmaxnreg shf shfl slct stackrestore "
        "stacksave stmatrix subc suld suq sured sust szext tanh tcgen05 "
        "tensormap testp tex tld4 txq vabsdiff vadd vmad vmax vmin vote vset "
        "vshl vshr vsub wgmma wmma ";
    const char *found = strstr(known, name);

    return found && found[-1] == ' ' && found[strlen(name)] == ' ';
}

static enum ptx_code find_code(const char *name, unsigned *operands)
{
    static const struct {
        const char *name;
        unsigned operands;
    } codes[] = {
        {"", 0},
#define X(NAME, OPERANDS) {#NAME, OPERANDS},
#include "ptx_codes.def"
    };

    for (unsigned i = 1; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(codes[i].name, name)) {
            *operands = codes[i].operands;
            return (enum ptx_code)i;
        }
    return PTX_LACKING;
}

/* What stands behind the name, between dots. */
static void read_suffix(struct ptx_reader *r, struct ptx_instruction *in,
                        const char *word)
{
    struct ptx_type type;
    enum ptx_space space;

    if (ptx_read_type(word, &type)) {
        in->from = type;
        in->type = in->type.kind ? in->type : type;
    } else if (ptx_read_space(word, &space)) {
        in->space = space;
    } else if (!strcmp(word, "v2") || !strcmp(word, "v4")) {
        in->lanes = (unsigned)(word[1] - '0');
    } else if (in->words < PTX_WORDS && strlen(word) < 12) {
        strcpy(in->word[in->words++], word);
    } else {
        ptx_fail(r, PTX_SYNTAX);
    }
}

static void lack(struct ptx_reader *r, const char *what)
{
    if (!r->kernel->lacks)
        r->kernel->lacks = strdup(what);
}

static struct ptx_instruction *add_instruction(struct ptx_reader *r)
{
    struct ptx_kernel *k = r->kernel;

    if (!VGPU_GROW(k->code, k->count, &k->room)) {
        ptx_fail(r, PTX_NO_MEMORY);
        return NULL;
    }
    memset(&k->code[k->count], 0, sizeof *k->code);
    k->code[k->count].guard = -1;
    k->code[k->count].lanes = 1;
    return &k->code[k->count++];
}

static void read_operands(struct ptx_reader *r, struct ptx_instruction *in,
                          unsigned least)
{
    while (!ptx_is(r, ";") && !r->error) {
        if (in->operands == 5) {
            ptx_fail(r, PTX_SYNTAX);
            return;
        }
        read_operand(r, &in->operand[in->operands++]);
        if (!ptx_is(r, ";"))
            ptx_want(r, ",");
    }
    ptx_want(r, ";");
    if (in->operands < least)
        ptx_fail(r, PTX_SYNTAX);
}

static bool is_elsewhere(const struct ptx_reader *r)
{
    for (size_t i = 0; i < r->num_elsewhere; i++)
        if (ptx_is(r, r->elsewhere[i]))
            return true;
    return false;
}

/* `@!%p name.how.type a, b;`: what is PTX and not there is passed over. */
static void read_instruction(struct ptx_reader *r)
{
    struct ptx_instruction *in = add_instruction(r);
    struct ptx_operand guard;
    unsigned least = 0;
    char text[PTX_WORD], *word, *save;

    if (in && ptx_take(r, "@")) {
        read_operand(r, &guard);
        in->guard = (int)guard.reg[0];
        in->unless = guard.negated;
        if (guard.kind != PTX_REGISTER)
            ptx_fail(r, PTX_SYNTAX);
    }
    if (!in || r->error)
        return;
    memcpy(text, r->token, PTX_WORD);
    word = strtok_r(text, ".", &save);
    in->code = word ? find_code(word, &least) : PTX_LACKING;
    if (!in->code) {
        if (!word || !is_known(word))
            ptx_fail(r, PTX_SYNTAX);
        lack(r, r->token);
        while (!ptx_is(r, ";") && r->token[0]) {
            if (is_elsewhere(r))
                ptx_fail(r, PTX_SYNTAX);
            ptx_next(r);
        }
        ptx_want(r, ";");
        return;
    }
    while ((word = strtok_r(NULL, ".", &save)))
        read_suffix(r, in, word);
    ptx_next(r);
    read_operands(r, in, least);
}

/* ---- bodies ---------------------------------------------------------------
 */

/* `.reg .b32 %r<6>;` or `.reg .pred p, q;` */
static void read_registers(struct ptx_reader *r)
{
    struct ptx_type type;

    if (r->token[0] != '.' || !ptx_read_type(r->token + 1, &type))
        lack(r, r->token);
    ptx_next(r);
    do {
        struct ptx_bank *b = calloc(1, sizeof *b);

        if (!b) {
            ptx_fail(r, PTX_NO_MEMORY);
            return;
        }
        ptx_take_name(r, b->name);
        b->count = 1;
        if (ptx_take(r, "<")) {
            b->numbered = true;
            b->count = (unsigned)ptx_take_number(r);
            ptx_want(r, ">");
        }
        b->first = r->kernel->registers;
        r->kernel->registers += b->count;
        b->next = r->banks;
        r->banks = b;
    } while (ptx_take(r, ","));
    ptx_want(r, ";");
}

/* Its place among those of the same space. */
static void place(struct ptx_kernel *k, struct ptx_variable *v)
{
    size_t *bytes = v->space == PTX_SHARED  ? &k->shared_bytes
                    : v->space == PTX_LOCAL ? &k->local_bytes
                                            : &k->param_bytes;

    v->offset = *bytes = round_up(*bytes, v->align);
    *bytes += v->bytes;
    if (v->space == PTX_SHARED && v->align > k->shared_align)
        k->shared_align = v->align;
    v->next = k->variables;
    k->variables = v;
}

static void read_directive(struct ptx_reader *r)
{
    if (ptx_take(r, ".reg")) {
        read_registers(r);
    } else if (ptx_is(r, ".shared") || ptx_is(r, ".local")) {
        struct ptx_variable *v = ptx_take_variable(r);

        if (v)
            place(r->kernel, v);
        ptx_want(r, ";");
    } else if (ptx_is(r, ".loc") || ptx_is(r, ".file")) {
        r->at += strcspn(r->at, "\n");
        ptx_next(r);
    } else if (ptx_is(r, ".pragma")) {
        ptx_next(r);
        ptx_next(r);
        ptx_want(r, ";");
    } else if (ptx_is(r, ".param")) { /* of a call */
        lack(r, "call");
        while (!ptx_is(r, ";") && r->token[0])
            ptx_next(r);
        ptx_want(r, ";");
    } else {
        ptx_fail(r, PTX_SYNTAX);
    }
}

static void resolve(struct ptx_reader *r)
{
    struct ptx_kernel *k = r->kernel;

    for (unsigned i = 0; i < k->count; i++)
        for (unsigned o = 0; o < k->code[i].operands; o++) {
            struct ptx_operand *operand = &k->code[i].operand[o];
            const struct ptx_label *l = (const void *)operand->variable;

            if (operand->kind != PTX_LABEL)
                continue;
            if (!l || l->at == UINT32_MAX || k->code[i].code != PTX_bra)
                ptx_fail(r, PTX_SYNTAX);
            else
                operand->reg[0] = l->at;
        }
}

static void read_body(struct ptx_reader *r)
{
    int depth = 0;

    do {
        if (ptx_is(r, "{") || ptx_is(r, "}")) {
            depth += ptx_is(r, "{") ? 1 : -1;
            if (depth)
                ptx_next(r);
        } else if (r->token[0] == '.') {
            read_directive(r);
        } else if (r->token[0] != '@' && *(ptx_skip_blanks(r), r->at) == ':') {
            struct ptx_label *l = find_label(r, r->token);

            if (l)
                l->at = r->kernel->count;
            ptx_next(r);
            ptx_next(r);
        } else if (r->token[0]) {
            read_instruction(r);
        } else {
            ptx_fail(r, PTX_SYNTAX);
        }
    } while (depth && !r->error);
    resolve(r);
    ptx_next(r);
}

static void forget(struct ptx_reader *r)
{
    for (struct ptx_bank *b = r->banks, *after; b; b = after) {
        after = b->next;
        free(b);
    }
    for (struct ptx_label *l = r->labels, *after; l; l = after) {
        after = l->next;
        free(l);
    }
    r->banks = NULL;
    r->labels = NULL;
    r->kernel = NULL;
}

/* ---- modules --------------------------------------------------------------
 */

static void read_params(struct ptx_reader *r, struct ptx_kernel *k)
{
    size_t count = 0;

    while (!ptx_take(r, ")") && !r->error) {
        struct ptx_variable *v = ptx_take_variable(r);

        if (!v || !VGPU_GROW(k->sizes, count, NULL) ||
            !VGPU_GROW(k->aligns, count, NULL)) {
            ptx_fail(r, PTX_NO_MEMORY);
            return;
        }
        v->space = PTX_PARAM;
        place(k, v);
        k->sizes[count] = v->bytes;
        k->aligns[count++] = v->align;
        if (!ptx_is(r, ")"))
            ptx_want(r, ",");
    }
    k->signature = (struct vgpu_signature){NULL, k->sizes, k->aligns, count};
}

/* `.maxntid 64, 1, 1` and its kin. */
static void read_bounds(struct ptx_reader *r, struct ptx_kernel *k)
{
    while (r->token[0] == '.' && !r->error) {
        const bool threads = ptx_is(r, ".maxntid") || ptx_is(r, ".reqntid");
        int64_t product = 1;

        ptx_next(r);
        if (ptx_is(r, "{"))
            return;
        do {
            product *= ptx_take_number(r);
        } while (ptx_take(r, ","));
        if (threads)
            k->description.max_threads_per_block = (int)product;
    }
}

/* From its name to the end of its body; it goes behind the others. */
static void read_kernel(struct ptx_reader *r)
{
    struct ptx_kernel *k = calloc(1, sizeof *k), **end = &r->module->kernels;
    const unsigned line = r->line;

    if (!k) {
        ptx_fail(r, PTX_NO_MEMORY);
        return;
    }
    r->kernel = k;
    k->target = r->module->target;
    k->shared_align = 16;
    k->shared_bytes = r->module->shared_bytes;
    k->name = strdup(r->token);
    ptx_next(r);
    if (ptx_take(r, "("))
        read_params(r, k);
    read_bounds(r, k);
    if (!ptx_is(r, "{"))
        ptx_fail(r, PTX_SYNTAX);
    else
        read_body(r);
    k->description.name = k->shared_key = k->name;
    k->description.file = "PTX";
    k->description.line = (int)line;
    forget(r);
    ptx_prepare(k);
    while (*end)
        end = &(*end)->next;
    *end = k;
    r->module->count++;
}

/* Those that every device has to offer. */
static bool is_systems(const char *name)
{
    return !strcmp(name, "vprintf") || !strcmp(name, "malloc") ||
           !strcmp(name, "free") || !strcmp(name, "__assertfail") ||
           !strncmp(name, "cuda", 4);
}

/* What kernels call is passed over: a kernel that calls lacks that. One that is
 * @outside is nowhere, since nothing is linked to a text. */
static void skip_function(struct ptx_reader *r, bool outside)
{
    if (ptx_take(r, "(")) { /* what it returns */
        while (!ptx_is(r, ")") && r->token[0])
            ptx_next(r);
        ptx_next(r);
    }
    if (outside && !is_systems(r->token)) {
        if (VGPU_GROW(r->elsewhere, r->num_elsewhere, NULL))
            memcpy(r->elsewhere[r->num_elsewhere++], r->token, PTX_WORD);
        else
            ptx_fail(r, PTX_NO_MEMORY);
    }
    while (!ptx_is(r, "{") && !ptx_is(r, ";") && r->token[0])
        ptx_next(r);
    if (ptx_is(r, "{"))
        ptx_skip_brackets(r, "{", "}");
    else
        ptx_want(r, ";");
}

static void read_global(struct ptx_reader *r, bool outside)
{
    struct ptx_variable *v = ptx_take_variable(r);

    ptx_want(r, ";");
    if (!v)
        return;
    v->outside = outside;
    if (v->space == PTX_SHARED && !outside) {
        v->offset = round_up(r->module->shared_bytes, v->align);
        r->module->shared_bytes = v->offset + v->bytes;
    }
    v->next = r->module->variables;
    r->module->variables = v;
}

static void read_version(struct ptx_reader *r)
{
    const char *dot = strchr(r->token, '.');

    r->module->version = 10 * atoi(r->token) + (dot ? atoi(dot + 1) : 0);
    if (!isdigit((unsigned char)r->token[0]))
        ptx_fail(r, PTX_SYNTAX);
    if (r->module->version > NEWEST)
        ptx_fail(r, PTX_NEWER);
    ptx_next(r);
}

static void read_target(struct ptx_reader *r)
{
    if (strncmp(r->token, "sm_", 3) != 0)
        ptx_fail(r, PTX_SYNTAX);
    r->module->target = atoi(r->token + 3);
    do {
        ptx_next(r);
    } while (ptx_take(r, ","));
}

/* Devices of today have no others. */
static void read_address_size(struct ptx_reader *r)
{
    if (ptx_take_number(r) != 64)
        ptx_fail(r, PTX_SYNTAX);
}

static void read_statement(struct ptx_reader *r)
{
    bool outside = false;

    while (ptx_is(r, ".visible") || ptx_is(r, ".extern") ||
           ptx_is(r, ".weak") || ptx_is(r, ".common")) {
        outside |= ptx_is(r, ".extern");
        ptx_next(r);
    }
    if (ptx_take(r, ".entry"))
        read_kernel(r);
    else if (ptx_take(r, ".func"))
        skip_function(r, outside);
    else if (ptx_is(r, ".global") || ptx_is(r, ".const") ||
             ptx_is(r, ".shared"))
        read_global(r, outside);
    else if (ptx_take(r, ".target"))
        read_target(r);
    else if (ptx_take(r, ".address_size"))
        read_address_size(r);
    else if (ptx_is(r, ".file") || ptx_is(r, ".loc"))
        read_directive(r);
    else if (ptx_take(r, ".section"))
        ptx_next(r), ptx_skip_brackets(r, "{", "}");
    else
        ptx_fail(r, PTX_SYNTAX);
}

enum ptx_error ptx_read(const char *text, struct ptx_module **module,
                        unsigned *line)
{
    struct ptx_reader r = {.at = text, .line = 1};

    r.module = calloc(1, sizeof *r.module);
    if (!r.module)
        return PTX_NO_MEMORY;
    ptx_next(&r);
    if (ptx_take(&r, ".version"))
        read_version(&r);
    else
        ptx_fail(&r, PTX_OTHER);
    if (!ptx_is(&r, ".target"))
        ptx_fail(&r, PTX_SYNTAX);
    while (r.token[0] && !r.error)
        read_statement(&r);
    free(r.elsewhere);
    *line = r.line;
    *module = r.module;
    return r.error;
}
