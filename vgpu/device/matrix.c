/*
 * matrix.c: matrices that a warp holds together: load, multiply, store.
 *
 * Each lane has a share of every matrix, so all 32 meet as they do for a
 * shuffle (warp.c), and the last to come does the work for all. Which element
 * is whose CUDA leaves open; here they are dealt out row by row, as
 * vgpu/threads.h has it. What is loaded or stored counts as the first lane's
 * access: a lane that has loaded a matrix may store it there again.
 *
 * Products are exact. They are added up in float, from the first column of A to
 * the last, and half accumulators are rounded once. A GPU's order is not
 * described anywhere, nor how many bits its sums have, so last bits may differ.
 *
 * Source: guide, "Warp Matrix Functions".
 */
#include "block.h"

#include <stdio.h>
#include <string.h>

#include "vgpu/narrow.h"
#include "vgpu_check.h"

#define ALL_LANES 0xffffffffu

/* As long as any processor has them: compilers make several of one. */
#define WIDE 8
typedef float floats __attribute__((vector_size(WIDE * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(WIDE * sizeof(int32_t))));

/* Of 64 bits there are fewer. It lies on a thread's stack. */
union elements {
    uint8_t of1[VGPU_MATRIX_ELEMENTS];
    uint16_t of2[VGPU_MATRIX_ELEMENTS];
    uint32_t of4[VGPU_MATRIX_ELEMENTS];
    uint64_t of8[VGPU_MATRIX_ELEMENTS / 2];
    float f[VGPU_MATRIX_ELEMENTS];
    double d[VGPU_MATRIX_ELEMENTS / 2];
    int32_t i[VGPU_MATRIX_ELEMENTS];
    floats fs[VGPU_MATRIX_ELEMENTS / WIDE];
    ints is[VGPU_MATRIX_ELEMENTS / WIDE];
};

/*
 * since     the first compute capability that has them
 * per_slot  products of A and B that an SM adds up in the time of one
 *           single-precision instruction, from 8.0 on; half of it before
 * Source: guide, "Warp Matrix Functions"; NVIDIA's whitepapers of Volta,
 * Turing, A100 and H100: an SM's dense products per clock (512, 512, 1024 and
 * 2048 in half precision) by its single-precision cores (64, 64, 64, 128).
 */
static const struct {
    uint8_t bytes, since, per_slot;
} elements[] = {
    [VGPU_HALF] = {2, 70, 16},  [VGPU_BFLOAT16] = {2, 80, 16},
    [VGPU_TF32] = {4, 80, 8},   [VGPU_FLOAT] = {4, 70, 0},
    [VGPU_DOUBLE] = {8, 80, 1}, [VGPU_INT8] = {1, 72, 32},
    [VGPU_UINT8] = {1, 72, 32}, [VGPU_INT] = {4, 72, 0},
};

static unsigned bytes_of(const struct vgpu_matrix *m)
{
    return elements[m->element].bytes;
}

static unsigned count_of(const struct vgpu_matrix *m)
{
    return (unsigned)m->rows * m->columns;
}

/* ---- shares -------------------------------------------------------------- */

static const struct vgpu_matrix_call *call_of(const struct thread *lane)
{
    return (const struct vgpu_matrix_call *)(uintptr_t)lane->value;
}

static size_t share_of(const struct vgpu_matrix *m)
{
    return count_of(m) / WARP_LANES * bytes_of(m);
}

/* All shares of @m, whose place in a call is @x bytes from its beginning. */
static void gather(union elements *to, const struct vgpu_matrix *m,
                   const struct thread *lanes, size_t x)
{
    const size_t share = share_of(m);

    for (int i = 0; i < WARP_LANES; i++) {
        const void *from;

        memcpy(&from, (const char *)call_of(&lanes[i]) + x, sizeof from);
        memcpy(to->of1 + (size_t)i * share, from, share);
    }
}

static void deal_out(const union elements *from, const struct vgpu_matrix *m,
                     const struct thread *lanes)
{
    const size_t share = share_of(m);

    for (int i = 0; i < WARP_LANES; i++)
        for (int copy = 0; copy < m->copies; copy++)
            memcpy((char *)call_of(&lanes[i])->d + (size_t)copy * share,
                   from->of1 + (size_t)i * share, share);
}

/* ---- memory -------------------------------------------------------------- */

#define TURN(size)                                                             \
    for (int i = 0; i < lines; i++)                                            \
        for (int k = 0; k < length; k++)                                       \
            to->of##size[k * lines + i] = from->of##size[i * length + k];

static void transpose(union elements *to, const union elements *from, int lines,
                      int length, unsigned bytes)
{
    switch (bytes) {
    case 1:
        TURN(1)
        break;
    case 2:
        TURN(2)
        break;
    case 4:
        TURN(4)
        break;
    default:
        TURN(8)
    }
}

/* Move @lines lines, one after the other in @tile, to or from memory. Where the
 * checker looks on it sees each; elsewhere the processor does (guard.c). */
static void move_lines(struct vgpu_block *block,
                       const struct vgpu_matrix_call *call, bool writes,
                       union elements *tile, int lines, size_t bytes)
{
    const size_t pitch = call->plan.pitch * (size_t)bytes_of(&call->plan.d);

    block->pc = call->pc;
    for (int i = 0; i < lines; i++) {
        char *at = (char *)call->plan.memory + (size_t)i * pitch;
        uint8_t *line = tile->of1 + (size_t)i * bytes;

        vgpu_check_touch(at, bytes, writes ? VGPU_WRITE : VGPU_READ, call->pc);
        memcpy(writes ? (void *)at : line, writes ? (void *)line : at, bytes);
    }
    block->pc = 0;
}

/* The guide wants multiples of 32 for the first, which NVIDIA's own samples do
 * not keep to. A GPU may do these, too, or may end the kernel. */
static void warn_of_odd(const struct vgpu_matrix_call *call, const char *name)
{
    const size_t pitch = call->plan.pitch * (size_t)bytes_of(&call->plan.d);

    if (((uintptr_t)call->plan.memory | pitch) % 16)
        vgpu_warn(matrix_odd, call->pc, .call = name);
}

static void load_or_store(struct vgpu_block *block, const struct thread *lanes,
                          enum vgpu_warp_op op)
{
    const struct vgpu_matrix_call *call = call_of(lanes);
    const struct vgpu_matrix *m = &call->plan.d;
    const bool columns = call->plan.by_columns;
    const int lines = columns ? m->columns : m->rows;
    const int length = columns ? m->rows : m->columns;
    const unsigned bytes = bytes_of(m);
    union elements tile, turned;

    if (!vgpu_block_is_calm(block))
        warn_of_odd(call, vgpu_warp_op_name(op));
    if (op == VGPU_WARP_STORE) {
        gather(columns ? &turned : &tile, m, lanes,
               offsetof(struct vgpu_matrix_call, d));
        if (columns)
            transpose(&tile, &turned, length, lines, bytes);
        move_lines(block, call, true, &tile, lines, (size_t)length * bytes);
    } else {
        move_lines(block, call, false, &tile, lines, (size_t)length * bytes);
        if (columns)
            transpose(&turned, &tile, lines, length, bytes);
        deal_out(columns ? &turned : &tile, m, lanes);
    }
    block->ops += count_of(m);
}

/* ---- arithmetic ---------------------------------------------------------- */

/* A matrix as numbers that are multiplied or added: floats, whole numbers or
 * doubles. */
static void take(union elements *to, const struct vgpu_matrix *m,
                 const struct thread *lanes, size_t x)
{
    const unsigned n = count_of(m);
    union elements from;

    gather(&from, m, lanes, x);
    for (unsigned i = 0; i < n; i++)
        switch (m->element) {
        case VGPU_HALF:
            to->f[i] = vgpu_widen(from.of2[i], 10, 15);
            break;
        case VGPU_BFLOAT16:
            to->of4[i] = (uint32_t)from.of2[i] << 16;
            break;
        case VGPU_TF32:
            to->of4[i] = from.of4[i] & ~UINT32_C(0x1fff);
            break;
        case VGPU_INT8:
            to->i[i] = (int8_t)from.of1[i];
            break;
        case VGPU_UINT8:
            to->i[i] = from.of1[i];
            break;
        case VGPU_DOUBLE:
            to->d[i] = from.d[i];
            break;
        default:
            to->of4[i] = from.of4[i];
        }
}

/* D += A * B. @N is a multiple of WIDE. */
#define MULTIPLY(vector, v, s)                                                 \
    static void multiply_##vector(union elements *d, const union elements *a,  \
                                  const union elements *b, int m, int n,       \
                                  int k)                                       \
    {                                                                          \
        for (int i = 0; i < m; i++)                                            \
            for (int j = 0; j < n / WIDE; j++) {                               \
                vector sum = d->v[i * n / WIDE + j];                           \
                                                                               \
                for (int l = 0; l < k; l++)                                    \
                    sum += a->s[i * k + l] * b->v[l * n / WIDE + j];           \
                d->v[i * n / WIDE + j] = sum;                                  \
            }                                                                  \
    }

