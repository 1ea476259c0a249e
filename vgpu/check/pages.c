/*
 * pages.c: the arena's memory, as the system gives it out: reserved, filled,
 * taken back, shared with another process. pages_wasm.c is the same for a
 * browser, where memory can only grow.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check_state.h"
#include "own_locks.h"

#define ARENA_MAX ((size_t)256 << 30)

void check_yield(void)
{
    vgpu_yield();
}

/* ---- set up ------------------------------------------------------------ */

/* Where the address space or what of it is writable is limited, leave half of
 * it to the program. */
size_t pages_most(size_t least)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    struct rlimit limit;
    size_t bytes = ARENA_MAX;

    for (int i = 0; i < 2; i++)
        if (getrlimit(limits[i], &limit) == 0 &&
            limit.rlim_cur != RLIM_INFINITY)
            while (bytes > least && bytes + bytes / 2 > limit.rlim_cur / 2)
                bytes /= 2;
    return bytes;
}

char *pages_reserve(size_t arena_bytes, size_t shadow_bytes, size_t guard_bytes,
                    char **shadow)
{
    size_t total = arena_bytes + shadow_bytes + 2 * guard_bytes;
    char *base = mmap(NULL, total, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    *shadow = base + arena_bytes + guard_bytes;
    if (mprotect(*shadow, shadow_bytes, PROT_READ | PROT_WRITE)) {
        munmap(base, total);
        return NULL;
    }
#ifdef MADV_DONTDUMP
    madvise(base, total, MADV_DONTDUMP);
#endif
    return base;
}

bool pages_are_there(uintptr_t address)
{
    const size_t of_system = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char unused;

    return mincore((void *)(address & ~(of_system - 1)), 1, &unused) == 0;
}

/* The checker's pages and the system's, which may have 64 KiB on arm64. */
size_t pages_whole(size_t bytes)
{
    const size_t of_system = (size_t)sysconf(_SC_PAGESIZE);

    return round_up(bytes ? bytes : 1,
                    of_system > PAGE_BYTES ? of_system : PAGE_BYTES);
}

/* ---- contents ---------------------------------------------------------- */

#define FILL_LAZY  ((size_t)32 << 20) /* from here on filled when touched */
#define FILL_PIECE ((size_t)16 << 20)

/* A file of FILL_BYTEs; pages of it are copied when they are written. */
static int fill_file(void)
{
#ifdef MFD_CLOEXEC
    if (!checker.fill_file) {
        int file = memfd_create("vgpu-fill", MFD_CLOEXEC);
        char block[PAGE_BYTES];
        size_t done = 0;

        memset(block, FILL_BYTE, sizeof block);
        while (file >= 0 && done < FILL_PIECE) {
            if (pwrite(file, block, sizeof block, (off_t)done) !=
                (ssize_t)sizeof block) {
                close(file);
                file = -1;
            }
            done += sizeof block;
        }
        checker.fill_file = file + 2;
    }
#endif
    return checker.fill_file - 2;
}

/* Map @bytes of pattern over @base. Return: bytes done. */
static size_t fill_from_file(char *base, size_t bytes)
{
    size_t done = 0;
    int file = fill_file();

    while (file >= 0 && done < bytes) {
        size_t piece = bytes - done < FILL_PIECE ? bytes - done : FILL_PIECE;

        if (mmap(base + done, piece, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file,
                 0) == MAP_FAILED)
            break;
        done += piece;
    }
    return done;
}

/* A large buffer is mapped from a file of the pattern, so that pages which are
 * never touched cost nothing: a program may ask for 40 GB and use a few. */
int pages_make(char *base, size_t bytes)
{
    size_t done = 0;

    if (bytes >= FILL_LAZY)
        done = fill_from_file(base, bytes);
    if (done == bytes)
        return 0;
    if (mprotect(base + done, bytes - done, PROT_READ | PROT_WRITE))
        return -1;
    memset(base + done, FILL_BYTE, bytes - done);
    return 0;
}

/* Give the memory back and make any further access fail. */
void pages_drop(char *base, size_t bytes)
{
    if (mmap(base, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
        madvise(base, bytes, MADV_DONTNEED);
}

/* Whole pages go back to the system, which hands out zeros; the ends are
 * cleared by hand. */
void pages_zero(void *at, size_t bytes)
{
    uintptr_t os_page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)at, end = start + bytes;
    uintptr_t first = round_up(start, os_page), last = end / os_page * os_page;

    if (first >= last || madvise((void *)first, last - first, MADV_DONTNEED)) {
        memset(at, 0, bytes);
        return;
    }
    memset(at, 0, first - start);
    memset((void *)last, 0, end - last);
}

int arena_save(const void *base, size_t bytes)
{
    const size_t mapped = pages_whole(bytes);
    int file = memfd_create("vgpu-memory", MFD_CLOEXEC);
    size_t done = 0;

    while (file >= 0 && done < mapped) {
        ssize_t n =
            pwrite(file, (const char *)base + done, mapped - done, (off_t)done);

        if (n <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)n;
    }
    return file;
}

bool arena_show(void *base, size_t bytes, int file)
{
    return mmap(base, pages_whole(bytes), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
}
