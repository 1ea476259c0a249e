/*
 * isolation: what keeps a lab's program apart on this machine, one line for
 * each layer: NAME yes|no WORDS. For make doctor. Each is tried by doing what
 * it must refuse, in a process of its own: a kernel may know a call and yet be
 * told not to enforce it.
 * With --missing: the fences that are not there, in one line, as a grade says.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "cage/child.h"
#include "cage/fences.h"
#include "cage/view.h"

enum { HELD_FILES = 1, HELD_PROCESSES = 2, HELD_LIMITS = 4, NO_GPU = -1 };

/* A program finds the grader's descriptors, up to 7, in their places, and may
 * not close them: so what it opens is above. */
static void enter(const struct child_spec *spec)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && fd < 7);
    if (spec->fence->count > 0 && view_take(spec->fence))
        view_join(view_take(spec->fence));
    cage_close(spec);
}

static void try_layers(void *answer)
{
    const struct fence nothing = {.count = 0};
    const struct child_spec spec = {
        .file_bytes = 1 << 20, .fence = &nothing, .bare = true};
    struct rlimit limits;
    int held = 0;
    pid_t pid;

    enter(&spec);
    if (getrlimit(RLIMIT_FSIZE, &limits) == 0 && limits.rlim_cur == 1 << 20)
        held |= HELD_LIMITS;
    if (open("/", O_RDONLY | O_CLOEXEC) < 0)
        held |= HELD_FILES;
    pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid < 0)
        held |= HELD_PROCESSES;
    else
        waitpid(pid, NULL, 0);
    *(int *)answer = held;
}

/* A GPU's driver reads and writes more than a student's program may. */
static void try_gpu(void *answer)
{
    struct fence fence = {.count = 0};
    const struct child_spec spec = {.file_bytes = 1 << 20, .fence = &fence};
    int (*init)(unsigned flags) = NULL;
    void *driver;

    fence_add_system(&fence, NULL);
    fence_add_devices(&fence);
    fence.keep_sockets = true;
    enter(&spec);
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver)
        *(void **)&init = dlsym(driver, "cuInit");
    *(int *)answer = init ? init(0) : NO_GPU;
}

static void print_layer(const char *name, bool active, const char *words)
{
    printf("%-11s %-4s %s\n", name, active ? "yes" : "no", words);
}

static int print_missing(void)
{
    puts(fences_missing());
    return fflush(stdout) == 0 ? 0 : 2;
}

/* By trying, in a process of its own: a container may forbid what the kernel
 * has. */
static int print_layers(void)
{
    const int version = fence_version();
    const bool view = view_is_there();
    int held = 0, gpu = NO_GPU;
    char words[80];

    if (!process_apart(try_layers, &held, sizeof held))
        held = 0;
    if (!process_apart(try_gpu, &gpu, sizeof gpu))
        gpu = NO_GPU;
    snprintf(words, sizeof words,
             version ? "version %d: files outside of its folder and TCP are "
                       "out of reach"
                     : "the kernel has none (Linux 5.13 has)",
             version);
    print_layer("landlock", held & HELD_FILES, words);
    print_layer("seccomp", held & HELD_PROCESSES,
                held & HELD_PROCESSES
                    ? "no other processes, signals, sockets, modes or owners"
                    : "the kernel refuses filters");
    print_layer("rlimits", held & HELD_LIMITS,
                "size of files, processor time, descriptors");
    print_layer("namespaces", view,
                view
                    ? "read-only but its folder, and nothing else is there"
                    : "this system lets nobody make them (Linux 5.12 does, but "
                      "for containers and some settings)");
    snprintf(words, sizeof words,
             gpu == 0
                 ? "its driver starts in there"
                 : "its driver fails in there with error %d: use BACKEND=vgpu",
             gpu);
    if (gpu != NO_GPU)
        print_layer("GPU", gpu == 0, words);
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "--missing") == 0 ? print_missing()
                                                         : print_layers();
}
