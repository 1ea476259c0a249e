/*
 * threads.cu: random programs of several host threads and streams, in which
 * every two uses of the same memory are ordered: no hazard may be reported.
 * Then one order is taken out, if that leaves two uses without any: a hazard
 * must be.
 *
 *     fuzz_threads --seconds N [--seed N]     each plan in a process of its own
 *     fuzz_threads --plan SEED [--without N]  one of them; --print: what it
 * does
 *
 * A plan is a list of steps in one order that is possible. A step that would
 * use memory without order gets the orders that it lacks first: a hand-over
 * from one thread to another, a wait for a stream, or an event between streams.
 * What follows from a plan is worked out from its steps alone (simulate), never
 * from the virtual GPU.
 */
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { THREADS = 4, STREAMS = 3, BLOCKS = 4, BLOCK = 256, STEPS = 60 };

enum action { HOST, COPY, HAND, WAIT, EVENT };

/* How one thread tells another. Of locks and barriers who takes may be the
 * first there, and gives, too. So it is where libstdc++ counts who waits: who
 * wakes them reads that. */
enum way {
    CONDITION,
    LOCKED,
    SHARED,
    RWLOCK,
    SPIN,
    ANY_CONDITION,
    BARRIER,
    LATCH,
    COUNTING,
    ATOMIC_WAIT,
    ATOMIC_FLAG,
    BOTH_WAYS, /* so many of them */
    SEMAPHORE = BOTH_WAYS,
    FLAG,
    PROMISE,
    EXCEPTION,
    TASK,
    FENCES,
    EXCHANGE,
    FUTEX,
    STOP,
    ONCE,
    EVENTFD,
    PIPE,
    WAYS
};
static const char *const ways[] = {"condition",
                                   "mutex and flag",
                                   "shared mutex",
                                   "rwlock",
                                   "spin lock",
                                   "condition of any lock",
                                   "barrier",
                                   "latch",
                                   "counting semaphore",
                                   "atomic wait",
                                   "atomic flag",
                                   "semaphore",
                                   "flag",
                                   "promise",
                                   "exception",
                                   "packaged task",
                                   "fences",
                                   "exchange",
                                   "futex",
                                   "stop token",
                                   "call once",
                                   "eventfd",
                                   "pipe"};
static_assert(sizeof ways / sizeof *ways == WAYS);

struct step {
    enum action action;
    int thread; /* who does it; HAND: who takes */
    int from;   /* HAND: who gives; EVENT: the stream */
    int stream, block;
    bool writes; /* the block of host memory */
    int way;     /* HAND */
};

static struct step steps[STEPS];
static int count;
static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* ---- what is ordered, by the steps alone --------------------------------- */

typedef uint64_t set; /* of steps */

static set bit(int step)
{
    return (set)1 << step;
}

/* What each step comes after, and what each thread and stream knows. */
struct order {
    set before[STEPS], thread[THREADS], stream[STREAMS];
    set recorded[STEPS]; /* EVENT: what its record comes after */
    int last[STREAMS];   /* the newest of a stream's copies and events, or -1 */
    bool sure;           /* whose copy comes first in a stream is no chance */
    bool both; /* who takes may be the first at the mutex, and gives, too */
};

static void order_begin(struct order *order, bool both)
{
    memset(order, 0, sizeof *order);
    order->both = both;
    for (int &last : order->last)
        last = -1;
    order->sure = true;
}

/* A wait for a stream is one for what the thread knows to be in it. */
static set known_of(const struct order *order, int stream, set knows)
{
    set known = 0;

    for (int i = 0; i < count; i++) {
        if (!(knows & bit(i)))
            continue;
        if (steps[i].action == EVENT && steps[i].from == stream)
            known |= order->recorded[i];
        if (steps[i].stream == stream)
            known |= order->before[i] | (steps[i].action == COPY ? bit(i) : 0);
    }
    return known;
}

/* A copy's own bit stands for its call, too, in what threads know: a thread
 * that knows of the call and has not waited has it in `calls` alone. */
static set calls[THREADS];

/* Step @i is the newest in @stream, behind what its thread may not know of. */
static void put(struct order *order, int stream, int i)
{
    const int thread = steps[i].thread;

    if (order->last[stream] >= 0 && order->last[stream] != i &&
        !(calls[thread] & bit(order->last[stream])))
        order->sure = false;
    order->last[stream] = i;
    calls[thread] |= bit(i);
}

