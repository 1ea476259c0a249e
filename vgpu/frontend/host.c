/*
 * host.c: the host's compiler, other programs, and temporary files.
 *
 * All that touches the operating system is here; the rewriter itself gets text
 * and gives text. Temporary files lie in one folder that is removed whichever
 * way the driver ends: a class that builds on one machine would fill its disk.
 */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- temporary files ----------------------------------------------------- */

enum { MAX_TEMP = 4096 };

static char *temp_dir;
static char *temp_files[MAX_TEMP];
static volatile sig_atomic_t num_temp;
static volatile sig_atomic_t running; /* the child's process group, or 0 */
static volatile sig_atomic_t beside;  /* what host_begin has started, or 0 */

/* Only async-signal-safe calls. What is in a folder came after it. */
static void temp_remove(void)
{
    for (int i = num_temp - 1; i >= 0; i--)
        if (unlink(temp_files[i]))
            rmdir(temp_files[i]);
    if (temp_dir)
        rmdir(temp_dir);
}

/* At a normal end; a signal's handler must not free memory and only removes the
 * files. */
static void temp_free(void)
{
    temp_remove();
    for (int i = 0; i < num_temp; i++)
        free(temp_files[i]);
    num_temp = 0;
    free(temp_dir);
    temp_dir = NULL;
}

/* The compiler is a child and gets the signal from us, so that it removes its
 * own files before ours go. */
static void on_signal(int number)
{
    if (running)
        kill((pid_t)running, SIGTERM);
    if (beside)
        kill((pid_t)beside, SIGKILL);
    while (running && waitpid((pid_t)running, NULL, 0) < 0 && errno == EINTR)
        ;
    temp_remove();
    signal(number, SIG_DFL);
    raise(number);
}

/* A signal that was ignored, as under nohup, stays ignored. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,
                                  SIGQUIT, SIGPIPE, SIGXCPU};
    struct sigaction action = {.sa_handler = on_signal};
    struct sigaction old;

    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

int host_temp_open(void)
{
    const char *base = getenv("TMPDIR");
    struct buf path = {0};

    buf_printf(&path, "%s/vgpucc-XXXXXX", base && *base ? base : "/tmp");
    catch_signals();
    if (!mkdtemp(path.data)) {
        fprintf(stderr, "vgpucc: error: cannot make a folder like %s: %s\n",
                path.data, strerror(errno));
        buf_free(&path);
        return -1;
    }
    temp_dir = path.data;
    atexit(temp_free);
    return 0;
}

/* The count is raised last: a signal in between finds no half-made name. */
const char *host_temp_add(char *path)
{
    if (num_temp == MAX_TEMP) {
        fputs("vgpucc: error: too many inputs\n", stderr);
        exit(1);
    }
    temp_files[num_temp] = path;
    num_temp++;
    return path;
}

const char *host_temp_file(const char *suffix)
{
    struct buf path = {0};

    buf_printf(&path, "%s/%d%s", temp_dir, (int)num_temp, suffix);
    return host_temp_add(path.data);
}

/* ---- programs ------------------------------------------------------------ */

/* To the end, whatever its size: a compiler that finds its pipe full would wait
 * for ever. */
static void read_all(int fd, struct buf *out)
{
    char chunk[4096];

    for (;;) {
        ssize_t size = read(fd, chunk, sizeof chunk);

        if (size > 0)
            buf_add(out, chunk, (size_t)size);
        else if (size == 0 || errno != EINTR)
            return;
    }
}

/* Signals were held back over the fork, and must not be in the program. */
static void run_child(const struct list *command, const int fds[2])
{
    sigset_t none;

    if (fds[1] >= 0) {
        dup2(fds[1], STDERR_FILENO);
        close(fds[1]);
    }
    if (fds[0] >= 0)
        close(fds[0]);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(command->items[0], command->items);
    fprintf(stderr, "vgpucc: error: cannot run %s: %s\n", command->items[0],
            strerror(errno));
    _exit(127);
}

/* The shell's numbers: 127 for what could not be run, 128 and the signal's for
 * what was killed. */
static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    return WEXITSTATUS(status);
}

/* Between fork and the note of the child's number, in @number, no signal may
 * come: its handler would not find the child. */
static pid_t start(const struct list *command, const int fds[2],
                   volatile sig_atomic_t *number)
{
    sigset_t all, old;
    pid_t child;

    fflush(NULL);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    child = fork();
    if (child == 0)
        run_child(command, fds);
    if (child < 0)
        fprintf(stderr, "vgpucc: no process can be started: %s\n",
                strerror(errno));
    *number = child > 0 ? (sig_atomic_t)child : 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
    return child;
}

int host_run(const struct list *command, struct buf *errors)
{
    int fds[2] = {-1, -1};
    pid_t child;
    int status;

    if (errors && pipe2(fds, O_CLOEXEC))
        return 127;
    child = start(command, fds, &running);
    if (errors) {
        close(fds[1]);
        if (child > 0)
            read_all(fds[0], errors);
        close(fds[0]);
    }
    status = child > 0 ? wait_for(child) : 127;
    running = 0;
    return status;
}

