/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/*
 * Decrypt a message in two parts at the same time, one on the GPU and one on
 * the host. Both are decrypted when the function returns.
 *
 * @gpu_part     out: @num_gpu decrypted entries; pinned memory of the host, so
 *               that a copy to it does not hold the host
 * @data_device  memory of the device; in: the GPU's part, encrypted
 * @num_gpu      1 or more
 * @host_part    @num_host entries; in: encrypted, out: decrypted
 * @num_host     1 or more
 * @num_iters    rounds of the cipher per entry
 * Return: the sum of all decrypted entries of both parts. It may overflow.
 */
uint64_t decrypt_together(uint64_t *gpu_part, uint64_t *data_device,
                          uint64_t num_gpu, uint64_t *host_part,
                          uint64_t num_host, uint64_t num_iters);

struct kernel_times {
    double launch_ms; /* for which the launch held the host */
    double kernel_ms; /* for which the kernel kept the GPU busy */
};

/*
 * Measure one run of decrypt_gpu. The kernel is done when the function
 * returns.
 *
 * @data_device  memory of the device; the kernel works on it. Work from
 *               before may still be running: it does not count.
 */
void time_kernel(struct kernel_times *times, uint64_t *data_device,
                 uint64_t num_entries, uint64_t num_iters);

#endif