static void order_step(struct order *order, int i)
{
    const struct step *s = &steps[i];
    set *const mine = &order->thread[s->thread];

    order->before[i] = *mine;
    switch (s->action) {
    case HOST:
        *mine |= bit(i);
        break;
    case COPY:
        put(order, s->stream, i);
        order->before[i] |= order->stream[s->stream];
        order->stream[s->stream] = order->before[i] | bit(i);
        break;
    case HAND:
        *mine |= order->thread[s->from];
        calls[s->thread] |= calls[s->from];
        if (order->both && s->way < BOTH_WAYS) {
            order->thread[s->from] = *mine;
            calls[s->from] = calls[s->thread];
        }
        break;
    case WAIT:
        *mine |= known_of(order, s->stream, calls[s->thread]);
        break;
    case EVENT:
        put(order, s->from, i);
        put(order, s->stream, i);
        order->stream[s->from] |= *mine;
        order->recorded[i] = order->stream[s->from];
        order->stream[s->stream] |= order->recorded[i];
        order->before[i] = order->stream[s->stream];
        break;
    }
}

static bool uses(const struct step *s)
{
    return s->action == HOST || s->action == COPY;
}

static bool conflict(int a, int b)
{
    return uses(&steps[a]) && uses(&steps[b]) &&
           steps[a].block == steps[b].block &&
           (steps[a].writes || steps[b].writes);
}

/* Return: is there a pair that nothing orders? */
static bool simulate(struct order *order, int without, bool both)
{
    bool racy = false;

    order_begin(order, both);
    memset(calls, 0, sizeof calls);
    for (int i = 0; i < count; i++) {
        if (i == without)
            continue;
        order_step(order, i);
        for (int j = 0; j < i; j++)
            racy = racy || (conflict(i, j) && !(order->before[i] & bit(j)));
    }
    return racy;
}

/* ---- making a plan ------------------------------------------------------- */

static void add(struct order *order, struct step step)
{
    steps[count] = step;
    order_step(order, count++);
}

static void hand(struct order *order, int from, int to)
{
    if (from != to)
        add(order, {HAND, to, from, 0, 0, false, (int)below(WAYS)});
}

/* Now @thread, or a copy of its in @stream (-1: none), comes after step @j. */
static void come_after(struct order *order, int thread, int stream, int j)
{
    const struct step *s = &steps[j];

    if (s->action == HOST || !(calls[thread] & bit(j)))
        hand(order, s->thread, thread);
    if (s->action == HOST)
        return;
    if (stream >= 0 && stream != s->stream && below(2)) {
        /* An event is recorded behind what others may add. */
        if (order->last[s->stream] >= 0 &&
            !(calls[thread] & bit(order->last[s->stream])))
            hand(order, steps[order->last[s->stream]].thread, thread);
        add(order, {EVENT, thread, s->stream, stream, 0, false, 0});
    } else if (stream != s->stream) {
        add(order, {WAIT, thread, 0, s->stream, 0, false, 0});
    }
}

static void use(struct order *order)
{
    const int thread = below(THREADS);
    const bool copies = below(2);
    const int stream = copies ? (int)below(STREAMS) : -1;
    const struct step step = {
        copies ? COPY : HOST, thread,        0, copies ? stream : 0,
        (int)below(BLOCKS),   below(2) != 0, 0};

    if (copies && order->last[stream] >= 0 &&
        !(calls[thread] & bit(order->last[stream])))
        hand(order, steps[order->last[stream]].thread, thread);
    for (int j = 0; j < count && count < STEPS - 4; j++) {
        const set knows =
            order->thread[thread] | (copies ? order->stream[stream] : 0);

        steps[count] = step;
        if (conflict(count, j) && !(knows & bit(j)))
            come_after(order, thread, stream, j);
    }
    if (count < STEPS - 4)
        add(order, step);
}

static void plan_make(uint64_t seed)
{
    struct order order;

    state = seed * 2654435761u + 1;
    count = 0;
    order_begin(&order, false);
    memset(calls, 0, sizeof calls);
    for (unsigned tries = 20 + below(20); tries && count < STEPS - 5; tries--)
        use(&order);
}

