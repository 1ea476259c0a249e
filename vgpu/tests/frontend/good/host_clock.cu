// A host thread that waits for another goes on when that one has let it, by
// whatever they use: virtual time goes from one to the other.
#include <atomic>
#include <climits>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdio.h>
#include <thread>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static double ms()
{
    timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static volatile unsigned long sink;

// Some 3 ms of the host's.
static void work()
{
    unsigned long sum = 0;

    for (unsigned long i = 0; i < 2000000; i++)
        sum += i * i;
    sink = sum;
}

__global__ void slow(float *x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x[threadIdx.x] = x[threadIdx.x] * 1.0001f + 0.5f;
}

static double begun, given, taken;

// @give lets @take go on, who would else be there at once. Not before, and soon.
template <class G, class T> static void try_it(const char *how, G give, T take)
{
    begun = ms();
    std::thread other([&] { take(); taken = ms(); });
    work();
    given = ms();
    give();
    other.join();
    printf("%s: %s\n", how,
           taken < given         ? "too early"
           : taken > given + 0.1 ? "too late"
           : ms() < taken        ? "joined too early"
                                 : "then");
}

static std::mutex mutex_;
static std::condition_variable condition;
static bool ready;

// One after the other: as long as both, although two threads do it.
static void turns()
{
    sem_t mine, theirs;
    double begin;

    sem_init(&mine, 0, 1);
    sem_init(&theirs, 0, 0);
    begin = ms();
    std::thread other([&] {
        for (int i = 0; i < 3; i++) {
            sem_wait(&theirs);
            work();
            sem_post(&mine);
        }
    });
    for (int i = 0; i < 3; i++) {
        sem_wait(&mine);
        work();
        sem_post(&theirs);
    }
    other.join();
    printf("six in turns: %.1f of one\n", (ms() - begin) / (given - begun));
    begin = ms();
    std::thread at_once([] { for (int i = 0; i < 3; i++) work(); });
    for (int i = 0; i < 3; i++)
        work();
    at_once.join();
    printf("at the same time: %.1f of one\n", (ms() - begin) / (given - begun));
}

// A host function that wakes who waits is waited for like any work.
static void functions()
{
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    sem_t semaphore;
    float *x;
    double begin, kernel, both;

    sem_init(&semaphore, 0, 0);
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    slow<<<1, 32>>>(x, 100000);
    cudaDeviceSynchronize();
    begin = ms();
    slow<<<1, 32>>>(x, 100000);
    cudaDeviceSynchronize();
    kernel = ms() - begin;
    begin = ms();
    slow<<<1, 32>>>(x, 100000);
    cudaLaunchHostFunc(0, [](void *at) { ((std::promise<void> *)at)->set_value(); },
                       &promise);
    future.wait();
    printf("a function's promise: %s\n",
           ms() - begin > 0.95 * kernel && ms() - begin < 1.1 * kernel + 0.1
               ? "then" : "not then");
    begin = ms();
    slow<<<1, 32>>>(x, 100000);
    cudaLaunchHostFunc(0, [](void *at) { sem_post((sem_t *)at); }, &semaphore);
    work();
    sem_wait(&semaphore);
    both = ms() - begin;
    cudaDeviceSynchronize();
    printf("a kernel, a function and the host: %s\n",
           both < 1.05 * (kernel > given - begun ? kernel : given - begun) + 0.1
               ? "at once" : "in turns");
    cudaFree(x);
}

static void *nothing(void *data)
{
    return data;
}

int main()
{
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::atomic<int> flag{0}, count{0};
    std::shared_mutex shared;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    std::once_flag once;
    sem_t semaphore;
    mtx_t mutex;
    cnd_t signal;
    pthread_attr_t least;
    pthread_t one;
    int ends[2];
    ssize_t n;

    cudaFree(0);
    try_it("promise", [&] { promise.set_value(); }, [&] { future.wait(); });
    try_it("flag", [&] { flag = 1; }, [&] { while (!flag.load()) ; });
    try_it("flag, yielding", [&] { flag = 2; },
           [&] { while (flag < 2) std::this_thread::yield(); });
    try_it("condition", [&] {
        std::lock_guard<std::mutex> guard(mutex_);
        ready = true;
        condition.notify_all();
    }, [&] {
        std::unique_lock<std::mutex> guard(mutex_);
        condition.wait(guard, [] { return ready; });
    });
    ready = false;
    try_it("condition, for a time", [&] {
        { std::lock_guard<std::mutex> guard(mutex_); ready = true; }
        condition.notify_one();
    }, [&] {
        std::unique_lock<std::mutex> guard(mutex_);
        condition.wait_for(guard, std::chrono::seconds(60), [] { return ready; });
    });
    mutex_.lock();
    try_it("mutex", [&] { mutex_.unlock(); },
           [&] { mutex_.lock(); mutex_.unlock(); });
    shared.lock();
    try_it("shared mutex", [&] { shared.unlock(); },
           [&] { shared.lock_shared(); shared.unlock_shared(); });
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    try_it("spinlock", [&] { pthread_spin_unlock(&spin); },
           [&] { pthread_spin_lock(&spin); });
    sem_init(&semaphore, 0, 0);
    try_it("semaphore", [&] { sem_post(&semaphore); }, [&] { sem_wait(&semaphore); });
    pthread_barrier_init(&barrier, NULL, 2);
    try_it("barrier", [&] { pthread_barrier_wait(&barrier); },
           [&] { pthread_barrier_wait(&barrier); });
    if (pipe(ends) != 0)
        return 1;
    try_it("pipe", [&] { n = write(ends[1], "x", 1); },
           [&] { char c; n = read(ends[0], &c, 1); });
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    try_it("sockets", [&] { n = send(ends[1], "x", 1, 0); },
           [&] { char c; n = recv(ends[0], &c, 1, 0); });
    ends[0] = eventfd(0, 0);
    try_it("eventfd", [&] { eventfd_write(ends[0], 1); },
           [&] { eventfd_t value; eventfd_read(ends[0], &value); });
    pthread_attr_init(&least);
    pthread_attr_setstacksize(&least, PTHREAD_STACK_MIN);
    n = pthread_create(&one, &least, nothing, NULL);
    printf("the least stack: %s\n", n ? "no thread" : "a thread");
    pthread_join(one, NULL);
    mtx_init(&mutex, mtx_plain);
    cnd_init(&signal);
    ready = false;
    try_it("C11's condition", [&] {
        mtx_lock(&mutex);
        ready = true;
        cnd_signal(&signal);
        mtx_unlock(&mutex);
    }, [&] {
        mtx_lock(&mutex);
        while (!ready)
            cnd_wait(&signal, &mutex);
        mtx_unlock(&mutex);
    });
    std::thread first([&] { std::call_once(once, [] { work(); }); });
    std::thread second([&] {
        std::call_once(once, [] { work(); });
        taken = ms();
    });
    first.join();
    second.join();
    printf("once: %s\n", ms() <= taken + 0.1 ? "then" : "too early");
    turns();
    functions();
    std::thread all[4];
    for (std::thread &one : all)
        one = std::thread([&] { for (int i = 0; i < 2000; i++) count++; });
    for (std::thread &one : all)
        one.join();
    printf("%d\n", count.load());
    return 0;
}
