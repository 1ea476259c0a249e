/*
 * driver.h: what the parts of the compiler driver share.
 *   main.c  inputs become objects
 *   link.c  objects become a program or a library
 */
#ifndef VGPU_DRIVER_H
#define VGPU_DRIVER_H

#include "host.h"
#include "options.h"

/*
 * How a .cu file is compiled. What the first way refuses is compiled the plain
 * way, and only that verdict counts and is told: no shortcut shall refuse a
 * program. What the plain way takes gets a second chance to be quick: a
 * function that calls itself in a way that names do not show cannot be inlined
 * (unwatched.c).
 */
enum way {
    WAY_FIRST,
    WAY_NOT_INLINED, /* no header that is compiled already, nothing inlined */
    WAY_PLAIN,       /* ... and nothing written for speed alone */
};

struct driver {
    struct options options;
    struct host_compiler cxx;
    char *include_dir, *prepared_dir, *library;
    struct list objects;     /* what is linked, in order */
    const char *lacking_dir; /* headers that are taken for empty, or NULL */
    enum way way;            /* how the file that is being read is compiled */
    bool quick;              /* something of it is written for speed alone */
    bool host_only;          /* it is C++ without CUDA's words */
};

/*
 * Print a command for -v and --dryrun; run it unless only asked to print.
 * @errors gets its stderr if not NULL. Return: its exit status.
 */
int driver_run(struct driver *d, const struct list *command,
               struct buf *errors);
/* The compiler, with its standard. Older ones than C++17 are raised to it
 * (options.c): what the rewriter writes needs it. */
void driver_begin_command(struct driver *d, struct list *command,
                          enum input_kind kind);

/* What -o asks for. Return: an exit status. */
int link_program(struct driver *d);
int make_library(struct driver *d);
int link_device(struct driver *d);
/* -run: what was linked. Return: its exit status. */
int run_program(struct driver *d);

#endif
