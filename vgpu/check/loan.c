/*
 * loan.c: memory of the program's own, pageable, that queued operations still
 * need, and that it gives back before.
 *
 * Such memory stays until nobody needs any, or a late copy would write into
 * whatever came to lie there; and who used it is told of. The linker has free()
 * called here (frontend/main.c), from the program's objects and from the
 * library's own, which may hold any lock: so there is a lock for these lists
 * alone, and nothing is called under it but the C library's malloc.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include "check_state.h"
#include "own_locks.h"
#include "vgpu/caller.h"

MY_PART(loan);

struct loan {
    const void *borrower;
    uintptr_t lo, hi;
    uint64_t given_pc; /* who gave it back; 0: nobody yet */
    bool any;          /* of the size that it is found to have then */
    struct loan *next;
};

/* Memory that was given back too early. */
struct kept {
    void *memory;
    struct kept *next;
};

/* The C library's. Weak: a program that g++ linked has none. */
extern __attribute__((weak)) void __real_free(void *memory);

/* Without the lock: most programs lend nothing, and give back often. */
static bool any_loans(void)
{
    return __atomic_load_n(&my->loans, __ATOMIC_ACQUIRE);
}

void vgpu_check_lend(const void *borrower, const void *base, size_t bytes)
{
    const uintptr_t lo = (uintptr_t)base;
    struct loan *loan = malloc(sizeof *loan);

    if (!loan)
        return;
    *loan = (struct loan){borrower, lo, lo + bytes + !bytes, 0, !bytes, NULL};
    vgpu_lock(&my->lock);
    if (!my->last)
        my->last = &my->loans;
    __atomic_store_n(my->last, loan, __ATOMIC_RELEASE);
    my->last = &loan->next;
    vgpu_unlock(&my->lock);
}

/* Under the lock. Return: where the borrower's loan hangs; NULL: nowhere. */
static struct loan **find(const void *borrower)
{
    for (struct loan **at = &my->loans; *at; at = &(*at)->next)
        if ((*at)->borrower == borrower)
            return at;
    return NULL;
}

bool vgpu_check_on_stack(const void *address)
{
    uintptr_t lo = 0, hi = 0;

    whose_stack(&lo, &hi);
    return (uintptr_t)address - lo < hi - lo;
}

bool vgpu_check_loan_tell(const void *borrower, struct vgpu_check_op *op,
                          enum vgpu_access_kind kind)
{
    struct vgpu_memory gone = {.kind = VGPU_MEM_REGISTERED};
    struct loan **at;

    if (!any_loans())
        return false;
    vgpu_lock(&my->lock);
    at = find(borrower);
    if (at) {
        gone.bytes = (*at)->hi - (*at)->lo;
        gone.free_pc = (*at)->given_pc;
    }
    vgpu_unlock(&my->lock);
    if (!gone.free_pc)
        return false;
    check_lock();
    report_freed(&gone, op->origin, kind);
    check_unlock();
    return true;
}

void vgpu_check_loan_end(const void *borrower)
{
    struct kept *rest = NULL;
    struct loan **at, *loan = NULL;

    if (!any_loans())
        return;
    vgpu_lock(&my->lock);
    at = find(borrower);
    if (at) {
        loan = *at;
        if (!loan->next)
            my->last = at;
        __atomic_store_n(at, loan->next, __ATOMIC_RELEASE);
    }
    if (!my->loans) {
        rest = my->kept;
        my->kept = NULL;
    }
    vgpu_unlock(&my->lock);
    free(loan);
    while (rest) {
        struct kept *const next = rest->next;

        free(rest->memory);
        free(rest);
        rest = next;
    }
}

/* Does anybody need this memory? Then it is given back later. */
static bool keep(void *memory, uint64_t pc)
{
    const uintptr_t lo = (uintptr_t)memory;
    struct kept *entry = NULL;
    uintptr_t hi;

    if (!memory || !any_loans())
        return false;
    hi = lo + malloc_usable_size(memory);
    vgpu_lock(&my->lock);
    for (struct loan *loan = my->loans; loan; loan = loan->next) {
        if (loan->lo >= hi || lo >= loan->hi)
            continue;
        loan->given_pc = loan->given_pc ? loan->given_pc : pc;
        loan->hi = loan->any ? hi : loan->hi;
        entry = entry ? entry : malloc(sizeof *entry);
    }
    if (entry) {
        *entry = (struct kept){memory, my->kept};
        my->kept = entry;
    }
    vgpu_unlock(&my->lock);
    return entry != NULL;
}

void vgpu_check_give_back(void *memory, uint64_t pc)
{
    whose_free(memory);
    if (keep(memory, pc))
        return;
    if (__real_free)
        __real_free(memory);
    else
        free(memory);
}

#pragma GCC visibility push(default)

void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    vgpu_check_give_back(memory, (uintptr_t)VGPU_CALLER());
}

#pragma GCC visibility pop
