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

#include "base/text.h"

int64_t files_time(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool is_input(const char *name)
{
    const char *const dot = strrchr(name, '.');

    return dot && name[0] != '.' && strcmp(name, "lab.cu") != 0 &&
           (strcmp(dot, ".h") == 0 || strcmp(dot, ".cu") == 0 ||
            strcmp(dot, ".cuh") == 0 || strcmp(dot, ".hpp") == 0);
}

int64_t files_newest(const char *folder)
{
    int64_t newest = 0;
    struct dirent *entry;
    DIR *dir = opendir(folder);

    if (dir == NULL)
        return 0;
    while ((entry = readdir(dir)) != NULL) {
        char *path;
        int64_t time;

        if (!is_input(entry->d_name))
            continue;
        path = text_format("%s/%s", folder, entry->d_name);
        time = files_time(path);
        newest = time > newest ? time : newest;
        free(path);
    }
    closedir(dir);
    return newest;
}

bool files_make_folders(const char *path)
{
    char *copy = strdup(path);
    bool made;

    if (copy == NULL)
        return false;
    for (char *at = copy + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(copy, 0777);
        *at = '/';
    }
    made = mkdir(copy, 0777) == 0 || errno == EEXIST;
    free(copy);
    return made;
}

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

bool files_write_whole(const char *path, const char *data, size_t length)
{
    char *beside = text_format("%s.%d.tmp", path, (int)getpid());
    bool done = write_new(beside, data, length);

    if (done && rename(beside, path) != 0) {
        const int error = errno;

        unlink(beside);
        errno = error;
        done = false;
    }
    free(beside);
    return done;
}

bool files_restore(const char *path, const char *data, size_t length)
{
    char *beside;
    bool done;

    if (access(path, F_OK) == 0 || errno != ENOENT)
        return false;
    /* A link never replaces what came back in the meantime. */
    beside = text_format("%s.%d.tmp", path, (int)getpid());
    done = write_new(beside, data, length) && link(beside, path) == 0;
    unlink(beside);
    free(beside);
    return done;
}
