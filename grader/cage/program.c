/* program.c: a running lab program and the talk with its driver */
#include "cage/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cage/turn.h"

static const uint64_t GIB = (uint64_t)1 << 30;

static const char *under;

void program_run_under(const char *command)
{
    under = command;
}

bool program_is_under(void)
{
    return under != NULL;
}

/* A memory file that nobody can shrink under the grader's feet. */
static int make_file(const char *name, size_t bytes)
{
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return -1;
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return fd;
}

static bool make_files(struct program *program)
{
    uint64_t **const maps[2] = {&program->input, &program->output};
    const size_t bytes = program->options.room;

    for (int i = 0; i < 2; i++) {
        void *map;

        program->files[i] = make_file(i == 0 ? "input" : "output", bytes);
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                   program->files[i], 0);
        *maps[i] = map == MAP_FAILED ? NULL : map;
    }
    return program->input && program->output;
}

/* What writes a trace on a real GPU, or NULL. */
static const char *recorder_of(const struct program_options *options)
{
    return options->backend == BACKEND_CUDA && options->trace
               ? options->job->recorder
               : NULL;
}

/* Pools are there on any device, whatever its age, and in small pieces: batches
 * of kilobytes stand for such of some hundred megabytes. Of several devices the
 * first is the one that counts. */
static char *device_setting(const char *device)
{
    const int first = (int)strcspn(device, ",;");

    return text_format("VGPU_DEVICE=%.*s:pool_piece_bytes=512%s", first, device,
                       device + first);
}

/* A clean environment: nothing of the caller's but what a GPU may need. Which
 * of this machine's the caller may use says nothing of virtual ones. */
static void make_env(struct program *program)
{
    static const char *const all[] = {"PATH", "LD_LIBRARY_PATH", NULL};
    static const char *const real[] = {"PATH", "LD_LIBRARY_PATH",
                                       "CUDA_VISIBLE_DEVICES",
                                       "CUDA_DEVICE_ORDER", NULL};
    const struct program_options *options = &program->options;
    const char *const folder = options->job->folder;
    size_t count = child_keep_env(
        program->env, options->backend == BACKEND_CUDA ? real : all);

    program->env[count++] = text_format("HOME=%s", folder);
    program->env[count++] = text_format("TMPDIR=%s", folder);
    program->env[count++] = text_format("LC_ALL=C");
    if (recorder_of(options)) {
        program->env[count++] =
            text_format("CUDA_INJECTION64_PATH=%s", recorder_of(options));
        program->env[count++] =
            text_format("TIMELINE_TRACE=%s", options->trace);
    }
    if (options->backend == BACKEND_CUDA) {
        /* A kernel's first launch would load its code, and may then wait for
         * all other streams: tests/gpu/lazy_loading.cu. */
        program->env[count++] = text_format("CUDA_MODULE_LOADING=EAGER");
        return;
    }
    program->env[count++] = device_setting(
        options->virtual_device ? options->virtual_device : "h200");
    if (options->virtual_gpus > 1)
        program->env[count++] =
            text_format("VGPU_COUNT=%u", options->virtual_gpus);
    program->env[count++] = text_format("VGPU_SEED=1");
    /* In the C library's memory, what is freed or not set has no meaning. */
    program->env[count++] = text_format(
        "GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0");
    /* Its threads are counted, and several are graded at once. */
    program->env[count++] = text_format("VGPU_CORES=1");
    program->env[count++] = text_format("VGPU_REPORT_FD=7");
    if (options->check)
        program->env[count++] = text_format("VGPU_CHECK=1");
    if (options->trace)
        program->env[count++] = text_format("VGPU_TRACE=%s", options->trace);
}

/* The system, the devices, and its own folder: not the repository, where the
 * solutions are, nor anybody's home. */
/* A profile may be a file, with what is different behind it. */
static void fence_add_profile(struct fence *fence, const char *device)
{
    char *const path =
        device ? text_format("%.*s", (int)strcspn(device, ":,"), device) : NULL;

    if (path && strchr(path, '/'))
        fence_add(fence, FENCE_READ, path);
    free(path);
}

static void make_fence(struct program *program)
{
    const struct program_options *options = &program->options;
    const bool cuda = options->backend == BACKEND_CUDA;

    fence_add_system(&program->fence, options->job->tools->root);
    fence_add_devices(&program->fence);
    fence_add(&program->fence, FENCE_WRITE, options->job->folder);
    if (cuda)
        fence_add(&program->fence, FENCE_WRITE, "/dev/shm");
    fence_add(&program->fence, FENCE_READ, recorder_of(options));
    if (!cuda)
        fence_add_profile(&program->fence, options->virtual_device);
    program->fence.keep_sockets = cuda;
    program->fence.keep_memory = getenv("CUDA_MPS_PIPE_DIRECTORY") ||
                                 access("/tmp/nvidia-mps", F_OK) == 0;
}

