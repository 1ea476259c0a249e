/*
 * threads_wait_in_turn.cu: while one host thread waits for long work, another
 * one queues and waits for short work several times: all of it runs meanwhile.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

__global__ void spin(int *sum, int rounds)
{
    int s = *sum;

    for (int i = 0; i < rounds; i++)
        s = s * 3 + 1;
    *sum = s;
}

struct worker {
    int *sum, times, rounds;
    double begin_s, end_s;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *work(void *data)
{
    struct worker *w = (struct worker *)data;
    cudaStream_t stream;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    w->begin_s = now_s();
    for (int i = 0; i < w->times; i++) {
        spin<<<1, 1, 0, stream>>>(w->sum, w->rounds);
        cudaStreamSynchronize(stream);
    }
    w->end_s = now_s();
    cudaStreamDestroy(stream);
    return NULL;
}

int main(void)
{
    struct worker w[2] = {{NULL, 1, 400000, 0, 0}, {NULL, 5, 2000, 0, 0}};
    pthread_t thread[2];

    for (int i = 0; i < 2; i++) {
        cudaMalloc((void **)&w[i].sum, sizeof(int));
        cudaMemset(w[i].sum, 0, sizeof(int));
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &w[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("five short ones took %s than the long one\n",
           w[1].end_s - w[1].begin_s < (w[0].end_s - w[0].begin_s) / 4
               ? "far less"
               : "no less");
    for (int i = 0; i < 2; i++)
        cudaFree(w[i].sum);
    return 0;
}
