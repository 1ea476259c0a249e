/*
 * builtins.c: CUDA's built-in functions that need more than an expression:
 * barriers, warps, atomics. device.h declares each by its CUDA name and binds
 * it to a function here by an assembler name. That, and not an inline
 * function, so that the caller's address is a line of the program.
 */
#include "block.h"

#include <string.h>

#include "vgpu_check.h"

/* Every function here that is not static is for programs. */
#pragma GCC visibility push(default)

#define CALLER() ((uint64_t)(uintptr_t)VGPU_CALLER())

/* ---- barriers ------------------------------------------------------------ */

void vgpu_syncthreads(void);
int vgpu_syncthreads_count(int predicate);
int vgpu_syncthreads_and(int predicate);
int vgpu_syncthreads_or(int predicate);

void vgpu_syncthreads(void)
{
    struct vgpu_block *block = vgpu_current;

    if (block && block->step + 1 < block->step_to)
        vgpu_step_go(block);
    else if (block && block->in_step && !block->step_ends)
        vgpu_step_on(block, CALLER());
    else
        vgpu_barrier_wait(VGPU_BARRIER_PLAIN, 0, CALLER());
}

int vgpu_syncthreads_count(int predicate)
{
    return vgpu_barrier_wait(VGPU_BARRIER_COUNT, predicate, CALLER());
}

int vgpu_syncthreads_and(int predicate)
{
    return vgpu_barrier_wait(VGPU_BARRIER_AND, predicate, CALLER());
}

int vgpu_syncthreads_or(int predicate)
{
    return vgpu_barrier_wait(VGPU_BARRIER_OR, predicate, CALLER());
}

/* Of the grid group. A GPU ends a kernel that was launched in another way. */
int vgpu_grid_valid(void);
void vgpu_grid_sync(const void *pc);

int vgpu_grid_valid(void)
{
    return vgpu_block_required("is_valid()")->exec->cooperative;
}

void vgpu_grid_sync(const void *pc)
{
    const uint64_t at = (uint64_t)(uintptr_t)pc;

    if (!vgpu_block_required("grid.sync()")->exec->cooperative)
        vgpu_exec_abort_at(VGPU_EXEC_TRAP, at,
                           "grid.sync() in a kernel that was not launched by "
                           "cudaLaunchCooperativeKernel");
    vgpu_barrier_wait(VGPU_BARRIER_GRID, 0, at);
}

/* Threads run one at a time, so only the compiler has to be held back, which a
 * call does. */
void vgpu_threadfence(void);

void vgpu_threadfence(void)
{
    if (vgpu_current && vgpu_current->watched)
        vgpu_race_fence();
}

/* ---- votes --------------------------------------------------------------- */

void vgpu_syncwarp(unsigned int mask);
unsigned int vgpu_activemask(void);
unsigned int vgpu_ballot(unsigned int mask, int predicate);
int vgpu_any(unsigned int mask, int predicate);
int vgpu_all(unsigned int mask, int predicate);

void vgpu_syncwarp(unsigned int mask)
{
    vgpu_warp_combine(VGPU_WARP_SYNC, mask, 0, 0, CALLER());
}

unsigned int vgpu_activemask(void)
{
    return (unsigned int)vgpu_warp_combine(VGPU_WARP_ACTIVE, 0, 0, 0, CALLER());
}

static unsigned int ballot(unsigned int mask, int predicate, uint64_t pc)
{
    return (unsigned int)vgpu_warp_combine(VGPU_WARP_BALLOT, mask,
                                           predicate != 0, 0, pc);
}

unsigned int vgpu_ballot(unsigned int mask, int predicate)
{
    return ballot(mask, predicate, CALLER());
}

int vgpu_any(unsigned int mask, int predicate)
{
    return ballot(mask, predicate, CALLER()) != 0;
}

int vgpu_all(unsigned int mask, int predicate)
{
    return ballot(mask, !predicate, CALLER()) == 0;
}

