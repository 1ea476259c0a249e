/* helper.cu: round-up division, host memory and two timers. See helper.h. */
#include "helper.h"

#include <inttypes.h>
#include <stdlib.h>

#include "check.h"

uint64_t sdiv(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

void *host_array(uint64_t count, size_t size)
{
    // One at least: of nothing, calloc may return NULL.
    void *const array = calloc(count ? count : 1, size);

    if (!array) {
        fprintf(stderr, "out of memory: %" PRIu64 " elements of %zu bytes\n",
                count, size);
        exit(EXIT_FAILURE);
    }
    return array;
}

void host_timer_start(struct host_timer *timer)
{
    clock_gettime(CLOCK_MONOTONIC, &timer->start);
}

double host_timer_stop(const struct host_timer *timer)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - timer->start.tv_sec) * 1e3 +
           (double)(now.tv_nsec - timer->start.tv_nsec) / 1e6;
}

void event_timer_create(struct event_timer *timer)
{
    CHECK(cudaEventCreate(&timer->start));
    CHECK(cudaEventCreate(&timer->stop));
}

void event_timer_start(struct event_timer *timer, cudaStream_t stream)
{
    CHECK(cudaEventRecord(timer->start, stream));
}

double event_timer_stop(struct event_timer *timer, cudaStream_t stream)
{
    float ms;

    CHECK(cudaEventRecord(timer->stop, stream));
    CHECK(cudaEventSynchronize(timer->stop));
    CHECK(cudaEventElapsedTime(&ms, timer->start, timer->stop));
    return ms;
}

void event_timer_destroy(struct event_timer *timer)
{
    CHECK(cudaEventDestroy(timer->start));
    CHECK(cudaEventDestroy(timer->stop));
}
