/* files.c: attempts on files outside: their contents, modes and attributes */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attempts.h"

static const char *const names[] = {
    "next/lab.cu",    "tree/solution.cu",    "home/secret", "next",
    "next/new",       "next/link",           "next/other",  "next/folder",
    "tree/build/bin", "home/.ssh/authorized"};
enum place { LAB, SOLUTION, SECRET, NEXT, NEW, LINK, OTHER, FOLDER, BIN, KEYS };

#define PATH(value) outside_path(out, names[value])
#define DONE(call)  ((call) >= 0 ? 0 : errno)

static int opened(int fd)
{
    char byte;
    const int error = fd < 0 ? errno : 0;

    if (fd >= 0 && read(fd, &byte, 1) < 0 && errno == EACCES)
        return EACCES;
    if (fd >= 0)
        close(fd);
    return error;
}

static int try_read(const struct outside *out, long value)
{
    return opened(open(PATH(value), O_RDONLY));
}

static int try_list(const struct outside *out, long value)
{
    return opened(open(PATH(value), O_RDONLY | O_DIRECTORY));
}

static int try_see(const struct outside *out, long value)
{
    struct stat st;

    return DONE(stat(PATH(value), &st));
}

static int try_write(const struct outside *out, long value)
{
    const int fd = open(PATH(value), O_WRONLY | O_APPEND);

    return fd < 0 ? errno : (close(fd), 0);
}

static int try_cut(const struct outside *out, long value)
{
    const int fd =
        open(PATH(value), (value == OTHER ? O_RDONLY : O_WRONLY) | O_TRUNC);

    return fd < 0 ? errno : (close(fd), 0);
}

static int try_truncate(const struct outside *out, long value)
{
    return DONE(truncate(PATH(value), 1));
}

static int try_make(const struct outside *out, long value)
{
    const int fd = open(PATH(value), O_WRONLY | O_CREAT, 0600);

    return fd < 0 ? errno : (close(fd), unlink(PATH(value)), 0);
}

static int try_folder(const struct outside *out, long value)
{
    return mkdir(PATH(value), 0700) < 0 ? errno : (rmdir(PATH(value)), 0);
}

static int try_move(const struct outside *out, long value)
{
    if (rename(PATH(value), PATH(NEW)) < 0)
        return errno;
    return DONE(rename(PATH(NEW), PATH(value)));
}

static int try_take(const struct outside *out, long value)
{
    if (link(PATH(value), "taken") < 0)
        return errno;
    unlink("taken");
    return 0;
}

static int try_symlink(const struct outside *out, long value)
{
    int error;

    unlink("lead");
    if (symlink(PATH(value), "lead") < 0)
        return errno;
    error = opened(open("lead", O_RDONLY));
    unlink("lead");
    return error;
}

static int try_plant(const struct outside *out, long value)
{
    return symlink("/etc/passwd", PATH(value)) < 0 ? errno
                                                   : (unlink(PATH(value)), 0);
}

/* By a way that does not look like one. */
static int try_way(const struct outside *out, long value)
{
    static const char *const ways[] = {
        "/proc/self/root", "/proc/self/cwd/../..", "/proc/thread-self/root",
        "/proc/1/root"};
    char path[600];
    const char *const whole = PATH(LAB);

    snprintf(path, sizeof path, "%s%s", ways[value],
             value == 1 ? "/next/lab.cu" : whole);
    return opened(open(path, O_RDONLY));
}

static int try_again(const struct outside *out, long value)
{
    char path[64];
    const int fd = open(PATH(value), O_PATH);
    int error;

    if (fd < 0)
        return errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    error = opened(open(path, O_RDONLY));
    close(fd);
    return error;
}

static int try_handle(const struct outside *out, long value)
{
    struct {
        struct file_handle head;
        char room[128];
    } handle = {.head = {.handle_bytes = 128}};
    int mount;

    return DONE(
        name_to_handle_at(AT_FDCWD, PATH(value), &handle.head, &mount, 0));
}

static int try_inherited(const struct outside *out, long value)
{
    char path[64], where[64];

    (void)out;
    for (int fd = (int)value; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        memset(where, 0, sizeof where);
        /* fence.c keeps two open on what is the process's own. */
        if (fcntl(fd, F_GETFD) >= 0 &&
            (readlink(path, where, sizeof where - 1) < 0 ||
             strncmp(where, "/proc/", 6) != 0))
            return 0;
    }
    return EBADF;
}

/* ---- modes, owners, times, attributes -------------------------------------
 */

static int try_chmod(const struct outside *out, long value)
{
    return DONE(
        chmod(PATH(value), value == LAB || value == OTHER ? 0644 : 0755));
}

static int try_fchmodat(const struct outside *out, long value)
{
    return DONE(syscall(SYS_fchmodat, AT_FDCWD, PATH(value), 0644));
}

static int try_fchmodat2(const struct outside *out, long value)
{
    return DONE(syscall(452, AT_FDCWD, PATH(value), 0644, 0));
}

static int try_fchmod(const struct outside *out, long value)
{
    const int fd = open(PATH(value), O_RDONLY);
    int error;

    if (fd < 0)
        return errno;
    error = DONE(fchmod(fd, 0644));
    close(fd);
    return error;
}