/* ---- shuffles and matches ------------------------------------------------ */

static inline unsigned int own_lane(void)
{
    const struct vgpu_block *block = vgpu_current;

    return block ? (unsigned int)block->current % WARP_LANES : vgpu_warp_lane();
}

/* The lane that a shuffle reads, as the PTX manual defines it. */
static unsigned int lane_idx(int source, int width)
{
    unsigned int last = (unsigned int)width - 1;

    return (own_lane() & ~last) | ((unsigned int)source & last);
}

/* A lane that has none so far below it in its segment keeps its own value
 * (guide, "Warp Shuffle Functions"). */
static unsigned int lane_up(unsigned int delta, int width)
{
    unsigned int self = own_lane();
    unsigned int in_segment = self & ((unsigned int)width - 1);

    return delta > in_segment ? self : self - delta;
}

static unsigned int lane_down(unsigned int delta, int width)
{
    unsigned int self = own_lane();
    unsigned int in_segment = self & ((unsigned int)width - 1);

    return delta >= (unsigned int)width - in_segment ? self : self + delta;
}

static unsigned int lane_xor(int bits, int width)
{
    unsigned int self = own_lane();
    unsigned int source = self ^ (unsigned int)bits;

    return source > (self | ((unsigned int)width - 1)) ? self : source;
}

/* Values travel as 64 bits, whatever their type, so that warp.c need not know
 * any. */
#define SHUFFLE(kind, name, type, operand_type)                                \
    type vgpu_shfl_##kind##_##name(unsigned int mask, type value,              \
                                   operand_type operand, int width);           \
    type vgpu_shfl_##kind##_##name(unsigned int mask, type value,              \
                                   operand_type operand, int width)            \
    {                                                                          \
        uint64_t bits = 0;                                                     \
                                                                               \
        memcpy(&bits, &value, sizeof value);                                   \
        bits = vgpu_warp_combine(VGPU_WARP_SHFL, mask, bits,                   \
                                 lane_##kind(operand, width), CALLER());       \
        memcpy(&value, &bits, sizeof value);                                   \
        return value;                                                          \
    }

/* By their bits, as the hardware compares them: 0.0 and -0.0 do not match. */
#define MATCHES(name, type)                                                    \
    unsigned int vgpu_match_any_##name(unsigned int mask, type value);         \
    unsigned int vgpu_match_any_##name(unsigned int mask, type value)          \
    {                                                                          \
        uint64_t bits = 0;                                                     \
                                                                               \
        memcpy(&bits, &value, sizeof value);                                   \
        return (unsigned int)vgpu_warp_combine(VGPU_WARP_MATCH_ANY, mask,      \
                                               bits, 0, CALLER());             \
    }                                                                          \
    unsigned int vgpu_match_all_##name(unsigned int mask, type value,          \
                                       int *predicate);                        \
    unsigned int vgpu_match_all_##name(unsigned int mask, type value,          \
                                       int *predicate)                         \
    {                                                                          \
        uint64_t bits = 0;                                                     \
        unsigned int matched;                                                  \
                                                                               \
        memcpy(&bits, &value, sizeof value);                                   \
        matched = (unsigned int)vgpu_warp_combine(VGPU_WARP_MATCH_ALL, mask,   \
                                                  bits, 0, CALLER());          \
        *predicate = matched != 0;                                             \
        return matched;                                                        \
    }

#define EXCHANGES(name, type)                                                  \
    SHUFFLE(idx, name, type, int)                                              \
    SHUFFLE(up, name, type, unsigned int)                                      \
    SHUFFLE(down, name, type, unsigned int)                                    \
    SHUFFLE(xor, name, type, int)                                              \
    MATCHES(name, type)

EXCHANGES(int, int)
EXCHANGES(uint, unsigned int)
EXCHANGES(long, long)
EXCHANGES(ulong, unsigned long)
EXCHANGES(longlong, long long)
EXCHANGES(ulonglong, unsigned long long)
EXCHANGES(float, float)
EXCHANGES(double, double)

