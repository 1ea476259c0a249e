/* submissions.c: which file of a folder is whose work
 *
 * Nothing in there is trusted: names may hold anything, links may lead to the
 * work of others, a file may be a pipe or larger than memory, folders may be
 * deep.
 */
#include "submissions.h"

#include "names.h"

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

/* Whoever handed in anything is a student and hears of it, also where it is a
 * link or a file of another kind. */
static bool take_entry(struct submissions *s, const char *name)
{
    const struct name said = name_read(name);
    struct entry *e, *more;
    struct stat info;
    bool folder;

    if (said.kind == NAME_NOBODY ||
        fstatat(s->dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    more = realloc(s->entries, (s->num + 1) * sizeof *more);
    if (!more)
        return false;
    s->entries = more;
    e = &s->entries[s->num++];
    folder = S_ISDIR(info.st_mode);
    *e = (struct entry){.name = strdup(name),
                        .student = strdup(name),
                        .folder = folder,
                        .link = S_ISLNK(info.st_mode),
                        .odd = !folder && said.kind != NAME_CODE};
    if (!e->name || !e->student)
        return false;
    if (!folder)
        e->student[name_stem(name)] = '\0';
    return true;
}

static int by_student(const void *a, const void *b)
{
    const struct entry *const x = a, *const y = b;
    const int order = strcmp(x->student, y->student);

    /* What does not count comes behind what does. */
    return order ? order : (int)x->odd - (int)y->odd;
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
        if (!s->entries[i].odd &&
            strcmp(s->entries[i - 1].student, s->entries[i].student) == 0)
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
               text->length <= MOST_BYTES)
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

/* ---- a file that is called otherwise --------------------------------------
 */

enum { MOST_DEPTH = 8, MOST_LOOKED = 4000 };

/* What is in a student's folder, as far as it can be of this lab. A kind of
 * candidate has its first two, and how many there are.
 * FOR_LAB: says this lab; LAB: is lab.cu; ANY: says none; FOR_OTHER: another */
enum candidate { FOR_LAB, LAB, ANY, FOR_OTHER, CANDIDATES };

struct looked {
    const struct submissions *s;
    const char *lab; /* the folder's name */
    char first[CANDIDATES][PATH_MAX], second[CANDIDATES][PATH_MAX];
    unsigned num[CANDIDATES];
    char document[PATH_MAX], other[PATH_MAX]; /* the first of each, or "" */
    int lab_of_other;
    unsigned entries;
};

static void look_at(struct looked *l, const char *path, struct name said,
                    int lab)
{
    const int wanted = 10 * (l->lab[0] - '0') + l->lab[1] - '0';
    enum candidate kind = said.is_lab ? LAB : ANY;

    if (said.kind != NAME_CODE) {
        char *const to = said.kind == NAME_DOCUMENT ? l->document : l->other;

        if (!*to)
            snprintf(to, PATH_MAX, "%s", path);
        return;
    }
    lab = said.lab >= 0 ? said.lab : lab;
    if (lab >= 0)
        kind = lab == wanted ? FOR_LAB : FOR_OTHER;
    if (l->num[kind] == 0 && kind == FOR_OTHER)
        l->lab_of_other = lab;
    if (l->num[kind] < 2)
        snprintf(l->num[kind] ? l->second[kind] : l->first[kind], PATH_MAX,
                 "%s", path);
    l->num[kind]++;
}

/* The parts of a copy of the course that are not a student's work. */
static bool is_of_course(const char *name)
{
    static const char *const parts[] = {
        "build",     "common", "docs",      "grader", "sheets",
        "skeletons", "slides", "solutions", "tests",  "timeline",
        "tools",     "vgpu",   "web"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(name, parts[i]) == 0)
            return true;
    return false;
}

/* @lab    what the folders on the way say, or -1
 * Links are not followed. */
static void look_through(struct looked *l, const char *folder, int lab,
                         int depth)
{
    const int fd = open_below(l->s, folder);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *at;
    char path[PATH_MAX];
    struct stat info;
    bool course;

    if (!dir && fd >= 0)
        close(fd);
    if (!dir)
        return;
    course = fstatat(fd, "labs", &info, AT_SYMLINK_NOFOLLOW) == 0 &&
             S_ISDIR(info.st_mode);
    while ((at = readdir(dir)) && l->entries++ < MOST_LOOKED) {
        const struct name said = name_read(at->d_name);

        if (said.kind == NAME_NOBODY || (course && is_of_course(at->d_name)) ||
            fstatat(fd, at->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, at->d_name) >=
                (int)sizeof path)
            continue;
        if (!S_ISDIR(info.st_mode))
            look_at(l, path, said, lab);
        else if (depth < MOST_DEPTH)
            look_through(l, path, said.lab >= 0 ? said.lab : lab, depth + 1);
    }
    closedir(dir);
}

/* Take the only candidate of a kind. Return: false where there is none. */
static bool take_only(const struct looked *l, enum candidate kind,
                      struct found *f)
{
    const char *const one = strchr(l->first[kind], '/');

    if (l->num[kind] == 0)
        return false;
    snprintf(f->file, sizeof f->file, "%s", l->first[kind]);
    if (l->num[kind] > 1)
        submissions_say(f, "%s: %.90s and %.90s",
                        kind == ANY ? "more than one .cu file, and none is "
                                      "lab.cu"
                                    : "two files",
                        one + 1, strchr(l->second[kind], '/') + 1);
    return true;
}

/* No file of a name that docs/class.md has: nobody is graded 0 for that. Who
 * handed in other labs and a report has not handed in this one. */
static void find_otherwise(const struct submissions *s, const char *in,
                           const char *lab, bool one_lab, struct found *f)
{
    static struct looked l;
    const char *other;
    char wanted[16] = "lab.cu";

    l = (struct looked){.s = s, .lab = lab};
    look_through(&l, in, -1, 0);
    if (take_only(&l, FOR_LAB, f) ||
        (one_lab && (take_only(&l, LAB, f) || take_only(&l, ANY, f))))
        return;
    if (!one_lab)
        snprintf(wanted, sizeof wanted, "%.2s.cu", lab);
    other = l.num[LAB]                    ? l.first[LAB]
            : l.num[ANY]                  ? l.first[ANY]
            : *l.other                    ? l.other
            : one_lab && l.num[FOR_OTHER] ? l.first[FOR_OTHER]
            : l.num[FOR_OTHER]            ? ""
                                          : l.document;
    if (!*other && l.entries <= MOST_LOOKED)
        submissions_say(f, "no file");
    else if (!*other)
        submissions_say(f, "too many files to look through: %s is wanted",
                        wanted);
    else if (other == l.first[FOR_OTHER])
        submissions_say(f, "%.180s is of lab %02d: %s is wanted",
                        strchr(other, '/') + 1, l.lab_of_other, wanted);
    else
        submissions_say(f, "%.200s %s: %s is wanted", strchr(other, '/') + 1,
                        other == l.other || other == l.document
                            ? "is no submission"
                            : "says no lab",
                        wanted);
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
    } else if (e->odd) {
        submissions_say(f,
                        "%.150s is no submission: %.60s.cu is wanted, or a "
                        "folder with lab.cu",
                        in, e->student);
    } else if (!e->folder) {
        snprintf(f->file, sizeof f->file, "%s", in);
        if (!one_lab)
            submissions_say(f, "which lab is it? LAB=NN for all, or %s/%.2s.cu",
                            e->student, lab);
    } else {
        /* The surest place first. */
        if (one_lab)
            try_place(s, f, "%s/lab.cu", in);
        try_place(s, f, "%s/labs/%s/lab.cu", in, lab);
        try_place(s, f, "%s/%s/lab.cu", in, lab);
        try_place(s, f, "%s/%.2s.cu", in, lab);
        if (!*f->file && !*f->trouble)
            find_otherwise(s, in, lab, one_lab, f);
    }
}
