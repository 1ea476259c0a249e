/* trace_file.c: from a file to its text, and on to the reader of traces
 *
 * A size that was asked for beforehand is not relied on: a trace may come
 * through a pipe, and one that is still being written grows. What is above the
 * limit is refused before it fills the memory of a shared machine.
 */
#include "trace_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

#define TOO_LARGE "larger than the limit of 64 MiB"

static void fail(struct trace_error *err, size_t line, const char *text)
{
    err->line = line;
    snprintf(err->text, sizeof err->text, "%s", text);
}

/* Read a stream to its end into memory. Return: NULL with err set. */
static char *slurp(FILE *in, size_t *len, struct trace_error *err)
{
    size_t room = 1 << 16;
    char *text = malloc(room + 1);

    *len = 0;
    while (text) {
        *len += fread(text + *len, 1, room - *len, in);
        if (*len < room)
            break;
        if (room >= TRACE_MAX_BYTES) {
            fail(err, 0, TOO_LARGE);
            free(text);
            return NULL;
        }
        room *= 2;
        char *more = realloc(text, room + 1);

        if (!more)
            free(text);
        text = more;
    }
    if (!text)
        fail(err, 0, "out of memory");
    return text;
}

/* "-" and what a shell passes as /dev/fd/63 are somebody's own pipes. Any other
 * name may be a pipe that nobody writes to, or a device. */
static FILE *open_trace(const char *path)
{
    if (strcmp(path, "-") == 0)
        return stdin;
    return strncmp(path, "/dev/", 5) == 0
               ? fopen(path, "rb")
               : input_file_read(path, TRACE_MAX_BYTES);
}

enum trace_status trace_read(const char *path, bool partial, struct trace *t,
                             struct trace_error *err)
{
    FILE *const in = open_trace(path);
    size_t len;

    memset(t, 0, sizeof *t);
    if (!in) {
        fail(err, 0, errno == EFBIG ? TOO_LARGE : input_file_words(errno));
        return errno == EFBIG ? TRACE_DAMAGED : TRACE_NO_FILE;
    }
    errno = 0;
    char *text = slurp(in, &len, err);
    bool failed = ferror(in);

    if (failed)
        fail(err, 0, errno ? strerror(errno) : "cannot be read");
    if (in != stdin)
        fclose(in);
    if (failed) {
        free(text);
        return TRACE_NO_FILE;
    }
    return text ? trace_read_memory(text, len, partial, t, err) : TRACE_DAMAGED;
}
