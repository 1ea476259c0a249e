/*
 * after_free.cu: what a copy takes after another process gave back all of the
 * device's memory. Prints the time before, and for how long copies are slower.
 * It is why lab 15's driver waits before it lets other gradings measure.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "helper.h"

#define BYTES   ((size_t)64 << 20)
#define LEFT    ((size_t)1 << 30)
#define WATCHED 1000.0 /* ms */

/* Take all memory but LEFT, and give it back at once. */
static void fill_and_free(void)
{
    struct host_timer timer;
    size_t available, total;
    double filled_ms;
    void *filler;

    CHECK(cudaMemGetInfo(&available, &total));
    host_timer_start(&timer);
    CHECK(cudaMalloc(&filler, available - LEFT));
    filled_ms = host_timer_stop(&timer);
    host_timer_start(&timer);
    CHECK(cudaFree(filler));
    printf("cudaMalloc of %.1f GB %.1f ms, cudaFree %.1f ms\n",
           (double)(available - LEFT) / 1e9, filled_ms,
           host_timer_stop(&timer));
}

static double copy_ms(void *device, const void *host)
{
    struct host_timer timer;

    host_timer_start(&timer);
    CHECK(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
    return host_timer_stop(&timer);
}

/* Copies until WATCHED: how slow at most, and until when. */
static void watch(void *device, const void *host, double usual_ms)
{
    struct host_timer timer;
    double most_ms = 0, slow_until_ms = 0;

    host_timer_start(&timer);
    while (host_timer_stop(&timer) < WATCHED) {
        const double ms = copy_ms(device, host);

        most_ms = ms > most_ms ? ms : most_ms;
        if (ms > 1.1 * usual_ms)
            slow_until_ms = host_timer_stop(&timer);
    }
    printf("a copy of %zu MiB: %.3f ms before, %.3f ms at most after it; slow "
           "for %.0f ms\n",
           BYTES >> 20, usual_ms, most_ms, slow_until_ms);
}

/* The other process: one byte asks for a turn, one says that it is done. */
static void serve(int asked, int done)
{
    char byte;

    CHECK(cudaFree(NULL));
    while (read(asked, &byte, 1) == 1) {
        fill_and_free();
        fflush(stdout);
        if (write(done, &byte, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

int main(void)
{
    int ask[2], done[2];
    void *host, *device;

    if (pipe(ask) != 0 || pipe(done) != 0)
        return 1;
    if (fork() == 0) {
        close(ask[1]);
        serve(ask[0], done[1]);
    }
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    for (int turn = 0; turn < 3; turn++) {
        double usual_ms = copy_ms(device, host);
        char byte = 0;

        for (int i = 0; i < 20; i++) {
            const double ms = copy_ms(device, host);

            usual_ms = ms < usual_ms ? ms : usual_ms;
        }
        if (write(ask[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
            return 1;
        watch(device, host, usual_ms);
    }
    close(ask[1]);
    wait(NULL);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return 0;
}
