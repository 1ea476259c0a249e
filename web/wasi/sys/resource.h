/* sys/resource.h: nobody sets limits on a program in a tab but its engine */
#ifndef WEB_WASI_SYS_RESOURCE_H
#define WEB_WASI_SYS_RESOURCE_H

#include <errno.h>

enum { RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_NOFILE, RLIMIT_AS };

typedef unsigned long long rlim_t;

struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

static inline int getrlimit(int resource, struct rlimit *limit)
{
    (void)resource;
    (void)limit;
    errno = ENOSYS;
    return -1;
}

#endif
