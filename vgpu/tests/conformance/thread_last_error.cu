/*
 * thread_last_error.cu: the last error belongs to the host thread.
 * Source: Runtime API, Error Handling, cudaGetLastError.
 */
#include "fact.h"
#include <pthread.h>

static cudaError_t seen_at_start, seen_own;

static void *other_thread(void *data)
{
    (void)data;
    seen_at_start = cudaGetLastError();
    cudaStreamDestroy(NULL);
    seen_own = cudaPeekAtLastError();
    return NULL;
}

int main(void)
{
    pthread_t thread;

    MUST(cudaFree(NULL));
    fact_error("provoked_in_main", cudaSetDevice(99));
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    fact_error("other_thread_at_start", seen_at_start);
    fact_error("other_thread_own_error", seen_own);
    fact_last("main_still_has_its_own");
    fact_last("main_is_clear_then");
    return 0;
}
