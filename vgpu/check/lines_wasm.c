/*
 * lines_wasm.c: lines.c where a program's calls name their own records: what
 * stands for a program counter is the address of one. vgpu/frontend/sites.c
 * writes them.
 */
#include "vgpu_check.h"

struct site {
    const char *file;
    uint32_t line;
};

int vgpu_line_find(uint64_t pc, const char **file)
{
    const struct site *site = (const struct site *)(uintptr_t)pc;

    if (file)
        *file = site ? site->file : NULL;
    return site ? (int)site->line : 0;
}
