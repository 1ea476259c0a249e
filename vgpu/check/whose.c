/*
 * whose.c: whose an address outside the arena is: the program's, or a thread's
 * stack. whose_wasm.c answers the same in a browser.
 */
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include "check_state.h"

struct module_query {
    uintptr_t address;
    bool found;
};

/* Called for each loaded object; not 0 ends the search. */
static int module_contains(struct dl_phdr_info *info, size_t size, void *data)
{
    struct module_query *query = data;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD &&
            query->address - start < header->p_memsz)
            query->found = true;
    }
    return query->found;
}

bool whose_program(uintptr_t address)
{
    struct module_query query = {address, false};

    dl_iterate_phdr(module_contains, &query);
    return query.found;
}

void whose_stack(uintptr_t *lo, uintptr_t *hi)
{
    pthread_attr_t attributes;
    void *base;
    size_t bytes;

    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &base, &bytes)) {
        *lo = (uintptr_t)base;
        *hi = (uintptr_t)base + bytes;
    }
    pthread_attr_destroy(&attributes);
}

void whose_end(void)
{
    raise(SIGSEGV);
}

/* The C library finds out. */
void whose_free(const void *memory)
{
    (void)memory;
}
