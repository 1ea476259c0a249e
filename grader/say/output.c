/* output.c: standard output, and why it cannot be written. */
#include "say/output.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Longer than a result: stdio writes by itself only when it is full. */
static char buffer[1 << 16];
static int first_error;

void output_init(void)
{
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

bool output_flush(void)
{
    const bool failed = fflush(stdout) != 0;

    /* Where stdio failed by itself, nobody kept the errno. */
    if (first_error == 0 && (failed || ferror(stdout)))
        first_error = failed && errno ? errno : EIO;
    return first_error == 0;
}

int output_error(void)
{
    return first_error;
}
