/* 91_gpus.cu: the driver's part of a lab of arrays on several GPUs. */
#include "driver.h"

#include "check.h"
#include "cipher.h"
#include "lab.h"

void lab_run_student(const struct driver_job *job)
{
    decrypt_on_all(job->data_host, job->data_gpu, job->num_entries,
                   job->num_iters, job->gpu_streams, job->num_gpus,
                   job->num_streams);
}

void lab_run_kernel(const struct driver_job *job, cudaStream_t stream)
{
    const unsigned blocks = decrypt_blocks(job->num_entries);

    if (blocks == 0)
        return;
    decrypt_gpu<<<blocks, DECRYPT_THREADS, 0, stream>>>(
        job->data_device, job->num_entries, job->num_iters);
    CHECK(cudaGetLastError());
}

/* All GPUs, but on each of them one thing after the other. */
void lab_run_serial(const struct driver_job *job)
{
    for (uint64_t g = 0; g < job->num_gpus; g++) {
        const size_t bytes = job->gpu_entries[g] * sizeof(uint64_t);
        uint64_t *const host = job->data_host + job->gpu_lower[g];
        const cudaStream_t stream = job->gpu_streams[g][0];
        struct driver_job part = *job;

        part.data_device = job->data_gpu[g];
        part.num_entries = job->gpu_entries[g];
        CHECK(cudaSetDevice((int)g));
        CHECK(cudaMemcpyAsync(part.data_device, host, bytes,
                              cudaMemcpyHostToDevice, stream));
        lab_run_kernel(&part, stream);
        CHECK(cudaMemcpyAsync(host, part.data_device, bytes,
                              cudaMemcpyDeviceToHost, stream));
    }
    for (uint64_t g = 0; g < job->num_gpus; g++)
        CHECK(cudaStreamSynchronize(job->gpu_streams[g][0]));
    CHECK(cudaSetDevice(0));
}
