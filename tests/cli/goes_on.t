#!/bin/bash
# goes_on.t: the virtual GPU goes on by itself: work that was queued runs
# although the host makes no CUDA call, at the same times in every run; and a
# program that can never end says so, by its line
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK

# program NAME [LEVEL [OBJECT]]: standard input becomes $tmp/NAME, what is common
# before it.
program() {
    cat - >"$tmp/body"
    cat >"$tmp/$1.cu" - "$tmp/body" <<'END'
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <poll.h>
#include <semaphore.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "check.h"
__global__ void work(float *x) {
    for (int k = 0; k < 100; k++) x[threadIdx.x] = x[threadIdx.x] * 1.1f + k; }
static long us() {
    return (long)std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now().time_since_epoch()).count(); }
struct box { std::mutex cv_m; std::atomic<int> flag{0}; volatile int plain = 0; int data = 0;
    bool ready = false; std::mutex m; std::condition_variable cv; sem_t sem;
    std::promise<int> promise; };
static box b;
static void CUDART_CB store(void *) { b.data = 5; b.flag.store(1); }
static void CUDART_CB mark(void *) { b.data = 6; b.plain = 1; }
static void CUDART_CB slow(void *) { usleep(500); b.plain = 2; }
static void CUDART_CB post(void *) { sem_post(&b.sem); }
static void CUDART_CB fulfil(void *) { b.promise.set_value(9); }
static void CUDART_CB notify(void *) {
    std::lock_guard<std::mutex> guard(b.m); b.data = 7; b.ready = true;
    b.cv.notify_one(); }
END
    build/bin/vgpucc -O${2:-2} -Icommon "$tmp/$1.cu" ${3:+"$3"} -o "$tmp/$1" 2>"$tmp/err"
}

# says NAME WORDS: it ends by itself, clean, and prints WORDS; again the same.
says() {
    VGPU_CHECK=1 timeout 20 "$tmp/$1" >"$tmp/out" 2>"$tmp/err" &&
        grep -qE -- "$2" "$tmp/out" &&
        timeout 20 taskset -c 0 "$tmp/$1" >"$tmp/again" 2>&1 &&
        cmp -s "$tmp/out" "$tmp/again"
    ok "$1: $2, and the same on one core"
}

# never NAME WORDS: it is ended, and that is said in these words.
never() {
    timeout 30 "$tmp/$1" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 87 ] && grep -qF -- "$2" "$tmp/err"
    ok "$1: $2"
}

for level in 0 2; do
program "host$level" $level <<'END'
int main() {
    float *x; cudaStream_t s; CHECK(cudaMalloc(&x, 128)); sem_init(&b.sem, 0, 0);
    CHECK(cudaStreamCreate(&s)); CHECK(cudaMemset(x, 0, 128));
    const long begin = us();
    work<<<1, 32, 0, s>>>(x); CHECK(cudaLaunchHostFunc(s, store, 0));
    while (!b.flag.load()) ;
    printf("atomic %d %ld\n", b.data, us() - begin);
    work<<<1, 32, 0, s>>>(x); CHECK(cudaLaunchHostFunc(s, mark, &b));
    while (!b.plain) ;
    printf("volatile %d %ld\n", b.data, us() - begin);
    CHECK(cudaLaunchHostFunc(s, slow, &b));
    while (b.plain < 2) std::this_thread::yield();
    printf("yield %ld\n", us() - begin);
    work<<<1, 32, 0, s>>>(x); CHECK(cudaLaunchHostFunc(s, notify, &b));
    { std::unique_lock<std::mutex> l(b.m); b.cv.wait(l, [] { return b.ready; }); }
    printf("condition %d %ld\n", b.data, us() - begin);
    work<<<1, 32, 0, s>>>(x); CHECK(cudaLaunchHostFunc(s, post, &b));
    sem_wait(&b.sem); printf("semaphore %ld\n", us() - begin);
    work<<<1, 32, 0, s>>>(x); CHECK(cudaLaunchHostFunc(s, fulfil, &b));
    printf("future %d ", b.promise.get_future().get());
    printf("%ld\n", us() - begin);
    b.plain = 0; CHECK(cudaLaunchHostFunc(s, slow, &b));
    while (!b.plain) usleep(100);
    printf("sleep %ld\n", us() - begin);
    CHECK(cudaLaunchHostFunc(s, post, &b));
    std::thread other([] { sem_wait(&b.sem); }); other.join();
    printf("thread\n");
    CHECK(cudaStreamSynchronize(s)); CHECK(cudaStreamDestroy(s)); CHECK(cudaFree(x));
}
END
says host$level 'thread'
done

# Whoever waits by a clock gets there: a loop that reads it and costs nothing
# (as a library's), and every wait that has a time in it.
cat >"$tmp/library.c" <<'END'
#include <sys/time.h>
#include <time.h>
static long us(void)
{
    struct timeval now;
    gettimeofday(&now, 0);
    return now.tv_sec * 1000000L + now.tv_usec;
}
__attribute__((constructor)) static void calibrate(void)
{
    for (long end = us() + 1000; us() < end;) ;
}
int library_waits(int kind)
{
    struct timespec now, then;
    const clock_t used = clock();
    const time_t second = time(0);
    long end = us() + 1000;

    switch (kind) {
    case 0: while (us() < end) ; return 1;
    case 1: while (clock() < used + CLOCKS_PER_SEC / 1000) ; return 1;
    case 2: while (time(0) == second) ; return 1;
    case 3: timespec_get(&then, TIME_UTC);
        do timespec_get(&now, TIME_UTC);
        while (now.tv_sec == then.tv_sec && now.tv_nsec < then.tv_nsec + 1000000);
    }
    return 1;
}
END
cc -O2 -c "$tmp/library.c" -o "$tmp/library.o"
program clocks 2 "$tmp/library.o" <<'END'
extern "C" int library_waits(int kind);
static timespec in_3_ms() {
    timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 3000000;
    t.tv_sec += t.tv_nsec / 1000000000; t.tv_nsec %= 1000000000; return t; }
