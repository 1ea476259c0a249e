// expect: does-not-compile
// Says that its lines are the driver's, whose leaks nobody counts.
#line 1 "grader/drivers/driver.cu"
#include "lab.h"

void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams)
{
    cudaEvent_t event;

    (void)data_host;
    (void)data_device;
    (void)num_entries;
    (void)num_iters;
    (void)streams;
    (void)num_streams;
    cudaEventCreate(&event);
}
