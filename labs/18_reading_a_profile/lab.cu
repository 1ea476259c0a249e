/* lab.cu: what three timelines tell, and a program with five mistakes. */
#include "lab.h"

#include <stdlib.h>

#include <nvtx3/nvToolsExt.h>

#include "check.h"
#include "cipher.h"
#include "helper.h"

/* ---- part 1: what three timelines tell ----------------------------------- */

const struct answer answers[NUM_RUNS] = {
    // TODO 1: run_a. What is wrong, where does its picture show it, and
    // which line of run_a.cu has to be changed?
    {FAULT_OPEN, ROW_OPEN, 0.0, 0},
    // TODO 2: run_b.
    {FAULT_OPEN, ROW_OPEN, 0.0, 0},
    // TODO 3: run_c.
    {FAULT_OPEN, ROW_OPEN, 0.0, 0},
};

/* ---- part 2: a program with five mistakes -------------------------------- */

const int mistakes[NUM_MISTAKES] = {
    // TODO 4: the numbers of the five lines below that are wrong.
    0, 0, 0, 0, 0,
};

// TODO 5: mend the five mistakes. The numbers stay as they are.

// TODO 6: name two parts of decrypt_all by NVTX ranges: "queue", in
// which the host queues all chunks, and "wait", in which it waits for
// the results.

uint64_t *results_new(uint64_t num_entries)
{
    uint64_t *results;

    /* 1 */ results = (uint64_t *)host_array(num_entries, sizeof *results);
    return results;
}

void results_free(uint64_t *results)
{
    /* 2 */ free(results);
}

static void queue_chunk(const struct job *job, uint64_t lower, uint64_t width,
                        cudaStream_t stream, cudaEvent_t decrypted)
{
    /* 3 */ const size_t bytes = width * sizeof(uint64_t);
    /* 4 */ uint64_t *const device = job->device + lower;

    /* 5 */ CHECK(cudaMemcpyAsync(device, job->input + lower, bytes,
                                  cudaMemcpyHostToDevice, stream));
    /* 6 */ CHECK(cudaEventRecord(decrypted, stream));
    /* 7 */ decrypt_gpu<<<decrypt_blocks(width), DECRYPT_THREADS>>>(
        device, width, job->num_iters);
    CHECK(cudaGetLastError());
    /* 8 */ CHECK(cudaStreamWaitEvent(job->back, decrypted, 0));
    /* 9 */ CHECK(cudaMemcpyAsync(job->results + lower, device, bytes,
                                  cudaMemcpyDeviceToHost, job->back));
}

void decrypt_all(const struct job *job)
{
    const uint64_t n = job->num_entries;
    /* 10 */ const uint64_t chunk = n / job->num_chunks;

    for (uint64_t c = 0; c < job->num_chunks; c++) {
        /* 11 */ const uint64_t lower = min(c * chunk, n);
        /* 12 */ const uint64_t width = min(chunk, n - lower);
        /* 13 */ const uint64_t s = c % job->num_streams;

        /* 14 */ if (width == 0)
            break;
        /* 15 */ queue_chunk(job, lower, width, job->streams[s],
                             job->decrypted[s]);
        /* 16 */ CHECK(cudaStreamSynchronize(job->back));
    }
    /* 17 */ CHECK(cudaStreamSynchronize(job->back));
}
