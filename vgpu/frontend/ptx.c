/*
 * ptx.c: asm statements of device code: single PTX instructions become calls.
 *
 *     asm volatile("ld.global.cg.s32 %0, [%1+4];" : "=r"(x) : "l"(p));
 *     ([&](auto &&vgpu_0, auto &&vgpu_1) { ::vgpu_ptx::load(vgpu_0,
 *      ::vgpu_ptx::at<int>(vgpu_1, 4)); })((x), (p));
 *
 * Operands stay where they are. Several instructions may follow each other, but
 * there are no registers of PTX's own, hence no predicates and no labels: what
 * needs those is refused, as is every instruction that is not listed here.
 * include/vgpu/ptx.h has what the calls mean.
 *
 * Source: "Inline PTX Assembly in CUDA"; PTX ISA, "Instruction Set".
 */
#include "parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, PART = 24 };

/* One instruction: its name's parts, its operands. */
struct instruction {
    char part[MOST][PART];
    int parts;
    char operand[MOST][48];
    int operands;
};

static const char *type_of(const char *suffix)
{
    static const char *const types[][2] = {
        {"u8", "uint8_t"},    {"s8", "int8_t"},
        {"b8", "uint8_t"},    {"u16", "uint16_t"},
        {"s16", "int16_t"},   {"b16", "uint16_t"},
        {"u32", "unsigned"},  {"s32", "int"},
        {"b32", "unsigned"},  {"u64", "unsigned long long"},
        {"s64", "long long"}, {"b64", "unsigned long long"},
        {"f32", "float"},     {"f64", "double"}};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (!strcmp(types[t][0], suffix))
            return types[t][1];
    return NULL;
}

/* ---- the text ------------------------------------------------------------ */

/* Cut @text in place at each @at that is in no bracket. Return: the next piece,
 * without blanks around it, or NULL. */
static char *next_piece(char **text, char at)
{
    char *begin = *text, *end;
    int depth = 0;

    if (!begin)
        return NULL;
    for (end = begin; *end && (*end != at || depth); end++)
        depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
    *text = *end ? end + 1 : NULL;
    *end = 0;
    while (isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        *--end = 0;
    return begin;
}

static bool copy_piece(char *to, size_t size, const char *from)
{
    return (size_t)snprintf(to, size, "%s", from) < size;
}

static bool split(char *text, struct instruction *in)
{
    char *operands = text, *name, *piece;

    memset(in, 0, sizeof *in);
    while (*operands && !isspace((unsigned char)*operands))
        operands++;
    if (*operands)
        *operands++ = 0;
    name = text;
    while ((piece = next_piece(&name, '.')))
        if (in->parts == MOST ||
            !copy_piece(in->part[in->parts++], PART, piece))
            return false;
    while (*operands && (piece = next_piece(&operands, ','))) {
        if (in->operands == MOST ||
            !copy_piece(in->operand[in->operands++], 48, piece))
            return false;
        if (!operands)
            break;
    }
    return true;
}

/* ---- operands ------------------------------------------------------------ */

static const char *special(const char *name)
{
    /* What stands behind a dot, "x", is a member of it. */
    static const char *const registers[][2] = {
        {"tid", "::vgpu_thread_index()"},
        {"ntid", "::vgpu_block_extent()"},
        {"ctaid", "::vgpu_block_index()"},
        {"nctaid", "::vgpu_grid_extent()"},
        {"clusterid", "::vgpu_ptx::cluster()"},
        {"nclusterid", "::vgpu_ptx::clusters()"},
        {"cluster_ctaid", "::vgpu_cluster_at()"},
        {"cluster_nctaid", "::vgpu_cluster_extent()"},
        {"cluster_ctarank", "::vgpu_cluster_rank()"},
        {"cluster_nctarank", "::vgpu_ptx::cluster_size()"},
        {"laneid", "::vgpu_ptx::lane()"},
        {"warpid", "::vgpu_ptx::warp()"},
        {"nwarpid", "::vgpu_warp_slots()"},
        {"smid", "::vgpu_ptx::sm()"},
        {"nsmid", "::vgpu_sm_count()"},
        {"dynamic_smem_size", "::vgpu_dynamic_bytes()"},
        {"total_smem_size", "::vgpu_shared_total()"},
        {"aggr_smem_size", "::vgpu_shared_sum()"},
        {"gridid", "::vgpu_grid_number()"},
        {"lanemask_eq", "(1u << ::vgpu_ptx::lane())"},
        {"lanemask_lt", "((1u << ::vgpu_ptx::lane()) - 1)"},
        {"lanemask_le", "((2u << ::vgpu_ptx::lane()) - 1)"},
        {"lanemask_gt", "~((2u << ::vgpu_ptx::lane()) - 1)"},
        {"lanemask_ge", "~((1u << ::vgpu_ptx::lane()) - 1)"},
        {"clock", "(unsigned)::vgpu_clock64(vgpu_c)"},
        {"clock64", "(unsigned long long)::vgpu_clock64(vgpu_c)"},
        {"globaltimer", "::vgpu_global_ns(vgpu_c.n)"},
        {"globaltimer_lo", "(unsigned)::vgpu_global_ns(vgpu_c.n)"}};

    for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
        if (!strcmp(registers[r][0], name))
            return registers[r][1];
    return NULL;
}

/* What an operand is in C++: %N, a special register, a whole number. False for
 * anything else. */
static bool put_operand(struct buf *out, const char *text)
{
    char name[48];
    char *dot;
    const char *found;

    if (*text == '%' && isdigit((unsigned char)text[1])) {
        buf_printf(out, "vgpu_%d", atoi(text + 1));
        return true;
    }
    if (*text == '%') {
        copy_piece(name, sizeof name, text + 1);
        dot = strchr(name, '.');
        if (dot)
            *dot = 0;
        found = special(name);
        if (!found || (dot && (!strchr("xyz", dot[1]) || !dot[1] || dot[2])))
            return false;
        buf_printf(out, dot ? "%s.%s" : "%s", found, dot ? dot + 1 : "");
        return true;
    }
    found = *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*found) ||
        (found[0] == '0' && isalpha((unsigned char)found[1]) &&
         found[1] != 'x'))
        return false;
    buf_printf(out, "%s", text);
    return true;
}

