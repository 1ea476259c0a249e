// expect: early-exit
// Looks into the grader's memory, where the expected values are, and goes on
// only where it can.
#include "lab.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    char byte, path[64];
    const pid_t parent = getppid();
    const struct iovec here = {&byte, 1};
    const struct iovec there = {(void *)0x400000, 1};
    bool looked;

    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)parent);
    looked = open(path, O_RDWR) >= 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)parent);
    looked |= open(path, O_RDONLY) >= 0;
    looked |= process_vm_readv(parent, &here, 1, &there, 1, 0) == 1;
    looked |= ptrace(PTRACE_ATTACH, parent, NULL, NULL) == 0;
    while (looked)
        ;
    exit(0);
}
