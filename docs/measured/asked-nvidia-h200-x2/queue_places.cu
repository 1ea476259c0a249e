// How many calls fit into a stream's queue, by CUDA_SCALE_LAUNCH_QUEUES; each
// setting in a process of its own.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>
#define CHECK(c)                                                               \
    do {                                                                       \
        cudaError_t e_ = (c);                                                  \
        if (e_ != cudaSuccess) {                                               \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));         \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
static double wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
__global__ void spin(long long ns)
{
    unsigned long long f, t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(f));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    while ((long long)(t - f) < ns);
}
__global__ void tiny(void)
{
}
struct big {
    char bytes[2048];
};
__global__ void wide(struct big b)
{
    (void)b;
}
static void CUDART_CB hf(void *)
{
}
static cudaStream_t s, t;
static char *d, *pin;
static cudaEvent_t ev, tev, other;
template <class F>
static int depth(F f, int most)
{
    CHECK(cudaDeviceSynchronize());
    spin<<<1, 1, 0, s>>>(90000000);
    spin<<<1, 1, 0, t>>>(90000000);
    int i = 0;
    for (; i < most; i++) {
        const double from = wall_ms();
        f(i);
        if (wall_ms() - from > 15)
            break;
    }
    CHECK(cudaDeviceSynchronize());
    return i;
}
static void child(bool all)
{
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&d, 1 << 16));
    CHECK(cudaMallocHost(&pin, 1 << 16));
    CHECK(cudaEventCreateWithFlags(&ev, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&tev));
    CHECK(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
    tiny<<<1, 1, 0, s>>>();
    wide<<<1, 1, 0, s>>>(big());
    spin<<<1, 1>>>(1);
    CHECK(cudaDeviceSynchronize());
    printf(" kernels %d\n", depth([](int) { tiny<<<1, 1, 0, s>>>(); }, 9000));
    if (!all)
        return;
    printf(" kernels of 2 KiB of arguments %d\n",
           depth([](int) { wide<<<1, 1, 0, s>>>(big()); }, 3000));
    printf(
        " copies in 4 KiB %d\n",
        depth(
            [](int) {
                CHECK(cudaMemcpyAsync(d, pin, 4096, cudaMemcpyHostToDevice, s));
            },
            3000));
    printf(" copies in 64 KiB %d\n",
           depth(
               [](int) {
                   CHECK(cudaMemcpyAsync(d, pin, 65536, cudaMemcpyHostToDevice,
                                         s));
               },
               3000));
    printf(
        " copies back %d\n",
        depth(
            [](int) {
                CHECK(cudaMemcpyAsync(pin, d, 4096, cudaMemcpyDeviceToHost, s));
            },
            3000));
    printf(" copies within %d\n",
           depth(
               [](int) {
                   CHECK(cudaMemcpyAsync(d, d + 4096, 4096,
                                         cudaMemcpyDeviceToDevice, s));
               },
               3000));
    printf(" sets %d\n",
           depth([](int) { CHECK(cudaMemsetAsync(d, 0, 4096, s)); }, 3000));
    printf(" records %d\n",
           depth([](int) { CHECK(cudaEventRecord(ev, s)); }, 7000));
    printf(" timed records %d\n",
           depth([](int) { CHECK(cudaEventRecord(tev, s)); }, 7000));
    printf(" host functions %d\n",
           depth([](int) { CHECK(cudaLaunchHostFunc(s, hf, nullptr)); }, 7000));
    printf(" waits for an event of another stream %d\n",
           depth(
               [](int i) {
                   if (i == 0)
                       CHECK(cudaEventRecord(other, t));
                   CHECK(cudaStreamWaitEvent(s, other, 0));
               },
               7000));
    printf(" kernels and records in turn %d\n",
           depth(
               [](int i) {
                   if (i % 2)
                       CHECK(cudaEventRecord(ev, s));
                   else
                       tiny<<<1, 1, 0, s>>>();
               },
               7000));
    printf(" kernels and timed records in turn %d\n",
           depth(
               [](int i) {
                   if (i % 2)
                       CHECK(cudaEventRecord(tev, s));
                   else
                       tiny<<<1, 1, 0, s>>>();
               },
               7000));
    printf(" kernels in two streams in turn %d\n",
           depth([](int i) { tiny<<<1, 1, 0, i % 2 ? s : t>>>(); }, 7000));
    printf(" kernels and copies in turn %d\n",
           depth(
               [](int i) {
                   if (i % 2)
                       CHECK(cudaMemcpyAsync(d, pin, 4096,
                                             cudaMemcpyHostToDevice, s));
                   else
                       tiny<<<1, 1, 0, s>>>();
               },
               7000));
    printf(" stream-ordered memory %d\n",
           depth(
               [](int) {
                   void *p;
                   CHECK(cudaMallocAsync(&p, 512, s));
                   CHECK(cudaFreeAsync(p, s));
               },
               3000));
    cudaGraph_t g;
    cudaGraphExec_t x;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    tiny<<<1, 1, 0, s>>>();
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphUpload(x, s));
    static cudaGraphExec_t gx;
    gx = x;
    printf(" graphs of one kernel %d\n",
           depth([](int) { CHECK(cudaGraphLaunch(gx, s)); }, 3000));
}
int main()
{
    static const char *const sets[] = {NULL,   "4x", "0.25x", "2x",
                                       "0.5x", "1x", "8x",    "0.125x",
                                       "3x",   "4",  "x",     ""};
    for (int i = 0; i < 12; i++) {
        fflush(stdout);
        if (fork() == 0) {
            if (sets[i])
                setenv("CUDA_SCALE_LAUNCH_QUEUES", sets[i], 1);
            printf("scale '%s'\n", sets[i] ? sets[i] : "unset");
            child(i == 0);
            fflush(stdout);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
