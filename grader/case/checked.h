/* checked.h: what the virtual GPU's checker reported of one run */
#ifndef GRADER_CHECKED_H
#define GRADER_CHECKED_H

#include <stdbool.h>

#include "base/text.h"

struct checked {
    unsigned hazards, faults, warnings;
    struct text first_hazard, first_fault, first_warning; /* in words */
    bool by_driver;    /* a hazard's second access was the grader's own read */
    struct text lines; /* all of them as they came: checked_find() */
};

/* Read the report of a run that ended. What concerns the driver's own lines
 * is left out, but for hazards. */
void checked_read(struct checked *checked, const char *report);
void checked_free(struct checked *checked);

/*
 * The next line of a sort whose field holds @part.
 * @sort   "hazard", "fault" or "warning"
 * @field  "first", "second_what", "why", ...; "at", "text" of the others
 * @after  the line found before, or NULL
 * Return: the line, to be read with report_take_field(), or NULL.
 */
const char *checked_find(const struct checked *checked, const char *sort,
                         const char *field, const char *part,
                         const char *after);

/* The value of a key of a report line; places without their folders. */
void report_take_field(struct text *to, const char *line, const char *key);
void report_take_place(struct text *to, const char *line, const char *key);
/* Does the value of a key hold @part? */
bool report_holds(const char *line, const char *key, const char *part);
/* Where the virtual GPU reported a "fault" of a kernel, or a "crash" of host
 * code: "lab.cu:23: reads ...". */
void fault_find(struct text *fault, const char *report, const char *sort);

#endif