/* ---- reductions of a warp ------------------------------------------------ */

#define REDUCE(name, type, op)                                                 \
    type vgpu_reduce_##name(unsigned int mask, type value);                    \
    type vgpu_reduce_##name(unsigned int mask, type value)                     \
    {                                                                          \
        return (type)vgpu_warp_combine(op, mask, (unsigned int)value, 0,       \
                                       CALLER());                              \
    }

REDUCE(add_int, int, VGPU_WARP_ADD)
REDUCE(add_uint, unsigned int, VGPU_WARP_ADD)
REDUCE(min_int, int, VGPU_WARP_MIN_S)
REDUCE(min_uint, unsigned int, VGPU_WARP_MIN_U)
REDUCE(max_int, int, VGPU_WARP_MAX_S)
REDUCE(max_uint, unsigned int, VGPU_WARP_MAX_U)
REDUCE(and_uint, unsigned int, VGPU_WARP_AND)
REDUCE(or_uint, unsigned int, VGPU_WARP_OR)
REDUCE(xor_uint, unsigned int, VGPU_WARP_XOR)

/* ---- atomics ------------------------------------------------------------- */

/* In a block that nobody looks at, only an atomic that changes nothing may be a
 * look at a flag. */
static inline bool is_unseen(void)
{
    return vgpu_current && vgpu_block_is_calm(vgpu_current);
}

typedef void tell_fn(const volatile void *at, size_t bytes, uint64_t pc);

/* The checker hears of it, unless nobody looks. */
static inline void look_at(const volatile void *at, size_t bytes, uint64_t pc,
                           tell_fn *tell)
{
    if (is_unseen())
        return;
    if (vgpu_current)
        vgpu_current->atomics++;
    tell(at, bytes, pc);
}

/* Atomic for the CPU too: other blocks may be there at once, and the host may
 * touch managed memory meanwhile. Return: does it leave what was there? */
#define MAKE(name, type, result)                                               \
    static inline bool make_##name(type *at, type value, type *was)            \
    {                                                                          \
        type old, new;                                                         \
                                                                               \
        __atomic_load(at, &old, __ATOMIC_RELAXED);                             \
        do {                                                                   \
            new = (result);                                                    \
        } while (!__atomic_compare_exchange(                                   \
            at, &old, &new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));        \
        *was = old;                                                            \
        return !memcmp(&old, &new, sizeof old);                                \
    }
/* The same where a CPU has an instruction for it. */
#define MAKE_BY(name, type, instruction, result)                               \
    static inline bool make_##name(type *at, type value, type *was)            \
    {                                                                          \
        const type old = instruction(at, value, __ATOMIC_RELAXED);             \
                                                                               \
        *was = old;                                                            \
        return old == (result);                                                \
    }

/* What is made later is read now, so that a bad address is found here. Most are
 * in a block that nobody looks at, and are made at once. */
