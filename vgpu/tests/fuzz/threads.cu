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
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { THREADS = 4, STREAMS = 3, BLOCKS = 4, BLOCK = 256, STEPS = 60 };

enum action { HOST, COPY, HAND, WAIT, EVENT };
static const char *const ways[] = {"semaphore", "condition", "flag", "promise",
                                   "mutex and flag"};
enum { WAYS = sizeof ways / sizeof *ways };

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
        if (order->both && (s->way == 1 || s->way == 4)) {
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
    std::condition_variable condition;
    bool ready;
    std::atomic<int> flag{0};
    std::promise<void> promise;
} hands[STEPS];

static void give(int i)
{
    switch (steps[i].way) {
    case 0:
        sem_post(&hands[i].semaphore);
        break;
    case 1: {
        std::lock_guard<std::mutex> guard(hands[i].mutex);
        hands[i].ready = true;
        hands[i].condition.notify_all();
        break;
    }
    case 2:
        hands[i].flag.store(1, std::memory_order_release);
        break;
    case 3:
        hands[i].promise.set_value();
        break;
    case 4: {
        std::lock_guard<std::mutex> guard(hands[i].mutex);
        hands[i].ready = true;
    }
    }
}

static bool is_ready(int i)
{
    std::lock_guard<std::mutex> guard(hands[i].mutex);

    return hands[i].ready;
}

static void take(int i)
{
    switch (steps[i].way) {
    case 0:
        sem_wait(&hands[i].semaphore);
        break;
    case 1: {
        std::unique_lock<std::mutex> guard(hands[i].mutex);
        hands[i].condition.wait(guard, [i] { return hands[i].ready; });
        break;
    }
    case 2:
        while (!hands[i].flag.load(std::memory_order_acquire))
            std::this_thread::yield();
        break;
    case 3:
        hands[i].promise.get_future().wait();
        break;
    case 4:
        while (!is_ready(i))
            std::this_thread::yield();
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
        sem_init(&hands[i].semaphore, 0, 0);
    }
    cudaDeviceSynchronize();
    for (int t = 0; t < THREADS; t++)
        threads[t] = std::thread(do_all, t, without);
    for (std::thread &thread : threads)
        thread.join();
    cudaDeviceSynchronize();
    for (cudaEvent_t event : events)
        cudaEventDestroy(event);
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
