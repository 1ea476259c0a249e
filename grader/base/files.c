/* files.c: folders made, removed and dated; files written in one step */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t files_time(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool ends_with(const char *name, const char *endings)
{
    const char *const dot = strrchr(name, '.');
    const size_t length = dot ? strlen(dot) : 0;

    for (const char *at = endings; dot && (at = strstr(at, dot)); at += length)
        if (at[length] == ' ' || at[length] == '\0')
            return true;
    return false;
}

/* Paths with a zero byte behind each: a name may hold anything else. */
struct out files_list(const char *folder, const char *endings)
{
    struct out list = {0};
    struct dirent *entry;
    DIR *dir = opendir(folder);

    while (dir && (entry = readdir(dir)) != NULL)
        if (ends_with(entry->d_name, endings)) {
            text_printf(&list, "%s/%s", folder, entry->d_name);
            text_add(&list, "", 1);
        }
    if (dir)
        closedir(dir);
    return list;
}

struct out files_beside(const char *file, const char *endings)
{
    const char *const slash = strrchr(file, '/');
    OWNED char *const folder =
        slash ? text_format("%.*s", (int)(slash - file), file) : strdup(".");

    return files_list(folder, endings);
}

const char *files_next(const struct out *list, const char *after)
{
    const char *const next = after ? after + strlen(after) + 1 : list->data;

    return next && next < list->data + list->length ? next : NULL;
}

int64_t files_newest(const char *folder)
{
    OWNED_TEXT files = files_list(folder, ".h .cu .cuh .hpp");
    int64_t newest = 0;

    for (const char *path = NULL; (path = files_next(&files, path));) {
        const int64_t time =
            strcmp(strrchr(path, '/'), "/lab.cu") == 0 ? 0 : files_time(path);

        newest = time > newest ? time : newest;
    }
    return newest;
}

bool files_make_folders(const char *path)
{
    OWNED char *copy = strdup(path);

    if (copy == NULL)
        return false;
    for (char *at = copy + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(copy, 0777);
        *at = '/';
    }
    return mkdir(copy, 0777) == 0 || errno == EEXIST;
}

/* By descriptors, not by paths: what a lab program left behind may hold links,
 * and one set in place while this runs must not lead out of the folder. Its own
 * folders are made readable first, since it may have taken its rights away.
 * Takes @folder_fd over. */
static void remove_entries(int folder_fd)
{
    DIR *dir = fdopendir(folder_fd);
    struct dirent *entry;

    if (dir == NULL) {
        close(folder_fd);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        const char *const name = entry->d_name;
        int fd;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            unlinkat(dirfd(dir), name, 0) == 0)
            continue;
        if (fchmodat(dirfd(dir), name, 0700, 0) != 0)
            continue;
        fd = openat(dirfd(dir), name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            remove_entries(fd);
        unlinkat(dirfd(dir), name, AT_REMOVEDIR);
    }
    closedir(dir);
}

void files_remove_tree(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0)
        remove_entries(fd);
    rmdir(path);
}

/* O_EXCL: a file of this name that is there already is not ours to write, and
 * a link in its place would lead elsewhere. fsync: who sees the new name must
 * not find an empty file behind it after a power cut. */
static bool write_new(const char *path, const char *data, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    size_t done = 0;
    ssize_t put = 0;

    if (fd < 0)
        return false;
    while (done < length && (put = write(fd, data + done, length - done)) > 0)
        done += (size_t)put;
    if (done < length || fsync(fd) != 0) {
        const int error = errno;

        close(fd);
        unlink(path);
        errno = error;
        return false;
    }
    return close(fd) == 0;
}

/* Return: false with errno. A link, and not @replace, keeps what is there. */
static bool put(const char *path, const char *data, size_t length, bool replace)
{
    OWNED char *beside = text_format("%s.%d.tmp", path, (int)getpid());
    const bool done =
        write_new(beside, data, length) &&
        (replace ? rename(beside, path) : link(beside, path)) == 0;
    const int error = errno;

    if (!done || !replace)
        unlink(beside);
    errno = error;
    return done;
}

bool files_write_whole(const char *path, const char *data, size_t length)
{
    return put(path, data, length, true);
}

bool files_restore(const char *path, const char *data, size_t length)
{
    return access(path, F_OK) != 0 && errno == ENOENT &&
           put(path, data, length, false);
}