static void took(const char *what, long begin) {
    const long t = us() - begin;
    printf(t >= 3000 && t < 3050 ? "%s " : "%s: %ld us ", what, t); }
#define TOOK(what) { const long begin = us(); what; took(#what, begin); }
int main() {
    std::mutex m, other; std::condition_variable cv; int pipes[2]; sem_t sem; timespec t;
    std::unique_lock<std::mutex> l(m); sem_init(&sem, 0, 0); other.lock();
    if (pipe(pipes)) return 1;
    pollfd f = {pipes[0], POLLIN, 0}; timeval v = {0, 3000};
    const auto ms = std::chrono::milliseconds(3);
    for (int kind = 0; kind < 4; kind++) library_waits(kind);
    TOOK(cv.wait_for(l, ms)) TOOK(cv.wait_until(l, std::chrono::system_clock::now() + ms))
    t = in_3_ms(); TOOK(sem_timedwait(&sem, &t))
    t = in_3_ms(); TOOK(pthread_mutex_timedlock(other.native_handle(), &t))
    TOOK(poll(0, 0, 3)) TOOK(poll(&f, 1, 3)) TOOK(select(0, 0, 0, 0, &v))
    cudaStream_t s; CHECK(cudaStreamCreate(&s)); sem_init(&b.sem, 0, 0);
    CHECK(cudaLaunchHostFunc(s, fulfil, &b)); auto future = b.promise.get_future();
    while (future.wait_for(ms) != std::future_status::ready) ;
    CHECK(cudaLaunchHostFunc(s, notify, &b));
    { std::unique_lock<std::mutex> k(b.m);
      while (!b.cv.wait_for(k, std::chrono::microseconds(20), [] { return b.ready; })) ; }
    CHECK(cudaLaunchHostFunc(s, post, &b));
    do t = in_3_ms(); while (sem_timedwait(&b.sem, &t)) ;
    CHECK(cudaStreamDestroy(s)); puts("\nall");
}
END
timeout 60 "$tmp/clocks" >"$tmp/out" 2>&1 && grep -q '^all' "$tmp/out" &&
    ! grep ' us ' "$tmp/out"
ok "a wait by any clock ends, and takes its virtual time"

program device <<'END'
__global__ void tell(volatile int *flag, int *data) {
    *data = 3; __threadfence_system(); *flag = 1; }
__global__ void count(int *flag) { atomicAdd_system(flag, 1); }
int main() {
    int *pinned, *managed, *d; cudaStream_t s;
    CHECK(cudaHostAlloc(&pinned, 8, cudaHostAllocMapped)); pinned[0] = 0;
    CHECK(cudaMallocManaged(&managed, 8)); managed[0] = 0;
    CHECK(cudaMalloc(&d, 4)); CHECK(cudaStreamCreate(&s));
    CHECK(cudaDeviceSynchronize());
    volatile int *look = pinned;
    tell<<<1, 1, 0, s>>>(pinned, pinned + 1);
    while (!*look) ;
    std::atomic_thread_fence(std::memory_order_acquire);
    printf("mapped %d\n", pinned[1]);
    count<<<4, 32, 0, s>>>(managed);
    while (__atomic_load_n(managed, __ATOMIC_ACQUIRE) < 128) ;
    printf("managed\n");
    *look = 0; CHECK(cudaMemsetAsync(d, 1, 4, s));
    CHECK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    while (!*look) ;
    printf("copy %x\n", *look);
    CHECK(cudaStreamSynchronize(s)); CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(d)); CHECK(cudaFree(managed)); CHECK(cudaFreeHost(pinned));
}
END
says device 'copy 1010101'

program threads <<'END'
static std::atomic<int> stage; static int sum;
static std::atomic_flag held = ATOMIC_FLAG_INIT;
static void add() {
    for (int i = 0; i < 50; i++) {
        while (held.test_and_set()) std::this_thread::yield();
        sum++; held.clear(); } }
int main() {
    float *x; CHECK(cudaMalloc(&x, 256)); CHECK(cudaMemset(x, 0, 256));
    CHECK(cudaDeviceSynchronize());
    const long begin = us();
    std::thread other([=] {
        cudaStream_t s; CHECK(cudaStreamCreate(&s));
        work<<<1, 32, 0, s>>>(x); CHECK(cudaStreamSynchronize(s)); stage = 1;
        while (stage.load() != 2) ;
        CHECK(cudaStreamDestroy(s)); add(); });
    while (stage.load() != 1) ;
    printf("first %ld ", us() - begin);
    work<<<1, 32>>>(x + 32); CHECK(cudaDeviceSynchronize()); stage = 2;
    add(); other.join();
    printf("both %d %ld\n", sum, us() - begin);
    CHECK(cudaFree(x));
}
END
says threads 'both 100'

