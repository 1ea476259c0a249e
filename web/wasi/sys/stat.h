/* sys/stat.h: a tab's files have no rights to be set, and no mask for them */
#ifndef WEB_WASI_SYS_STAT_H
#define WEB_WASI_SYS_STAT_H

#include_next <sys/stat.h>

static inline mode_t umask(mode_t mask)
{
    (void)mask;
    return 0;
}

/* The library's own says that it cannot. */
static inline int wasi_fchmod(int fd, mode_t mode)
{
    (void)fd;
    (void)mode;
    return 0;
}
#define fchmod wasi_fchmod

#endif
