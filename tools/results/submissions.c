/* submissions.c: which file of a folder is whose work
 *
 * Nothing in there is trusted: names may hold anything, links may lead to the
 * work of others, a file may be a pipe or larger than memory.
 */
#include "submissions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

void submissions_say(struct found *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(f->trouble, sizeof f->trouble, format, args);
    va_end(args);
}

/* ---- the folder ---------------------------------------------------------- */

static bool ends_in_cu(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".cu") == 0;
}

/* A link is a student's, too, unless it leads to a file of another kind: who
 * handed in a link has to hear of it. */
static bool take_entry(struct submissions *s, const char *name)
{
    struct entry *e, *more;
    struct stat info, behind;

    if (name[0] == '.' ||
        fstatat(s->dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (!S_ISDIR(info.st_mode) && !ends_in_cu(name) &&
        !(S_ISLNK(info.st_mode) && (fstatat(s->dir_fd, name, &behind, 0) != 0 ||
                                    S_ISDIR(behind.st_mode))))
        return true;
    more = realloc(s->entries, (s->num + 1) * sizeof *more);
    if (!more)
        return false;
    s->entries = more;
    e = &s->entries[s->num++];
    *e = (struct entry){strdup(name), strdup(name), S_ISDIR(info.st_mode),
                        S_ISLNK(info.st_mode), false};
    if (!e->name || !e->student)
        return false;
    if (!e->folder && ends_in_cu(name))
        e->student[strlen(name) - 3] = '\0';
    return true;
}

static int by_student(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->student,
                  ((const struct entry *)b)->student);
}

bool submissions_open(struct submissions *s, const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *at;
    bool good = dir != NULL;

    s->dir_fd = dir ? dirfd(dir) : -1;
    while (good && (errno = 0, at = readdir(dir)))
        good = take_entry(s, at->d_name);
    if (!good || errno)
        return false;
    qsort(s->entries, s->num, sizeof *s->entries, by_student);
    for (size_t i = 1; i < s->num; i++)
        if (strcmp(s->entries[i - 1].student, s->entries[i].student) == 0)
            s->entries[i - 1].twice = s->entries[i].twice = true;
    return true;
}

/* ---- one student's file -------------------------------------------------- */

/* Open a file below the folder. No part of its path may be a link: it could
 * lead to another student's work. A pipe must not keep anybody waiting. Return:
 * a descriptor, or -1 with errno, ELOOP for a link
 */
static int open_below(const struct submissions *s, const char *path)
{
    char part[PATH_MAX];
    struct stat info;

    for (const char *end = path; end; end = *end ? end + 1 : NULL) {
        end = strchr(end, '/');
        end = end ? end : path + strlen(path);
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (fstatat(s->dir_fd, part, &info, AT_SYMLINK_NOFOLLOW) != 0)
            return -1;
        if (S_ISLNK(info.st_mode)) {
            errno = ELOOP;
            return -1;
        }
    }
    return openat(s->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
}

bool submissions_read(const struct submissions *s, const char *path,
                      struct found *f, struct out *text)
{
    const int fd = open_below(s, path);
    char bytes[1 << 16];
    struct stat info;
    ssize_t got = 0;

    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return false;
    if (fd < 0 && errno == ELOOP)
        submissions_say(f, "a link, not a file");
    else if (fd < 0 || fstat(fd, &info) != 0)
        submissions_say(f, "the file cannot be read: %s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        submissions_say(f, "not a file");
    else if (info.st_size > MOST_BYTES)
        submissions_say(f, "too large: %lld bytes, and %d are the most",
                        (long long)info.st_size, MOST_BYTES);
    else
        while ((got = read(fd, bytes, sizeof bytes)) > 0 &&
               text->len <= MOST_BYTES)
            tl_out_bytes(text, bytes, (size_t)got);
    if (got < 0 || text->failed)
        submissions_say(f, "the file cannot be read: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return true;
}

/* One more place where the file could be. */
static void try_place(const struct submissions *s, struct found *f,
                      const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void try_place(const struct submissions *s, struct found *f,
                      const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;
    int fd;

    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    fd = open_below(s, path);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return;
    if (fd >= 0)
        close(fd);
    if (*f->file)
        submissions_say(f, "two files: %s and %s", strchr(f->file, '/') + 1,
                        strchr(path, '/') + 1);
    else
        snprintf(f->file, sizeof f->file, "%s", path);
}

/* A folder's only .cu file. */
static void try_any(const struct submissions *s, struct found *f,
                    const char *folder)
{
    const int fd = openat(s->dir_fd, folder, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *at;

    if (!dir)
        submissions_say(f, "the folder cannot be read: %s", strerror(errno));
    while (dir && (at = readdir(dir)))
        if (at->d_name[0] != '.' && ends_in_cu(at->d_name))
            try_place(s, f, "%s/%s", folder, at->d_name);
    if (*f->trouble && *f->file)
        submissions_say(f, "more than one .cu file, and none is lab.cu");
    if (dir)
        closedir(dir);
}

void submissions_find(const struct submissions *s, const struct entry *e,
                      const char *lab, bool one_lab, struct found *f)
{
    const char *in = e->name;

    *f->file = *f->trouble = '\0';
    if (e->twice) {
        submissions_say(f,
                        "handed in twice, and which one counts? %s.cu and %s",
                        e->student, e->student);
    } else if (e->link) {
        submissions_say(f, "a link, not a file");
    } else if (!e->folder) {
        snprintf(f->file, sizeof f->file, "%s", in);
        if (!one_lab)
            submissions_say(f, "which lab is it? LAB=NN for all, or %s/%.2s.cu",
                            e->student, lab);
    } else {
        if (one_lab)
            try_place(s, f, "%s/lab.cu", in);
        try_place(s, f, "%s/labs/%s/lab.cu", in, lab);
        try_place(s, f, "%s/%s/lab.cu", in, lab);
        try_place(s, f, "%s/%.2s.cu", in, lab);
        if (one_lab && !*f->file)
            try_any(s, f, in);
        if (!*f->file && !*f->trouble)
            submissions_say(f, "no file");
    }
}
