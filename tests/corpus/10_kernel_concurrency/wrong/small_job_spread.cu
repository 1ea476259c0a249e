// expect: wrong-grid
// also: small-job-spread
/* a block for each warp of entries, to use more multiprocessors */
#include "lab.h"

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

// A promise: the compiler may plan the registers for blocks of this size.
__global__ void __launch_bounds__(BLOCK_THREADS)
    job_gpu(uint64_t *data, uint64_t num_entries, uint64_t num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], num_iters);
}

unsigned resident_blocks(void)
{
    int device, num_sms, blocks_per_sm;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount,
                                 device));
    // This knows the kernel's registers as well as the device's limits.
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, job_gpu,
                                                        BLOCK_THREADS, 0));
    return (unsigned)(num_sms * blocks_per_sm);
}

unsigned choose_grid(uint64_t num_entries)
{
    const uint64_t blocks = sdiv(num_entries, 32);
    const unsigned resident = resident_blocks();

    return blocks < resident ? (unsigned)blocks : resident;
}

static void start_job(const struct job *job, cudaStream_t stream)
{
    const unsigned grid = choose_grid(job->num_entries);

    if (grid == 0)
        return; // a launch of no blocks is an error
    job_gpu<<<grid, BLOCK_THREADS, 0, stream>>>(
        job->data_device, job->num_entries, job->num_iters);
    CHECK(cudaGetLastError());
}

void run_jobs(const struct job *jobs, int num_jobs, const cudaStream_t *streams)
{
    for (int j = 0; j < num_jobs; j++)
        start_job(&jobs[j], streams[j]);
    for (int j = 0; j < num_jobs; j++)
        CHECK(cudaStreamSynchronize(streams[j]));
}

enum gain predict_gain(unsigned blocks)
{
    int device, num_sms, concurrent;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount,
                                 device));
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentKernels,
                                 device));
    if (!concurrent || blocks >= resident_blocks())
        return GAIN_NONE;
    return 2 * blocks <= (unsigned)num_sms ? GAIN_SURE : GAIN_PERHAPS;
}
