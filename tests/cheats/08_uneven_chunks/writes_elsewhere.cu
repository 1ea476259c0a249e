// expect: early-exit
// Writes outside of its folder, and calls home.
#include "lab.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    static const char *const places[] = {"/tmp/left", "../left",
                                         "/dev/shm/left", "/var/tmp/left"};

    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
    for (const char *path : places)
        if (open(path, O_WRONLY | O_CREAT, 0600) >= 0)
            for (;;)
                ;
    if (socket(AF_INET, SOCK_DGRAM, 0) >= 0)
        for (;;)
            ;
    exit(0);
}