int host_begin(const struct list *command, const char *errors)
{
    int fds[2] = {-1, open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};

    if (fds[1] < 0)
        return -1;
    start(command, fds, &beside);
    close(fds[1]);
    return beside ? 0 : -1;
}

void host_end(bool wanted)
{
    if (beside && !wanted)
        kill((pid_t)beside, SIGKILL);
    if (beside)
        wait_for((pid_t)beside);
    beside = 0;
}

/* ---- the compiler -------------------------------------------------------- */

/* A folder can be "executed", too. */
static bool is_program(const char *path)
{
    struct stat s;

    return !access(path, X_OK) && !stat(path, &s) && S_ISREG(s.st_mode);
}

/* The file that @name is in PATH, or NULL. */
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    struct buf full = {0};

    if (strchr(name, '/'))
        return is_program(name) ? buf_copy_string(name) : NULL;
    while (path && *path) {
        size_t length = strcspn(path, ":");

        full.size = 0;
        buf_printf(&full, "%.*s/%s", (int)length, path, name);
        if (is_program(full.data))
            return full.data;
        path += length + (path[length] == ':');
    }
    buf_free(&full);
    return NULL;
}

static bool in_path(const char *name)
{
    char *path = find_program(name);

    free(path);
    return path != NULL;
}

/* Is @name gcc's, to be seen without asking? It is no script, and at the end of
 * its links stands x86_64-linux-gnu-g++-12. */
static bool is_gcc(const char *name)
{
    char *path = find_program(name);
    char *real = path ? realpath(path, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;
    FILE *file = slash && strstr(slash, "g++") && !strstr(slash, "clang")
                     ? fopen(real, "rb")
                     : NULL;
    const bool is = file && fgetc(file) == 0x7f && fgetc(file) == 'E';

    if (file)
        fclose(file);
    free(real);
    free(path);
    return is;
}

const char *host_program(const char *const *names)
{
    while (*names && !in_path(*names))
        names++;
    return *names;
}

/* Return: the major version that its --version names, 0 if it is no clang. */
static int clang_version(const struct host_compiler *cxx)
{
    struct list command = {0};
    struct buf out = {0};
    const char *words;
    int version = 0;

    /* Its stdout goes where host_run reads. */
    list_adds(&command, "/bin/sh", "-c", "exec \"$@\" --version 1>&2", "sh",
              NULL);
    list_add_all(&command, &cxx->command);
    host_run(&command, &out);
    if (out.data && strstr(out.data, "clang")) {
        words = strstr(out.data, "clang version ");
        version = words ? atoi(words + strlen("clang version ")) : 1;
    }
    list_free(&command);
    buf_free(&out);
    return version;
}

/* -ccbin may hold a command with options, "ccache g++". */
static void split_words(struct list *l, const char *s)
{
    while (*s) {
        size_t length = strcspn(s, " \t");

        if (length)
            list_addf(l, "%.*s", (int)length, s);
        s += length + strspn(s + length, " \t");
    }
}

/* As with nvcc a folder stands for the compiler in it; a name may have blanks
 * where it is a file's, and several words where it is a command. */
static int use_wanted(struct host_compiler *cxx, const char *wanted)
{
    struct stat s;

    if (!stat(wanted, &s) && S_ISDIR(s.st_mode))
        list_addf(&cxx->command, "%s/g++", wanted);
    else if (strchr(wanted, '/') && is_program(wanted))
        list_add(&cxx->command, wanted);
    else
        split_words(&cxx->command, wanted);
    if (cxx->command.count && in_path(cxx->command.items[0])) {
        cxx->clang = clang_version(cxx);
        return 0;
    }
    fprintf(stderr,
            "vgpucc: error: the host compiler '%s' is not there "
            "(-ccbin or VGPU_CXX names it)\n",
            wanted);
    return -1;
}

/* Three times as quick as GNU ld. Not of a compiler that was asked for, which
 * may link for another machine. */
static const char *quick_linker(void)
{
    return in_path("ld.gold") ? "gold" : in_path("ld.lld") ? "lld" : NULL;
}

/* -ccbin, then VGPU_CXX, then g++, then clang++: gcc's accesses are the ones
 * that the fast paths of vgpu/calls.h are written for. */
int host_find(struct host_compiler *cxx, const char *wanted)
{
    static const char *const usual[] = {"g++", "clang++"};

    memset(cxx, 0, sizeof *cxx);
    if (!wanted)
        wanted = getenv("VGPU_CXX");
    if (wanted && *wanted)
        return use_wanted(cxx, wanted);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!in_path(usual[i]))
            continue;
        list_add(&cxx->command, usual[i]);
        cxx->clang = is_gcc(usual[i]) ? 0 : clang_version(cxx);
        cxx->linker = quick_linker();
        return 0;
    }
    fputs("vgpucc: error: no C++ compiler found: install g++ or clang++ "
          "(Debian, Ubuntu: apt install g++), or set VGPU_CXX\n",
          stderr);
    return -1;
}

/* ---- files --------------------------------------------------------------- */

/* /proc where there is one; else the name that it was called by, if that has a
 * folder. */
char *host_own_dir(const char *argv0)
{
    char *path = realpath("/proc/self/exe", NULL);
    char *slash;

    if (!path && strchr(argv0, '/'))
        path = realpath(argv0, NULL);
    slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    return path;
}
