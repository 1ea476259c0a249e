/* tools.c: what this machine has: the repository, compilers, a GPU */
#include "base/tools.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

const char *backend_word(enum backend backend)
{
    static const char *const words[] = {"auto", "cuda", "vgpu"};

    return words[backend];
}

/* Return: the path, to be freed, if it can be executed. */
static char *executable(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);

    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* A program found on PATH, to be freed, or NULL. */
static char *find_on_path(const char *name)
{
    const char *const paths = getenv("PATH");
    OWNED char *copy = paths ? strdup(paths) : NULL;
    char *state = NULL, *found = NULL;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? strdup(name) : NULL;
    for (char *folder = copy ? strtok_r(copy, ":", &state) : NULL;
         folder && !found; folder = strtok_r(NULL, ":", &state))
        found = executable(folder, name);
    return found;
}

static char *find_nvcc(void)
{
    const char *const home = getenv("CUDA_HOME");
    OWNED char *const folder = text_format("%s/bin", home ? home : "");
    char *found = find_on_path("nvcc");

    if (found == NULL && home)
        found = executable(folder, "nvcc");
    return found ? found : executable("/usr/local/cuda/bin", "nvcc");
}

/* As vgpucc looks for it; what VGPU_CXX names is vgpucc's to judge. */
static bool has_host_compiler(void)
{
    const char *const wanted = getenv("VGPU_CXX");
    OWNED char *const gcc = find_on_path("g++");
    OWNED char *const clang = find_on_path("clang++");

    return (wanted && *wanted) || gcc || clang;
}

/* The repository is two levels above build/bin/grade. */
static char *find_root(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    for (int i = 0; i < 3 && path[0]; i++)
        *strrchr(path, '/') = '\0';

    OWNED char *const drivers = text_format("%s/grader/drivers", path);

    return access(drivers, R_OK) == 0 ? strdup(path) : NULL;
}

bool tools_find(struct tools *tools, char **cause)
{
    memset(tools, 0, sizeof *tools);
    tools->root = find_root();
    if (tools->root == NULL) {
        *cause = text_format("%s", access("/proc/self/exe", F_OK) != 0
                                       ? "could not be graded here: it takes "
                                         "a /proc"
                                       : "cannot find the lab's folders: run "
                                         "build/bin/grade where `make` left "
                                         "it");
        return false;
    }
    tools->host_compiler = has_host_compiler();
    tools->nvcc = find_nvcc();
    tools->vgpucc = text_format("%s/build/bin/vgpucc", tools->root);
    if (access(tools->vgpucc, X_OK) != 0) {
        free(tools->vgpucc);
        tools->vgpucc = find_on_path("vgpucc");
    }
    if (tools->nvcc)
        gpus_find(&tools->gpus, tools->nvcc);
    return true;
}

void tools_free(struct tools *tools)
{
    free(tools->root);
    free(tools->vgpucc);
    free(tools->nvcc);
    memset(tools, 0, sizeof *tools);
}

/* ---- the backend -------------------------------------------------------- */

const char *tools_why_no_vgpu(const struct tools *tools)
{
    return !tools->vgpucc          ? "no vgpucc: run `make tools` first"
           : !tools->host_compiler ? "no C++ compiler found: install g++ or "
                                     "clang++"
                                   : NULL;
}

enum backend tools_choose(const struct tools *tools, enum backend wanted,
                          char **why)
{
    const char *const no_vgpu = tools_why_no_vgpu(tools);
    const char *const no_cuda =
        !tools->nvcc             ? "no nvcc on PATH, in $CUDA_HOME/bin or in "
                                   "/usr/local/cuda/bin"
        : tools->gpus.count == 0 ? "the CUDA driver reports no GPU"
                                 : NULL;
    const bool any = wanted == BACKEND_AUTO;

    if (wanted != BACKEND_VGPU && no_cuda == NULL) {
        *why = strdup(any ? "nvcc and a GPU found" : "as asked");
        return BACKEND_CUDA;
    }
    if (wanted != BACKEND_CUDA && no_vgpu == NULL) {
        *why = strdup(any ? no_cuda : "as asked");
        return BACKEND_VGPU;
    }
    *why = any ? text_format("%s; and %s", no_cuda, no_vgpu)
               : strdup(wanted == BACKEND_CUDA ? no_cuda : no_vgpu);
    return BACKEND_AUTO;
}
