/* sys/statvfs.h: files in a tab are in memory, on no disk that could be full */
#ifndef WEB_WASI_SYS_STATVFS_H
#define WEB_WASI_SYS_STATVFS_H

#include <errno.h>

enum { ST_NOEXEC = 8 };

struct statvfs {
    unsigned long long f_bavail, f_blocks, f_frsize, f_flag;
};

static inline int statvfs(const char *path, struct statvfs *disk)
{
    (void)path;
    (void)disk;
    errno = ENOSYS;
    return -1;
}

#endif
