/* lab.h: a lab of several GPUs that only the grader's own tests have. */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/*
 * Decrypt on all GPUs. GPU g has the entries from g * part on, part is
 * num_streams chunks, a chunk is num_entries / (num_gpus * num_streams),
 * rounded up. All the work is done when the function returns.
 *
 * @data_gpu  [gpu]: memory for that GPU's part
 * @streams   [gpu][stream]
 */
void decrypt_on_all(uint64_t *data_host, uint64_t *const *data_gpu,
                    uint64_t num_entries, uint64_t num_iters,
                    cudaStream_t *const *streams, uint64_t num_gpus,
                    uint64_t num_streams);

#endif
