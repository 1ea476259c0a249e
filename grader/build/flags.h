/* flags.h: compiler options that a student sets for a lab that allows some */
#ifndef GRADER_FLAGS_H
#define GRADER_FLAGS_H

#include <stdbool.h>

#include "base/text.h"

enum { MAX_FLAGS = 16 };

struct flags {
    char *words[MAX_FLAGS];
    int count;
};

/*
 * Read the options of a submission x.cu: "x.flags" beside it or, where that is
 * not there, "flags". No such file: no options.
 * @allowed   the lab's, separated by spaces, NULL for none; "-option=*" allows
 *            any number
 * @messages  what is wrong with the file
 * Return: false for an option that the lab does not allow, or for what is no
 * file where it allows some.
 */
bool flags_read(struct flags *flags, const char *file, const char *allowed,
                struct out *messages);
void flags_free(struct flags *flags);

#endif
