/*
 * ptx_run.c: runs the instructions of a kernel that was read from PTX text,
 * thread by thread, as launch.h has it of a compiled body.
 *
 * Each instruction is an operation, as one of the source's would be.
 *
 * Source: PTX ISA, "Instruction Set".
 */
#include "block.h"
#include "ptx_thread.h"
#include "vgpu_check.h"

#include <stdlib.h>
#include <string.h>

#define MOST_OPS ((uint64_t)1 << 32) /* of a thread: then it never ends */

/* ---- memory -------------------------------------------------------------- */

static char *in_space(const struct ptx_thread *t, enum ptx_space space,
                      uint64_t address)
{
    if (space == PTX_SHARED)
        return address >= PTX_DYNAMIC
                   ? (char *)vgpu_shared_dynamic() + (address - PTX_DYNAMIC)
                   : t->shared + address;
    if (space == PTX_LOCAL)
        return (char *)t->local + address;
    if (space == PTX_PARAM)
        return (char *)(uintptr_t)t->given->params + address;
    return (char *)(uintptr_t)address;
}

/* A variable that is named says where it is. */
static char *place_of(const struct ptx_thread *t,
                      const struct ptx_instruction *in,
                      const struct ptx_operand *o)
{
    const enum ptx_space space =
        o->kind == PTX_ADDRESS ? o->variable->space : in->space;

    return in_space(t, space, ptx_bits(t, o));
}

static void look(const struct ptx_thread *t, const struct ptx_instruction *in,
                 const void *at, size_t bytes, enum vgpu_access_kind kind)
{
    (void)t;
    if ((uintptr_t)at % bytes)
        vgpu_exec_abort_at(VGPU_EXEC_MISALIGNED, 0,
                           "an address in PTX is not a multiple of its size");
    if (in->space != PTX_LOCAL && in->space != PTX_PARAM)
        vgpu_check_touch(at, bytes, kind, 0);
}

static void load(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operand[0];
    const char *from = place_of(t, in, &in->operand[1]);
    const unsigned bytes = in->type.bytes;

    look(t, in, from, bytes * in->lanes, VGPU_READ);
    for (unsigned i = 0; i < in->lanes; i++) {
        uint64_t value = 0;

        memcpy(&value, from + i * bytes, bytes);
        if (in->type.kind == 's')
            value = (uint64_t)ptx_widen(value, bytes);
        t->reg[to->reg[i]] = value;
    }
}

static void store(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operand[1];
    char *to = place_of(t, in, &in->operand[0]);
    const unsigned bytes = in->type.bytes;

    look(t, in, to, bytes * in->lanes, VGPU_WRITE);
    for (unsigned i = 0; i < in->lanes; i++) {
        const uint64_t value =
            from->kind == PTX_LIST ? t->reg[from->reg[i]] : ptx_bits(t, from);

        memcpy(to + i * bytes, &value, bytes);
    }
}

/* Threads run one at a time: what is read, changed and written is one step. */
static void change(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = &in->operand[in->code == PTX_atom];
    const unsigned bytes = in->type.bytes;
    char *const at = place_of(t, in, &o[0]);
    const uint64_t a = ptx_value(t, &o[1], in->type);
    uint64_t old = 0, now;
    const struct ptx_instruction as = {.code = ptx_has(in, "add")   ? PTX_add
                                               : ptx_has(in, "min") ? PTX_min
                                               : ptx_has(in, "max") ? PTX_max
                                               : ptx_has(in, "and") ? PTX_and
                                               : ptx_has(in, "or")  ? PTX_or
                                                                    : PTX_xor,
                                       .type = in->type};

    look(t, in, at, bytes, VGPU_READ);
    vgpu_check_atomic(at, bytes, 0);
    memcpy(&old, at, bytes);
    if (in->type.kind == 's')
        old = (uint64_t)ptx_widen(old, bytes);
    if (ptx_has(in, "cas"))
        now = old == a ? ptx_value(t, &o[2], in->type) : old;
    else if (ptx_has(in, "exch"))
        now = a;
    else if (ptx_has(in, "inc"))
        now = old >= a ? 0 : old + 1;
    else if (ptx_has(in, "dec"))
        now = !old || old > a ? a : old - 1;
    else
        now = ptx_combine(&as, old, a, 0);
    memcpy(at, &now, bytes);
    if (in->code == PTX_atom)
        ptx_put(t, &in->operand[0], ptx_cut(old, bytes));
}

/* Between an address of a space and one that all instructions know. */
static void convert_address(struct ptx_thread *t,
                            const struct ptx_instruction *in)
{
    const struct ptx_operand *o = &in->operand[1];
    const uint64_t value = ptx_bits(t, o);
    const bool own = in->space == PTX_SHARED || in->space == PTX_LOCAL;

    if (!own || !ptx_has(in, "to"))
        ptx_put(t, &in->operand[0],
                own ? (uintptr_t)in_space(t, in->space, value) : value);
    else if (in->space == PTX_LOCAL)
        ptx_put(t, &in->operand[0], value - (uintptr_t)t->local);
    else if (value - (uintptr_t)t->shared < t->kernel->shared_bytes)
        ptx_put(t, &in->operand[0], value - (uintptr_t)t->shared);
    else
        ptx_put(t, &in->operand[0],
                PTX_DYNAMIC + value - (uintptr_t)vgpu_shared_dynamic());
}

