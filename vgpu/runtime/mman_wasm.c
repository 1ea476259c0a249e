/*
 * mman_wasm.c: memory files of the grader's talk (web/wasi/sys/mman.h) as a
 * program in a browser has them: read when they are mapped, written back when
 * they no longer are.
 */
#include <stdlib.h>
#include <unistd.h>

#include "rt.h"

enum { WRITABLE = 2, MAPS = 8, ALIGNMENT = 4096 };

static struct map {
    void *at;
    size_t bytes;
    int rights, file;
} maps[MAPS];

VGPU_PUBLIC void *mmap(void *at, size_t bytes, int rights, int flags, int file,
                       off_t offset);
void *mmap(void *at, size_t bytes, int rights, int flags, int file,
           off_t offset)
{
    struct map *map = maps;

    (void)at;
    (void)flags;
    while (map < maps + MAPS && map->at)
        map++;
    if (map == maps + MAPS || offset)
        return (void *)-1;
    *map = (struct map){aligned_alloc(ALIGNMENT, round_up(bytes, ALIGNMENT)),
                        bytes, rights, file};
    if (!map->at)
        return (void *)-1;
    for (size_t done = 0; done < bytes;) {
        const ssize_t got =
            pread(file, (char *)map->at + done, bytes - done, (off_t)done);

        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return map->at;
}

VGPU_PUBLIC int munmap(void *at, size_t bytes);
int munmap(void *at, size_t bytes)
{
    for (struct map *map = maps; map < maps + MAPS; map++) {
        if (map->at != at || !at)
            continue;
        for (size_t done = 0; (map->rights & WRITABLE) && done < bytes;) {
            const ssize_t put =
                pwrite(map->file, (char *)at + done, bytes - done, (off_t)done);

            if (put <= 0)
                break;
            done += (size_t)put;
        }
        free(at);
        map->at = NULL;
        return 0;
    }
    return -1;
}
