// gpus: 2
/*
 * thread_current_device.cu: the current device belongs to the host thread
 * and is 0 in a new one.
 * Source: Runtime API, Device Management, cudaSetDevice.
 */
#include "fact.h"
#include <pthread.h>

struct view {
    int at_start;
    int after_set;
    int pointer_device;
};

static void *other_thread(void *data)
{
    struct view *view = (struct view *)data;
    struct cudaPointerAttributes a;
    void *memory = NULL;

    MUST(cudaGetDevice(&view->at_start));
    MUST(cudaSetDevice(1));
    MUST(cudaGetDevice(&view->after_set));
    MUST(cudaMalloc(&memory, 64));
    MUST(cudaPointerGetAttributes(&a, memory));
    view->pointer_device = a.device;
    MUST(cudaFree(memory));
    return NULL;
}

int main(void)
{
    struct view view = {-1, -1, -1};
    pthread_t thread;
    int device = -1;

    fact_need_gpus(2);
    MUST(cudaSetDevice(0));
    pthread_create(&thread, NULL, other_thread, &view);
    pthread_join(thread, NULL);
    fact_int("new_thread_at_start", view.at_start);
    fact_int("new_thread_after_set", view.after_set);
    fact_int("new_thread_allocates_on", view.pointer_device);
    MUST(cudaGetDevice(&device));
    fact_int("main_thread_keeps", device);
    MUST(cudaSetDevice(1));
    pthread_create(&thread, NULL, other_thread, &view);
    pthread_join(thread, NULL);
    fact_int("new_thread_while_main_uses_1", view.at_start);
    return 0;
}