/* [%N], [%N+4]: as `vgpu_N, 4`. */
static bool put_address(struct buf *out, const char *text)
{
    char name[48], *inner = name, *plus;
    const char *offset = "0";

    copy_piece(name, sizeof name, text);
    if (*name != '[' || name[strlen(name) - 1] != ']')
        return false;
    name[strlen(name) - 1] = 0;
    inner++;
    plus = strchr(inner, '+');
    if (plus) {
        *plus = 0;
        offset = plus + 1;
    }
    if (*inner != '%' || !put_operand(out, next_piece(&inner, ' ')))
        return false;
    buf_printf(out, ", %s", offset);
    return true;
}

/* ---- instructions -------------------------------------------------------- */

/* @types: of each operand behind the first, T: the instruction's, u: unsigned
 * int. Without ".rn", which is the only rounding, and ".ftz". */
static const struct plain {
    const char *name, *function, *types;
} plain[] = {
    {"add", "add", "TT"},
    {"sub", "sub", "TT"},
    {"mul", "mul", "TT"},
    {"mul.lo", "mul", "TT"},
    {"mul.hi", "mul_hi", "TT"},
    {"mul.wide", "mul_wide", "TT"},
    {"mad.lo", "mad", "TTT"},
    {"mad.wide", "mad_wide", "TTW"},
    {"fma", "fma", "TTT"},
    {"div", "div", "TT"},
    {"div.full", "div", "TT"},
    {"div.approx", "div", "TT"},
    {"rem", "rem", "TT"},
    {"min", "least", "TT"},
    {"max", "most", "TT"},
    {"and", "bit_and", "TT"},
    {"or", "bit_or", "TT"},
    {"xor", "bit_xor", "TT"},
    {"not", "bit_not", "T"},
    {"neg", "neg", "T"},
    {"abs", "absolute", "T"},
    {"shl", "shl", "Tu"},
    {"shr", "shr", "Tu"},
    {"popc", "popc", "T"},
    {"clz", "clz", "T"},
    {"brev", "brev", "T"},
    {"bfe", "bfe", "Tuu"},
    {"bfi", "bfi", "TTuu"},
    {"prmt", "prmt", "uuu"},
    {"lop3", "lop3", "uuuu"},
    {"sqrt", "root", "T"},
    {"sqrt.approx", "root", "T"},
    {"rcp", "reciprocal", "T"},
    {"rcp.approx", "reciprocal", "T"},
    {"rsqrt.approx", "root_reciprocal", "T"},
    {"ex2.approx", "exp2", "T"},
    {"lg2.approx", "log2", "T"},
    {"sin.approx", "sine", "T"},
    {"cos.approx", "cosine", "T"},
    {"mov", "same", "T"},
};

