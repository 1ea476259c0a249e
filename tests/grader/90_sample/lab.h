/* lab.h: a lab of cases that only the grader's own tests have. */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/* Add 1 to each of @n values on the device, in @stream; returns at once. */
void add_one(uint32_t *values, uint32_t n, cudaStream_t stream);

/* Copy engines that the device has. */
int count_copy_engines(void);

#endif
