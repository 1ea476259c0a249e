/*
 * cipher.h: the application of the labs. The host encrypts, the GPU decrypts.
 * What happens to one entry stands in cipher_entry.h.
 */
#ifndef CIPHER_H
#define CIPHER_H

#include <stdint.h>

#include <cuda_runtime.h>

#include "cipher_entry.h"

/*
 * Encrypt or decrypt @num_entries entries of host memory in place with
 * @num_iters rounds each, on all cores of the host. Returns when done.
 */
void encrypt_host(uint64_t *data, uint64_t num_entries, uint64_t num_iters);
void decrypt_host(uint64_t *data, uint64_t num_entries, uint64_t num_iters);

/*
 * Decrypt entries 0 .. num_entries-1 of device memory in place. A grid-stride
 * loop: right with any grid and any block, @num_entries 0 included.
 *
 *     decrypt_gpu<<<decrypt_blocks(n), DECRYPT_THREADS, 0, stream>>>(
 *         data_device, n, num_iters);
 */
__global__ void decrypt_gpu(uint64_t *data, uint64_t num_entries,
                            uint64_t num_iters);

#define DECRYPT_THREADS 256 /* per block */

/*
 * How many blocks of DECRYPT_THREADS to launch for @num_entries: enough for
 * one thread per entry, but no more than fill the current device at once.
 * Return: 0 for no entries. A launch of 0 blocks is an error
 * (cudaErrorInvalidValue), so launch nothing where there is nothing to do.
 */
unsigned decrypt_blocks(uint64_t num_entries);

#endif
