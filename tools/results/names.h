/* names.h: what the name of a file that was handed in says: docs/class.md has
 * the names that count */
#ifndef RESULTS_NAMES_H
#define RESULTS_NAMES_H

#include <stdbool.h>

enum name_kind {
    NAME_NOBODY,   /* hidden, or left there by an operating system */
    NAME_CODE,     /* can be a submission: x.cu, X.CU, x.cu.txt, x (1).cu */
    NAME_DOCUMENT, /* a report, a picture, flags: no program */
    NAME_OTHER,
};

/* @lab    the number that it says, "lab08" or "08_uneven_chunks", or -1
 * @is_lab  it is lab.cu, but for how it is written */
struct name {
    enum name_kind kind;
    int lab;
    bool is_lab;
};

/* Of a file or of a folder, without those that it lies in. */
struct name name_read(const char *file);

/* Where the name of its student ends: before ".cu", or before what else the
 * name of a file ends in. */
unsigned name_stem(const char *file);

#endif