/* ---- running it ---------------------------------------------------------- */

static char *memory;
static char *device;
static cudaStream_t streams[STREAMS];
static cudaEvent_t events[STEPS];

/* One of each way for each step. */
static struct {
    sem_t semaphore;
    std::mutex mutex;
    std::shared_mutex shared;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    std::condition_variable condition;
    std::condition_variable_any any;
    bool ready;
    std::atomic<int> flag{0};
    std::promise<void> promise;
    std::packaged_task<void()> task{[] {}};
    std::latch latch{1};
    std::barrier<> barrier{2};
    std::counting_semaphore<4> counting{0};
    std::atomic_flag set;
    std::stop_source stop;
    std::once_flag once;
    int event, pipe[2];
} hands[STEPS];

static void hands_begin(int i)
{
    sem_init(&hands[i].semaphore, 0, 0);
    pthread_rwlock_init(&hands[i].rwlock, NULL);
    pthread_spin_init(&hands[i].spin, PTHREAD_PROCESS_PRIVATE);
    hands[i].event = eventfd(0, 0);
    if (pipe(hands[i].pipe))
        abort();
}

static void hands_end(int i)
{
    close(hands[i].event);
    close(hands[i].pipe[0]);
    close(hands[i].pipe[1]);
}

static long futex(std::atomic<int> *flag, int what, int value)
{
    return syscall(SYS_futex, (int *)flag, what, value, NULL, NULL, 0);
}

static void give_locked(int i)
{
    auto &hand = hands[i];

    switch (steps[i].way) {
    case CONDITION: {
        std::lock_guard<std::mutex> guard(hand.mutex);
        hand.ready = true;
        hand.condition.notify_all();
        break;
    }
    case LOCKED: {
        std::lock_guard<std::mutex> guard(hand.mutex);
        hand.ready = true;
        break;
    }
    case SHARED: {
        std::lock_guard<std::shared_mutex> guard(hand.shared);
        hand.ready = true;
        break;
    }
    case RWLOCK:
        pthread_rwlock_wrlock(&hand.rwlock);
        hand.ready = true;
        pthread_rwlock_unlock(&hand.rwlock);
        break;
    case SPIN:
        pthread_spin_lock(&hand.spin);
        hand.ready = true;
        pthread_spin_unlock(&hand.spin);
        break;
    case ANY_CONDITION: {
        std::lock_guard<std::shared_mutex> guard(hand.shared);
        hand.ready = true;
        hand.any.notify_one();
    }
    }
}

static void give(int i)
{
    auto &hand = hands[i];
    const uint64_t one = 1;

    switch (steps[i].way) {
    case SEMAPHORE:
        sem_post(&hand.semaphore);
        break;
    case FLAG:
        hand.flag.store(1, std::memory_order_release);
        break;
    case PROMISE:
        hand.promise.set_value();
        break;
    case EXCEPTION:
        hand.promise.set_exception(std::make_exception_ptr(i));
        break;
    case TASK:
        hand.task();
        break;
    case LATCH:
        hand.latch.count_down();
        break;
    case BARRIER:
        (void)hand.barrier.arrive();
        break;
    case COUNTING:
        hand.counting.release();
        break;
    case ATOMIC_WAIT:
        hand.flag.store(1, std::memory_order_release);
        hand.flag.notify_one();
        break;
    case FENCES:
        std::atomic_thread_fence(std::memory_order_release);
        hand.flag.store(1, std::memory_order_relaxed);
        break;
    case EXCHANGE:
        hand.flag.exchange(1, std::memory_order_acq_rel);
        break;
    case ATOMIC_FLAG:
        hand.set.test_and_set(std::memory_order_release);
        hand.set.notify_all();
        break;
    case FUTEX:
        hand.flag.store(1, std::memory_order_release);
        futex(&hand.flag, FUTEX_WAKE_PRIVATE, 1);
        break;
    case STOP:
        hand.stop.request_stop();
        break;
    case ONCE: /* the flag orders nothing: the second call does */
        std::call_once(hand.once, [] {});
        hand.flag.store(1, std::memory_order_relaxed);
        break;
    case EVENTFD:
    case PIPE:
        if (write(steps[i].way == PIPE ? hand.pipe[1] : hand.event, &one,
                  sizeof one) != sizeof one)
            abort();
        break;
    default:
        give_locked(i);
    }
}