static uint64_t memory_limit(const struct program *program)
{
    /* A tool keeps books on all of the device's memory. */
    if (program_is_under())
        return 256 * GIB;
    return (program->options.backend == BACKEND_CUDA ? 16 : 2) * GIB;
}

static void make_spec(struct program *program)
{
    static const char *const argv[] = {"lab", NULL};
    const struct program_options *const options = &program->options;
    const bool cuda = options->backend == BACKEND_CUDA;

    program->spec = (struct child_spec){
        .argv = argv,
        .env = (const char *const *)program->env,
        .directory = options->job->folder,
        .program_fd =
            cuda ? options->job->program_fd : options->job->virtual_fd,
        .under = under,
        .pass_fds = {program->files[0], program->files[1]},
        .talks = true,
        .bare = !cuda,
        /* The recorder asks addr2line for source lines; a tool starts the
         * program. */
        .may_fork = recorder_of(options) != NULL || program_is_under(),
        .fence = &program->fence,
        .memory_bytes = memory_limit(program),
        .file_bytes = GIB / 4,
        .keep_bytes = 1 << 16,
        .flood_bytes = 16 << 20,
    };
}

/* The driver's own device, which all users of the machine share. */
static const char *const turn_files[] = {"/dev/nvidiactl", "/dev/dxg", NULL};
static struct turn turn = {
    .files = turn_files, .most_s = TURN_MOST_S, .tell_s = TURN_TELL_S};

/* A program on a GPU has a turn while it starts, answers and ends: what the
 * driver makes and gives back then slows all others. Alone it is only while
 * times are taken, so that gradings wait for nothing else. */
bool program_turn_begin(enum backend backend, bool alone)
{
    return backend != BACKEND_CUDA || program_is_under() ||
           turn_begin(&turn, alone);
}

void program_turn_end(enum backend backend)
{
    if (backend == BACKEND_CUDA && !program_is_under())
        turn_end(&turn);
}

const char *program_turn_refused(void)
{
    return turn.refused ? turn.why : NULL;
}

void program_turn_most(double seconds)
{
    turn.most_s = seconds;
}

/* A line that begins with "so-far" is kept for the case that no answer follows.
 * What the driver never says is left alone: it waits for its own. */
static bool is_answer(struct program *program, const char *line)
{
    if (strncmp(line, "so-far ", 7) == 0) {
        text_clear(&program->so_far);
        text_printf(&program->so_far, "%s", line + 7);
    }
    return strncmp(line, "ok", 2) == 0 || strncmp(line, "failed", 6) == 0;
}

/* Lines go by until the answer comes; the limit is for each of them, so that a
 * driver that tells how far it is may take longer. What is drawn is alone, too:
 * a gap that another grading made would be taken for the program's. */
static bool hear(struct program *program, const char *command)
{
    const bool ends = command && strcmp(command, "end\n") == 0;
    struct out *const answer = &program->answer;
    bool heard;

    text_clear(&program->so_far);
    text_clear(answer);
    heard = program_turn_begin(program->options.backend,
                               command && program->options.trace);
    while (heard && !is_answer(program, text_string(answer))) {
        heard = child_ask(&program->child, command, program->options.seconds,
                          answer);
        command = NULL;
    }
    heard = heard && strncmp(text_string(answer), "ok", 2) == 0;
    /* Under a tool it is the tool that waits there. */
    if (heard && !ends && !program_is_under())
        heard = child_is_back(&program->child);
    program_turn_end(program->options.backend);
    return heard;
}

/* The driver uses the device before it greets, so that one that cannot be used
 * is told now and not as some student's error. */
bool program_start(struct program *program,
                   const struct program_options *options)
{
    const char *name;
    bool heard;

    memset(program, 0, sizeof *program);
    program->options = *options;
    program->files[0] = program->files[1] = -1;
    make_env(program);
    make_fence(program);
    program->child.end = CHILD_NOT_STARTED;
    if (!make_files(program)) {
        program->child.code = errno;
        return false;
    }
    make_spec(program);
    heard = program_turn_begin(program->options.backend, false) &&
            child_start(&program->child, &program->spec) && hear(program, NULL);
    program_turn_end(program->options.backend);
    name = strstr(text_string(&program->answer), "device=");
    if (heard && name)
        snprintf(program->device, sizeof program->device, "%s", name + 7);
    return heard;
}

