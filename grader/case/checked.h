/* checked.h: what the virtual GPU's checker reported of one run */
#ifndef GRADER_CHECKED_H
#define GRADER_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "vgpu/report.h"

/* Kinds of report as a set: REPORTED(past_end) | REPORTED(no_buffer). */
__extension__ typedef unsigned __int128 reported_t;
#define REPORTED(KIND) ((reported_t)1 << VGPU_REPORT_##KIND)
_Static_assert(VGPU_NUM_REPORTS <= 128, "a set of kinds is one number");

/* All kinds of warnings, and of hazards but for races within a kernel. */
#define SORT_hazard    0
#define SORT_race      0
#define SORT_unwritten 0
#define SORT_fault     0
#define SORT_crash     0
#define SORT_warning   1
#define SORT_note      0
static const reported_t REPORTED_WARNINGS = 0
#define REPORT(SORT, NAME, WORDS, ALSO)                                        \
    | ((reported_t)SORT_##SORT << VGPU_REPORT_##NAME)
#include "vgpu/report.def"
    ;
#define REPORTED_HAZARDS                                                       \
    (REPORTED(unordered) | REPORTED(freed_early) |                             \
     REPORTED(given_back_early) | REPORTED(pageable_relied))
/* What a program has not given back. */
#define REPORTED_LEFT                                                          \
    (REPORTED(stream_left) | REPORTED(event_left) | REPORTED(object_left) |    \
     REPORTED(memory_left) | REPORTED(registration_left))

struct checked {
    unsigned hazards, faults, warnings;
    struct out first_hazard, first_fault, first_warning; /* in words */
    reported_t warned; /* the first warning's kind, as a set; 0: none */
    bool by_driver;    /* a hazard's second access was the grader's own read */
    struct out lines;  /* all of them as they came: checked_find() */
};

/* Read the report of a run that ended. What concerns the driver's own lines
 * is left out, but for hazards. */
void checked_read(struct checked *checked, const char *report);
void checked_free(struct checked *checked);

/*
 * The next line of a report, of one of these kinds, whose field holds @part.
 * @lines  a report, or checked.lines
 * @field  a field of report.def, or "text"; NULL: whatever it holds
 * @after  the line found before, or NULL
 * Return: the line, to be read with report_take_field(), or NULL.
 */
const char *report_find(const char *lines, reported_t kinds, const char *field,
                        const char *part, const char *after);
const char *checked_find(const struct checked *checked, reported_t kinds,
                         const char *field, const char *part,
                         const char *after);

/* The value of a key of a report line; places without their folders. */
void report_take_field(struct out *to, const char *line, const char *key);
void report_take_place(struct out *to, const char *line, const char *key);
/* Does the value of a key hold @part? Is it a line of the grader's driver? */
bool report_holds(const char *line, const char *key, const char *part);
bool report_is_drivers(const char *line, const char *key);
/* A number's value, 0 where the line has none. */
int64_t report_number(const char *line, const char *key);
/* Who made the access whose key this is, "first_does": a set of one. */
#define DONE_BY(KIND) (1U << VGPU_DOES_##KIND)
unsigned report_does(const char *line, const char *key);
/* Where the virtual GPU reported a "fault" of a kernel, or a "crash" of host
 * code: "lab.cu:23: reads ...". Return: is that place in the grader's code? */
bool fault_find(struct out *fault, const char *report, const char *sort);

#endif