program kernel <<'END'
__global__ void wait_for(volatile int *flag, int value) { while (*flag != value) ; }
__global__ void set(volatile int *flag) { *flag = 9; }
__global__ void answer(volatile int *f, int n) {
    for (int i = 1; i <= n; i++) {
        while (f[0] != i) ;
        f[2] = f[2] + i; __threadfence_system(); f[1] = i; } }
__global__ void meet(int *count, int *seen) {
    __shared__ int now;
    if (!threadIdx.x) { atomicAdd(count, 1);
        while (atomicAdd(count, 0) < (int)gridDim.x) ; now = atomicAdd(count, 0); }
    __syncthreads();
    seen[blockIdx.x * blockDim.x + threadIdx.x] = now; }
__global__ void pass_on(int *out) {
    __shared__ volatile int turn;
    if (!threadIdx.x) turn = blockDim.x - 1;
    __syncthreads();
    while (turn != (int)threadIdx.x) ;
    out[threadIdx.x] = turn; turn = turn - 1; }
int main() {
    int *f, *d, *m; cudaStream_t a, b2; long begin;
    CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b2));
    CHECK(cudaHostAlloc(&f, 64, cudaHostAllocMapped)); CHECK(cudaMalloc(&d, 4));
    CHECK(cudaMallocManaged(&m, 4096 * 4 + 4)); CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++) f[i] = 0;
    begin = us();
    wait_for<<<2, 64, 0, a>>>(f, 1); usleep(500);
    printf("%s ", cudaGetErrorName(cudaStreamQuery(a)));
    CHECK(cudaMemsetAsync(d, 0, 4, b2)); CHECK(cudaStreamSynchronize(b2));
    printf("%s ", cudaGetErrorName(cudaStreamQuery(a)));
    *f = 1; CHECK(cudaStreamSynchronize(a));
    printf("host %ld\n", us() - begin);
    f[0] = 0; answer<<<1, 1, 0, a>>>(f, 3);
    for (int i = 1; i <= 3; i++) {
        ((volatile int *)f)[0] = i;
        while (((volatile int *)f)[1] != i) ;
        printf("answer %d ", ((volatile int *)f)[2]); }
    CHECK(cudaStreamSynchronize(a)); printf("%ld\n", us() - begin);
    m[4096] = 0; meet<<<64, 64, 0, a>>>(m + 4096, m);
    CHECK(cudaStreamSynchronize(a));
    int bad = 0; for (int i = 0; i < 4096; i++) bad += m[i] != 64;
    printf("meet %d ", bad);
    pass_on<<<1, 256, 0, a>>>(m); CHECK(cudaStreamSynchronize(a));
    for (int i = 0; i < 256; i++) bad += m[i] != i;
    f[0] = 0; std::thread other([f] { usleep(5000); ((volatile int *)f)[0] = 1; });
    wait_for<<<1, 32, 0, a>>>(f, 1); CHECK(cudaStreamSynchronize(a)); other.join();
    printf("all %d %ld\n", bad, us() - begin);
    CHECK(cudaStreamDestroy(a)); CHECK(cudaStreamDestroy(b2));
    CHECK(cudaFree(d)); CHECK(cudaFree(m)); CHECK(cudaFreeHost(f));
}
END
says kernel 'all 0'

program too_late <<'END'
__global__ void wait_for(volatile int *flag) {
    while (!*flag) ;
}
int main() {
    int *f; CHECK(cudaHostAlloc(&f, 4, cudaHostAllocMapped)); *f = 0;
    wait_for<<<1, 32>>>(f);
    CHECK(cudaDeviceSynchronize());
    *f = 1;
}
END
never too_late 'too_late.cu:34: the program never ends: a kernel reads a flag'
# What would set the flag, or tell the host, is behind the kernel.
program behind <<'END'
__global__ void wait_for(volatile int *flag) { while (!*flag) ; }
int main(int argc, char **) {
    int *d, *h, one = 1; CHECK(cudaMalloc(&d, 4)); CHECK(cudaMallocHost(&h, 4)); *h = 0;
    CHECK(cudaMemset(d, 0, 4));
    wait_for<<<1, 1>>>(d);
    if (argc == 1)
        CHECK(cudaMemcpy(d, &one, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, 0));
    while (!*(volatile int *)h) ;
}
END
never behind 'launched at behind.cu:37; cudaMemcpy of behind.cu:39 is behind it'
timeout 30 "$tmp/behind" 1 2>"$tmp/err"
grep -qF 'wait_for, launched at behind.cu:37, waits, too; the copy device to host of behind.cu:40 is behind it' "$tmp/err"
ok "... or the copy that the host waits for"
# Nor by asking; 9,000 blocks that wait for each other do not run at once.
program asks <<'END'
__global__ void wait_for(volatile int *flag) { while (!*flag) ; }
int main() {
    int *f; CHECK(cudaHostAlloc(&f, 4, cudaHostAllocMapped)); *f = 0;
    wait_for<<<1, 32>>>(f);
    while (cudaStreamQuery(0) == cudaErrorNotReady) ;
    *f = 1;
}
END
never asks 'the host waits for the kernel: wait_for, launched at asks.cu:36'
program many <<'END'
__global__ void meet(volatile unsigned *count) {
    atomicAdd((unsigned *)count, 1); while (*count < gridDim.x) ; }
