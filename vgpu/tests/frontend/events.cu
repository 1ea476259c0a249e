/* Events that stand for something else than they seem to. Each case has one
 * mistake; with "right" none has any. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 1 << 16, BYTES = N * 4 };

__global__ void fill(int *p, int value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add(const int *p, int *q)
{
    q[blockIdx.x * blockDim.x + threadIdx.x] += p[0];
}

static int *p, *q, *host;
static cudaStream_t a, b, c;
static cudaEvent_t first, second;

static void put(cudaStream_t stream, int *to)
{
    fill<<<N / 256, 256, 0, stream>>>(to, 1);
}

static void use(cudaStream_t stream)
{
    add<<<N / 256, 256, 0, stream>>>(p, q);
}

static void recorded_again()
{
    put(a, p);
    cudaEventRecord(first, a); // again: lost
    cudaMemsetAsync(q, 0, BYTES, b);
    cudaEventRecord(first, b); // again: stands
    cudaStreamWaitEvent(c, first, 0); // again: waits
    use(c);
}

static void recorded_early()
{
    cudaEventRecord(first, a); // early: record
    put(a, p);
    cudaStreamWaitEvent(b, first, 0); // early: waits
    use(b);
}

static void waited_early()
{
    put(a, p);
    cudaStreamWaitEvent(b, first, 0); // late: waits
    cudaEventRecord(first, a); // late: record
    use(b);
}

static void waited_elsewhere()
{
    put(a, p);
    cudaEventRecord(first, a); // elsewhere: record
    cudaStreamWaitEvent(c, first, 0); // elsewhere: waits
    use(b);
}

static void host_early()
{
    cudaEventRecord(first, a); // host: record
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaEventSynchronize(first); // host: waits
    host[0]++;
}

static void timed_elsewhere()
{
    float ms;

    cudaEventRecord(first, b); // timed: first
    fill<<<N / 256, 256, 0, a>>>(p, 1); // timed: work
    cudaEventRecord(second, b); // timed: second
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second); // timed: asks
}

static void timed_apart()
{
    float ms;

    cudaEventRecord(first, a); // apart: first
    fill<<<N / 256, 256, 0, a>>>(p, 1); // apart: work
    cudaEventRecord(second, b); // apart: second
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second); // apart: asks
}

static void timed_last()
{
    float ms;

    for (int i = 0; i < 5; i++) {
        cudaEventRecord(first, a); // last: first
        put(a, p);
        cudaEventRecord(second, a); // last: second
    }
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second); // last: asks
}

static void never_recorded()
{
    cudaEventSynchronize(first); // never: asks
    put(a, p);
}

/* An event for each of the two; a record that a wait has used is free for the
 * next; a loop whose first round has nothing to wait for; times of a stream's
 * own work, of what its second record waits for, and of nothing at all. */
static void right()
{
    float ms;

    put(a, p);
    cudaEventRecord(first, a);
    cudaMemsetAsync(q, 0, BYTES, b);
    cudaEventRecord(second, b);
    cudaStreamWaitEvent(c, first, 0);
    cudaStreamWaitEvent(c, second, 0);
    use(c);
    for (int i = 0; i < 3; i++) {
        cudaEventSynchronize(second);
        host[0]++;
        cudaMemcpyAsync(p, host, 4, cudaMemcpyHostToDevice, c);
        cudaEventRecord(second, c);
    }
    cudaEventSynchronize(second);
    cudaDeviceSynchronize();
    cudaEventRecord(first, a);
    cudaEventRecord(second, a);
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second);
    cudaEventRecord(first, a);
    put(a, p);
    put(b, q);
    cudaEventRecord(second, a);
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second);
    cudaEventRecord(first, a);
    put(b, q);
    cudaEventRecord(second, b);
    cudaStreamWaitEvent(a, second, 0);
    cudaEventRecord(second, a);
    cudaEventSynchronize(second);
    cudaEventElapsedTime(&ms, first, second);
    for (int i = 0; i < 5; i++) {
        cudaEventRecord(first, a);
        put(a, p);
        cudaEventRecord(second, a);
        if (i) { // the first is for warming up
            cudaEventSynchronize(second);
            cudaEventElapsedTime(&ms, first, second);
        }
    }
}

int main(int argc, char **argv)
{
    static void (*const cases[])() = {recorded_again,   recorded_early,
                                      waited_early,     waited_elsewhere,
                                      host_early,       timed_elsewhere,
                                      timed_apart,      timed_last,
                                      never_recorded,   right};
    cudaStream_t *const streams[] = {&a, &b, &c};

    cudaMalloc(&p, BYTES);
    cudaMalloc(&q, BYTES);
    cudaMallocHost(&host, BYTES);
    cudaMemset(p, 0, BYTES);
    cudaMemset(q, 0, BYTES);
    memset(host, 0, BYTES);
    cudaDeviceSynchronize();
    for (cudaStream_t *s : streams)
        cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    cases[argc > 1 ? argv[1][0] - '0' : 9]();
    cudaDeviceSynchronize();
    for (cudaStream_t *s : streams)
        cudaStreamDestroy(*s);
    cudaEventDestroy(first);
    cudaEventDestroy(second);
    cudaFree(p);
    cudaFree(q);
    cudaFreeHost(host);
    puts("done");
}
