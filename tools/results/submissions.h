/* submissions.h: a folder of what students handed in; docs/class.md says in
 * which forms */
#ifndef RESULTS_SUBMISSIONS_H
#define RESULTS_SUBMISSIONS_H

#include "out.h"

#include <limits.h>

/* An entry of the folder. A name without its ".cu" is the student's; what is
 * no submission is so, too, and then beside one that is does not matter. */
struct entry {
    char *name, *student;
    bool folder, link;
    bool odd;   /* a file of another kind */
    bool twice; /* the student has two */
};

/* In the order of the students' names. */
struct submissions {
    int dir_fd;
    struct entry *entries;
    size_t num;
};

/* What is known of one student's work of one lab. */
struct found {
    char file[PATH_MAX]; /* below the folder, or "" */
    char trouble[300];   /* why it cannot be graded, or "" */
};

/* @s  starts as {0}; stays open until the program ends
 * Return: false with errno */
bool submissions_open(struct submissions *s, const char *path);

/* Where lies a student's file of a lab? A file alone, or one that is called
 * lab.cu and no more, says only where a single lab is asked for which it is.
 * Trouble is "no file" where nothing at all was handed in for it; else it names
 * what was, and what is wanted. */
void submissions_find(const struct submissions *s, const struct entry *e,
                      const char *lab, bool one_lab, struct found *f);

/* Read a file below the folder. Return: false where there is none; else its
 * text, or there is trouble with it. */
bool submissions_read(const struct submissions *s, const char *path,
                      struct found *f, struct out *text);

/* Set the trouble. */
void submissions_say(struct found *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