#define ATOMIC_MADE(name, type, tell)                                          \
    static void later_##name(void *at, uint64_t bits)                          \
    {                                                                          \
        type value, was;                                                       \
                                                                               \
        memcpy(&value, &bits, sizeof value);                                   \
        make_##name(at, value, &was);                                          \
    }                                                                          \
    static __attribute__((noinline))                                           \
    type seen_##name(type *at, type value, uint64_t pc)                        \
    {                                                                          \
        type old;                                                              \
                                                                               \
        if (vgpu_later) {                                                      \
            uint64_t bits = 0;                                                 \
                                                                               \
            memcpy(&bits, &value, sizeof value);                               \
            __atomic_load(at, &old, __ATOMIC_RELAXED);                         \
            if (vgpu_later_put(at, bits, later_##name))                        \
                return old;                                                    \
        }                                                                      \
        look_at(at, sizeof *at, pc, tell);                                     \
        if (make_##name(at, value, &old) && is_unseen())                       \
            vgpu_check_atomic(at, sizeof *at, pc);                             \
        return old;                                                            \
    }                                                                          \
    type vgpu_atomic_##name(type *at, type value);                             \
    type vgpu_atomic_##name(type *at, type value)                              \
    {                                                                          \
        type old;                                                              \
                                                                               \
        if (vgpu_later || !is_unseen())                                        \
            return seen_##name(at, value, CALLER());                           \
        if (make_##name(at, value, &old))                                      \
            vgpu_check_atomic(at, sizeof *at, CALLER());                       \
        return old;                                                            \
    }
#define ATOMIC(name, type, result)                                             \
    MAKE(name, type, result) ATOMIC_MADE(name, type, vgpu_check_atomic)
#define ATOMIC_BY(name, type, instruction, result)                             \
    MAKE_BY(name, type, instruction, result)                                   \
    ATOMIC_MADE(name, type, vgpu_check_atomic)
#define EXCHANGE(name, type)                                                   \
    MAKE_BY(exch_##name, type, __atomic_exchange_n, value)                     \
    ATOMIC_MADE(exch_##name, type, vgpu_check_exchange)

#define ATOMIC_CAS(name, type)                                                 \
    type vgpu_atomic_cas_##name(type *at, type compare, type value);           \
    type vgpu_atomic_cas_##name(type *at, type compare, type value)            \
    {                                                                          \
        vgpu_check_atomic(at, sizeof *at, CALLER());                           \
        __atomic_compare_exchange(at, &compare, &value, false,                 \
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED);         \
        return compare;                                                        \
    }

#define ATOMIC_BITS(name, type)                                                \
    ATOMIC(and_##name, type, old &value)                                       \
    ATOMIC(or_##name, type, old | value)                                       \
    ATOMIC(xor_##name, type, old ^ value)

#define ATOMIC_ORDER(name, type)                                               \
    ATOMIC(min_##name, type, value < old ? value : old)                        \
    ATOMIC(max_##name, type, value > old ? value : old)

/* Signed sums by way of unsigned ones: CUDA's wrap around, C's must not. */
ATOMIC_BY(add_int, int, __atomic_fetch_add,
          (int)((unsigned int)old + (unsigned int)value))
ATOMIC_BY(add_uint, unsigned int, __atomic_fetch_add, old + value)
ATOMIC_BY(add_ulonglong, unsigned long long, __atomic_fetch_add, old + value)
ATOMIC(add_float, float, old + value)
ATOMIC(add_double, double, old + value)
ATOMIC_BY(sub_int, int, __atomic_fetch_sub,
          (int)((unsigned int)old - (unsigned int)value))
ATOMIC_BY(sub_uint, unsigned int, __atomic_fetch_sub, old - value)
EXCHANGE(int, int)
EXCHANGE(uint, unsigned int)
EXCHANGE(ulonglong, unsigned long long)
MAKE(exch_float, float, value)
ATOMIC_MADE(exch_float, float, vgpu_check_exchange)
/* Wrap around where the guide says so: inc behind the limit, dec below zero and
 * from beyond the limit. */
ATOMIC(inc_uint, unsigned int, old >= value ? 0 : old + 1)
ATOMIC(dec_uint, unsigned int, old == 0 || old > value ? value : old - 1)
ATOMIC_ORDER(int, int)
ATOMIC_ORDER(uint, unsigned int)
ATOMIC_ORDER(longlong, long long)
ATOMIC_ORDER(ulonglong, unsigned long long)
ATOMIC_BITS(int, int)
ATOMIC_BITS(uint, unsigned int)
ATOMIC_BITS(ulonglong, unsigned long long)
ATOMIC_CAS(int, int)
ATOMIC_CAS(uint, unsigned int)
ATOMIC_CAS(ulonglong, unsigned long long)
ATOMIC_CAS(ushort, unsigned short)

#pragma GCC visibility pop
