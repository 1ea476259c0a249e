/*
 * seal.c: where somebody reads the reports on a descriptor, the program is not
 * to change what it runs on: neither code, nor constants, nor the tables of
 * functions that the loader has filled in. A kernel that cannot seal (before
 * Linux 6.10) leaves them as they are.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "rt.h"

#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

/* <sys/syscall.h> is older than the call on many systems. */
enum { CALL_SEAL = 462 };

/* Whole pages: what the loader protects after its work may end within one,
 * which is written then. */
static void seal(uintptr_t begin, uintptr_t end, bool outwards)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    begin &= ~(page - 1);
    end = (outwards ? end + page - 1 : end) & ~(page - 1);
    if (end > begin)
        syscall(CALL_SEAL, begin, end - begin, 0UL);
}

static int seal_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if ((part->p_type == PT_LOAD && !(part->p_flags & PF_W)) ||
            part->p_type == PT_GNU_RELRO)
            seal(begin, begin + part->p_memsz, part->p_type == PT_LOAD);
    }
    return 0;
}

void vgpu_seal_program(void)
{
    dl_iterate_phdr(seal_object, NULL);
}
