/*
 * pageable.c: free() and delete, while copies need what they are given.
 *
 * The linker has them called here (frontend/main.c, frontend/host_wasm.c): from
 * the program's objects and from the library's own, which may hold any lock. So
 * there is a lock for the list alone, and nothing is called under it.
 */
#include "pageable.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "rt.h"

typedef void give_fn(void *memory);

/* A copy's memory. */
struct loan {
    const struct vgpu_op *op;
    uintptr_t lo, hi;
    uint64_t given_pc;
    struct loan *next;
};

/* Memory that was given back too early. */
struct held {
    void *memory;
    give_fn *give;
    struct held *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loan *loans;
static struct held *held;

static const struct vgpu_place *side(const struct vgpu_op *op)
{
    return op->copy.way == VGPU_TIME_H2D ? &op->copy.src : &op->copy.dst;
}

void vgpu_pageable_lend(const struct vgpu_op *op)
{
    const struct vgpu_place *const place = side(op);
    const struct vgpu_extent *const extent = &op->copy.extent;
    const uintptr_t lo = (uintptr_t)place->base;
    struct loan *loan = malloc(sizeof *loan);

    if (!loan)
        return;
    pthread_mutex_lock(&lock);
    *loan = (struct loan){op, lo,
                          lo + (extent->slices - 1) * place->slice +
                              (extent->rows - 1) * place->pitch + extent->width,
                          0, loans};
    __atomic_store_n(&loans, loan, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void vgpu_pageable_tell(const struct vgpu_op *op)
{
    struct vgpu_memory gone = {.kind = VGPU_MEM_REGISTERED};

    pthread_mutex_lock(&lock);
    for (const struct loan *loan = loans; loan; loan = loan->next)
        if (loan->op == op) {
            gone.bytes = loan->hi - loan->lo;
            gone.free_pc = loan->given_pc;
        }
    pthread_mutex_unlock(&lock);
    if (gone.free_pc)
        vgpu_check_op_freed(op->check, &gone,
                            op->copy.way == VGPU_TIME_H2D ? VGPU_READ
                                                          : VGPU_WRITE);
}

/* Under the lock. Return: the loan, to be freed; NULL if there is none. */
static struct loan *take_loan(const struct vgpu_op *op)
{
    for (struct loan **at = &loans; *at; at = &(*at)->next) {
        struct loan *const loan = *at;

        if (loan->op != op)
            continue;
        __atomic_store_n(at, loan->next, __ATOMIC_RELEASE);
        return loan;
    }
    return NULL;
}

void vgpu_pageable_end(const struct vgpu_op *op)
{
    struct held *rest = NULL;
    struct loan *loan;

    pthread_mutex_lock(&lock);
    loan = take_loan(op);
    if (!loans) {
        rest = held;
        held = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(loan);
    while (rest) {
        struct held *const next = rest->next;

        rest->give(rest->memory);
        free(rest);
        rest = next;
    }
}

/* Does a copy need this memory? Then it is given back later. */
static bool keep(void *memory, give_fn *give, uint64_t pc)
{
    const uintptr_t lo = (uintptr_t)memory;
    struct held *entry = NULL;
    uintptr_t hi;

    if (!memory || !__atomic_load_n(&loans, __ATOMIC_ACQUIRE))
        return false;
    hi = lo + malloc_usable_size(memory);
    pthread_mutex_lock(&lock);
    for (struct loan *loan = loans; loan; loan = loan->next) {
        if (loan->lo >= hi || lo >= loan->hi)
            continue;
        loan->given_pc = loan->given_pc ? loan->given_pc : pc;
        entry = entry ? entry : malloc(sizeof *entry);
    }
    if (entry) {
        *entry = (struct held){memory, give, held};
        held = entry;
    }
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

static void give_back(void *memory, give_fn *give, uint64_t pc)
{
    vgpu_check_free(memory);
    if (!keep(memory, give, pc))
        give(memory);
}

/* Weak: a program that g++ linked has none of these. */
#pragma GCC visibility push(default)
#define WRAP(name)                                                             \
    extern __attribute__((weak)) give_fn __real_##name;                        \
    give_fn __wrap_##name;                                                     \
    void __wrap_##name(void *memory)                                           \
    {                                                                          \
        give_back(memory, __real_##name, VGPU_PC);                             \
    }

WRAP(free)
WRAP(_ZdlPv) /* operator delete, and that of arrays */
WRAP(_ZdaPv)

/* The same with a size, which nobody needs. */
#define WRAP_SIZED(name, plain)                                                \
    void __wrap_##name(void *memory, size_t bytes);                            \
    void __wrap_##name(void *memory, size_t bytes)                             \
    {                                                                          \
        (void)bytes;                                                           \
        give_back(memory, __real_##plain, VGPU_PC);                            \
    }

WRAP_SIZED(_ZdlPvm, _ZdlPv)
WRAP_SIZED(_ZdaPvm, _ZdaPv)
WRAP_SIZED(_ZdlPvj, _ZdlPv) /* where a size has 32 bits */
WRAP_SIZED(_ZdaPvj, _ZdaPv)

#pragma GCC visibility pop
