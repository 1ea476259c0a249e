/* pool.h: a pool of stream-ordered memory, for pool.c and pool_attribute.c */
#ifndef VGPU_RUNTIME_POOL_H
#define VGPU_RUNTIME_POOL_H

#include "rt.h"

struct spare; /* bytes that were freed and that the pool still holds */

/* Counts only: the bytes are the arena's (memory.c), so that a pool that is
 * destroyed leaves no memory without an owner. What is reserved is what is used
 * and what is spare; the device counts it as used. */
struct pool {
    int device;
    bool own;       /* made by cudaMemPoolCreate */
    uint64_t most;  /* bytes; 0: as many as the device has */
    uint64_t peers; /* bit d: device d may use its memory, too */
    uint64_t release_threshold;
    uint64_t used, used_high;
    uint64_t reserved, reserved_high;
    struct spare *spares; /* oldest first */
    int no_reuse[4];
    struct pool *next;
};

/* Handles are addresses: one that is in no list is refused and not followed.
 * Return: NULL for those. */
struct pool *vgpu_pool_find(cudaMemPool_t handle);

/* What is ready, and what cudaFree freed, goes back to the device, as long as
 * @pool has more than @keep bytes. Return: whether there was any. */
bool vgpu_pool_trim(struct pool *pool, uint64_t keep);

#endif
