/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* One GPU's part of the entries: lower, lower + 1, ... lower + width - 1. */
struct part {
    uint64_t lower; /* of no interest where width is 0 */
    uint64_t width; /* 0 or more */
};

/*
 * Which entries belong to a GPU. Together the parts are all entries, each of
 * them once. No part is longer than num_entries / num_gpus, rounded up.
 *
 * @num_entries  any number: not divisible by @num_gpus, fewer than @num_gpus,
 *               1, 0
 * @num_gpus     1 or more
 * @gpu          0 .. @num_gpus-1
 */
struct part part_of_gpu(uint64_t num_entries, uint64_t num_gpus, uint64_t gpu);

/*
 * Take memory on each GPU for its part: data_gpu[gpu] is memory of device
 * @gpu for as many entries as its part has. The current device is the same
 * afterwards as before.
 *
 * @data_gpu  out: @num_gpus pointers; NULL is allowed where a part is empty
 */
void memory_create(uint64_t **data_gpu, uint64_t num_entries,
                   uint64_t num_gpus);

/* Give back all that memory_create took. The current device stays. */
void memory_destroy(uint64_t **data_gpu, uint64_t num_gpus);

/*
 * Decrypt @num_entries entries on @num_gpus GPUs, all of them at the same
 * time: each part is copied to its GPU, decrypted there and copied back. All
 * the work is done when the function returns, and the current device is the
 * same as before. May be called again on other entries.
 *
 * @data_host  pinned; in: encrypted entries, out: decrypted entries
 * @data_gpu   as memory_create made it, for the same two numbers
 * @num_iters  rounds of the cipher per entry, as decrypt_gpu takes it
 * @num_gpus   devices 0 .. @num_gpus-1; the machine may have more
 */
void decrypt_on_gpus(uint64_t *data_host, uint64_t *const *data_gpu,
                     uint64_t num_entries, uint64_t num_iters,
                     uint64_t num_gpus);

#endif
