/* stdlib.h: a new file beside its place; nobody else makes files in a tab */
#ifndef WEB_WASI_STDLIB_H
#define WEB_WASI_STDLIB_H

#include_next <stdlib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* The last letters, "XXXXXX", become a number. */
static inline int mkstemp(char *name)
{
    char *const end = name + strlen(name) - 6;
    int fd = -1;

    for (int number = 0; fd < 0 && number < 1000000; number++) {
        for (int i = 5, rest = number; i >= 0; i--, rest /= 10)
            end[i] = (char)('0' + rest % 10);
        fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

#endif