static bool is_ready(int i)
{
    auto &hand = hands[i];
    bool ready;

    switch (steps[i].way) {
    case SHARED: {
        std::shared_lock<std::shared_mutex> guard(hand.shared);
        return hand.ready;
    }
    case RWLOCK:
        pthread_rwlock_rdlock(&hand.rwlock);
        ready = hand.ready;
        pthread_rwlock_unlock(&hand.rwlock);
        return ready;
    case SPIN:
        pthread_spin_lock(&hand.spin);
        ready = hand.ready;
        pthread_spin_unlock(&hand.spin);
        return ready;
    case FLAG:
        return hand.flag.load(std::memory_order_acquire);
    case FENCES:
    case ONCE:
        return hand.flag.load(std::memory_order_relaxed);
    case EXCHANGE: {
        int one = 1;

        return hand.flag.compare_exchange_strong(one, 2);
    }
    case STOP:
        return hand.stop.stop_requested();
    default:
        std::lock_guard<std::mutex> guard(hand.mutex);
        return hand.ready;
    }
}

static void take(int i)
{
    auto &hand = hands[i];
    uint64_t one;

    switch (steps[i].way) {
    case CONDITION: {
        std::unique_lock<std::mutex> guard(hand.mutex);
        hand.condition.wait(guard, [i] { return hands[i].ready; });
        break;
    }
    case ANY_CONDITION: {
        std::shared_lock<std::shared_mutex> guard(hand.shared);
        hand.any.wait(guard, [i] { return hands[i].ready; });
        break;
    }
    case SEMAPHORE:
        sem_wait(&hand.semaphore);
        break;
    case PROMISE:
        hand.promise.get_future().wait();
        break;
    case EXCEPTION:
        try {
            hand.promise.get_future().get();
        } catch (int) {
        }
        break;
    case TASK:
        hand.task.get_future().get();
        break;
    case LATCH:
        hand.latch.wait();
        break;
    case BARRIER:
        hand.barrier.arrive_and_wait();
        break;
    case COUNTING:
        hand.counting.acquire();
        break;
    case ATOMIC_WAIT:
        hand.flag.wait(0, std::memory_order_acquire);
        break;
    case ATOMIC_FLAG:
        hand.set.wait(false, std::memory_order_acquire);
        break;
    case FUTEX:
        while (!hand.flag.load(std::memory_order_acquire))
            futex(&hand.flag, FUTEX_WAIT_PRIVATE, 0);
        break;
    case EVENTFD:
    case PIPE:
        if (read(steps[i].way == PIPE ? hand.pipe[0] : hand.event, &one,
                 sizeof one) != sizeof one)
            abort();
        break;
    default:
        while (!is_ready(i))
            std::this_thread::yield();
        if (steps[i].way == FENCES)
            std::atomic_thread_fence(std::memory_order_acquire);
        if (steps[i].way == ONCE)
            std::call_once(hand.once, [] {});
    }
}

static char use_block(int block, bool writes)
{
    volatile char sum = 0;
    char *const at = memory + block * BLOCK;

    for (int i = 0; i < BLOCK; i++)
        if (writes)
            at[i] = (char)i;
        else
            sum = (char)(sum + at[i]);
    return sum;
}

static void do_step(int i)
{
    const struct step *s = &steps[i];
    char *const at = memory + s->block * BLOCK;
    char *const there = device + i * BLOCK; /* of no other step */

    switch (s->action) {
    case HOST:
        use_block(s->block, s->writes);
        break;
    case COPY:
        cudaMemcpyAsync(s->writes ? at : there, s->writes ? there : at, BLOCK,
                        cudaMemcpyDefault, streams[s->stream]);
        break;
    case HAND:
        take(i);
        break;
    case WAIT:
        cudaStreamSynchronize(streams[s->stream]);
        break;
    case EVENT:
        cudaEventRecord(events[i], streams[s->from]);
        cudaStreamWaitEvent(streams[s->stream], events[i], 0);
    }
}

static void do_all(int thread, int without)
{
    for (int i = 0; i < count; i++) {
        if (i == without)
            continue;
        if (steps[i].thread == thread)
            do_step(i);
        else if (steps[i].action == HAND && steps[i].from == thread)
            give(i);
    }
}

