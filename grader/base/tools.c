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
    char *copy, *state = NULL, *found = NULL;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? strdup(name) : NULL;
    if (paths == NULL || (copy = strdup(paths)) == NULL)
        return NULL;
    for (char *folder = strtok_r(copy, ":", &state); folder && !found;
         folder = strtok_r(NULL, ":", &state))
        found = executable(folder, name);
    free(copy);
    return found;
}

static char *find_nvcc(void)
{
    const char *const home = getenv("CUDA_HOME");
    char *found = find_on_path("nvcc"), *folder;

    if (found == NULL && home) {
        folder = text_format("%s/bin", home);
        found = executable(folder, "nvcc");
        free(folder);
    }
    return found ? found : executable("/usr/local/cuda/bin", "nvcc");
}

/* As vgpucc looks for it; what VGPU_CXX names is vgpucc's to judge. */
static char *find_host_compiler(void)
{
    const char *const wanted = getenv("VGPU_CXX");
    char *found;

    if (wanted && *wanted)
        return strdup(wanted);
    found = find_on_path("g++");
    return found ? found : find_on_path("clang++");
}

/* The repository is two levels above build/bin/grade. */
static char *find_root(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash, *labs;
    bool there;

    if (length <= 0)
        return NULL;
    path[length] = '\0';
    for (int i = 0; i < 3; i++) {
        slash = strrchr(path, '/');
        if (slash == NULL)
            return NULL;
        *slash = '\0';
    }
    labs = text_format("%s/grader/drivers", path);
    there = access(labs, R_OK) == 0;
    free(labs);
    return there ? strdup(path) : NULL;
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
    tools->host_compiler = find_host_compiler();
    tools->nvcc = find_nvcc();
    tools->vgpucc = text_format("%s/build/bin/vgpucc", tools->root);
    if (access(tools->vgpucc, X_OK) != 0) {
        free(tools->vgpucc);
        tools->vgpucc = find_on_path("vgpucc");
    }
    if (tools->nvcc) {
        gpus_find(&tools->gpus);
        if (tools->gpus.count > 0)
            gpus_forget_unknown(&tools->gpus, tools->nvcc);
    }
    return true;
}

void tools_free(struct tools *tools)
{
    free(tools->root);
    free(tools->vgpucc);
    free(tools->nvcc);
    free(tools->host_compiler);
    memset(tools, 0, sizeof *tools);
}

/* ---- the backend -------------------------------------------------------- */

static const char *why_no_vgpu(const struct tools *tools)
{
    if (tools->vgpucc == NULL)
        return "no vgpucc: run `make tools` first";
    if (tools->host_compiler == NULL)
        return "no C++ compiler found: install g++ or clang++";
    return NULL;
}

static const char *why_no_cuda(const struct tools *tools)
{
    if (tools->nvcc == NULL)
        return "no nvcc on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin";
    if (tools->gpus.count == 0)
        return "the CUDA driver reports no GPU";
    return NULL;
}

enum backend tools_choose(const struct tools *tools, enum backend wanted,
                          char **why)
{
    const char *const no_cuda = why_no_cuda(tools);
    const char *const no_vgpu = why_no_vgpu(tools);

    if (wanted == BACKEND_VGPU) {
        *why = text_format("%s", no_vgpu ? no_vgpu : "as asked");
        return no_vgpu ? BACKEND_AUTO : BACKEND_VGPU;
    }
    if (no_cuda == NULL) {
        *why = text_format(
            "%s", wanted == BACKEND_CUDA ? "as asked" : "nvcc and a GPU found");
        return BACKEND_CUDA;
    }
    if (wanted == BACKEND_CUDA) {
        *why = text_format("%s", no_cuda);
        return BACKEND_AUTO;
    }
    *why = no_vgpu ? text_format("%s; and %s", no_cuda, no_vgpu)
                   : text_format("%s", no_cuda);
    return no_vgpu ? BACKEND_AUTO : BACKEND_VGPU;
}
