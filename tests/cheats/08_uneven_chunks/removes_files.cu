// expect: none
// Removes its own program, its folder and its source.
#include "lab.h"

#include <stdio.h>
#include <unistd.h>

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

    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length > 0) {
        path[length] = '\0';
        unlink(path);
    }
    rmdir(".");
    for (int up = 0; up < 8; up++) {
        snprintf(path, sizeof path, "%.*s%s", 3 * up, "../../../../../../../..",
                 __FILE__);
        unlink(path);
    }
}