int main() {
    unsigned *d; CHECK(cudaMalloc(&d, 4)); CHECK(cudaMemset(d, 0, 4));
    meet<<<9000, 1>>>(d); CHECK(cudaDeviceSynchronize());
}
END
never many 'of its 9000 blocks'

# As many launches as the queue behind such a kernel holds, and one more: the host
# never comes to its next line. Nor do more grids that wait for one another than
# run at once.
program full <<'END'
__global__ void hold(volatile int *go) { while (!*go) ; }
__global__ void tiny() {}
int main(int argc, char **argv) {
    volatile int *go; cudaStream_t s;
    CHECK(cudaMallocHost((void **)&go, 4)); *go = 0; CHECK(cudaStreamCreate(&s));
    hold<<<1, 1, 0, s>>>(go);
    for (int i = 0; i < 1021 + argc; i++) tiny<<<1, 1, 0, s>>>();
    *go = 1; CHECK(cudaDeviceSynchronize()); printf("it ended\n"); return 0; }
END
never full 'full.cu:39: the program never ends: this call waits for a place in its stream'
CUDA_SCALE_LAUNCH_QUEUES=2x says full 'it ended'
program crowd <<'END'
__global__ void meet(unsigned *count, unsigned all) {
    atomicAdd(count, 1); while (*(volatile unsigned *)count < all) ; }
int main(int argc, char **) {
    const int all = argc > 1 ? 128 : 130; unsigned *d; cudaStream_t s[130];
    CHECK(cudaMalloc(&d, 4)); CHECK(cudaMemset(d, 0, 4)); CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < all; i++) CHECK(cudaStreamCreate(&s[i]));
    for (int i = 0; i < all; i++) meet<<<1, 1, 0, s[i]>>>(d, all);
    CHECK(cudaDeviceSynchronize()); printf("it ended\n"); return 0; }
END
never crowd 'crowd.cu:34: the program never ends: a kernel reads a flag that does not change'
grep -q 'as many as run at once' "$tmp/err" && timeout 20 "$tmp/crowd" 128 | grep -q 'it ended'
ok 'so many grids at once, and no more'

# Kernels that wait for a kernel which has no place: in check mode, which knows
# who writes what they wait for.
program no_room <<'END'
__global__ void hold(volatile int *f) { while (!*f) ; }
__global__ void set(volatile int *f) { *f = 1; }
__global__ void tiny() {}
__global__ void both(volatile int *mine, volatile int *other) {
    if (!threadIdx.x) { *other = 1; while (!*mine) ; } }
int main(int, char **argv) {
    int *d, n = atoi(argv[1] + 1); cudaStream_t s, t;
    CHECK(cudaMalloc(&d, 8)); CHECK(cudaMemset(d, 0, 8));
    CHECK(cudaStreamCreate(&s)); CHECK(cudaStreamCreate(&t)); CHECK(cudaDeviceSynchronize());
    if (argv[1][0] == 'b') {
        both<<<n, 1024, 0, s>>>(d, d + 1);
        both<<<n, 1024, 0, t>>>(d + 1, d); }
    else if (argv[1][0] == 's') {
        set<<<1, 1, 0, t>>>(d);
        hold<<<n, 1024, 0, s>>>(d); }
    else {
        hold<<<n, 1024, 0, s>>>(d);
        if (argv[1][0] == 'q') tiny<<<1, 1, 0, s>>>();
        set<<<1, 1, 0, t>>>(d); }
    CHECK(cudaDeviceSynchronize()); puts("done");
    CHECK(cudaStreamDestroy(s)); CHECK(cudaStreamDestroy(t)); CHECK(cudaFree(d));
}
END
# room CONNECTIONS CASE STATUS WORDS
room() {
    CUDA_DEVICE_MAX_CONNECTIONS=$1 VGPU_CHECK=1 timeout 30 "$tmp/no_room" "$2" >"$tmp/out" 2>&1
    [ $? -eq "$3" ] && grep -qE -- "$4" "$tmp/out"
    ok "$1 queues, $2: $4"
}
room 8 b264 87 'never ends: kernel both, launched at no_room.cu:4[34], waits .* kernel both writes, launched at no_room.cu:4[34], .* no room beside the blocks of the kernel launched at no_room.cu:4[34]'
room 8 b132 0 done
room 8 h264 87 'no_room.cu:33: the program never ends: kernel hold, launched at no_room.cu:49, .* kernel set writes, launched at no_room.cu:51, which cannot begin: the multiproc'
room 8 h263 0 done
room 8 s264 0 done
room 1 q1 87 'kernel set writes, launched at no_room.cu:51, which cannot begin: their streams share a hardware queue .*, whose first is the call at no_room.cu:50'
room 8 q1 0 done
room 1 h1 0 done

program plain 0 <<'END'
__global__ void set(int *flag) { *flag = 1; }
int main() {
    int *f; float *x; CHECK(cudaHostAlloc(&f, 4, cudaHostAllocMapped)); *f = 0;
    CHECK(cudaMalloc(&x, 128)); CHECK(cudaMemset(x, 0, 128));
    const long begin = us();
    work<<<1, 32>>>(x); set<<<1, 1>>>(f);
    while (*f == 0) ;
    printf("plain %ld\n", us() - begin);
}
END
timeout 20 "$tmp/plain" >"$tmp/out" 2>&1 && grep -q '^plain' "$tmp/out"
ok 'a flag that is not volatile, without optimisation'