bool program_ask(struct program *program, const char *format, ...)
{
    char command[4096];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(command, sizeof command - 1, format, args);
    va_end(args);
    if (length < 0 || length > (int)sizeof command - 2)
        return false;
    command[length] = '\n';
    command[length + 1] = '\0';
    return hear(program, command);
}

void program_finish(struct program *program)
{
    if (program->child.end != CHILD_RUNNING)
        return;
    program_turn_begin(program->options.backend, false);
    if (hear(program, "end\n"))
        child_ask(&program->child, NULL, program->options.seconds, NULL);
    program_turn_end(program->options.backend);
}

void program_free(struct program *program)
{
    if (program->child.end == CHILD_RUNNING) {
        program_turn_begin(program->options.backend, false);
        child_stop(&program->child);
        program_turn_end(program->options.backend);
    }
    child_free(&program->child);
    for (int i = 0; i < 2; i++)
        if (program->files[i] >= 0)
            close(program->files[i]);
    if (program->input)
        munmap(program->input, program->options.room);
    if (program->output)
        munmap(program->output, program->options.room);
    for (size_t i = 0; i < sizeof program->env / sizeof *program->env; i++)
        free(program->env[i]);
    fence_free(&program->fence);
    tl_out_free(&program->answer);
    tl_out_free(&program->so_far);
    memset(program, 0, sizeof *program);
}

/* Before they abort, C and C++ say why: in the last line on stderr, and for an
 * exception in the two lines that begin with these words. */
static void add_last_words(struct out *words, const char *printed)
{
    const char *line = strstr(printed, "terminate called"), *end = printed;

    while (line == NULL && *end) {
        printed = end;
        end += strcspn(end, "\n");
        end += *end == '\n';
    }
    line = line ? line : printed;
    for (int i = 0; i < 2 && *line; i++) {
        const size_t length = strcspn(line, "\n");

        text_printf(words, "%s%.*s", i == 0 ? ": " : ", ",
                    (int)(length < 200 ? length : 200), line);
        line += length;
        line += strspn(line, " \n");
    }
}

/* One number fills each in. The limits, never what was measured: two grades of
 * one file say the same. */
static const char *const words_of_end[] = {
    [CHILD_RUNNING] = "",
    [CHILD_EXITED] = ("the program ended itself (exit status %u), and not at "
                      "the end of main"),
    [CHILD_SIGNALLED] = "it was ended by a signal",
    [CHILD_TIMEOUT] = "it did not finish within %u s",
    [CHILD_FLOOD] = "it was ended: it printed more than %u MiB",
    [CHILD_MEMORY] = "it was ended: it took more than %u GiB of memory",
    [CHILD_PROCESSES] = "it was ended: it started other programs",
    [CHILD_TAMPERED] = "it was ended: it answered in the driver's place",
    [CHILD_THREADS] = "it was ended: it left a thread that runs",
    [CHILD_INTERRUPTED] = "the grade was interrupted",
    [CHILD_NOT_STARTED] = "it could not be started",
    [CHILD_CROWD] = "it was ended: it had more than %u threads at once",
};

static const char *const words_of_signal[NSIG] = {
    [SIGSEGV] = "it crashed: the host touched memory that is not its own",
    [SIGBUS] = "it crashed: the host touched memory that is not its own",
    [SIGFPE] = "it crashed: a division by zero",
    [SIGABRT] = "it crashed: it was aborted",
    [SIGXFSZ] = "it was ended: it wrote a file that is too large",
};

void program_describe_end(const struct program *program, struct out *words)
{
    const struct child *const child = &program->child;
    const unsigned numbers[] = {
        [CHILD_EXITED] = (unsigned)child->code,
        [CHILD_TIMEOUT] = (unsigned)(program->options.seconds + 0.5),
        [CHILD_FLOOD] = (unsigned)(program->spec.flood_bytes >> 20),
        [CHILD_MEMORY] = (unsigned)(program->spec.memory_bytes >> 30),
        [CHILD_CROWD] = CHILD_MOST_THREADS,
    };

    if (child->end == CHILD_SIGNALLED && words_of_signal[child->code])
        text_printf(words, "%s", words_of_signal[child->code]);
    else
        text_printf(words, words_of_end[child->end], numbers[child->end]);
    if (child->end == CHILD_SIGNALLED && child->code == SIGABRT)
        add_last_words(words, text_string(&child->err));
}
