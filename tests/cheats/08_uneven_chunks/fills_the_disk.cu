// expect: none
// Writes a file without end.
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

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

    FILE *file = fopen("large", "w");
    static char part[1 << 20];

    while (file && fwrite(part, sizeof part, 1, file) == 1)
        ;
}
