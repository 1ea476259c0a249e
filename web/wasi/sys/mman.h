/*
 * sys/mman.h: memory files, and nothing else that maps. A program in a tab
 * shares no memory with another: whoever has mapped a memory file has it in its
 * own memory, and the engine copies it where commands and replies pass.
 */
#ifndef WEB_WASI_SYS_MMAN_H
#define WEB_WASI_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

enum { MFD_CLOEXEC = 1, MFD_ALLOW_SEALING = 2 };
enum { PROT_READ = 1, PROT_WRITE = 2, MAP_SHARED = 1 };
#define MAP_FAILED ((void *)-1)

#ifdef __cplusplus
extern "C" {
#endif

/* Return: a descriptor, to be closed, with the size that ftruncate() says. */
int memfd_create(const char *name, unsigned flags);

/* All of a memory file: zero at first. */
void *mmap(void *at, size_t bytes, int rights, int flags, int fd, off_t offset);
int munmap(void *map, size_t bytes);

/* Where a memory file is mapped, NULL: nowhere. */
void *memfd_map(int fd);

#ifdef __cplusplus
}
#endif

#endif