program unset <<'END'
int main() {
    float *x; CHECK(cudaMalloc(&x, 128));
    work<<<1, 32>>>(x);
    while (!b.plain) ;
}
END
never unset 'unset.cu:36: the program never ends: the host reads a flag'
program unset_atomic <<'END'
int main() {
    float *x; CHECK(cudaMalloc(&x, 128));
    work<<<1, 32>>>(x);
    while (!b.flag.load()) ;
}
END
never unset_atomic 'unset_atomic.cu:35: the program never ends after this call'
program unset_sleep <<'END'
static volatile int never;
int main() {
    float *x; CHECK(cudaMalloc(&x, 128));
    work<<<1, 32>>>(x);
    while (!never) usleep(10);
}
END
never unset_sleep 'the host sleeps again and again'
program asleep <<'END'
int main() {
    sem_init(&b.sem, 0, 0); CHECK(cudaLaunchHostFunc(0, post, 0));
    sem_wait(&b.sem);
    sem_wait(&b.sem);
}
END
never asleep 'asleep.cu:36: the program never ends: all host threads wait: the main thread'

# Host threads that wait for each other without a host function: what each of
# them waits for; not where a signal's handler wakes one.
program host_threads 0 <<'END'
#include <csignal>
#include <sys/time.h>
static std::mutex one, other;
static sem_t alarmed;
static void ring(int) { sem_post(&alarmed); }
static void crosswise() {
    pthread_barrier_t both; pthread_barrier_init(&both, NULL, 2);
    std::thread t([&] { other.lock(); pthread_barrier_wait(&both);
        one.lock(); });
    one.lock(); pthread_barrier_wait(&both);
    other.lock(); t.join(); }
static void unsignalled() {
    std::thread t([] { std::unique_lock<std::mutex> guard(b.m);
        while (!b.ready) b.cv.wait(guard); });
    t.join(); }
static void own() { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
static void rung() {
    const itimerval in = {{0, 0}, {3, 500000}};
    sem_init(&alarmed, 0, 0); signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &in, NULL);
    while (sem_wait(&alarmed)) ; }
static void piped(bool in) {
    int end[2]; char c; CHECK(pipe(end) ? cudaErrorUnknown : cudaSuccess);
    while (read(in ? 0 : end[0], &c, 1) == 1) ; }
int main(int, char **argv) {
    CHECK(cudaDeviceSynchronize());
    switch (atoi(argv[1])) {
    case 0: crosswise(); break;
    case 1: unsignalled(); break;
    case 2: own(); break;
    case 3: rung(); break;
    default: piped(*argv[1] == '5'); }
    puts("done");
}
END
for how in 0 1 2 3 4 5; do
    { { sleep 6; echo x; } | VGPU_CHECK=1 timeout 60 "$tmp/host_threads" $how \
        >"$tmp/host_threads.$how" 2>&1
      echo "status $?" >>"$tmp/host_threads.$how"; } &
done
{ timeout 60 "$tmp/host_threads" 0 >"$tmp/host_threads.6" 2>&1
  echo "status $?" >>"$tmp/host_threads.6"; } &
wait
# waits HOW WORDS
waits() {
    grep -q 'status 87' "$tmp/host_threads.$1" &&
        grep -q "$2" "$tmp/host_threads.$1"
}
waits 0 'main thread at [a-z_]*.cu:43 waits for a mutex that thread 1 has, thread 1 at [a-z_]*.cu:41 waits for a mutex that the main thread has' &&
    waits 1 'main thread at [a-z_]*.cu:47 waits for the end of thread 1, thread 1 at [a-z_]*.cu:46 waits for a condition variable' &&
    waits 2 'main thread at [a-z_]*.cu:49 waits for a mutex that it has itself' &&
    waits 4 'main thread at [a-z_]*.cu:57 waits for a pipe that it reads' &&
    waits 6 'main thread waits for a mutex that thread 1 has'
ok "threads that wait for each other: what each waits for, and where"
[ "$(cat "$tmp/host_threads.3")" = "$(printf 'done\nstatus 0')" ]
ok "who is woken by a signal's handler is not ended"
[ "$(cat "$tmp/host_threads.5")" = "$(printf 'done\nstatus 0')" ]
ok "nor who reads what another process writes"

# Several threads: one that computes is no reason, whatever the others do, nor
# is a loop that ends by its count; where all look, sleep or are held, it is.
program busy <<'END'
static volatile int flag, other; static volatile long n; static volatile double sink;
static std::mutex m; static std::condition_variable cv; static bool ready;
__global__ void hold(volatile int *f) { while (!*f) ; }
static double some(long k) { double x = 1; while (k-- > 0) x = x * 1.0000001 + 1e-9; return x; }
/* For so many seconds of the machine's, changing a volatile variable. */
static double real() { timespec t; syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9; }
static void changes(double s) { const double end = real() + s;
    while (real() < end) for (long k = n + 300000; n < k; n++) ; }
