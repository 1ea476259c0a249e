/* options.h: the command line of timeline */
#ifndef TIMELINE_OPTIONS_H
#define TIMELINE_OPTIONS_H

#include "terminal.h"
#include "view.h"

#define OPTIONS_MAX_TRACES 16

struct options {
    int help, version, text, stats, partial, host, waits; /* 0 or 1 */
    const char *svg, *html, *perfetto; /* NULL: not asked for */
    const char *source;                /* folder, or NULL */
    const char *heading;               /* "Lab 08: uneven chunks", or NULL */
    enum view_by by;
    struct terminal_style style;
    const char *files[OPTIONS_MAX_TRACES];
    const char *titles[OPTIONS_MAX_TRACES]; /* NULL: from the file's name */
    unsigned num_files, num_titles;
};

extern const char tl_options_help[];

/* Read the arguments and what the environment says about the terminal.
 * Return: true, or false with one line of explanation in error.
 */
bool tl_options_read(int argc, char **argv, struct options *opt, char *error,
                     size_t size);

#endif
