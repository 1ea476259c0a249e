/* compile.c: one run of a compiler, in a cage */
#include "compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

    compile_clear(maker);
    compile_add(maker,
                strdup(cuda ? maker->tools->nvcc : maker->tools->vgpucc));
    compile_add(maker, strdup("-O2"));
    compile_add(maker, strdup("-std=c++17"));
    if (cuda) {
        compile_add(maker, strdup("-arch=native"));
        compile_add(maker, strdup("-lineinfo"));
    }
}

void compile_start(struct maker *maker)
{
    compile_start_command(maker);
    compile_add(maker, strdup("-Icommon"));
    compile_add(maker, strdup("-Igrader/drivers"));
    compile_add(maker, text_format("-Ilabs/%s", maker->lab));
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

enum child_end compile_run(struct maker *maker, struct text *messages)
{
    const char *env[16];
    const struct child_spec spec = {
        .argv = (const char *const *)maker->argv,
        .env = env,
        .directory = maker->tools->root,
        .program_fd = -1,
        .pass_fds = {-1, -1},
        .may_fork = true,
        .memory_bytes = (uint64_t)8 << 30,
        .file_bytes = (uint64_t)1 << 30,
        .keep_bytes = 1 << 18,
        .flood_bytes = 64 << 20,
    };
    static const char *const kept[] = {"PATH",       "HOME",
                                       "VGPU_CXX",   "CUDA_HOME",
                                       "NVCC_CCBIN", "LD_LIBRARY_PATH"};
    struct child child;
    enum child_end end;
    char *values[16];
    size_t count = 0;
    int code;

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (getenv(kept[i]))
            values[count++] = text_format("%s=%s", kept[i], getenv(kept[i]));
    values[count++] = strdup("LC_ALL=C");
    values[count++] = text_format("TMPDIR=%s", maker->folder);
    for (size_t i = 0; i < count; i++)
        env[i] = values[i];
    env[count] = NULL;
    if (child_start(&child, &spec))
        child_ask(&child, NULL, COMPILE_SECONDS, NULL);
    text_add(messages, text_string(&child.err), child.err.length);
    text_add(messages, text_string(&child.out), child.out.length);
    end = child.end;
    code = child.code;
    child_free(&child);
    for (size_t i = 0; i < count; i++)
        free(values[i]);
    return end == CHILD_EXITED && code != 0 ? CHILD_SIGNALLED : end;
}
