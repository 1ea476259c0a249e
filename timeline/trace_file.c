/* trace_file.c: from a file to its text, and on to the reader of traces
 *
 * Its size is not asked for beforehand: a trace may come through a pipe, and
 * one that is still being written grows. What is above the limit is refused
 * before it fills the memory of a shared machine.
 */
#include "trace_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            fail(err, 0, "larger than the limit of 1 GiB");
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

enum trace_status trace_read(const char *path, bool partial, struct trace *t,
                             struct trace_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(path, "rb");
    size_t len;

    memset(t, 0, sizeof *t);
    if (!in) {
        fail(err, 0, strerror(errno));
        return TRACE_NO_FILE;
    }
    /* fopen() opens a folder, and fread() fails: errno says why. */
    errno = 0;
    char *text = slurp(in, &len, err);
    bool failed = ferror(in);

    if (failed)
        fail(err, 0, errno ? strerror(errno) : "cannot be read");
    if (!is_stdin)
        fclose(in);
    if (failed) {
        free(text);
        return TRACE_NO_FILE;
    }
    return text ? trace_read_memory(text, len, partial, t, err) : TRACE_DAMAGED;
}
