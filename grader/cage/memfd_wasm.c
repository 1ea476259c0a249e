/* memfd_wasm.c: memory files in a browser tab: see web/wasi/sys/mman.h */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Two of each program that lives: cases.c has three of them. */
enum { MOST = 16 };

static struct {
    int fd;
    void *map; /* NULL: this place is free */
} maps[MOST];

/* A file that has no name any more, for its descriptor and its size alone. */
int memfd_create(const char *name, unsigned flags)
{
    char *const path = text_format("/tmp/%s.memory", name);
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

    (void)flags;
    unlink(path);
    free(path);
    return fd;
}

void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset)
{
    struct stat st;

    (void)rights;
    if (at || offset != 0 || flags != MAP_SHARED || fstat(fd, &st) != 0 ||
        (uint64_t)st.st_size != bytes) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    for (int i = 0; i < MOST; i++)
        if (maps[i].map == NULL && (maps[i].map = calloc(bytes, 1))) {
            maps[i].fd = fd;
            return maps[i].map;
        }
    errno = ENOMEM;
    return MAP_FAILED;
}

int munmap(void *map, size_t bytes)
{
    (void)bytes;
    for (int i = 0; i < MOST; i++)
        if (maps[i].map == map)
            maps[i].map = NULL;
    free(map);
    return 0;
}

void *memfd_map(int fd)
{
    for (int i = 0; i < MOST; i++)
        if (maps[i].map && maps[i].fd == fd)
            return maps[i].map;
    return NULL;
}
