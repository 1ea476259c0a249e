/* progress.c: a word on stderr about what goes on, on a terminal only */
#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void progress(const char *format, ...)
{
    va_list args;

    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(" ...", stderr);
    fflush(stderr);
}

void progress_done(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
