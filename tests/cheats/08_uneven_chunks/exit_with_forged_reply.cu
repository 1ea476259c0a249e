// expect: early-exit
// Writes a reply of its own and ends the program well.
#include "lab.h"

#include <stdlib.h>
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

    static const char reply[] = "x ok running=0 pending=0/cudaSuccess\n"
                                "ok ns=1 running=0 pending=0/cudaSuccess\n";

    for (int fd = 3; fd < 64; fd++)
        (void)!write(fd, reply, sizeof reply - 1);
    exit(0);
}
