/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/*
 * Memory of the host for @num_entries entries, fit for copies that overlap
 * with other work. The caller gives it back with host_memory_free.
 */
uint64_t *host_memory_new(uint64_t num_entries);
void host_memory_free(uint64_t *memory);

/*
 * Decrypt @num_entries entries: one chunk per stream, each chunk copied to
 * the device, decrypted there and copied back in its own stream. All the work
 * is done when the function returns.
 *
 * @data_host    from host_memory_new; in: encrypted, out: decrypted entries
 * @data_device  memory of the device for exactly @num_entries entries
 * @num_entries  a multiple of @num_streams, not 0
 * @num_iters    rounds of the cipher per entry, as decrypt_gpu takes it
 * @streams      @num_streams streams, made and destroyed by the caller
 * @num_streams  1 or more
 */
void decrypt_in_chunks(uint64_t *data_host, uint64_t *data_device,
                       uint64_t num_entries, uint64_t num_iters,
                       const cudaStream_t *streams, uint64_t num_streams);

#endif
