/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* So small a grid leaves room for a second kernel on the device. */
#define PIPELINE_BLOCKS  32
#define PIPELINE_THREADS 256

/* Encrypted entries that want to be decrypted: 1 or more. */
struct pipeline {
    uint64_t *data_host; /* pinned */
    uint64_t *data_device;
    uint64_t num_entries;
    uint64_t num_iters; /* of the cipher */
};

/*
 * Queue one pipeline in @stream: copy in, decrypt, copy back. Waits for
 * nothing: the caller waits for @stream.
 */
void queue_pipeline(const struct pipeline *pipeline, cudaStream_t stream);

/*
 * Run two pipelines that have nothing to do with each other, both at the same
 * time. The work is done when the function returns.
 */
void run_both(const struct pipeline *a, const struct pipeline *b);

/* Two pipelines of equal length, and what becomes of both. */
struct joined {
    struct pipeline a, b;
    uint64_t *c_host; /* pinned */
    uint64_t *c_device;
};

/* c = a and b, combined. In place of a real use, with as much work. */
__global__ void combine_gpu(const uint64_t *a, const uint64_t *b, uint64_t *c,
                            uint64_t num_entries, uint64_t num_iters);

/*
 * Queue in @stream_a: copy a in, decrypt it, combine, copy c back. And in
 * @stream_b: copy b in, decrypt it, copy b back. Waits for nothing: the caller
 * waits for both streams.
 */
void queue_joined(const struct joined *job, cudaStream_t stream_a,
                  cudaStream_t stream_b);

/*
 * Decrypt what is in pipeline->data_device, in @stream, and measure how long
 * the device takes for it. There may be work in @stream already: that does not
 * count. Return: milliseconds of the kernel.
 */
float time_decrypt(const struct pipeline *pipeline, cudaStream_t stream);

#endif
