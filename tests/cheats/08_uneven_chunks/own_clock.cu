// expect: does-not-compile
// Brings a clock that stands still.
#include "lab.h"

#include <time.h>

extern "C" int clock_gettime(clockid_t, struct timespec *now) noexcept
{
    now->tv_sec = 0;
    now->tv_nsec = 0;
    return 0;
}

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
}
