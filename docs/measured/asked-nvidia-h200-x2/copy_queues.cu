// In which order copies of several streams are served. Each setting in a
// process of its own.
#include <cuda_runtime.h>
#include <cmath>
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
enum { MOST = 64, MIB = 1 << 20 };
static char *host, *dev;
static cudaStream_t st[MOST], gate;
static cudaEvent_t go, done[512], start;
__global__ void spin(long long ns)
{
    unsigned long long f, t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(f));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    while ((long long)(t - f) < ns);
}
// chunks copies in each of n streams, issued breadth first (or depth first);
// all can start at once.
static void order(int n, int chunks, size_t bytes, bool by_stream, bool back)
{
    int at[512], total = n * chunks;
    float ms[512];
    CHECK(cudaDeviceSynchronize());
    spin<<<1, 1, 0, gate>>>(3000000);
    CHECK(cudaEventRecord(go, gate));
    CHECK(cudaEventRecord(start, gate));
    for (int s = 0; s < n; s++)
        CHECK(cudaStreamWaitEvent(st[s], go, 0));
    for (int i = 0; i < total; i++) {
        const int s = by_stream ? i / chunks : i % n;
        CHECK(back ? cudaMemcpyAsync(host + i * bytes, dev + i * bytes, bytes,
                                     cudaMemcpyDeviceToHost, st[s])
                   : cudaMemcpyAsync(dev + i * bytes, host + i * bytes, bytes,
                                     cudaMemcpyHostToDevice, st[s]));
        CHECK(cudaEventRecord(done[i], st[s]));
    }
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < total; i++) {
        CHECK(cudaEventElapsedTime(&ms[i], start, done[i]));
        int k = i;
        for (; k > 0 && ms[at[k - 1]] > ms[i]; k--)
            at[k] = at[k - 1];
        at[k] = i;
    }
    printf(" %s %s streams=%d chunks=%d bytes=%zu last %.1f us:",
           back ? "back" : "in", by_stream ? "depth" : "breadth", n, chunks,
           bytes, 1000 * ms[at[total - 1]]);
    for (int i = 0; i < total; i++)
        printf(" %d", by_stream ? at[i] / chunks : at[i] % n);
    printf("\n");
}
static void child(void)
{
    CHECK(cudaMallocHost(&host, 128 * MIB));
    CHECK(cudaMalloc(&dev, 128 * MIB));
    memset(host, 1, 128 * MIB);
    for (int i = 0; i < MOST; i++)
        CHECK(cudaStreamCreateWithFlags(&st[i], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&gate, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&go, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&start));
    for (int i = 0; i < 512; i++)
        CHECK(cudaEventCreate(&done[i]));
    order(4, 2, MIB, false, false);
    static const int ns[] = {2, 3, 4, 5, 6, 8, 12, 16};
    for (int k = 0; k < 8; k++) {
        order(ns[k], 1, MIB, false, false);
        order(ns[k], 3, MIB, false, false);
    }
    order(8, 3, MIB, false, false);
    order(8, 3, MIB, true, false);
    order(8, 3, MIB, false, true);
    order(8, 3, 65536, false, false);
    order(8, 3, 4096, false, false);
    order(32, 2, MIB, false, false);
}
int main()
{
    static const char *const sets[] = {NULL, "1",  "2", "3",
                                       "8",  "32", "0", "x"};
    for (int i = 0; i < 8; i++) {
        fflush(stdout);
        if (fork() == 0) {
            if (sets[i])
                setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", sets[i], 1);
            printf("copy connections %s\n", sets[i] ? sets[i] : "unset");
            child();
            fflush(stdout);
            _exit(0);
        }
        wait(NULL);
    }
    return 0;
}
