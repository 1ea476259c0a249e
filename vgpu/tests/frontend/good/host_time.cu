// What the host does between calls takes virtual time before the next call.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>


static double seconds()
{
    timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t step(uint64_t x)
{
    return x * 6364136223846793005u + 1442695040888963407u;
}

struct scoped {
    double *sum, begin;
    explicit scoped(double *s) : sum(s), begin(seconds()) {}
    ~scoped() { *sum = seconds() - begin; }
};

static void say(const char *what, double s)
{
    printf("%s: %s\n", what, s > 1e-5 && s < 1 ? "some time" : "wrong");
}

#define WORK for (int i = 0; i < 200000; i++) x = x * 3 + 1

int main()
{
    uint64_t x = 1;
    double a = seconds(), b, inside = 0;
    cudaEvent_t events[2];
    float ms;

    WORK;
    b = seconds();
    say("clock_gettime", b - a);

    auto begin = std::chrono::steady_clock::now();
    WORK;
    auto end = std::chrono::steady_clock::now();
    say("chrono", std::chrono::duration<double>(end - begin).count());

    cudaEventCreate(&events[0]);
    cudaEventCreate(&events[1]);
    cudaEventRecord(events[0]);
    WORK;
    cudaEventRecord(events[1]);
    cudaEventSynchronize(events[1]);
    cudaEventElapsedTime(&ms, events[0], events[1]);
    say("events", 1e-3 * ms);

    a = seconds();
    for (int i = 0; i < 200000; i++)
        x = step(x);
    say("calls", seconds() - a);

    a = seconds();
    WORK;
    if (seconds() > a + 1e-5)
        puts("if");
    std::function<double()> now = seconds;
    a = now();
    WORK;
    say("function object", now() - a);
    auto lambda = [&] { return seconds() - a; };
    a = seconds();
    WORK;
    say("lambda", lambda());
    {
        scoped timer(&inside);
        WORK;
    }
    say("scope", inside);
    int turns = 0;
    for (a = seconds(); seconds() < a + 1e-4; turns++)
        for (int i = 0; i < 1000; i++)
            x = step(x);
    puts(turns > 3 && turns < 3000 ? "turns" : "wrong");
    return x == 0;
}
