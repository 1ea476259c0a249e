/*
 * lab.h: what lab.cu offers to the program that grades it, and what it finds
 * there. Read it, do not change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* ---- lab.cu offers ------------------------------------------------------- */

/*
 * Take new memory of the host for @num_entries entries (1 or more): copies
 * from it run at the full rate of the link and do not hold the host.
 */
uint64_t *buffer_new(uint64_t num_entries);

/* Give it back. */
void buffer_free(uint64_t *buffer);

/*
 * Bring batches to the device: for each, batch_fill puts it into the buffer,
 * from where it is copied, and host_work is called once. Everything is done
 * when the function returns.
 *
 * @data_device  memory of the device for all batches, one after the other
 * @buffer       memory of the host for one batch. Somebody else took it with
 *               malloc and keeps it: it is pageable before and after.
 * @num_entries  of one batch, 1 or more
 * @num_batches  1 or more
 */
void upload_batches(uint64_t *data_device, uint64_t *buffer,
                    uint64_t num_entries, uint64_t num_batches);

/*
 * Bring batches to the device from two buffers: one is filled while the other
 * is copied. host_work is not called; to fill a buffer takes the host about as
 * long as a copy. Everything is done when the function returns.
 *
 * @buffers  two of them, pinned, each for one batch
 */
void upload_double_buffered(uint64_t *data_device, uint64_t *const *buffers,
                            uint64_t num_entries, uint64_t num_batches);

/* ---- lab.cu calls -------------------------------------------------------- */

/* Write batch number @batch to the buffer. Nothing else may use it then. */
void batch_fill(uint64_t *buffer, uint64_t num_entries, uint64_t batch);

/* The host's own work beside a batch. It has nothing to do with the buffer. */
void host_work(uint64_t batch);

#endif
