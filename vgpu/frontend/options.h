/*
 * options.h: vgpucc's command line, in nvcc's spelling.
 */
#ifndef VGPU_OPTIONS_H
#define VGPU_OPTIONS_H

#include "buf.h"

enum options_mode {
    MODE_LINK,
    MODE_COMPILE,      /* -c */
    MODE_LIBRARY,      /* -lib */
    MODE_DEVICE_LINK,  /* -dlink */
    MODE_PREPROCESS,   /* -E */
    MODE_DEPENDENCIES, /* -M, -MM */
    MODE_REWRITE,      /* --show-rewritten */
    MODE_PREPARE,      /* --prepare: no input */
    MODE_HELP,
    MODE_VERSION,
};

enum input_kind { INPUT_CUDA, INPUT_CXX, INPUT_C, INPUT_LINKED };

struct options {
    enum options_mode mode;
    struct list inputs;
    enum input_kind *kinds; /* one per input */
    char *output;           /* -o, or NULL */
    char *output_dir;       /* -odir, or NULL */
    char *host_compiler;    /* -ccbin, or NULL */
    char *standard;         /* "c++17", or NULL */
    char *optimize;         /* "2" */
    bool debug, device_debug, verbose, dry_run, shared, quiet, run;
    bool lenient;  /* what only nvcc refuses is taken */
    bool unjudged; /* ... or clang is not asked, which may not be there */
    bool relaxed, lambda; /* --expt-relaxed-constexpr, --extended-lambda */
    int arch;             /* -arch=sm_90: 900; 0: not said */
    bool dep_all, dep_write, dep_phony; /* -M or -MD; -MD or -MMD; -MP */
    char *dep_file;                     /* -MF, or NULL */
    struct list dep_targets;            /* -MT X -MQ Y */
    struct list preprocess;             /* -I, -D, ... */
    struct list included;               /* -include, behind our own header */
    struct list host;                   /* -Xcompiler: for every step */
    struct list compile;                /* warnings */
    struct list link;                   /* -L, -l, -Xlinker, in order */
    struct list lacking;                /* -l of what is not to be had */
    struct list run_arguments;          /* for -run */
};

/*
 * Read the command line. Prints one line to stderr if it cannot be used.
 * Return: 0, or -1.
 */
int options_read(struct options *o, int argc, char **argv);
/* What the file's name says: an enum input_kind, or -1. */
int input_kind_of(const char *name);
/* -l@name */
void library_add(struct options *o, const char *name);
void options_free(struct options *o);
void options_print_help(void);

#endif
