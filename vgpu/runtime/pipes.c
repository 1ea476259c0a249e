/*
 * pipes.c: what one host thread writes into a pipe, a socket or an eventfd
 * hands on to the one that reads there, as locks do (locks.c): his time, and
 * what he has done.
 *
 * Both ends of a pipe are one object of the system's, by which they meet. Those
 * of a pair of sockets are not told apart from others: all of them meet at one
 * place, and so do all eventfds. Then more is ordered than the program says,
 * and never less.
 *
 * Source: POSIX.1-2017, read, write, fstat; eventfd(2).
 */
#include "rt.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARYS(result, name, ...)                                            \
    static OWN_LIBRARY(result, real_##name, name, __VA_ARGS__)

LIBRARYS(ssize_t, read, (int fd, void *to, size_t bytes), fd, to, bytes)
LIBRARYS(ssize_t, write, (int fd, const void *from, size_t bytes), fd, from,
         bytes)
LIBRARYS(ssize_t, recv, (int fd, void *to, size_t bytes, int flags), fd, to,
         bytes, flags)
LIBRARYS(ssize_t, send, (int fd, const void *from, size_t bytes, int flags), fd,
         from, bytes, flags)
LIBRARYS(int, eventfd_read, (int fd, eventfd_t *value), fd, value)
LIBRARYS(int, eventfd_write, (int fd, eventfd_t value), fd, value)

/* Where those of @fd meet; NULL: a file, a terminal. No object of the
 * program's lies at an odd address like these. */
static const volatile void *place_of(int fd)
{
    static const char sockets[4], others[4];
    struct stat it;

    if (fstat(fd, &it) != 0)
        return NULL;
    if (S_ISFIFO(it.st_mode))
        return (const volatile void *)(uintptr_t)(2 * it.st_ino + 1);
    if (S_ISSOCK(it.st_mode))
        return sockets;
    return it.st_mode & S_IFMT ? NULL : others;
}

static void give(int fd, uint64_t pc)
{
    const volatile void *const at = vgpu_handover_off(pc) ? NULL : place_of(fd);

    if (at)
        vgpu_handover_give(at);
}

static void take(int fd, bool has_come, uint64_t pc)
{
    const volatile void *const at =
        !has_come || vgpu_handover_off(pc) ? NULL : place_of(fd);

    if (at)
        vgpu_handover_take(at);
}

/* ---- a pipe that nobody writes -------------------------------------------
 */

static bool links_to(const char *folder, const char *link)
{
    DIR *const files = opendir(folder);
    const struct dirent *file;
    char path[300], to[64];
    bool found = false;

    while (files && !found && (file = readdir(files))) {
        ssize_t length;

        snprintf(path, sizeof path, "%.20s/%.255s", folder, file->d_name);
        length = readlink(path, to, sizeof to - 1);
        to[length > 0 ? length : 0] = '\0';
        found = !strcmp(to, link);
    }
    if (files)
        closedir(files);
    return found;
}

bool vgpu_pipe_shared(const volatile void *at)
{
    DIR *const processes = opendir("/proc");
    const struct dirent *process;
    char link[64], folder[32];
    bool found = !processes;

    snprintf(link, sizeof link, "pipe:[%" PRIuPTR "]", (uintptr_t)at / 2);
    while (processes && !found && (process = readdir(processes))) {
        const long id = strtol(process->d_name, NULL, 10);

        snprintf(folder, sizeof folder, "/proc/%ld/fd", id);
        found = id > 0 && id != getpid() && links_to(folder, link);
    }
    if (processes)
        closedir(processes);
    return found;
}

/* Unless the program has one of its own: these are common words. */
#define ALSO_OWN VGPU_PUBLIC __attribute__((weak))

ALSO_OWN ssize_t write(int fd, const void *from, size_t bytes)
{
    give(fd, VGPU_PC);
    return real_write(fd, from, bytes);
}

ALSO_OWN ssize_t read(int fd, void *to, size_t bytes)
{
    struct stat it;
    const bool is_pipe = fstat(fd, &it) == 0 && S_ISFIFO(it.st_mode);
    ssize_t length;

    if (is_pipe)
        vgpu_blocked_begin(VGPU_WAIT_PIPE, place_of(fd), VGPU_PC);
    length = real_read(fd, to, bytes);
    if (is_pipe)
        vgpu_blocked_end();
    take(fd, length >= 0, VGPU_PC);
    return length;
}

ALSO_OWN ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
    give(fd, VGPU_PC);
    return real_send(fd, from, bytes, flags);
}

ALSO_OWN ssize_t recv(int fd, void *to, size_t bytes, int flags)
{
    const ssize_t length = real_recv(fd, to, bytes, flags);

    take(fd, length >= 0, VGPU_PC);
    return length;
}

ALSO_OWN int eventfd_write(int fd, eventfd_t value)
{
    give(fd, VGPU_PC);
    return real_eventfd_write(fd, value);
}

ALSO_OWN int eventfd_read(int fd, eventfd_t *value)
{
    const int result = real_eventfd_read(fd, value);

    take(fd, result == 0, VGPU_PC);
    return result;
}
