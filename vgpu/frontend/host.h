/*
 * host.h: the host's compiler, other programs, and temporary files.
 */
#ifndef VGPU_HOST_H
#define VGPU_HOST_H

#include "buf.h"

struct host_compiler {
    struct list command; /* "ccache", "g++-12" */
    int clang;           /* its major version, else 0 */
    bool prepares;       /* a clang that takes what is compiled already */
    const char *linker;  /* for -fuse-ld, quicker than its own; or NULL */
};

/*
 * Find the compiler: @wanted (-ccbin, may be a folder), $VGPU_CXX, g++,
 * clang++. Prints one line if there is none. Return: 0, or -1.
 */
int host_find(struct host_compiler *cxx, const char *wanted);

/*
 * Run @command and wait. @errors gets its stderr if not NULL.
 * Return: its exit status; 127 if it cannot be started, 128 + n for signal n.
 */
int host_run(const struct list *command, struct buf *errors);

/*
 * Start @command, whose stderr goes into the file @errors, and go on. One at a
 * time. Return: 0, or -1 where it cannot be started, or nothing can run beside.
 */
int host_begin(const struct list *command, const char *errors);
/* Wait for it, or have it end if it is not @wanted. */
void host_end(bool wanted);
/* The first of the programs @names, NULL behind, that is there, or NULL. */
const char *host_program(const char *const *names);

/*
 * A private folder for temporary files under $TMPDIR. It is removed with all
 * files from host_temp_file when the process exits or gets a signal.
 * Return: 0, or -1 with a line printed.
 */
int host_temp_open(void);
/* A new name in it. Valid until the process ends. */
const char *host_temp_file(const char *suffix);
/* Have @path, a file or a folder that will be empty then, removed as well. */
const char *host_temp_add(char *path);
/* Make an empty header @name in a folder for such, with the folders that the
 * name has. Return: that folder, the same each time. */
const char *host_temp_header(const char *name);

/* The folder of this executable, or NULL. */
char *host_own_dir(const char *argv0);

/* Return: 0, or -1 with errno set. */
int host_read_file(const char *path, struct buf *out);
int host_write_file(const char *path, const char *data, size_t size);

#endif