int main(int, char **argv) {
    volatile int *f; cudaStream_t s; std::thread t, u;
    CHECK(cudaStreamCreate(&s)); CHECK(cudaMallocHost((void **)&f, 8)); f[0] = f[1] = 0;
    CHECK(cudaDeviceSynchronize());
    switch (argv[1][0]) {
    case 'a': changes(4); break;
    case 'b': t = std::thread([] { changes(4); flag = 1; }); while (!flag) ; break;
    case 'c': t = std::thread([] { changes(4); { std::lock_guard<std::mutex> l(m); ready = true; }
        cv.notify_one(); }); { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); } break;
    case 'd': t = std::thread([f] { changes(4); *f = 1; }); hold<<<1, 1, 0, s>>>(f);
        CHECK(cudaStreamSynchronize(s)); break;
    case 'e': for (const double end = real() + 12; real() < end && !flag; ) sink = some(100000); break;
    case 'f': for (int k = 0; k < 6000; k++) usleep(100); break;
    case 'g': for (long k = 0; k < 5000000 && !flag; k++) ; break;
    case 'A': while (!flag) n++; break;
    case 'B': t = std::thread([] { while (!flag) n++; other = 1; }); while (!other) ; break;
    case 'C': t = std::thread([] { while (!flag) n++; }); break;
    case 'D': t = std::thread([=] { hold<<<1, 1, 0, s>>>(f); CHECK(cudaStreamSynchronize(s)); f[1] = 1; });
        hold<<<1, 1>>>(f + 1); CHECK(cudaStreamSynchronize(0)); f[0] = 1; break;
    case 'E': t = std::thread([] { while (!flag) usleep(100); other = 1; });
        while (!other) usleep(1000); flag = 1; break;
    case 'F': t = std::thread([] { while (!b.flag.load()) std::this_thread::yield(); });
        hold<<<1, 1, 0, s>>>(f); CHECK(cudaStreamSynchronize(s)); b.flag = 1; break;
    case 'G': t = std::thread([] { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); });
        while (!flag) ; }
    if (t.joinable()) t.join();
    puts("done"); CHECK(cudaStreamDestroy(s)); CHECK(cudaFreeHost((void *)f));
}
END
# Few at a time: how long somebody is patient counts the processor's time, too.
printf '%s\n' a b c d e f g A B C D E F G | xargs -P 4 -I{} bash -c '
    timeout 150 "$1/busy" $2 >"$1/busy.$2" 2>&1
    echo $? >>"$1/busy.$2"' _ "$tmp" {}
[ "$(cat "$tmp"/busy.[a-g] | tr '\n' ' ')" = "$(yes 'done 0' | head -n 7 | tr '\n' ' ')" ]
ok "who computes, or goes round so many times, is not ended for it"
tail -n 2 "$tmp"/busy.[A-G] >"$tmp/log"
[ "$(tail -qn 1 "$tmp"/busy.[A-G] | tr '\n' ' ')" = '87 87 87 87 87 87 87 ' ] &&
    [ "$(grep -l 'busy.cu:.*the program never ends' "$tmp"/busy.[A-G] | wc -l)" -eq 7 ]
ok "... where all host threads look, sleep or are held, they are"
rm "$tmp/log"

# Kernels whose flag is not volatile.
program plain <<'END'
__global__ void in_shared() { __shared__ int flag; if (!threadIdx.x) flag = 0;
    __syncthreads(); while (flag != 1) ; }
__global__ void in_global(int *f) { do { } while (f[0] == 0); }
__global__ void copied(int *f) { int v = *f; for (; v == 0;) { if (v == 5) break; } }
__global__ void fenced(int *f) { while (*f == 0) { __threadfence(); __nanosleep(20); } }
__global__ void by_thread(int *f) {
    if (!threadIdx.x) { while (*f == 0) ; f[1] = 5; } else if (threadIdx.x == 40) *f = 1; }
__global__ void by_block(int *f) {
    if (!blockIdx.x) { while (f[0] == 0) __threadfence(); f[1] = 6; } else f[0] = 1; }
__global__ void by_turns(int *f, int n) {
    for (int i = 1; i <= n; i++)
        if (!threadIdx.x) { while (f[0] != i) ; f[1] = i; }
        else { f[0] = i; while (f[1] != i) ; } }
__global__ void counts(int *f) { int n = 0; while (*f == 0) n++; f[1] = n; }
__global__ void counts_there() { __shared__ struct { int a, f; } s; int n = 0;
    if (!threadIdx.x) s.f = 0; __syncthreads();
    for (;; --n) { if (s.f) break; } if (n) s.a = n; }
__global__ void counts_until(int *f) { int n = 0;
    if (!threadIdx.x) { while (f[0] == 0) { ++n; } f[1] = 7; }
    else { for (n = 0; f[1] == 0 && n < 3000; n++) ; f[0] = n; } }
int main(int, char **argv) {
    int *f, two[2]; CHECK(cudaMalloc(&f, 8)); CHECK(cudaMemset(f, 0, 8));
    switch (atoi(argv[1])) {
    case 0: in_shared<<<1, 32>>>(); break;
    case 1: in_global<<<2, 32>>>(f); break;
    case 2: copied<<<2, 32>>>(f); break;
    case 3: fenced<<<1, 1>>>(f); break;
    case 4: by_thread<<<1, 64>>>(f); break;
    case 5: by_block<<<4, 1>>>(f); break;
    case 6: by_turns<<<1, 2>>>(f, 1000); break;
    case 7: counts<<<1, 32>>>(f); break;
    case 8: counts_there<<<1, 32>>>(); break;
    case 9: counts_until<<<1, 2>>>(f); }
    CHECK(cudaMemcpy(two, f, 8, cudaMemcpyDeviceToHost));
    printf("%d %d\n", two[0], two[1]);
    CHECK(cudaFree(f));
}
END
for kind in 0 1 2 3 4 5 6 7 8 9; do
    { timeout 60 "$tmp/plain" $kind >"$tmp/plain.$kind" 2>&1
      echo $? >>"$tmp/plain.$kind"; } &
