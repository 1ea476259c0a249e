/*
 * ptx_compute.c: what the instructions of PTX text compute, from a thread's
 * registers.
 *
 * Registers are 64 bits wide; what an instruction's type says is taken of them.
 *
 * Source: PTX ISA, "Instruction Set".
 */
#include "ptx_thread.h"

#include <math.h>
#include <string.h>

static const char *const special_names[] = {
    "%tid.x",    "%tid.y",    "%tid.z",       "%ntid.x",  "%ntid.y",
    "%ntid.z",   "%ctaid.x",  "%ctaid.y",     "%ctaid.z", "%nctaid.x",
    "%nctaid.y", "%nctaid.z", "%laneid",      "%clock",   "%clock64",
    "%warpid",   "%smid",     "%globaltimer", "WARP_SZ"};

int ptx_special(const char *name)
{
    for (unsigned i = 0; i < sizeof special_names / sizeof *special_names; i++)
        if (!strcmp(special_names[i], name))
            return (int)i;
    return -1;
}

static uint64_t special(const struct ptx_thread *t, unsigned which)
{
    const struct uint3 *const by_three[] = {
        &t->grid.block_dim, &t->grid.block_index, &t->grid.grid_dim};

    if (which < 3)
        return t->index[which];
    if (which < 12) {
        const struct uint3 *u = by_three[which / 3 - 1];

        return which % 3 == 0 ? u->x : which % 3 == 1 ? u->y : u->z;
    }
    switch (which) {
    case 12:
        return vgpu_warp_lane();
    case 15:
        return vgpu_thread_rank() / 32;
    case 17:
        return vgpu_global_ns(0);
    case 18:
        return 32;
    default:
        return 0;
    }
}

/* ---- values -------------------------------------------------------------- */

uint64_t ptx_cut(uint64_t value, unsigned bytes)
{
    return bytes < 8 ? value & (((uint64_t)1 << 8 * bytes) - 1) : value;
}

int64_t ptx_widen(uint64_t value, unsigned bytes)
{
    const unsigned up = 64 - 8 * bytes;

    return (int64_t)(value << up) >> up;
}

static uint64_t address_of(const struct ptx_thread *t,
                           const struct ptx_variable *v)
{
    switch (v->space) {
    case PTX_SHARED:
        return v->outside ? PTX_DYNAMIC : v->offset;
    case PTX_LOCAL:
    case PTX_PARAM:
        return v->offset;
    default:
        return (uintptr_t)v->at[t->given->device];
    }
}

/* As it stands in the operand. */
uint64_t ptx_bits(const struct ptx_thread *t, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_REGISTER:
        return t->reg[o->reg[0]] + (uint64_t)o->number;
    case PTX_SPECIAL:
        return special(t, o->reg[0]);
    case PTX_ADDRESS:
        return address_of(t, o->variable) + (uint64_t)o->number;
    default:
        return (uint64_t)o->number;
    }
}

uint64_t ptx_value(const struct ptx_thread *t, const struct ptx_operand *o,
                   struct ptx_type type)
{
    const uint64_t value = ptx_bits(t, o);

    return type.kind == 's' ? (uint64_t)ptx_widen(value, type.bytes)
                            : ptx_cut(value, type.bytes);
}

static double to_double(uint64_t value, unsigned bytes)
{
    const uint32_t half = (uint32_t)value;
    float single;
    double wide;

    memcpy(&single, &half, sizeof single);
    memcpy(&wide, &value, sizeof wide);
    return bytes == 4 ? (double)single : wide;
}

static uint64_t from_double(double value, unsigned bytes)
{
    const float single = (float)value;
    uint32_t half;
    uint64_t all;

    memcpy(&half, &single, sizeof half);
    memcpy(&all, &value, sizeof all);
    return bytes == 4 ? half : all;
}

void ptx_put(struct ptx_thread *t, const struct ptx_operand *o, uint64_t value)
{
    if (o->kind == PTX_REGISTER)
        t->reg[o->reg[0]] = value;
}

bool ptx_has(const struct ptx_instruction *in, const char *word)
{
    for (unsigned i = 0; i < in->words; i++)
        if (!strcmp(in->word[i], word))
            return true;
    return false;
}

/* ---- arithmetic ---------------------------------------------------------- */

/* The upper half of a product of 64 bits. */
static uint64_t high(uint64_t a, uint64_t b, bool is_signed)
{
    return is_signed ? (uint64_t)(((__int128)(int64_t)a * (int64_t)b) >> 64)
                     : (uint64_t)(((unsigned __int128)a * b) >> 64);
}

