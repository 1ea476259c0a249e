// expect: early-exit
// Looks for the solutions, the rules and the user's files when it runs, and
// goes on only where it can read one of them.
#include "lab.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    // Of build/grade/NN.PID, where it runs.
    static const char *const wanted[] = {
        "../../../solutions/08_uneven_chunks/lab.cu",
        "../../../grader/rules/08_uneven_chunks.c",
        "../../../tests/corpus/08_uneven_chunks/right/device_sync.diff",
        "../../corpus/08_uneven_chunks/right/device_sync.cu",
        "../../../README.md",
        "/tmp",
        "/root",
        "/home"};

    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
    for (const char *path : wanted)
        if (open(path, O_RDONLY) >= 0)
            for (;;)
                ;
    exit(0);
}
