/*
 * host_waits.cu: queued work goes on while the host makes no CUDA call: it
 * spins on a flag that a host function, a kernel or a copy sets, sleeps, or
 * waits for a condition variable, a semaphore, a future. Source: guide,
 * "Asynchronous Concurrent Execution"; Runtime API, Execution Control,
 * cudaLaunchHostFunc.
 */
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore.h>

#include "fact.h"

static std::atomic<int> counter;
static volatile int marked;
static int data;
static sem_t posted;
static std::promise<int> promised;
static std::mutex lock;
static std::condition_variable changed;
static bool ready;

static void CUDART_CB count(void *amount)
{
    data += *(const int *)amount;
    counter.fetch_add(1);
}

static void CUDART_CB mark(cudaStream_t, cudaError_t, void *)
{
    usleep(2000);
    marked = 1;
}

static void CUDART_CB post(void *)
{
    sem_post(&posted);
}

static void CUDART_CB promise(void *)
{
    promised.set_value(17);
}

static void CUDART_CB notify(void *)
{
    std::lock_guard<std::mutex> guard(lock);

    ready = true;
    changed.notify_one();
}

__global__ static void tell(volatile int *flag, int *value)
{
    *value = 23;
    __threadfence_system();
    *flag = 1;
}

static void flags(cudaStream_t s, int *pinned, int *memory)
{
    volatile int *const flag = pinned;
    static const int amounts[3] = {1, 2, 4};

    fact_slow_ms(s, 5);
    for (int i = 0; i < 3; i++)
        MUST(cudaLaunchHostFunc(s, count, (void *)&amounts[i]));
    while (counter.load() < 3)
        ;
    fact_int("functions_together", data);

    *flag = 0;
    fact_slow_ms(s, 5);
    tell<<<1, 1, 0, s>>>(pinned, pinned + 1);
    while (!*flag)
        ;
    std::atomic_thread_fence(std::memory_order_acquire);
    fact_int("kernel_told", ((volatile int *)pinned)[1]);

    *flag = 0;
    MUST(cudaMemsetAsync(memory, 1, sizeof(int), s));
    MUST(cudaMemcpyAsync(pinned, memory, sizeof(int), cudaMemcpyDeviceToHost,
                         s));
    while (!*flag)
        ;
    fact_int("copy_arrived", *flag);
}

int main(void)
{
    int *pinned, *memory;
    cudaStream_t s;

    fact_warm_up();
    MUST(cudaHostAlloc((void **)&pinned, 2 * sizeof(int), cudaHostAllocMapped));
    MUST(cudaMalloc((void **)&memory, sizeof(int)));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    sem_init(&posted, 0, 0);
    tell<<<1, 1, 0, s>>>(pinned, pinned + 1);
    MUST(cudaStreamSynchronize(s));
    flags(s, pinned, memory);

    MUST(cudaStreamAddCallback(s, mark, NULL, 0));
    while (!marked)
        usleep(100);
    fact_yes("sleeper_saw_callback", marked);
    fact_slow_ms(s, 5);
    MUST(cudaLaunchHostFunc(s, post, NULL));
    fact_int("semaphore", sem_wait(&posted));
    fact_slow_ms(s, 5);
    MUST(cudaLaunchHostFunc(s, promise, NULL));
    fact_int("future", promised.get_future().get());
    fact_slow_ms(s, 5);
    MUST(cudaLaunchHostFunc(s, notify, NULL));
    {
        std::unique_lock<std::mutex> guard(lock);

        changed.wait(guard, [] { return ready; });
    }
    fact_yes("condition", ready);
    fact_error("synchronize", cudaStreamSynchronize(s));
    return 0;
}
