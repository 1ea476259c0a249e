/*
 * rewrite.h: turns preprocessed CUDA C++ into C++ for the host compiler.
 *
 * Input is the output of `c++ -E`. README.md says what is written for a kernel,
 * a launch, a variable, with an example; all else is passed on byte for byte.
 */
#ifndef VGPU_REWRITE_H
#define VGPU_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

struct rewrite_options {
    const char *own_dir; /* the virtual GPU's headers; or NULL */
    bool for_clang;      /* the host compiler is clang */
    bool plain;          /* nothing is written for speed alone */
    bool no_inline;      /* no device function is made to be inlined */
    bool strict;         /* refuse what only nvcc refuses, but for what ... */
    bool lambda;         /* --extended-lambda and ... */
    bool relaxed;        /* --expt-relaxed-constexpr allow */
    bool host_only; /* there is no CUDA in it: only its loops are written */
};

struct rewrite_result {
    char *text; /* NUL-terminated; NULL if refused */
    size_t size;
    bool quick;     /* something was written for speed alone */
    char *warnings; /* "file:line: warning: ...\n" lines */
    char *errors;   /* "file:line: error: ...\n" lines */
    int num_errors;
};

/*
 * Rewrite @size bytes of preprocessed @text.
 * Return: 0, or -1 when the program is refused; then @result->errors says
 * why. Free the result in both cases. Ends the process when out of memory.
 */
int rewrite_text(const char *text, size_t size,
                 const struct rewrite_options *options,
                 struct rewrite_result *result);
void rewrite_result_free(struct rewrite_result *result);

#endif
