/*
 * openmp.cu: eight workers by one host thread, by POSIX threads and by OpenMP.
 * Not graded. On a GPU, from the project's folder:
 *
 *     nvcc -O2 -arch=native -Icommon -Xcompiler -fopenmp \
 *         --default-stream per-thread labs/05_default_stream/openmp.cu \
 *         common/helper.cu -o build/openmp && build/openmp
 *
 * On the virtual one: build/bin/vgpucc in place of nvcc. Then build it with
 * --default-stream legacy, and compare.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cipher_entry.h"
#include "helper.h"

enum { WORKERS = 8, ENTRIES = 64, ITERS = 200000 };

static uint64_t *data;

__global__ void work_gpu(uint64_t *entries, uint64_t num_iters)
{
    entries[threadIdx.x] = decrypt_entry(entries[threadIdx.x], num_iters);
}

/* No stream is named: with the option it is the calling thread's own. */
static void work(int worker)
{
    work_gpu<<<1, ENTRIES>>>(data + worker * ENTRIES, ITERS);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(0));
}

static void by_one_thread(void)
{
    for (int w = 0; w < WORKERS; w++)
        work(w);
}

static void *thread_run(void *number)
{
    work(*(const int *)number);
    return NULL;
}

static void by_pthreads(void)
{
    pthread_t threads[WORKERS];
    int numbers[WORKERS];

    for (int w = 0; w < WORKERS; w++) {
        numbers[w] = w;
        if (pthread_create(&threads[w], NULL, thread_run, &numbers[w]) != 0)
            abort(); // the system has no thread left
    }
    for (int w = 0; w < WORKERS; w++)
        if (pthread_join(threads[w], NULL) != 0)
            abort();
}

/* The loop's end is the join: nobody goes on before all threads are there. */
static void by_openmp(void)
{
#pragma omp parallel for num_threads(WORKERS)
    for (int w = 0; w < WORKERS; w++)
        work(w);
}

static void show(const char *name, void (*run)(void))
{
    struct host_timer timer;

    run(); // threads and streams are made, the kernel is loaded
    host_timer_start(&timer);
    run();
    printf("%-14s %7.3f ms\n", name, host_timer_stop(&timer));
}

int main(void)
{
    const size_t bytes = WORKERS * ENTRIES * sizeof *data;

    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    show("one thread", by_one_thread);
    show("POSIX threads", by_pthreads);
    show("OpenMP", by_openmp);
    CHECK(cudaFree(data));
    return 0;
}
