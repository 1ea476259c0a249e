/* helper.h: sdiv, host memory and two timers, for every lab and driver. */
#ifndef HELPER_H
#define HELPER_H

#include <stdint.h>
#include <time.h>

#include <cuda_runtime.h>

/*
 * Divide and round up: how many boxes of @b hold @a things.
 * sdiv(10, 3) is 4, sdiv(9, 3) is 3, sdiv(0, 3) is 0. @b must not be 0.
 * Right for every @a: the usual (a + b - 1) / b overflows near 2^64.
 */
uint64_t sdiv(uint64_t a, uint64_t b);

/*
 * Ordinary memory of the host for @count elements of @size bytes, all zero.
 * Never NULL: without memory it ends the program and says so. Give it back
 * with free().
 */
void *host_array(uint64_t count, size_t size);

/*
 * The host's clock: what a person waits for. It knows nothing of the GPU, so
 * synchronise before the stop, or only the launches are timed, and before the
 * start, or earlier work is timed with it. On the virtual GPU it is virtual.
 *
 *     struct host_timer timer;
 *     host_timer_start(&timer);
 *     ...
 *     CHECK(cudaDeviceSynchronize());
 *     double ms = host_timer_stop(&timer);
 */
struct host_timer {
    struct timespec start;
};

void host_timer_start(struct host_timer *timer);
/* Return: milliseconds since the start. May be asked more than once. */
double host_timer_stop(const struct host_timer *timer);

/*
 * The GPU's clock: the time between two points of one stream, on the device
 * that is current at create. Every function ends the program on a CUDA error.
 */
struct event_timer {
    cudaEvent_t start;
    cudaEvent_t stop;
};

void event_timer_create(struct event_timer *timer);
void event_timer_start(struct event_timer *timer, cudaStream_t stream);
/* Waits until @stream gets here. Return: milliseconds since the start. */
double event_timer_stop(struct event_timer *timer, cudaStream_t stream);
void event_timer_destroy(struct event_timer *timer);

#endif
