/*
 * fence.c: which files a child may see: Landlock, where the kernel has it.
 * The kernel's numbers are written here, because <linux/landlock.h> is newer
 * than some systems that students have.
 */
#include "cage/fence.h"

#include "base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CALL_CREATE = 444,
    CALL_ADD = 445,
    CALL_RESTRICT = 446,
    ASK_VERSION = 1,
    RULE_BENEATH = 1,
};

#define RIGHT(bit)    (UINT64_C(1) << (bit))
#define RIGHT_EXECUTE RIGHT(0)
#define RIGHT_WRITE   RIGHT(1)
#define RIGHT_READ    RIGHT(2)
#define RIGHT_LIST    RIGHT(3)
#define RIGHT_CUT     RIGHT(14)
#define RIGHTS_FILE   (RIGHT_EXECUTE | RIGHT_WRITE | RIGHT_READ | RIGHT_CUT)
#define NET_TCP       (RIGHT(0) | RIGHT(1)) /* bind, connect */
#define SCOPE_SOCKETS RIGHT(0)
#define SCOPE_SIGNALS RIGHT(1)

struct ruleset {
    uint64_t files, net, scoped;
};
struct beneath {
    uint64_t rights;
    int32_t fd;
} __attribute__((packed));

/* ---- places -------------------------------------------------------------- */

/* Does @path hold @below, or is it the same? */
static bool holds(const char *path, const char *below)
{
    const size_t length = strlen(path);

    return below && strncmp(path, below, length) == 0 &&
           (below[length] == '/' || below[length] == '\0' ||
            strcmp(path, "/") == 0);
}

/* A folder of programs, and the one above it: its libraries are beside it. Not
 * where that would open a home or the labs themselves. */
static void add_prefix(struct fence *fence, const char *folder,
                       const char *root)
{
    char path[PATH_MAX];

    if (folder[0] != '/' || realpath(folder, path) == NULL)
        return;
    for (int up = 0; up < 2 && path[0]; up++) {
        if (!holds(path, root) && !holds(path, getenv("HOME")) &&
            (up == 0 ||
             (strcmp(path, "/home") != 0 && strcmp(path, "/tmp") != 0)))
            fence_add(fence, FENCE_READ, path);
        *strrchr(path, '/') = '\0';
    }
}

static void add_list(struct fence *fence, const char *name, const char *root)
{
    OWNED char *list = getenv(name) ? strdup(getenv(name)) : NULL;
    char *state = NULL;

    for (char *folder = list ? strtok_r(list, ":", &state) : NULL; folder;
         folder = strtok_r(NULL, ":", &state))
        add_prefix(fence, folder, root);
}

void fence_add_system(struct fence *fence, const char *root)
{
    static const char *const system[] = {"usr", "lib",  "lib32", "lib64",
                                         "bin", "sbin", "opt",   "sys",
                                         "nix", "gnu",  "snap",  NULL};
    /* What the loader, compilers and a GPU's driver look up. The rest is
     * nobody's business, and root's keys and passwords are there. */
    static const char *const etc[] = {
        "ld.so.cache",   "ld.so.conf",   "ld.so.conf.d",
        "ld.so.preload", "alternatives", "ld-musl-x86_64.path",
        "localtime",     "nvidia",       "ld-musl-aarch64.path",
        "nvcc.profile",  "OpenCL",       "ccache.conf",
        "static",        "env.d",        NULL};
    /* What is the machine's and its own, not other processes'. */
    static const char *const proc[] = {"self",    "sys",     "stat", "cpuinfo",
                                       "meminfo", "devices", NULL};

    fence_add_below(fence, FENCE_READ, "", system);
    fence_add_below(fence, FENCE_READ, "/proc", proc);
    fence_add_below(fence, FENCE_READ, "/etc", etc);
    fence_add(fence, FENCE_DEVICE, "/dev/null");
    fence_add(fence, FENCE_READ, getenv("CUDA_HOME"));
    add_list(fence, "PATH", root);
    add_list(fence, "LD_LIBRARY_PATH", root);
}

void fence_add_devices(struct fence *fence)
{
    static const char *const devices[] = {
        "zero",   "nvidia-uvm",       "full",
        "random", "nvidia-caps",      "urandom",
        "tty",    "nvidia-modeset",   "dxg",
        "dri",    "nvidia-uvm-tools", "nvidiactl",
        NULL};
    char path[64];

    fence_add_below(fence, FENCE_DEVICE, "/dev", devices);
    for (int i = 0; i < 16; i++) {
        snprintf(path, sizeof path, "/dev/nvidia%d", i);
        fence_add(fence, FENCE_DEVICE, path);
    }
    fence_add(fence, FENCE_DEVICE, "/proc/driver/nvidia");
    fence_add(fence, FENCE_DEVICE, "/tmp/nvidia-mps");
    /* The driver gives its threads names, and starts only if it may. */
    fence_add(fence, FENCE_DEVICE, "/proc/self/task");
    fence_add(fence, FENCE_DEVICE, getenv("CUDA_MPS_PIPE_DIRECTORY"));
}

/* ---- the kernel ---------------------------------------------------------- */

int fence_version(void)
{
    const long version = syscall(CALL_CREATE, NULL, (size_t)0, ASK_VERSION);

    return version > 0 ? (int)version : 0;
}

/* What this version can hold back. Calls to devices stay free. */
static uint64_t file_rights(int version)
{
    return RIGHT(13) - 1 + (version >= 2 ? RIGHT(13) : 0) +
           (version >= 3 ? RIGHT_CUT : 0);
}

static uint64_t rights_of(enum fence_right right, uint64_t all)
{
    if (right == FENCE_WRITE)
        return all;
    if (right == FENCE_DEVICE)
        return (RIGHT_READ | RIGHT_WRITE | RIGHT_LIST | RIGHT_CUT) & all;
    return RIGHT_EXECUTE | RIGHT_READ | RIGHT_LIST;
}

/* A folder of the process itself stays open: the kernel may forget it under
 * memory pressure, and the rule with it. */
static void allow(int rules, const char *path, uint64_t rights)
{
    const bool own = strncmp(path, "/proc/self", 10) == 0;
    struct beneath beneath = {rights,
                              open(path, O_PATH | (own ? 0 : O_CLOEXEC))};
    struct stat st;

    if (beneath.fd < 0)
        return;
    if (fstat(beneath.fd, &st) == 0 && !S_ISDIR(st.st_mode))
        beneath.rights &= RIGHTS_FILE;
    syscall(CALL_ADD, rules, RULE_BENEATH, &beneath, 0);
    if (!own)
        close(beneath.fd);
}

bool fence_enter(const struct fence *fence)
{
    const int version = fence_version();
    const uint64_t all = file_rights(version);
    const struct ruleset set = {
        .files = all,
        .net = NET_TCP,
        .scoped = SCOPE_SIGNALS | (fence->keep_sockets ? 0 : SCOPE_SOCKETS)};
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    bool entered;
    int rules;

    rules = (int)syscall(CALL_CREATE, &set, size, 0);
    if (rules < 0)
        return false;
    for (int i = 0; i < fence->count; i++)
        allow(rules, fence->places[i].path,
              rights_of(fence->places[i].right, all));
    entered = syscall(CALL_RESTRICT, rules, 0) == 0;
    close(rules);
    return entered;
}
