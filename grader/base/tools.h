/* tools.h: what this machine has: the repository, compilers, a GPU */
#ifndef GRADER_TOOLS_H
#define GRADER_TOOLS_H

#include <stdbool.h>

#include "base/gpus.h"

enum backend { BACKEND_AUTO, BACKEND_CUDA, BACKEND_VGPU };

struct tools {
    char *root;   /* the repository */
    char *vgpucc; /* NULL: not there */
    char *nvcc;
    bool host_compiler; /* one is there */
    struct gpus gpus;   /* that a CUDA driver reports; none without nvcc */
};

/* Look around. Return: false, with one line in @cause, when not even the
 * repository can be found. */
bool tools_find(struct tools *tools, char **cause);
void tools_free(struct tools *tools);

/*
 * Settle the backend.
 * @wanted  BACKEND_AUTO takes cuda where nvcc and a GPU are found
 * @why     one line: which one and why, or why not; to be freed
 * Return: BACKEND_CUDA or BACKEND_VGPU; BACKEND_AUTO where it cannot be had.
 */
enum backend tools_choose(const struct tools *tools, enum backend wanted,
                          char **why);

/* Why there is no virtual GPU here, NULL: there is one. */
const char *tools_why_no_vgpu(const struct tools *tools);

/* "cuda", "vgpu", "auto". */
const char *backend_word(enum backend backend);

#endif
