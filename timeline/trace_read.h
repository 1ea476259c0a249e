/* trace_read.h: from a file to a trace, or to what is wrong with the file
 *
 * A file of a trace is not trusted: it may be cut, damaged or made by hand.
 * All that trace.h promises is checked here, once.
 */
#ifndef TIMELINE_TRACE_READ_H
#define TIMELINE_TRACE_READ_H

#include "trace.h"
#include "vgpu/trace_line.h"

/* The limits are far above what a program that people look at makes; they keep
 * a damaged file from taking all memory. Numbers above the last one would not
 * survive in the pages, where they are doubles.
 */
#define TRACE_MAX_LINE    8191
#define TRACE_MAX_KEYS    32
#define TRACE_MAX_RECORDS 500000u
#define TRACE_MAX_BYTES   ((size_t)64 << 20)
#define TRACE_MAX_NUMBER  ((UINT64_C(1) << 53) - 1)

struct trace_error {
    size_t line; /* 0: concerns the file as a whole */
    char text[200];
};

enum trace_status { TRACE_OK, TRACE_DAMAGED, TRACE_NO_FILE };

/* Read and check a trace.
 * @path     file; "-" is standard input
 * @partial  accept a file that stops before its end record; a last line that
 *           is cut in the middle is dropped
 * @t        filled on success, to be freed with trace_free(); else zero
 * @err      says what is wrong where the result is not TRACE_OK
 * Return: TRACE_OK; TRACE_NO_FILE: cannot be opened or read; TRACE_DAMAGED:
 * not a trace, damaged, truncated or above a limit.
 */
enum trace_status trace_read(const char *path, bool partial, struct trace *t,
                             struct trace_error *err);

/* The same from memory.
 * @text  len bytes and one more for a terminator, from malloc; the trace owns
 *        it from now on, also on failure
 */
enum trace_status trace_read_memory(char *text, size_t len, bool partial,
                                    struct trace *t, struct trace_error *err);

/* Add what is known of a run to its trace in file @path: the hazards of the
 * trace of the same program in file @checked (NULL: none), and the name of the
 * check that it @failed ("": none). Return: false, with @path as it was, where
 * one is no trace. */
bool trace_add(const char *path, const char *checked, const char *failed);

#endif
