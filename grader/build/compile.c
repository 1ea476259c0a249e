/* compile.c: runs of a compiler, each in a cage, several at once */
#include "build/compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"

/* ---- command lines ------------------------------------------------------ */

void compile_add(struct maker *maker, char *arg)
{
    if (maker->num_args < MAX_ARGS - 1)
        maker->argv[maker->num_args++] = arg;
    else
        free(arg);
}

void compile_clear(struct maker *maker)
{
    for (int i = 0; i < maker->num_args; i++)
        free(maker->argv[i]);
    memset(maker->argv, 0, sizeof maker->argv);
    maker->num_args = 0;
}

void compile_start_command(struct maker *maker)
{
    const bool cuda = maker->backend == BACKEND_CUDA;
    const struct gpus *const gpus = &maker->tools->gpus;

    compile_clear(maker);
    compile_add(maker,
                strdup(cuda ? maker->tools->nvcc : maker->tools->vgpucc));
    compile_add(maker, strdup("-O2"));
    compile_add(maker, strdup("-std=c++17"));
    if (cuda) {
        /* Not -arch=native: behind the fence nvcc cannot ask the driver, and
         * would take an old GPU. */
        for (int i = 0; i < gpus->num_kinds; i++)
            compile_add(maker,
                        text_format("-gencode=arch=compute_%d,code=sm_%d",
                                    gpus->kinds[i], gpus->kinds[i]));
        compile_add(maker, strdup("-g")); /* the host's lines, for a trace */
        compile_add(maker, strdup("-lineinfo"));
    }
}

void compile_start(struct maker *maker, bool shared)
{
    compile_start_command(maker);
    compile_add(maker, strdup("-Icommon"));
    compile_add(maker, strdup("-Igrader/drivers"));
    if (!shared)
        compile_add(maker, text_format("-Ilabs/%s", maker->lab));
    /* What <iostream> makes before main, put apart: symbols.c. */
    compile_add(
        maker,
        strdup("-D__ioinit=__ioinit __attribute__((init_priority(200)))"));
    compile_add(maker, strdup("-c"));
}

void compile_add_output(struct maker *maker, const char *source,
                        const char *output)
{
    compile_add(maker, strdup(source));
    compile_add(maker, strdup("-o"));
    compile_add(maker, strdup(output));
}

/* ---- running the compiler ----------------------------------------------- */

/* Three levels up from build/bin/vgpucc or bin/nvcc: headers, libraries. */
static void add_home_of(struct fence *fence, const char *program)
{
    static const char *const parts[] = {"../vgpu", "../build/lib", "lib",
                                        "lib64",   "include",      "nvvm",
                                        "targets", "bin",          NULL};
    char path[PATH_MAX], *slash;

    if (realpath(program, path) == NULL)
        return;
    for (int up = 0; up < 2; up++) {
        slash = strrchr(path, '/');
        if (slash == NULL || slash == path)
            return;
        *slash = '\0';
    }
    fence_add_below(fence, FENCE_READ, path, parts);
}

/* Headers beside the submission: a whole lab's folder may be handed in. Not
 * the .cu files, which may be other people's. */
static void add_headers(struct fence *fence, const char *file)
{
    struct text headers = files_beside(file, ".h .cuh .hpp");

    for (const char *path = NULL; (path = files_next(&headers, path));)
        fence_add(fence, FENCE_READ, path);
    text_free(&headers);
}

/* Of the repository, a submission can include what labs include: neither the
 * solutions nor the rules. */
