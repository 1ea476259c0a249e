/*
 * inputs.c: what an input of vgpucc is, by its name.
 */
#include <string.h>

#include "options.h"

/* A dot in a folder's name is none of the file's. */
static const char *extension(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && !strchr(dot, '/') ? dot : "";
}

int input_kind_of(const char *name)
{
    static const struct {
        const char *extension;
        enum input_kind kind;
    } kinds[] = {
        {".cu", INPUT_CUDA},  {".cpp", INPUT_CXX},   {".cc", INPUT_CXX},
        {".cxx", INPUT_CXX},  {".c", INPUT_C},       {".o", INPUT_LINKED},
        {".a", INPUT_LINKED}, {".so", INPUT_LINKED}, {".obj", INPUT_LINKED}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(extension(name), kinds[i].extension))
            return (int)kinds[i].kind;
    return strstr(name, ".so.") ? (int)INPUT_LINKED : -1;
}