MULTIPLY(floats, fs, f)
MULTIPLY(ints, is, i)

static void multiply_doubles(union elements *d, const union elements *a,
                             const union elements *b, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                d->d[i * n + j] = __builtin_fma(
                    a->d[i * k + l], b->d[l * n + j], d->d[i * n + j]);
}

/* They wrap around, or stop at the last number. */
static void add_ints(union elements *to, const union elements *sums, unsigned n,
                     bool saturate)
{
    for (unsigned i = 0; i < n; i++) {
        const int64_t sum = (int64_t)to->i[i] + sums->i[i];

        to->of4[i] = !saturate         ? (uint32_t)sum
                     : sum > INT32_MAX ? INT32_MAX
                     : sum < INT32_MIN ? (uint32_t)INT32_MIN
                                       : (uint32_t)sum;
    }
}

/* @c, as numbers that are added up, becomes the result, as it is stored. */
static void result_of(const struct vgpu_matrix_plan *plan,
                      const union elements *a, const union elements *b,
                      union elements *c)
{
    const int m = plan->a.rows, n = plan->b.columns, k = plan->a.columns;
    const unsigned count = count_of(&plan->d);
    union elements sums;

    switch (plan->d.element) {
    case VGPU_INT:
        memset(&sums, 0, count * sizeof *sums.i);
        multiply_ints(&sums, a, b, m, n, k);
        add_ints(c, &sums, count, plan->saturate);
        break;
    case VGPU_DOUBLE:
        multiply_doubles(c, a, b, m, n, k);
        break;
    default:
        multiply_floats(c, a, b, m, n, k);
    }
    /* From the first to the last: each takes the place of earlier ones. */
    for (unsigned i = 0; plan->d.element == VGPU_HALF && i < count; i++)
        c->of2[i] = vgpu_narrow(c->f[i], 10, 15, VGPU_NEAREST);
}

