/*
 * link.c: what vgpucc makes of objects: a program, a library.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

static bool names_linker(const struct list *options)
{
    for (int i = 0; i < options->count; i++)
        if (!strncmp(options->items[i], "-fuse-ld", strlen("-fuse-ld")))
            return true;
    return false;
}

/* By the quicker linker, where there is one, if it has nothing to say: what a
 * student reads are the usual one's words. */
static int run_link(struct driver *d, const struct list *command)
{
    const struct options *o = &d->options;
    struct list quick = {0};
    struct buf said = {0};
    bool done = false;

    if (d->cxx.linker && !names_linker(&o->host) && !names_linker(&o->link) &&
        !o->verbose && !o->dry_run) {
        list_add_all(&quick, command);
        list_addf(&quick, "-fuse-ld=%s", d->cxx.linker);
        done = !driver_run(d, &quick, &said) && !said.size;
    }
    list_free(&quick);
    buf_free(&said);
    return done ? 0 : driver_run(d, command, NULL);
}

/* A shared library gets no runtime of its own: there must be one in a process,
 * the program's. */
int link_program(struct driver *d)
{
    const struct options *o = &d->options;
    struct list command = {0};
    int status;

    if (access(d->library, R_OK)) {
        fprintf(stderr,
                "vgpucc: error: %s is not there: build it with `make`, or "
                "install vgpucc anew\n",
                d->library);
        return 1;
    }
    driver_begin_command(d, &command, INPUT_LINKED);
    if (o->shared)
        list_add(&command, "-shared");
    list_add_all(&command, &o->host);
    list_add_all(&command, &d->objects);
    list_add_all(&command, &o->link);
    if (!o->shared) { /* a library finds it in the program */
        list_add(&command, "-Wl,--wrap=free"); /* check/loan.c has it */
        list_add(&command, d->library);
    }
    list_adds(&command, "-lpthread", "-lm", "-ldl", "-o",
              o->output ? o->output : "a.out", NULL);
    status = run_link(d, &command);
    if (status)
        for (int i = 0; i < o->lacking.count; i++)
            fprintf(stderr,
                    "vgpucc: note: %s was left out: the library is not "
                    "supported by the virtual GPU\n",
                    o->lacking.items[i]);
    list_free(&command);
    return status;
}

/* ar adds to an archive that is there: the old one goes first, or it would keep
 * objects that no longer belong. */
int make_library(struct driver *d)
{
    const char *output = d->options.output ? d->options.output : "a.a";
    struct list command = {0};
    int status;

    if (!d->options.dry_run)
        unlink(output);
    list_adds(&command, "ar", "rcs", output, NULL);
    list_add_all(&command, &d->objects);
    status = driver_run(d, &command, NULL);
    list_free(&command);
    return status;
}

/* Device code needs no linking of its own: the object holds nothing. */
int link_device(struct driver *d)
{
    const char *output = d->options.output ? d->options.output : "a_dlink.o";
    struct list command = {0};
    int status;

    driver_begin_command(d, &command, INPUT_C);
    list_adds(&command, "-x", "c", "-c", "/dev/null", "-o", output, NULL);
    status = driver_run(d, &command, NULL);
    list_free(&command);
    return status;
}

int run_program(struct driver *d)
{
    const char *program = d->options.output ? d->options.output : "a.out";
    struct list command = {0};
    int status;

    list_addf(&command, "%s%s", strchr(program, '/') ? "" : "./", program);
    list_add_all(&command, &d->options.run_arguments);
    status = driver_run(d, &command, NULL);
    list_free(&command);
    return status;
}