/* By its name without what changes nothing; each operand is taken as the type
 * that the table says. */
static bool put_plain(struct buf *out, const struct instruction *in)
{
    const char *type = type_of(in->part[in->parts - 1]);
    const struct plain *found = NULL;
    char name[MOST * PART] = "";

    for (int k = 0; k + 1 < in->parts; k++) {
        if (k && (!strcmp(in->part[k], "rn") || !strcmp(in->part[k], "ftz")))
            continue;
        strcat(name, k ? "." : "");
        strcat(name, in->part[k]);
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (!strcmp(plain[k].name, name))
            found = &plain[k];
    if (!found || !type || in->operands != (int)strlen(found->types) + 1)
        return false;
    buf_printf(out, "::vgpu_ptx::set(");
    if (!put_operand(out, in->operand[0]))
        return false;
    buf_printf(out, ", ::vgpu_ptx::%s<%s>(", found->function, type);
    for (int k = 1; k < in->operands; k++) {
        const char which = found->types[k - 1];

        buf_printf(out,
                   which == 'u'   ? "%s::vgpu_ptx::get<unsigned>("
                   : which == 'W' ? "%s::vgpu_ptx::get<::vgpu_ptx::wide<%s>>("
                                  : "%s::vgpu_ptx::get<%s>(",
                   k > 1 ? ", " : "", type);
        if (!put_operand(out, in->operand[k]))
            return false;
        buf_printf(out, ")");
    }
    buf_printf(out, "));");
    return true;
}

/* cvt.MODE.TO.FROM; the mode is a rounding, or missing. */
static bool put_conversion(struct buf *out, const struct instruction *in)
{
    const char *from = type_of(in->part[in->parts - 1]);
    const char *to = in->parts > 2 ? type_of(in->part[in->parts - 2]) : NULL;
    const char *mode = in->parts == 4 ? in->part[1] : "";
    const char *round = !strcmp(mode, "rni")   ? "nearbyint"
                        : !strcmp(mode, "rmi") ? "floor"
                        : !strcmp(mode, "rpi") ? "ceil"
                                               : "trunc";

    if (!from || !to || in->parts > 4 || in->operands != 2 ||
        (*mode && strcmp(mode, "rn") && strncmp(mode, "r", 1)) ||
        !strcmp(mode, "rz") || !strcmp(mode, "rm") || !strcmp(mode, "rp"))
        return false;
    buf_printf(out, "::vgpu_ptx::set(");
    if (!put_operand(out, in->operand[0]))
        return false;
    buf_printf(out, ", ::vgpu_ptx::convert<%s>(::vgpu_ptx::get<%s>(", to, from);
    if (!put_operand(out, in->operand[1]))
        return false;
    buf_printf(out, "), [](auto x) { return ::%s(x); }));", round);
    return true;
}

/* Is every part but the first and the last one of these words? */
static bool only(const struct instruction *in, int from, int to,
                 const char *words)
{
    for (int k = from; k < to; k++) {
        char word[PART + 2];

        snprintf(word, sizeof word, " %s ", in->part[k]);
        if (!strstr(words, word) && strncmp(in->part[k], "L1::", 4) &&
            strncmp(in->part[k], "L2::", 4))
            return false;
    }
    return true;
}

static bool has(const struct instruction *in, const char *part)
{
    for (int k = 1; k < in->parts; k++)
        if (!strcmp(in->part[k], part))
            return true;
    return false;
}

/* A load or a store, of global memory; cache hints say nothing here. */
static bool put_access(struct buf *out, const struct instruction *in)
{
    const bool load = !strcmp(in->part[0], "ld");
    const char *type = type_of(in->part[in->parts - 1]);
    const int count = has(in, "v4") ? 4 : has(in, "v2") ? 2 : 1;
    char *list, *piece;
    char operands[48];

    if (!type || in->operands != 2 ||
        !only(in, 1, in->parts - 1,
              " global nc ca cg cs lu cv wb wt weak volatile v2 v4 "))
        return false;
    copy_piece(operands, sizeof operands, in->operand[load ? 0 : 1]);
    list = operands;
    if (count > 1 && (*list != '{' || list[strlen(list) - 1] != '}'))
        return false;
    if (count > 1) {
        list[strlen(list) - 1] = 0;
        list++;
    }
    for (int k = 0; k < count; k++) {
        const char *qualified = has(in, "volatile") ? "volatile " : "";

        piece = next_piece(&list, ',');
        if (!piece || *piece != '%')
            return false;
        buf_printf(out, load ? "::vgpu_ptx::load(" : "::vgpu_ptx::put(");
        if (!put_operand(out, piece))
            return false;
        buf_printf(out, ", ::vgpu_ptx::at<%s%s>(", qualified, type);
        if (!put_address(out, in->operand[load ? 1 : 0]))
            return false;
        buf_printf(out, " + %d * sizeof(%s)));", k, type);
    }
    return list == NULL;
}

/* atom and red: the functions of device code. */
static bool put_atomic(struct buf *out, const struct instruction *in)
{
    static const char *const names[][2] = {
        {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},
        {"and", "atomicAnd"}, {"or", "atomicOr"},   {"xor", "atomicXor"},
        {"inc", "atomicInc"}, {"dec", "atomicDec"}, {"exch", "atomicExch"},
        {"cas", "atomicCAS"}};
    const bool returns = !strcmp(in->part[0], "atom");
    const char *type = type_of(in->part[in->parts - 1]), *name = NULL;

    for (size_t k = 0; in->parts > 2 && k < sizeof names / sizeof *names; k++)
        if (!strcmp(names[k][0], in->part[in->parts - 2]))
            name = names[k][1];
    if (!type || !name || in->operands < 2 + returns ||
        !only(in, 1, in->parts - 2, " global gpu relaxed "))
        return false;
    buf_printf(out, returns ? "::vgpu_ptx::set(" : "((void)");
    if (returns && !put_operand(out, in->operand[0]))
        return false;
    buf_printf(out, "%s::%s(&::vgpu_ptx::at<%s>(", returns ? ", " : "", name,
               type);
    if (!put_address(out, in->operand[returns]))
        return false;
    buf_printf(out, ")");
    for (int k = returns + 1; k < in->operands; k++) {
        buf_printf(out, ", ::vgpu_ptx::get<%s>(", type);
        if (!put_operand(out, in->operand[k]))
            return false;
        buf_printf(out, ")");
    }
    buf_printf(out, "));");
    return true;
}

/* Those without an operand that is a number to compute with. */
static bool put_other(struct buf *out, const struct instruction *in)
{
    const char *name = in->part[0];

    if ((!strcmp(name, "bar") || !strcmp(name, "barrier")) &&
        !has(in, "warp") && has(in, "sync") && in->operands == 1 &&
        !strcmp(in->operand[0], "0"))
        buf_printf(out, "__syncthreads();");
    else if (!strcmp(name, "bar") && has(in, "warp") && in->operands == 1) {
        buf_printf(out, "__syncwarp(");
        if (!put_operand(out, in->operand[0]))
            return false;
        buf_printf(out, ");");
    } else if ((!strcmp(name, "membar") || !strcmp(name, "fence")) &&
               !in->operands && !has(in, "proxy"))
        buf_printf(out, "__threadfence();");
    else if (!strcmp(name, "nanosleep") && in->operands == 1) {
        buf_printf(out, "__nanosleep(");
        if (!put_operand(out, in->operand[0]))
            return false;
        buf_printf(out, ");");
    } else if (!strcmp(name, "activemask") && in->operands == 1) {
        if (!put_operand(out, in->operand[0]))
            return false;
        buf_printf(out, " = __activemask();");
    } else if (!strcmp(name, "trap") && !in->operands)
        buf_printf(out, "__trap();");
    else
        return !strcmp(name, "prefetch");
    return true;
}

static bool put_instruction(struct buf *out, const struct instruction *in)
{
    const char *name = in->part[0];

    if (*name == '@' || *name == '{' || in->parts < 1)
        return false;
    if (!strcmp(name, "ld") || !strcmp(name, "st"))
        return put_access(out, in);
    if (!strcmp(name, "atom") || !strcmp(name, "red"))
        return put_atomic(out, in);
    if (!strcmp(name, "cvt"))
        return put_conversion(out, in);
    return put_plain(out, in) || put_other(out, in);
}

/* ---- the statement ------------------------------------------------------- */

/* The strings from @i on as one, without escapes; %% is %. Return: after them.
 */
static int read_text(struct parse *p, int i, struct buf *text)
{
    while (token(p, i)->kind == LEX_STRING) {
        const struct lex_token *t = token(p, i++);

        for (int k = 1; k + 1 < t->length; k++) {
            char c = t->text[k];

            if (c == '\\' || (c == '%' && t->text[k + 1] == '%'))
                k++;
            buf_printf(text, "%c", c == '\\' ? ' ' : c);
        }
    }
    return i;
}

/* Return: how many instructions; -1 where one is refused. */
static int put_body(struct parse *p, int i, char *text, struct buf *body)
{
    char *piece, whole[160];
    int count = 0;

    while ((piece = next_piece(&text, ';'))) {
        struct instruction in;
        struct buf one = {0};

        if (!*piece)
            continue;
        copy_piece(whole, sizeof whole, piece);
        if (!split(piece, &in) || !put_instruction(&one, &in)) {
            refuse(p, i,
                   "inline PTX: '%s' is not supported by the virtual GPU "
                   "(docs/virtual-gpu.md lists what is)",
                   whole);
            buf_free(&one);
            return -1;
        }
        if (one.data)
            buf_printf(body, "%s ", one.data);
        buf_free(&one);
        count++;
    }
    return count;
}

/* Commas in the place of colons, no constraints, no clobbers. Return: how many
 * operands there are. */
static int edit_operands(struct parse *p, int i, int close)
{
    int colons = 0, operands = 0;

    while (i < close) {
        const bool is_colon = mark(p, i) == ':', two = is(p, i, W_SCOPE);

        if (is_colon || two) {
            colons += two ? 2 : 1;
            edit_drop(p, i++);
        } else if (colons > 2 || mark(p, i) == ',') {
            edit_drop(p, i++);
        } else if (mark(p, i) == '(') {
            if (operands++)
                edit_before(p, i, LAYER_CODE, ", ");
            i = skip(p, i);
        } else {
            edit_drop(p, i++); /* a constraint */
        }
    }
    return operands;
}

/* The operands keep their places, so that what is in them is rewritten as
 * anywhere. Where an instruction was refused, all else goes on: each is told.
 */
int ptx_rewrite(struct parse *p, int i)
{
    struct buf text = {0}, body = {0}, head = {0};
    const int word = i;
    int open, past, operands, count;

    while (!is(p, ++i, '(') &&
           (is(p, i, W_volatile) || is(p, i, W___volatile__)))
        edit_drop(p, i);
    open = i;
    if (mark(p, open) != '(') {
        refuse(p, word, "inline PTX (asm) is not understood here");
        return 0;
    }
    past = read_text(p, open + 1, &text);
    count = put_body(p, word, text.data, &body);
    for (i = open; i < past; i++)
        edit_drop(p, i);
    operands = edit_operands(p, past, skip(p, open) - 1);
    buf_printf(&head, "([&](");
    for (int k = 0; k < operands; k++)
        buf_printf(&head, "%s[[maybe_unused]] auto &&vgpu_%d", k ? ", " : "",
                   k);
    buf_printf(&head, ") { %s})(", body.data ? body.data : "");
    edit_replace(p, word, "%s", head.data);
    buf_free(&text);
    buf_free(&body);
    buf_free(&head);
    return count > 0 ? count : 0;
}
