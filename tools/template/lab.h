/* lab.h: what the grader calls in lab NN, and what it promises */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

/*
 * Add 1 to each of @n values. Returns when they are back.
 * @host    pinned memory
 * @device  room for them
 * @stream  where all of it belongs
 */
void add_one(uint64_t *host, uint64_t *device, uint64_t n, cudaStream_t stream);

#endif
