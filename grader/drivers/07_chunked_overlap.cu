/* 07_chunked_overlap.cu: the driver's part that knows lab 07. */
#include "driver.h"

#include "check.h"
#include "cipher.h"
#include "lab.h"

uint64_t *lab_host_new(uint64_t num_entries)
{
    return host_memory_new(num_entries);
}

void lab_host_free(uint64_t *memory)
{
    host_memory_free(memory);
}

void lab_run_student(const struct driver_job *job)
{
    decrypt_in_chunks(job->data_host, job->data_device, job->num_entries,
                      job->num_iters, job->streams, job->num_streams);
}

void lab_run_kernel(const struct driver_job *job, cudaStream_t stream)
{
    decrypt_gpu<<<decrypt_blocks(job->num_entries), DECRYPT_THREADS, 0,
                  stream>>>(job->data_device, job->num_entries, job->num_iters);
    CHECK(cudaGetLastError());
}

void lab_run_serial(const struct driver_job *job)
{
    const size_t bytes = job->num_entries * sizeof(uint64_t);
    const cudaStream_t stream = job->streams[0];

    CHECK(cudaMemcpyAsync(job->data_device, job->data_host, bytes,
                          cudaMemcpyHostToDevice, stream));
    lab_run_kernel(job, stream);
    CHECK(cudaMemcpyAsync(job->data_host, job->data_device, bytes,
                          cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
}