done
wait
[ "$(grep -l 'plain.cu:.*the program never ends: a kernel' "$tmp"/plain.? |
    wc -l)" -eq 6 ] &&
    [ "$(tail -qn 1 "$tmp"/plain.[012378])" = "$(yes 87 | head -n 6)" ]
ok "a kernel goes round for ever, though its flag is not volatile"
[ "$(cat "$tmp"/plain.[4569] | tr '\n' ' ')" = \
    '1 5 0 1 6 0 1000 1000 0 3000 7 0 ' ]
ok "... and not where another thread or block writes it"

# Loops that wait together with others, or keep what they have seen.
program together <<'END'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void at_barrier() { __shared__ int s; if (!threadIdx.x) s = 0;
    __syncthreads(); while (!s) __syncthreads(); }
__global__ void one_looks(volatile int *f) { __shared__ int s;
    for (;;) { if (!threadIdx.x) s = *f; __syncthreads(); if (s) break; __syncthreads(); } }
__global__ void atomically(int *f) { __shared__ int s;
    do { if (!threadIdx.x) s = atomicAdd(f, 0); __syncthreads(); } while (!s); }
__global__ void by_vote(volatile int *f) { while (!__any_sync(~0u, *f)) ; }
__global__ void all_count(volatile int *f) { while (!__syncthreads_or(*f)) ; }
__global__ void kept(int *f) { int v; do { v = *f; } while (!v); }
__global__ void in_grid(int *f) { cg::grid_group g = cg::this_grid(); while (!*f) g.sync(); }
__global__ void later(int *f, int who) { __shared__ int s; if (!threadIdx.x) s = 0;
    __syncthreads();
    if (threadIdx.x == who) { for (int i = 0; i < 2000; i++) __syncthreads(); s = 1; __syncthreads(); }
    else while (!s) __syncthreads();
    if (threadIdx.x == who) *f = 7; }
__global__ void vote_later(volatile int *f) {
    if (threadIdx.x == 31) { for (int i = 0; i < 2000; i++) __any_sync(~0u, 0); *f = 8; __any_sync(~0u, 1); }
    else while (!__any_sync(~0u, 0)) ; }
__global__ void other_warp(volatile int *f) {
    if (threadIdx.x / 32) { *f = 9; return; } while (!__any_sync(~0u, *f)) ; }
__global__ void grid_later(int *f) { cg::grid_group g = cg::this_grid();
    if (blockIdx.x == 1) { for (int i = 0; i < 2000; i++) g.sync(); if (!threadIdx.x) *f = 10; g.sync(); }
    else for (;;) { g.sync(); if (*f) break; g.sync(); } }
__global__ void answers(volatile int *f) { __shared__ int s; if (!threadIdx.x) f[1] = 11;
    for (;;) { if (!threadIdx.x) s = f[0]; __syncthreads(); if (s) break; __syncthreads(); } }
int main(int, char **argv) {
    int *f; volatile int *h; CHECK(cudaMallocHost(&f, 8)); h = f; f[0] = f[1] = 0; void *args[] = {&f};
    switch (atoi(argv[1])) {
    case 0: at_barrier<<<1, 64>>>(); break;
    case 1: one_looks<<<2, 64>>>(f); break;
    case 2: atomically<<<1, 64>>>(f); break;
    case 3: by_vote<<<2, 64>>>(f); break;
    case 4: all_count<<<1, 64>>>(f); break;
    case 5: kept<<<1, 64>>>(f); break;
    case 6: CHECK(cudaLaunchCooperativeKernel((void *)in_grid, 4, 64, args)); break;
    case 7: later<<<3, 64>>>(f, 0); CHECK(cudaDeviceSynchronize()); later<<<3, 64>>>(f, 63); break;
    case 8: vote_later<<<2, 32>>>(f); break;
    case 9: other_warp<<<1, 64>>>(f); break;
    case 10: CHECK(cudaLaunchCooperativeKernel((void *)grid_later, 4, 64, args)); break;
    case 11: answers<<<1, 64>>>(f); while (!h[1]) ; h[0] = 11; }
    CHECK(cudaDeviceSynchronize());
    printf("%d ", f[0]);
    CHECK(cudaFreeHost(f));
}
END
for kind in 0 1 2 3 4 5 6 7 8 9 10 11; do
    { timeout 60 "$tmp/together" $kind >"$tmp/together.$kind" 2>&1
      echo $? >>"$tmp/together.$kind"; } &
done
wait
[ "$(grep -l 'together.cu:.*the program never ends: a kernel' "$tmp"/together.? |
    wc -l)" -eq 7 ] && [ "$(tail -qn 1 "$tmp"/together.[0-6])" = "$(yes 87 | head -n 7)" ]
