/*
 * view.c: a root folder that holds the places of a fence and nothing else.
 * The kernel's numbers are written here, as in fence.c.
 */
#include "cage/view.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

enum {
    CALL_OPEN_TREE = 428,
    CALL_MOVE_MOUNT = 429,
    CALL_MOUNT_SETATTR = 442, /* Linux 5.12 */
    TREE_CLONE = 1,
    TREE_ALL = 0x8000,
    WHOLE_TREE = 0x8000,
    EMPTY_PATH = 0x1000,
    MOVE_EMPTY_PATH = 4,
    READ_ONLY = 1,
    NO_SUID = 2,
    NO_DEVICES = 4,
};

struct attributes {
    uint64_t set, clear, propagation, userns;
};

/* A place's files, not yet where they shall be seen. */
struct tree {
    char *real; /* its path without links */
    enum fence_right right;
    int fd;
};

struct places {
    const struct fence *fence;
    char *whole[MAX_FENCE]; /* the path of each place, from the root */
    char *real[MAX_FENCE];  /* of each place, or NULL */
    struct tree trees[MAX_FENCE + 6];
    int count;
};

/* ---- namespaces ---------------------------------------------------------- */

static bool write_own(const char *name, const char *format, unsigned id)
{
    char path[64], line[64];
    const int length = snprintf(line, sizeof line, format, id, id);
    int fd;
    bool written;

    snprintf(path, sizeof path, "/proc/self/%s", name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    written = write(fd, line, (size_t)length) == length;
    close(fd);
    return written;
}

/* Who is no root has to be the master of a name space of users first, and is
 * the same user in there. */
static bool leave_namespaces(int spaces)
{
    const unsigned user = (unsigned)geteuid(), group = (unsigned)getegid();

    if (unshare(spaces) == 0)
        return true;
    if (unshare(CLONE_NEWUSER | spaces) != 0)
        return false;
    return write_own("setgroups", "deny", 0) &&
           write_own("uid_map", "%u %u 1\n", user) &&
           write_own("gid_map", "%u %u 1\n", group);
}

/* ---- the places ---------------------------------------------------------- */

static bool set_attributes(int fd, unsigned flags, uint64_t set)
{
    const struct attributes attributes = {.set = set};

    return syscall(CALL_MOUNT_SETATTR, fd, "", EMPTY_PATH | flags, &attributes,
                   sizeof attributes) == 0;
}

static bool holds(const char *path, const char *below)
{
    const size_t length = strlen(path);

    return strncmp(path, below, length) == 0 &&
           (below[length] == '/' || below[length] == '\0');
}

/* Is it shown with another place, with the same right? */
static bool is_covered(const struct places *places, const struct tree *tree)
{
    const struct tree *nearest = NULL;

    for (int i = 0; i < places->count; i++)
        if (holds(places->trees[i].real, tree->real) &&
            (nearest == NULL ||
             strlen(places->trees[i].real) > strlen(nearest->real)))
            nearest = &places->trees[i];
    return nearest && nearest->right == tree->right;
}

/* Return: false where it cannot be had. */
static bool take_tree(struct tree *tree)
{
    const uint64_t set = NO_SUID | (tree->right == FENCE_READ ? READ_ONLY : 0) |
                         (tree->right == FENCE_DEVICE ? 0 : NO_DEVICES);

    tree->fd = (int)syscall(CALL_OPEN_TREE, AT_FDCWD, tree->real,
                            TREE_CLONE | O_CLOEXEC | TREE_ALL);
    return tree->fd >= 0 && set_attributes(tree->fd, WHOLE_TREE, set);
}

static int by_length(const void *left, const void *right)
{
    const size_t a = strlen(((const struct tree *)left)->real);
    const size_t b = strlen(((const struct tree *)right)->real);

    return a < b ? -1 : a > b;
}

/* The outer places first, and each once. A process of this view is not known
 * yet, and may write what is its own in /proc: so that is shown whole, but for
 * what is the machine's. */
static void list_trees(struct places *places)
{
    static char *const of_machine[] = {"/proc/sys", "/proc/sysrq-trigger",
                                       "/proc/irq", "/proc/bus", "/proc/fs"};
    enum { NUM_OURS = sizeof of_machine / sizeof *of_machine };
    struct tree trees[MAX_FENCE + 1 + NUM_OURS] = {{"/proc", FENCE_DEVICE, -1}};
    int count = 1;
    OWNED char *const here = getcwd(NULL, 0);

    for (int i = 0; i < NUM_OURS; i++)
        if (access(of_machine[i], F_OK) == 0)
            trees[count++] = (struct tree){of_machine[i], FENCE_READ, -1};
    for (int i = 0; i < places->fence->count; i++) {
        const char *const path = places->fence->places[i].path;

        places->whole[i] = path[0] == '/' || here == NULL
                               ? strdup(path)
                               : text_format("%s/%s", here, path);
        places->real[i] = realpath(path, NULL);
        if (places->real[i] && !holds("/proc", path))
            trees[count++] = (struct tree){places->real[i],
                                           places->fence->places[i].right, -1};
    }
    qsort(trees, (size_t)count, sizeof *trees, by_length);
    for (int i = 0; i < count; i++)
        if (!is_covered(places, &trees[i]))
            places->trees[places->count++] = trees[i];
}

/* ---- the new root -------------------------------------------------------- */

/* The folders on the way to @path, from the current one. */
static void make_way(const char *path)
{
    OWNED char *const way = strdup(path);

    for (char *at = strchr(way, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(way, 0755);
        *at = '/';
    }
}

/* Something of the same sort, for it to be put upon. */
static bool show_tree(const struct tree *tree)
{
    const char *const path = tree->real + 1;
    struct stat st;
    int fd;

    make_way(path);
    if (fstat(tree->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        mkdir(path, 0755);
    } else {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd >= 0)
            close(fd);
    }
    return syscall(CALL_MOVE_MOUNT, tree->fd, "", AT_FDCWD, path,
                   MOVE_EMPTY_PATH) == 0;
}

/* A place that is reached by a link is found by it, too. */
static void show_links(const struct places *places)
{
    static const char *const usual[][2] = {{"/proc/self/fd", "dev/fd"},
                                           {"/proc/self/fd/0", "dev/stdin"},
                                           {"/proc/self/fd/1", "dev/stdout"},
                                           {"/proc/self/fd/2", "dev/stderr"}};
    int made = 0;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        made += symlink(usual[i][0], usual[i][1]) == 0;
    for (int i = 0; i < places->fence->count; i++) {
        const char *const path = places->whole[i];

        if (places->real[i] == NULL || strcmp(path, places->real[i]) == 0 ||
            holds("/proc", path))
            continue;
        make_way(path + 1); /* what is there already stays */
        made += symlink(places->real[i], path + 1) == 0;
    }
    (void)made;
}

/* A folder to make the new root upon; what it holds has been taken. Return:
 * false where there is none. */
static bool begin_root(void)
{
    static const char *const bases[] = {"/tmp", "/mnt", "/run", "/usr", NULL};
    const char *const *base = bases;

    while (*base && chdir(*base) != 0)
        base++;
    return *base &&
           mount("root", *base, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") ==
               0 &&
           chdir(*base) == 0;
}

/* Shared memory of a GPU's driver is its own, and ends with it; but where a
 * service for several programs (MPS) runs, that has it, too. */
static void show_own_memory(const struct places *places)
{
    bool wanted = false;

    for (int i = 0; i < places->fence->count; i++)
        if (strcmp(places->fence->places[i].path, "/dev/shm") == 0)
            wanted = !places->fence->keep_memory;
    if (wanted)
        mount("shm", "dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

/* The old root is under the new one, and then nowhere. */
static bool end_root(void)
{
    const int root = open(".", O_PATH | O_CLOEXEC);
    const bool sealed = root >= 0 && set_attributes(root, 0, READ_ONLY);

    if (root >= 0)
        close(root);
    return sealed && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

/* For the rest of this process. Where it fails, the process is good for nothing
 * but to end. */
static bool enter(const struct fence *fence)
{
    static struct places places;
    const int network = fence->keep_sockets ? 0 : CLONE_NEWNET;

    places.fence = fence;
    list_trees(&places);
    if (!leave_namespaces(CLONE_NEWNS | CLONE_NEWIPC | network) ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return false;
    for (int i = 0; i < places.count; i++)
        if (!take_tree(&places.trees[i]))
            return false;
    if (!begin_root())
        return false;
    for (int i = 0; i < places.count; i++)
        if (!show_tree(&places.trees[i]))
            return false;
    show_own_memory(&places);
    show_links(&places);
    return end_root();
}

/* ---- made once, joined by many ------------------------------------------- */

enum { SPACES = 4, KEPT_VIEWS = 4 };

struct cage_view {
    struct out fence; /* in words; empty: none */
    int fds[SPACES];  /* -1: that of the grader */
};

static struct cage_view views[KEPT_VIEWS];
static bool is_refused; /* by this machine, once and for all */

/* That of users first: the others are entered with its rights. */
static const char *const space_names[SPACES] = {"user", "mnt", "ipc", "net"};

static void put_in_words(struct out *words, const struct fence *fence)
{
    text_printf(words, "%d %d\n", fence->keep_sockets, fence->keep_memory);
    for (int i = 0; i < fence->count; i++)
        text_printf(words, "%d %s\n", (int)fence->places[i].right,
                    fence->places[i].path);
}

static int open_space(const char *process, const char *name)
{
    OWNED char *const path = text_format("/proc/%s/ns/%s", process, name);

    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Return: false where one cannot be had. One that is the grader's, too, is not
 * to be entered. */
static bool open_spaces(struct cage_view *view, pid_t maker)
{
    OWNED char *const process = text_format("%d", (int)maker);
    bool open = true;

    for (int i = 0; i < SPACES; i++) {
        const int own = open_space("self", space_names[i]);
        struct stat here, there;

        view->fds[i] = open_space(process, space_names[i]);
        open = open && own >= 0 && view->fds[i] >= 0 &&
               fstat(own, &here) == 0 && fstat(view->fds[i], &there) == 0;
        if (open && here.st_ino == there.st_ino) {
            close(view->fds[i]);
            view->fds[i] = -1;
        }
        if (own >= 0)
            close(own);
    }
    return open && view->fds[1] >= 0;
}

/* A process makes it, lives until its namespaces are held here, and ends. */
static bool make(struct cage_view *view, const struct fence *fence)
{
    int ready[2], done[2];
    bool made = false;
    char byte = 0;
    pid_t maker;

    if (pipe2(ready, O_CLOEXEC) != 0)
        return false;
    if (pipe2(done, O_CLOEXEC) == 0) {
        maker = fork();
        if (maker == 0) {
            close(done[1]);
            close(ready[0]);
            if (!enter(fence) || write(ready[1], &byte, 1) != 1)
                _exit(1);
            _exit(read(done[0], &byte, 1) != 0);
        }
        close(done[0]);
        close(ready[1]);
        made = maker > 0 && read(ready[0], &byte, 1) == 1 &&
               open_spaces(view, maker);
        close(done[1]);
        if (maker > 0)
            waitpid(maker, NULL, 0);
    } else {
        close(ready[1]);
    }
    close(ready[0]);
    return made;
}

static void forget(struct cage_view *view)
{
    for (int i = 0; view->fence.length > 0 && i < SPACES; i++)
        if (view->fds[i] >= 0)
            close(view->fds[i]);
    text_clear(&view->fence);
}

const struct cage_view *view_take(const struct fence *fence)
{
    static unsigned next;
    struct cage_view *const view = &views[next % KEPT_VIEWS];
    const struct cage_view *found = NULL;
    OWNED_TEXT words = {0};

    if (is_refused)
        return NULL;
    put_in_words(&words, fence);
    for (int i = 0; i < KEPT_VIEWS && !found; i++)
        if (strcmp(text_string(&views[i].fence), text_string(&words)) == 0)
            found = &views[i];
    if (found == NULL) {
        next++;
        forget(view);
        is_refused = !make(view, fence);
        if (!is_refused)
            text_add(&view->fence, words.data, words.length);
        found = is_refused ? NULL : view;
    }
    return found;
}

bool view_join(const struct cage_view *view)
{
    for (int i = 0; i < SPACES; i++)
        if (view->fds[i] >= 0 && setns(view->fds[i], 0) != 0)
            return false;
    return true;
}

bool view_is_there(void)
{
    static const struct fence small = {.places = {{(char *)"/usr", FENCE_READ}},
                                       .count = 1};

    if (!is_refused && text_string(&views[0].fence)[0] == '\0')
        view_take(&small);
    return !is_refused;
}