static void multiply_add(struct vgpu_block *block, const struct thread *lanes)
{
    const struct vgpu_matrix_plan *plan = &call_of(lanes)->plan;
    const unsigned per_slot = elements[plan->a.element].per_slot;
    union elements a, b, c;

    take(&a, &plan->a, lanes, offsetof(struct vgpu_matrix_call, a));
    take(&b, &plan->b, lanes, offsetof(struct vgpu_matrix_call, b));
    take(&c, &plan->c, lanes, offsetof(struct vgpu_matrix_call, c));
    result_of(plan, &a, &b, &c);
    deal_out(&c, &plan->d, lanes);
    block->slots +=
        count_of(&plan->d) * plan->a.columns /
        (block->exec->capability < 80 ? (per_slot + 1) / 2 : per_slot);
}

/* ---- the meeting --------------------------------------------------------- */

/* The element that decides what a device must be able to do. */
static unsigned needs(const struct vgpu_matrix_plan *plan, enum vgpu_warp_op op)
{
    return elements[op == VGPU_WARP_MMA ? plan->a.element : plan->d.element]
        .since;
}

/* What CUDA asks of all lanes. */
static void require_alike(const struct vgpu_block *block,
                          const struct thread *lanes,
                          const struct warp_group *group)
{
    const char *name = vgpu_warp_op_name(group->op);
    const int first = __builtin_ctz(group->arrived);
    const struct vgpu_matrix_call *call = call_of(&lanes[first]);
    const unsigned since = needs(&call->plan, group->op);
    char text[128] = "";

    if (group->arrived != ALL_LANES)
        snprintf(text, sizeof text,
                 "%s is for all 32 lanes of a warp: %d came, the others have "
                 "ended or are not there",
                 name, __builtin_popcount(group->arrived));
    else if (block->exec->capability < (int)since)
        snprintf(text, sizeof text,
                 "%s of this type needs compute capability %u.%u, and the "
                 "device has %d.%d",
                 name, since / 10, since % 10, block->exec->capability / 10,
                 block->exec->capability % 10);
    for (int i = 1; !text[0] && i < WARP_LANES; i++)
        if (memcmp(&call_of(&lanes[i])->plan, &call->plan, sizeof call->plan))
            snprintf(text, sizeof text,
                     "lanes 0 and %d of a warp come to %s with different "
                     "matrices, addresses or layouts",
                     i, name);
    if (text[0])
        vgpu_exec_abort_at(VGPU_EXEC_DIVERGENT_BARRIER, call->pc, text);
}

void vgpu_matrix_meet(struct vgpu_block *block, uint32_t base,
                      const struct warp_group *group)
{
    const struct thread *lanes = &block->threads[base];
    const int last = block->current;

    block->current = (int)base;
    require_alike(block, lanes, group);
    if (group->op == VGPU_WARP_MMA)
        multiply_add(block, lanes);
    else
        load_or_store(block, lanes, group->op);
    block->current = last;
}

void vgpu_warp_matrix(enum vgpu_warp_op op, const struct vgpu_matrix_call *call)
{
    vgpu_warp_combine(op, ALL_LANES, (uint64_t)(uintptr_t)call, 0, call->pc);
}