static int plan_run(int without)
{
    std::thread threads[THREADS];

    cudaMallocHost(&memory, BLOCKS * BLOCK);
    cudaMalloc(&device, STEPS * BLOCK);
    cudaMemset(device, 0, STEPS * BLOCK);
    memset(memory, 0, BLOCKS * BLOCK);
    for (cudaStream_t &stream : streams)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < STEPS; i++) {
        cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming);
        hands_begin(i);
    }
    cudaDeviceSynchronize();
    for (int t = 0; t < THREADS; t++)
        threads[t] = std::thread(do_all, t, without);
    for (std::thread &thread : threads)
        thread.join();
    cudaDeviceSynchronize();
    for (int i = 0; i < STEPS; i++) {
        cudaEventDestroy(events[i]);
        hands_end(i);
    }
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(memory);
    return 0;
}

static void plan_print(int without)
{
    static const char *const actions[] = {"uses", "copies", "takes", "waits",
                                          "event"};

    for (int i = 0; i < count; i++) {
        const struct step *s = &steps[i];

        printf("%2d%s thread %d %s", i, i == without ? " (left out)" : "",
               s->thread, actions[s->action]);
        if (uses(s))
            printf(" block %d%s", s->block, s->writes ? ", writes" : "");
        if (s->action == HAND)
            printf(" from thread %d, %s", s->from, ways[s->way]);
        if (s->action == EVENT)
            printf(" from stream %d to", s->from);
        if (s->action == COPY || s->action == WAIT || s->action == EVENT)
            printf(" stream %d", s->stream);
        puts("");
    }
}

/* ---- many of them -------------------------------------------------------- */

/* An order without which two uses have none, and the rest is as it was; -1. */
static int choose_order(void)
{
    const int first = below(count);

    for (int n = 0; n < count; n++) {
        const int i = (first + n) % count;
        struct order order;

        if (!uses(&steps[i]) && simulate(&order, i, true) &&
            simulate(&order, i, false) && order.sure)
            return i;
    }
    return -1;
}

/* The status of a process that runs this plan; its words are nobody's. */
static int status_of(const char *self, uint64_t seed, int without)
{
    char plan[32], edge[16];
    int status = 0;
    pid_t child;

    snprintf(plan, sizeof plan, "%llu", (unsigned long long)seed);
    snprintf(edge, sizeof edge, "%d", without);
    child = fork();
    if (!child) {
        setenv("VGPU_CHECK", "1", 1);
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        alarm(20);
        execl(self, self, "--plan", plan, "--without", edge, (char *)NULL);
        _exit(3);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool is_as(const char *self, uint64_t seed, int without, int wanted)
{
    const int got = status_of(self, seed, without);

    if (got != wanted)
        printf("not ok: --plan %llu --without %d: status %d, not %d\n",
               (unsigned long long)seed, without, got, wanted);
    return got == wanted;
}

/* The machine's: the library's functions tell virtual time. */
static time_t seconds_now(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static int many(const char *self, long seconds, uint64_t seed)
{
    const time_t end = seconds_now() + seconds;
    unsigned passed = 0, failed = 0;

    while (seconds_now() < end) {
        struct order order;
        int edge;
        bool fine;

        plan_make(++seed);
        if (simulate(&order, -1, false) || !order.sure) {
            printf("not ok: plan %llu is not ordered by itself\n",
                   (unsigned long long)seed);
            failed++;
            continue;
        }
        fine = is_as(self, seed, -1, 0);
        edge = choose_order();
        fine = (edge < 0 || is_as(self, seed, edge, 86)) && fine;
        passed += fine;
        failed += !fine;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}

int main(int argc, char **argv)
{
    long seconds = 0, without = -1;
    uint64_t seed = 0;
    bool one = false, prints = false;

    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "0";

        if (!strcmp(argv[i], "--seconds"))
            seconds = atol(value);
        else if (!strcmp(argv[i], "--without"))
            without = atol(value);
        else if (!strcmp(argv[i], "--seed"))
            seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--plan"))
            one = true, seed = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i], "--print"))
            prints = true;
    }
    if (!one)
        return many("/proc/self/exe", seconds,
                    seed ? seed : (uint64_t)time(NULL));
    plan_make(seed);
    if (prints)
        plan_print((int)without);
    return prints ? 0 : plan_run((int)without);
}
