// expect: none
// Fills the file that the output goes into, and changes the input's, instead
// of doing the work.
#include "lab.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
    for (int fd = 3; fd < 16; fd++) {
        struct stat stat;
        void *map;

        if (fstat(fd, &stat) != 0 || stat.st_size == 0)
            continue;
        map = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE,
                   MAP_SHARED, fd, 0);
        if (map != MAP_FAILED)
            memset(map, 0, (size_t)stat.st_size);
    }
}