static void move(struct ptx_thread *t, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operand[0], *from = &in->operand[1];
    const unsigned each = in->type.bytes / (to->count ? to->count : 1);
    uint64_t value = 0;

    if (from->kind == PTX_LIST)
        for (unsigned i = 0; i < from->count; i++)
            value |= ptx_cut(t->reg[from->reg[i]], in->type.bytes / from->count)
                     << 8 * i * (in->type.bytes / from->count);
    else
        value = ptx_bits(t, from);
    if (to->kind != PTX_LIST)
        ptx_put(t, to, ptx_cut(value, in->type.bytes));
    for (unsigned i = 0; to->kind == PTX_LIST && i < to->count; i++)
        t->reg[to->reg[i]] = ptx_cut(value >> 8 * i * each, each);
}

/* ---- running ------------------------------------------------------------- */

/* All that does not end the thread or send it elsewhere. */
static void other(struct ptx_thread *t, const struct ptx_instruction *in)
{
    switch (in->code) {
    case PTX_ld:
    case PTX_ldu:
        load(t, in);
        break;
    case PTX_st:
        store(t, in);
        break;
    case PTX_atom:
    case PTX_red:
        change(t, in);
        break;
    case PTX_cvt:
        ptx_convert(t, in);
        break;
    case PTX_cvta:
        convert_address(t, in);
        break;
    case PTX_mov:
        move(t, in);
        break;
    case PTX_setp:
        ptx_set_predicate(t, in);
        break;
    case PTX_selp:
        ptx_put(
            t, &in->operand[0],
            ptx_cut(
                ptx_bits(t, &in->operand[ptx_bits(t, &in->operand[3]) ? 1 : 2]),
                in->type.bytes));
        break;
    case PTX_bar: /* of all the block, whatever its number */
    case PTX_barrier:
        vgpu_barrier_wait(VGPU_BARRIER_PLAIN, 0, 0);
        break;
    case PTX_activemask:
        ptx_put(t, &in->operand[0],
                vgpu_warp_combine(VGPU_WARP_ACTIVE, 0, 0, 0, 0));
        break;
    case PTX_isspacep:
        ptx_put(t, &in->operand[0], in->space == PTX_GLOBAL);
        break;
    case PTX_trap:
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, 0, "trap");
        break;
    case PTX_membar:
    case PTX_fence:
    case PTX_nanosleep:
        break; /* threads run one at a time */
    default:
        ptx_compute(t, in);
    }
}

/* To its end. */
static void run_thread(struct ptx_thread *t)
{
    const struct ptx_kernel *k = t->kernel;
    uint64_t ops = 0;

    for (unsigned at = 0; at < k->count; ops++) {
        const struct ptx_instruction *in = &k->code[at++];

        if (in->guard >= 0 && !t->reg[in->guard] != in->unless)
            continue;
        if (in->code == PTX_ret || in->code == PTX_exit)
            break;
        if (in->code == PTX_bra)
            at = in->operand[0].reg[0];
        else
            other(t, in);
        if (ops == MOST_OPS)
            vgpu_exec_abort_at(VGPU_EXEC_TRAP, 0, "a thread never ends");
    }
    vgpu_cost_add(ops);
}

static void run(void *closure, struct vgpu_block *block)
{
    struct ptx_thread t = {.given = closure};
    int64_t index;

    t.kernel = t.given->kernel;
    if (t.kernel->lacks)
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, 0,
                           "an instruction of its PTX is not there");
    vgpu_block_geometry(block, &t.grid);
    while ((index = vgpu_block_next(block)) >= 0) {
        const size_t words = t.kernel->registers + 1;

        t.index[0] = (uint32_t)(index & 0xffff);
        t.index[1] = (uint32_t)(index >> 16 & 0xffff);
        t.index[2] = (uint32_t)(index >> 32);
        t.reg = calloc(words * sizeof *t.reg + t.kernel->local_bytes, 1);
        if (!t.reg)
            vgpu_exec_abort_at(VGPU_EXEC_NO_MEMORY, 0, "no memory");
        t.local = (uint8_t *)(t.reg + words);
        if (t.kernel->shared_bytes)
            t.shared =
                vgpu_shared_find(&t.kernel->shared_key, t.kernel->shared_bytes,
                                 t.kernel->shared_align);
        run_thread(&t);
        free(t.reg);
    }
}

static size_t closure_bytes(const struct ptx_closure *c)
{
    return sizeof *c + c->kernel->param_bytes;
}

static void *closure_clone(const void *closure)
{
    const size_t bytes = closure_bytes(closure);
    void *copy = malloc(bytes);

    if (copy)
        memcpy(copy, closure, bytes);
    return copy;
}

void ptx_prepare(struct ptx_kernel *kernel)
{
    kernel->body = (struct vgpu_body){
        .clone = closure_clone,
        .drop = free,
        .run = run,
        .sizes = kernel->sizes,
        .num_sizes = kernel->signature.count,
    };
}