static void make_fence(struct fence *fence, const struct maker *maker,
                       const char *file)
{
    static const char *const seen[] = {"common",    "grader/drivers", "vgpu",
                                       "build/bin", "build/lib",      NULL};
    static const char *const caches[] = {".ccache", ".cache/ccache", NULL};
    const char *const root = maker->tools->root, *home = getenv("HOME");

    fence_add_system(fence, root);
    fence_add_below(fence, FENCE_READ, root, seen);
    if (home)
        fence_add_below(fence, FENCE_WRITE, home, caches);
    /* Where vgpucc or nvcc is a link, what it uses is where that leads. */
    add_home_of(fence, maker->argv[0]);
    fence_add(fence, FENCE_READ, maker->labs);
    fence_add(fence, FENCE_READ, file);
    fence_add(fence, FENCE_WRITE, maker->folder);
    add_headers(fence, file); /* as many as there is room for */
}

/* ---- as many at once as there are cores ---------------------------------- */

static struct compile *running[COMPILE_MOST]; /* the oldest first */
static int num_running;

static void forget(const struct compile *compile)
{
    int kept = 0;

    for (int i = 0; i < num_running; i++)
        if (running[i] != compile)
            running[kept++] = running[i];
    num_running = kept;
}

static void await(struct compile *compile)
{
    child_ask(&compile->child, NULL, COMPILE_SECONDS, NULL);
    child_stop(&compile->child); /* it may have ended while others ran */
    forget(compile);
}

static void wait_for_core(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = cores < 1              ? 1
                     : cores > COMPILE_MOST ? COMPILE_MOST
                                            : (int)cores;

    while (num_running >= most)
        await(running[0]);
}

void compile_begin(struct compile *compile, struct maker *maker,
                   const char *file)
{
    static const char *const kept[] = {"PATH",      "HOME",
                                       "VGPU_CXX",  "NVCC_CCBIN",
                                       "CUDA_HOME", "LD_LIBRARY_PATH",
                                       NULL};
    size_t count = child_keep_env(compile->env, kept);

    compile->env[count++] = strdup("LC_ALL=C"); /* its words are shown */
    compile->env[count++] = text_format("TMPDIR=%s", maker->folder);
    if (file)
        make_fence(&compile->fence, maker, file);
    memcpy(compile->argv, maker->argv, sizeof compile->argv);
    memset(maker->argv, 0, sizeof maker->argv);
    maker->num_args = 0;
    /* Our own parts are compiled outside of the fence, which would only cost
     * them time: nobody else's text is in them. */
    compile->spec = (struct child_spec){
        .argv = (const char *const *)compile->argv,
        .env = (const char *const *)compile->env,
        .directory = maker->tools->root,
        .program_fd = -1,
        .pass_fds = {-1, -1},
        .may_fork = true,
        .fence = file ? &compile->fence : NULL,
        .memory_bytes = (uint64_t)8 << 30,
        .file_bytes = (uint64_t)1 << 30,
        .keep_bytes = 1 << 18,
        .flood_bytes = 64 << 20,
    };
    wait_for_core();
    if (child_start(&compile->child, &compile->spec))
        running[num_running++] = compile;
}

void compile_stop(struct compile *compile)
{
    if (compile->argv[0] == NULL)
        return;
    forget(compile);
    child_free(&compile->child);
    fence_free(&compile->fence);
    for (int i = 0; compile->argv[i]; i++)
        free(compile->argv[i]);
    for (int i = 0; compile->env[i]; i++)
        free(compile->env[i]);
    memset(compile, 0, sizeof *compile);
}

enum child_end compile_end(struct compile *compile, struct text *messages)
{
    struct child *const child = &compile->child;
    enum child_end end;

    await(compile);
    text_add(messages, text_string(&child->err), child->err.length);
    text_add(messages, text_string(&child->out), child->out.length);
    /* A compiler that says no has ended as well as one that says yes. */
    end = child->end == CHILD_EXITED && child->code != 0 ? CHILD_SIGNALLED
                                                         : child->end;
    compile_stop(compile);
    return end;
}

enum child_end compile_run(struct maker *maker, const char *file,
                           struct text *messages)
{
    struct compile compile = {.argv = {NULL}};

    compile_begin(&compile, maker, file);
    return compile_end(&compile, messages);
}
