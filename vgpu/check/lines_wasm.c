/*
 * lines_wasm.c: lines.c where a program's calls name their own records: what
 * stands for a program counter is the address of one. vgpu/frontend/sites.c
 * writes them.
 */
#include <stdio.h>
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

char *vgpu_line_format(uint64_t pc, char *text, size_t size)
{
    const char *file;
    int line = vgpu_line_find(pc, &file);

    if (line)
        snprintf(text, size, "%s:%d", file, line);
    else
        snprintf(text, size, "?");
    return text;
}
