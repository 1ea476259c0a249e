/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

enum { MAX_GPUS = 8, MAX_STREAMS = 32 };

/*
 * One job on several GPUs. The data are cut into one chunk for each GPU, and
 * each of these into one chunk for each of its streams.
 */
struct mgpu {
    /* From the caller. */
    uint64_t num_entries; /* any number: not divisible, a few, 0 */
    uint64_t num_gpus;    /* 1 to MAX_GPUS: GPUs 0 .. num_gpus-1 */
    uint64_t num_streams; /* 1 to MAX_STREAMS, on each GPU */
    /* From mgpu_choose_chunks. */
    uint64_t stream_chunk; /* entries of a full stream chunk */
    uint64_t gpu_chunk;    /* entries of a full GPU chunk */
    /* From mgpu_create. */
    uint64_t *data_gpu[MAX_GPUS];                /* [gpu]: memory of that GPU */
    cudaStream_t streams[MAX_GPUS][MAX_STREAMS]; /* [gpu][stream] */
};

/*
 * Set the sizes of the chunks: as small as they can be, so that
 *
 *   - all stream chunks are of one size, but for those at the end of the data,
 *   - a GPU chunk is num_streams stream chunks,
 *   - num_gpus GPU chunks hold all entries.
 */
void mgpu_choose_chunks(struct mgpu *mgpu);

/*
 * How many entries has a chunk that begins at entry @lower of all the data?
 *
 * @size  of a full chunk, of a stream's or of a GPU's
 * Return: @size, or less at the end of the data, or 0 from there on.
 */
uint64_t chunk_width(uint64_t lower, uint64_t size, uint64_t num_entries);

/*
 * Make num_streams streams on each GPU, and take memory there for the entries
 * that this GPU has. For a GPU without entries that may be none (NULL).
 */
void mgpu_create(struct mgpu *mgpu);

/* Give back all that mgpu_create took. */
void mgpu_destroy(struct mgpu *mgpu);

/*
 * Decrypt num_entries entries on all GPUs at the same time: every chunk is
 * copied to its GPU, decrypted there and copied back, in a stream of its own.
 * All the work is done when the function returns. May be called again.
 *
 * @mgpu       chunks, memory and streams as the functions above make them
 * @data_host  pinned; in: encrypted entries, out: decrypted entries
 * @num_iters  rounds of the cipher per entry, as decrypt_gpu takes it
 */
void mgpu_decrypt(const struct mgpu *mgpu, uint64_t *data_host,
                  uint64_t num_iters);

/* No function needs to leave the current device as it was. */

#endif