static uint64_t multiply(const struct ptx_instruction *in, uint64_t a,
                         uint64_t b)
{
    if (!ptx_has(in, "hi"))
        return a * b;
    if (in->type.bytes == 8)
        return high(a, b, in->type.kind == 's');
    return in->type.kind == 's'
               ? (uint64_t)((int64_t)(a * b) >> 8 * in->type.bytes)
               : a * b >> 8 * in->type.bytes;
}

/* What a GPU gives for a division by zero is not defined: all ones. */
static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool rest)
{
    if (!b)
        return rest ? a : UINT64_MAX;
    if (!is_signed)
        return rest ? a % b : a / b;
    if ((int64_t)b == -1)
        return rest ? 0 : 0 - a;
    return rest ? (uint64_t)((int64_t)a % (int64_t)b)
                : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(const struct ptx_instruction *in, uint64_t a, uint64_t b)
{
    const unsigned most = 8u * in->type.bytes;

    if (in->code == PTX_shl)
        return b >= most ? 0 : a << b;
    if (in->type.kind == 's')
        return (uint64_t)((int64_t)a >> (b >= most ? most - 1 : b));
    return b >= most ? 0 : a >> b;
}

static uint64_t reverse(uint64_t a, unsigned bytes)
{
    uint64_t out = 0;

    for (unsigned i = 0; i < 8 * bytes; i++)
        out |= (a >> i & 1) << (8 * bytes - 1 - i);
    return out;
}

/* Of two or three values, which are as wide as the type has them. */
static uint64_t integer(const struct ptx_instruction *in, uint64_t a,
                        uint64_t b, uint64_t c)
{
    const bool is_signed = in->type.kind == 's';
    const bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

    switch (in->code) {
    case PTX_add:
        return a + b;
    case PTX_sub:
        return a - b;
    case PTX_mul:
        return multiply(in, a, b);
    case PTX_mad:
        return multiply(in, a, b) + c;
    case PTX_div:
        return divide(a, b, is_signed, false);
    case PTX_rem:
        return divide(a, b, is_signed, true);
    case PTX_min:
        return less ? a : b;
    case PTX_max:
        return less ? b : a;
    case PTX_abs:
        return (int64_t)a < 0 ? 0 - a : a;
    case PTX_neg:
        return 0 - a;
    case PTX_and:
        return a & b;
    case PTX_or:
        return a | b;
    case PTX_xor:
        return a ^ b;
    case PTX_not:
        return in->type.kind == 'p' ? !a : ~a;
    case PTX_popc:
        return (uint64_t)__builtin_popcountll(a);
    case PTX_clz:
        return a ? (uint64_t)__builtin_clzll(a) - (64 - 8u * in->type.bytes)
                 : 8u * in->type.bytes;
    case PTX_brev:
        return reverse(a, in->type.bytes);
    case PTX_bfe: /* so many bits from there on */
        b &= 63;
        a >>= b;
        return is_signed && c && c < 64
                   ? (uint64_t)((int64_t)(a << (64 - c)) >> (64 - c))
               : c < 64 ? a & (((uint64_t)1 << c) - 1)
                        : a;
    default:
        return shift(in, a, b);
    }
}

static double real(const struct ptx_instruction *in, double a, double b,
                   double c)
{
    switch (in->code) {
    case PTX_add:
        return a + b;
    case PTX_sub:
        return a - b;
    case PTX_mul:
        return a * b;
    case PTX_div:
        return a / b;
    case PTX_fma: /* rounded once */
    case PTX_mad:
        return in->type.bytes == 4 ? (double)fmaf((float)a, (float)b, (float)c)
                                   : fma(a, b, c);
    case PTX_min:
        return fmin(a, b);
    case PTX_max:
        return fmax(a, b);
    case PTX_abs:
        return fabs(a);
    case PTX_neg:
        return -a;
    case PTX_sqrt:
        return sqrt(a);
    case PTX_rsqrt:
        return 1 / sqrt(a);
    case PTX_rcp:
        return 1 / a;
    case PTX_sin:
        return sin(a);
    case PTX_cos:
        return cos(a);
    case PTX_ex2:
        return exp2(a);
    default:
        return log2(a);
    }
}

uint64_t ptx_combine(const struct ptx_instruction *in, uint64_t a, uint64_t b,
                     uint64_t c)
{
    const unsigned bytes = in->type.bytes;

    if (in->type.kind == 'f')
        return from_double(real(in, to_double(a, bytes), to_double(b, bytes),
                                to_double(c, bytes)),
                           bytes);
    return ptx_cut(integer(in, a, b, c),
                   ptx_has(in, "wide") ? 2 * bytes : bytes);
}

/* An operation on its operands' values, to the first one. */
void ptx_compute(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operand;
    uint64_t v[3];

    for (unsigned i = 0; i < 3; i++) {
        /* A wide product's addend is as wide; a shift's count has 32 bits. */
        const bool addend = i == 2 && ptx_has(in, "wide");
        const bool count = i && (in->code == PTX_shl || in->code == PTX_shr ||
                                 in->code == PTX_bfe);

        v[i] = i + 1 >= in->operands ? 0
               : addend              ? ptx_bits(t, &o[i + 1])
               : count               ? ptx_cut(ptx_bits(t, &o[i + 1]), 4)
                                     : ptx_value(t, &o[i + 1], in->type);
    }
    ptx_put(t, &o[0], ptx_combine(in, v[0], v[1], v[2]));
}

static bool ordered(const char *how, bool less, bool same)
{
    return !strncmp(how, "eq", 2)                         ? same
           : !strncmp(how, "ne", 2)                       ? !same
           : !strncmp(how, "lt", 2) || !strcmp(how, "lo") ? less
           : !strncmp(how, "le", 2) || !strcmp(how, "ls") ? less || same
           : !strncmp(how, "gt", 2) || !strcmp(how, "hi") ? !less && !same
                                                          : !less;
}

/* Floats that are no numbers compare as nothing, or with a "u" as anything. */
static bool compare(const struct ptx_thread *t,
                    const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operand;
    const char *how = in->word[0];
    const uint64_t a = ptx_value(t, &o[1], in->type);
    const uint64_t b = ptx_value(t, &o[2], in->type);

    if (in->type.kind == 'f') {
        const double x = to_double(a, in->type.bytes);
        const double y = to_double(b, in->type.bytes);

        if (isnan(x) || isnan(y))
            return how[2] == 'u' || !strcmp(how, "nan");
        return !strcmp(how, "num") || ordered(how, x < y, x == y);
    }
    return ordered(how, in->type.kind == 's' ? (int64_t)a < (int64_t)b : a < b,
                   a == b);
}

void ptx_set_predicate(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operand;
    bool value = compare(t, in);

    if (in->operands > 3) {
        const bool other = ptx_bits(t, &o[3]) != o[3].negated;

        value = ptx_has(in, "and")  ? value && other
                : ptx_has(in, "or") ? value || other
                                    : value != other;
    }
    ptx_put(t, &o[0], value);
}

static double rounded(const struct ptx_instruction *in, double value)
{
    return ptx_has(in, "rni")   ? nearbyint(value)
           : ptx_has(in, "rmi") ? floor(value)
           : ptx_has(in, "rpi") ? ceil(value)
           : ptx_has(in, "rzi") ? trunc(value)
                                : value;
}

/* A float that no integer is as large as becomes the nearest there is. */
static uint64_t to_integer(double value, struct ptx_type type)
{
    const double top = ldexp(1, 8 * type.bytes - (type.kind == 's'));
    const double least = type.kind == 's' ? -top : 0;

    if (isnan(value))
        return 0;
    if (value >= top)
        return type.kind == 's' ? ((uint64_t)1 << (8 * type.bytes - 1)) - 1
                                : ptx_cut(UINT64_MAX, type.bytes);
    if (value < least)
        value = least;
    return type.kind == 's' ? (uint64_t)(int64_t)value : (uint64_t)value;
}

void ptx_convert(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_type to = in->type, from = in->from;
    const uint64_t value = ptx_value(t, &in->operand[1], from);
    double real;

    if (from.kind != 'f' && to.kind != 'f') {
        ptx_put(t, &in->operand[0], ptx_cut(value, to.bytes));
        return;
    }
    real = from.kind == 'f'   ? to_double(value, from.bytes)
           : from.kind == 's' ? (double)(int64_t)value
                              : (double)value;
    if (from.kind != 'f' && to.bytes == 4) /* rounded once */
        real = from.kind == 's' ? (float)(int64_t)value : (float)value;
    if (from.kind == 'f')
        real = rounded(in, real);
    if (ptx_has(in, "sat"))
        real = fmin(fmax(real, 0), 1);
    ptx_put(t, &in->operand[0],
            to.kind == 'f' ? from_double(real, to.bytes)
                           : ptx_cut(to_integer(real, to), to.bytes));
}
