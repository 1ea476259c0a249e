/* job.h: what is graded, and where */
#ifndef GRADER_JOB_H
#define GRADER_JOB_H

#include "base/lab.h"
#include "base/tools.h"

/* As it was asked for, and what workplace_open() made for that. */
struct grade_job {
    const struct tools *tools;
    const struct lab_rules *lab;
    enum backend backend;
    const char *file;
    const char *traces; /* folder for timelines to be drawn */
    double seconds;     /* limit for one run */
    bool shown;         /* to a person, who compares: no number is drawn */

    char *folder;   /* private */
    char *trace;    /* in there: of a run under the checker */
    char *recorder; /* of traces on a real GPU, or NULL */
    const char *virtual_device;
    /* The program, and that for the virtual GPU, -1 where there is none. */
    int program_fd, virtual_fd;
};

#endif