static int try_chown(const struct outside *out, long value)
{
    return DONE(chown(PATH(value), getuid(), getgid()));
}

static int try_lchown(const struct outside *out, long value)
{
    return DONE(lchown(PATH(value), getuid(), getgid()));
}

static int try_fchownat(const struct outside *out, long value)
{
    return DONE(fchownat(AT_FDCWD, PATH(value), getuid(), getgid(), 0));
}

static int try_times(const struct outside *out, long value)
{
    return DONE(utimensat(AT_FDCWD, PATH(value), NULL, 0));
}

static int try_xattr(const struct outside *out, long value)
{
    return DONE(setxattr(PATH(value), "user.reached", "x", 1, 0));
}

static int try_lxattr(const struct outside *out, long value)
{
    return DONE(lsetxattr(PATH(value), "user.reached", "x", 1, 0));
}

static int try_unxattr(const struct outside *out, long value)
{
    return removexattr(PATH(value), "user.absent") == 0 || errno == ENODATA
               ? 0
               : errno;
}

static int try_flags(const struct outside *out, long value)
{
    int fd = open(PATH(value), O_RDONLY), flags = 0, error;

    if (fd < 0)
        return errno;
    error = DONE(ioctl(fd, FS_IOC_GETFLAGS, &flags));
    error = error ? error : DONE(ioctl(fd, FS_IOC_SETFLAGS, &flags));
    close(fd);
    return error;
}

static int try_lock(const struct outside *out, long value)
{
    struct flock range = {.l_type = F_RDLCK};
    const int fd = open("/usr/bin/env", O_RDONLY);
    int error;

    (void)out;
    if (fd < 0)
        return errno;
    error = value == 0 ? DONE(flock(fd, LOCK_SH | LOCK_NB))
                       : DONE(fcntl(fd, (int)value, &range));
    close(fd);
    return error;
}

static int try_watch(const struct outside *out, long value)
{
    const int fd = inotify_init1(0);
    int error;

    if (fd < 0)
        return errno;
    error = DONE(inotify_add_watch(fd, PATH(value), IN_ALL_EVENTS));
    close(fd);
    return error;
}

/* ---- the table ------------------------------------------------------------
 */

const struct attempt file_attempts[] = {
    {"next student", "read its file", try_read, LAB},
    {"next student", "list its folder", try_list, NEXT},
    {"next student", "see that there is a file", try_see, LAB},
    {"next student", "write into its file", try_write, LAB},
    {"next student", "cut its file", try_cut, OTHER},
    {"next student", "open it to write and cut it", try_cut, LAB},
    {"next student", "truncate its file", try_truncate, OTHER},
    {"next student", "make a file in its folder", try_make, NEW},
    {"next student", "make a folder in its folder", try_folder, FOLDER},
    {"next student", "plant a link in its folder", try_plant, LINK},
    {"next student", "rename its file", try_move, OTHER},
    {"next student", "link its file into the own folder", try_take, LAB},
    {"next student", "read it by a symbolic link", try_symlink, LAB},
    {"next student", "read it by /proc/self/root", try_way, 0},
    {"next student", "read it by the current folder's parent", try_way, 1},
    {"next student", "read it by a thread's root", try_way, 2},
    {"next student", "read it by the first process's root", try_way, 3},
    {"next student", "read it by an opened path", try_again, LAB},
    {"next student", "have its handle", try_handle, LAB},
    {"next student", "watch its folder", try_watch, NEXT},
    {"files", "read the solution", try_read, SOLUTION},
    {"files", "see the solution", try_see, SOLUTION},
    {"files", "write into the solution", try_write, SOLUTION},
    {"files", "list the tools", try_list, BIN},
    {"files", "rename the tools' folder", try_move, BIN},
    {"files", "read a secret of the home", try_read, SECRET},
    {"files", "write into the home", try_write, SECRET},
    {"files", "add a key to the home", try_make, KEYS},
    {"files", "read the solution by a symbolic link", try_symlink, SOLUTION},
    {"files", "link the solution into the own folder", try_take, SOLUTION},
    {"files", "find a descriptor that was left open", try_inherited, 9},
    {"modes", "chmod a file", try_chmod, LAB},
    {"modes", "chmod a folder", try_chmod, NEXT},
    {"modes", "chmod the tools' folder", try_chmod, BIN},
    {"modes", "fchmodat", try_fchmodat, LAB},
    {"modes", "fchmodat2", try_fchmodat2, LAB},
    {"modes", "fchmod", try_fchmod, LAB},
    {"modes", "chown", try_chown, LAB},
    {"modes", "lchown", try_lchown, LAB},
    {"modes", "fchownat", try_fchownat, SOLUTION},
    {"modes", "utimensat", try_times, LAB},
    {"modes", "utimensat of the solution", try_times, SOLUTION},
    {"modes", "setxattr", try_xattr, LAB},
    {"modes", "lsetxattr", try_lxattr, LAB},
    {"modes", "removexattr", try_unxattr, LAB},
    {"modes", "set a file's flags", try_flags, LAB},
    {"locks", "flock a file that all use", try_lock, 0},
    {"locks", "lock it with fcntl", try_lock, F_SETLK},
    {"locks", "lock it for the open file", try_lock, F_OFD_SETLK},
    {NULL, NULL, NULL, 0},
};
