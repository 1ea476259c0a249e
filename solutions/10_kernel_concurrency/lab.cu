/* lab.cu: when kernels overlap, and when there is nothing to gain. */
#include "lab.h"

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

// A promise: the compiler may plan the registers for blocks of this size.
__global__ void __launch_bounds__(BLOCK_THREADS)
    job_gpu(uint64_t *data, uint64_t num_entries, uint64_t num_iters)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    // solution>
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = thread; i < num_entries; i += stride)
        data[i] = decrypt_entry(data[i], num_iters);
    //|
    //| // TODO 1: a thread decrypts one entry. If the grid has fewer threads
    //| // than there are entries, the rest is left. Let each thread go on, in
    //| // steps as long as the grid, until no entry is left.
    //| if (thread < num_entries)
    //|     data[thread] = decrypt_entry(data[thread], num_iters);
    // <solution
}

unsigned resident_blocks(void)
{
    // solution>
    int device, num_sms, blocks_per_sm;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount,
                                 device));
    // This knows the kernel's registers as well as the device's limits.
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, job_gpu,
                                                        BLOCK_THREADS, 0));
    return (unsigned)(num_sms * blocks_per_sm);
    //| // TODO 2: how many blocks of this kernel does one multiprocessor hold?
    //| // How many multiprocessors are there?
    //| return 1;
    // <solution
}

unsigned choose_grid(uint64_t num_entries)
{
    // solution>
    const uint64_t blocks = sdiv(num_entries, BLOCK_THREADS);
    const unsigned resident = resident_blocks();

    // More blocks would only wait. The loop in the kernel does their work.
    return blocks < resident ? (unsigned)blocks : resident;
    //| // TODO 3: a thread for each entry, but no more blocks than are
    //| // resident.
    //| return num_entries > 0 ? 1 : 0;
    // <solution
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
    // solution>
    for (int j = 0; j < num_jobs; j++)
        start_job(&jobs[j], streams[j]);
    for (int j = 0; j < num_jobs; j++)
        CHECK(cudaStreamSynchronize(streams[j]));
    //| // TODO 4: one job after the other. Let them run at the same time.
    //| for (int j = 0; j < num_jobs; j++) {
    //|     start_job(&jobs[j], streams[0]);
    //|     CHECK(cudaStreamSynchronize(streams[0]));
    //| }
    // <solution
}

enum gain predict_gain(unsigned blocks)
{
    // solution>
    int device, num_sms, concurrent;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&num_sms, cudaDevAttrMultiProcessorCount,
                                 device));
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentKernels,
                                 device));
    if (!concurrent || blocks >= resident_blocks())
        return GAIN_NONE;
    return 2 * blocks <= (unsigned)num_sms ? GAIN_SURE : GAIN_PERHAPS;
    //| // TODO 5: lab.h says when it is GAIN_NONE, GAIN_PERHAPS and GAIN_SURE.
    //| // Ask the device what you need to know.
    //| (void)blocks; // delete this line
    //| return GAIN_SURE;
    // <solution
}