ok "a kernel goes round for ever, its threads together or by what they kept"
[ "$(for kind in 7 8 9 10 11; do cat "$tmp/together.$kind"; done | tr '\n' ' ')" = \
    '7 0 8 0 9 0 10 0 11 0 ' ]
ok "... and not where one of them, another block or the host ends it"

# The host looks at what is no flag by its type, and lies anywhere.
for level in 0 2; do
program looks$level $level <<'END'
static int flag;
static void CUDART_CB set(void *) { flag = 1; }
__global__ void give(int *f) { *f = 2; }
int main(int, char **argv) {
    int *p, seen; CHECK(cudaMallocHost(&p, 4)); *p = 0;
    std::thread t;
    switch (argv[1][0]) {
    case 'f': CHECK(cudaLaunchHostFunc(0, set, 0)); while (!flag) ; break;
    case 'k': give<<<1, 1>>>(p); do { seen = *p; } while (!seen); flag = seen; break;
    case 't': t = std::thread([] { while (!flag) ; }); flag = 3; t.join(); break;
    case 'n': for (;;) if (flag) break; }
    CHECK(cudaFreeHost(p)); printf("%d\n", flag);
}
END
[ "$(for kind in f k t; do timeout 20 "$tmp/looks$level" $kind 2>&1; done | tr '\n' ' ')" = '1 2 3 ' ] &&
    { timeout 20 "$tmp/looks$level" n 2>"$tmp/err"; [ $? -eq 87 ]; } &&
    grep -q 'looks.\.cu:[0-9]*: the program never ends: the host reads a flag' "$tmp/err"
ok "the host looks at a plain variable, -O$level: it ends, or that is said"
done

# A host function, and who waits for it.
program both_wait <<'END'
static int what; static volatile int plain;
static void CUDART_CB wants(void *) {
    switch (what) {
    case 'm': { std::lock_guard<std::mutex> l(b.m); } break;
    case 's': sem_wait(&b.sem); break;
    case 'p': b.promise.get_future().get(); break;
    case 'c': { std::unique_lock<std::mutex> l(b.cv_m);
        b.cv.wait(l, [] { return b.ready; }); } break;
    case 'f': while (!b.flag.load()) ; break;
    case 'u': while (!plain) usleep(100); } }
int main(int, char **argv) {
    what = argv[1][0];
    const bool late = argv[1][1];
    sem_init(&b.sem, 0, 0); b.m.lock();
    auto wake = [late] {
        if (late) { const timespec time = {3, 0}; syscall(SYS_nanosleep, &time, 0); }
        { std::lock_guard<std::mutex> l(b.cv_m); b.ready = true; }
        b.cv.notify_all(); sem_post(&b.sem); b.promise.set_value(1);
        b.flag = 1; plain = 1; };
    std::thread t; if (late && what != 'm') t = std::thread(wake);
    CHECK(cudaLaunchHostFunc(0, wants, 0));
    if (late && what == 'm') b.m.unlock();
    CHECK(cudaDeviceSynchronize());
    if (!late) { b.m.unlock(); wake(); }
    if (t.joinable()) t.join();
    puts("ended");
}
END
# both KIND...: for ever, and said so; each with "late" as its twin, which ends.
both() {
    local kind
    for kind; do
        { timeout 60 "$tmp/both_wait" "$kind" 2>"$tmp/$kind"
          echo "$kind $?" >"$tmp/$kind.status"; } &
        timeout 60 "$tmp/both_wait" "${kind}late" >"$tmp/${kind}late" 2>&1 &
    done
    wait
    for kind; do
        [ "$(cat "$tmp/$kind.status")" = "$kind 87" ] &&
            grep -q 'both_wait.cu:.*the program never ends.* a host function\|both_wait.cu:.*the host function of this call sleeps' \
                "$tmp/$kind"
        ok "a host function and its waiter wait for each other ($kind)"
        [ "$(cat "$tmp/${kind}late")" = ended ]
        ok "... and not where another thread, or nothing, holds it up"
    done
}
both m s p c f u

# Another process may change what this one waits for.
program forked <<'END'
int main(int, char **argv) {
    const int how = atoi(argv[1]); int status = 0, *d;
    volatile int *flag = (int *)mmap(0, 4096, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    CHECK(cudaMalloc(&d, 4)); CHECK(cudaDeviceSynchronize());
    if ((how & 1) == !child) {
        const timespec time = {4, 0};
        syscall(SYS_nanosleep, &time, 0); *flag = 1;
    } else {
        while (!*flag) if (how & 2) usleep(1000); else sched_yield();
    }
    while (child && !waitpid(child, &status, WNOHANG)) usleep(500);
    return status != 0;
}
END
for how in 0 1 2 3; do
    { timeout 60 "$tmp/forked" $how; echo $? >"$tmp/forked.$how"; } &
done
wait
[ "$(cat "$tmp"/forked.?)" = "$(printf '0\n0\n0\n0')" ]
ok "who waits for another process is not ended for it"

# The grader tells the same.
few=$(tools/submission tests/corpus/07_chunked_overlap/wrong/flag_of_one_too_few.diff)
build/bin/grade --backend vgpu --file "$few" 07 >"$tmp/out" 2>&1
tr -s ' \n' ' ' <"$tmp/out" | grep -qF 'the program never ends'
ok "a graded program that never ends: where and why"
echo "1..$count"
