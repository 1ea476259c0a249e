/* compile.c: runs of a compiler, each in a cage, several at once */
#include "build/compile.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"

/* ---- command lines ------------------------------------------------------ */

void compile_add(struct compile *compile, const char *format, ...)
{
    struct out word = {0};
    va_list args;

    if (compile->num_args == MAX_ARGS - 1)
        return;
    va_start(args, format);
    text_vprintf(&word, format, args);
    va_end(args);
    compile->argv[compile->num_args++] = word.data;
}

void compile_start(struct compile *compile, const struct grade_job *job,
                   enum backend backend)
{
    const bool cuda = backend == BACKEND_CUDA;
    const struct gpus *const gpus = &job->tools->gpus;

    compile->job = job;
    compile_add(compile, "%s", cuda ? job->tools->nvcc : job->tools->vgpucc);
    compile_add(compile, "-O2");
    compile_add(compile, "-std=c++17");
    if (!cuda) /* a grade is the same where there is no clang */
        compile_add(compile, "--no-judge");
    if (cuda) {
        /* Not -arch=native: behind the fence nvcc cannot ask the driver, and
         * would take an old GPU. */
        for (int i = 0; i < gpus->num_kinds; i++)
            compile_add(compile, "-gencode=arch=compute_%d,code=sm_%d",
                        gpus->kinds[i], gpus->kinds[i]);
        compile_add(compile, "-Xcompiler=-g1"); /* the host's lines */
        compile_add(compile, "--threads=0");
        compile_add(compile, "-lineinfo");
    }
}

void compile_add_object(struct compile *compile, bool shared)
{
    compile_add(compile, "-Icommon");
    compile_add(compile, "-Igrader/drivers");
    if (!shared)
        compile_add(compile, "-Ilabs/%s", compile->job->lab->name);
    /* What <iostream> makes before main, put apart: symbols.c. */
    compile_add(compile,
                "-D__ioinit=__ioinit __attribute__((init_priority(200)))");
    compile_add(compile, "-c");
}

void compile_add_output(struct compile *compile, const char *source,
                        const char *output)
{
    compile_add(compile, "%s", source);
    compile_add(compile, "-o");
    compile_add(compile, "%s", output);
}

/* ---- running the compiler ----------------------------------------------- */

/* Three levels up from build/bin/vgpucc or bin/nvcc: headers, libraries. */
static void add_home_of(struct fence *fence, const char *program)
{
    static const char *const parts[] = {"../vgpu", "../build/lib", "lib",
                                        "lib64",   "include",      "nvvm",
                                        "targets", "bin",          NULL};
    char path[PATH_MAX];

    if (realpath(program, path) == NULL)
        return;
    for (int up = 0; up < 2 && path[0]; up++)
        *strrchr(path, '/') = '\0';
    if (path[0])
        fence_add_below(fence, FENCE_READ, path, parts);
}

/* Headers beside the submission: a whole lab's folder may be handed in. Beside
 * the lab's own, too. Not the .cu files, which may be other people's. */
static void add_headers(struct fence *fence, const char *file)
{
    OWNED_TEXT headers = files_beside(file, ".h .cuh .hpp");

    for (const char *path = NULL; (path = files_next(&headers, path));)
        fence_add(fence, FENCE_READ, path);
}

/* Of the repository, a submission can include what labs include: neither the
 * solutions nor the rules. */
static void make_fence(struct compile *compile, const char *file)
{
    static const char *const seen[] = {"common",    "grader/drivers", "vgpu",
                                       "build/bin", "build/lib",      NULL};
    static const char *const caches[] = {".ccache", ".cache/ccache", NULL};
    const struct grade_job *const job = compile->job;
    const char *const root = job->tools->root, *home = getenv("HOME");
    struct fence *const fence = &compile->fence;
    OWNED char *const lab =
        text_format("%s/labs/%s/lab.h", root, job->lab->name);

    fence_add_system(fence, root);
    fence_add_below(fence, FENCE_READ, root, seen);
    if (home)
        fence_add_below(fence, FENCE_WRITE, home, caches);
    /* Where vgpucc or nvcc is a link, what it uses is where that leads. */
    add_home_of(fence, compile->argv[0]);
    add_headers(fence, lab);
    fence_add(fence, FENCE_READ, file);
    fence_add(fence, FENCE_WRITE, job->folder);
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

    while (num_running > 0 &&
           (num_running >= cores || num_running >= COMPILE_MOST))
        await(running[0]);
}

void compile_begin(struct compile *compile, const char *file)
{
    static const char *const kept[] = {"PATH",      "HOME",
                                       "VGPU_CXX",  "NVCC_CCBIN",
                                       "CUDA_HOME", "LD_LIBRARY_PATH",
                                       NULL};
    size_t count = child_keep_env(compile->env, kept);

    compile->env[count++] = strdup("LC_ALL=C"); /* its words are shown */
    compile->env[count++] = text_format("TMPDIR=%s", compile->job->folder);
    if (file)
        make_fence(compile, file);
    /* Our own parts are compiled outside of the fence, which would only cost
     * them time: nobody else's text is in them. */
    compile->spec = (struct child_spec){
        .argv = (const char *const *)compile->argv,
        .env = (const char *const *)compile->env,
        .directory = compile->job->tools->root,
        .program_fd = -1,
        .pass_fds = {-1, -1},
        .may_fork = true,
        .fence = file ? &compile->fence : NULL,
        .memory_bytes = (uint64_t)8 << 30,
        .file_bytes = (uint64_t)COMPILE_LARGEST_MIB << 20,
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

enum child_end compile_end(struct compile *compile, struct out *messages)
{
    struct child *const child = &compile->child;
    enum child_end end;

    await(compile);
    if (child->end == CHILD_NOT_STARTED)
        text_printf(messages, "no process can be started: %s\n",
                    strerror(child->code));
    text_add(messages, text_string(&child->err), child->err.length);
    text_add(messages, text_string(&child->out), child->out.length);
    /* A compiler that says no has ended as well as one that says yes. */
    end = child->end == CHILD_EXITED && child->code != 0 ? CHILD_SIGNALLED
                                                         : child->end;
    compile_stop(compile);
    return end;
}
