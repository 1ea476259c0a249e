// More order than needed: argument N runs the case N. Below 50 all order there
// is is needed, or measured by, and nothing is said; from 50 on the line behind
// which "N KIND" stands is told (tests/frontend/run.sh), and by "needless" that
// nothing needs its order.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define CHUNKS  8
#define ENTRIES (1 << 15)
#define BYTES   (ENTRIES * sizeof(float))

__global__ void work(float *p, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = p[i];

    for (int k = 0; k < rounds; k++)
        x = x * 0.99f + 1;
    p[i] = x;
}

__global__ void thin(float *p)
{
    float x = p[threadIdx.x];

    for (int k = 0; k < 20000; k++)
        x = x * 0.99f + 1;
    p[threadIdx.x] = x;
}

static float *host, *device, *other, *made[CHUNKS];
static cudaStream_t s[CHUNKS];
static cudaEvent_t event[CHUNKS + 1];
__device__ int failed;

static void in(int c, cudaStream_t stream)
{
    cudaMemcpyAsync(device + c * ENTRIES, host + c * ENTRIES, BYTES,
                    cudaMemcpyHostToDevice, stream);
}

static void out(int c, cudaStream_t stream)
{
    cudaMemcpyAsync(host + c * ENTRIES, device + c * ENTRIES, BYTES,
                    cudaMemcpyDeviceToHost, stream);
}

static void run(int c, cudaStream_t stream)
{
    work<<<ENTRIES / 256, 256, 0, stream>>>(device + c * ENTRIES, 60);
}

static void chunk(int c)
{
    in(c, s[c % 4]);
    run(c, s[c % 4]);
    out(c, s[c % 4]);
}

static void graph()
{
    cudaGraph_t g;
    cudaGraphExec_t exec;

    cudaStreamBeginCapture(s[0], cudaStreamCaptureModeThreadLocal);
    cudaEventRecord(event[0], s[0]);
    for (int c = 1; c < 4; c++) {
        cudaStreamWaitEvent(s[c], event[0], 0);
        chunk(c);
        cudaEventRecord(event[c], s[c]);
        cudaStreamWaitEvent(s[0], event[c], 0);
    }
    cudaStreamEndCapture(s[0], &g);
    cudaGraphInstantiate(&exec, g, 0);
    for (int i = 0; i < 4; i++)
        cudaGraphLaunch(exec, s[0]);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(g);
}

/* ---- as it should be ---------------------------------------------------- */

static void right(int which)
{
    struct timespec t;
    float ms;

    switch (which) {
    case 1: /* all in streams, one wait */
        for (int c = 0; c < CHUNKS; c++)
            chunk(c);
        break;
    case 2: /* each piece is measured by the host's clock */
        for (int c = 0; c < CHUNKS; c++) {
            chunk(c);
            cudaStreamSynchronize(s[c % 4]);
            clock_gettime(CLOCK_MONOTONIC, &t);
        }
        break;
    case 3: /* ... and by events, recorded in the default stream */
        for (int c = 0; c < CHUNKS; c++) {
            cudaEventRecord(event[0]);
            chunk(c);
            cudaEventRecord(event[1]);
            cudaEventSynchronize(event[1]);
            cudaEventElapsedTime(&ms, event[0], event[1]);
        }
        break;
    case 4: /* one stream fills, others use: every event is needed */
        for (int c = 0; c < CHUNKS; c++) {
            in(c, s[0]);
            cudaEventRecord(event[c], s[0]);
            cudaStreamWaitEvent(s[1], event[c], 0);
            run(c, s[1]);
            cudaEventRecord(event[CHUNKS], s[1]);
            cudaStreamWaitEvent(s[2], event[CHUNKS], 0);
            out(c, s[2]);
        }
        break;
    case 5: /* two buffers on the device, each waited for before it is refilled:
               the copies are the limit */
        for (int c = 0; c < CHUNKS; c++) {
            if (c >= 2)
                cudaEventSynchronize(event[c % 2]);
            in(c % 2, s[c % 2]);
            run(c % 2, s[c % 2]);
            cudaEventRecord(event[c % 2], s[c % 2]);
        }
        break;
    case 6: /* a query now and then, beside other work */
        for (int c = 0; c < CHUNKS; c++) {
            chunk(c);
            cudaStreamQuery(s[c % 4]);
        }
        break;
    case 7: /* memory is made before and given back behind */
        cudaMalloc(&other, BYTES);
        cudaMemset(other, 0, BYTES);
        for (int c = 0; c < CHUNKS; c++)
            chunk(c);
        cudaDeviceSynchronize();
        cudaFree(other);
        break;
    case 8: /* one stream, whose results each round needs */
        for (int c = 0; c < CHUNKS; c++) {
            in(0, s[0]);
            run(0, s[0]);
            out(0, s[0]);
            cudaStreamSynchronize(s[0]);
            host[0] = host[1] + 1;
        }
        break;
    case 9: /* registered once, copied often */
        cudaHostRegister(other = (float *)malloc(BYTES), BYTES, 0);
        for (int c = 0; c < 64; c++)
            cudaMemcpyAsync(device, other, BYTES, cudaMemcpyHostToDevice, s[0]);
        cudaStreamSynchronize(s[0]);
        cudaHostUnregister(other);
        free(other);
        break;
    case 10: /* a graph, launched again and again */
        graph();
        break;
    case 11: /* a join and a fork, once: what comes behind uses all */
        for (int c = 0; c < 4; c++)
            chunk(c);
        for (int c = 1; c < 4; c++) {
            cudaEventRecord(event[c], s[c]);
            cudaStreamWaitEvent(s[0], event[c], 0);
        }
        work<<<4 * ENTRIES / 256, 256, 0, s[0]>>>(device, 60);
        cudaEventRecord(event[0], s[0]);
        for (int c = 1; c < 4; c++) {
            cudaStreamWaitEvent(s[c], event[0], 0);
            run(c, s[c]);
        }
        break;
    case 12: /* the host polls a flag that the last kernel sets */
        for (int c = 0; c < CHUNKS; c++)
            chunk(c);
        while (cudaStreamQuery(s[3]) == cudaErrorNotReady)
            continue;
        break;
    case 13: /* few queues, issued breadth first */
        for (int c = 0; c < 4; c++)
            in(c, s[c]);
        for (int c = 0; c < 4; c++)
            run(c, s[c]);
        for (int c = 0; c < 4; c++)
            out(c, s[c]);
        break;
    case 14: /* memory is made before, each piece with its event */
        for (int c = 0; c < CHUNKS; c++) {
            cudaMalloc(&made[c], BYTES);
            cudaEventRecord(event[c], s[c % 4]);
        }
        for (int c = 0; c < CHUNKS; c++)
            chunk(c);
        cudaDeviceSynchronize();
        for (int c = 0; c < CHUNKS; c++)
            cudaFree(made[c]);
        break;
    case 15: /* the call is measured, and all of it, too; a loop asks */
        for (int c = 0; c < CHUNKS; c++) {
            clock_gettime(CLOCK_MONOTONIC, &t);
            thin<<<1, 256, 0, s[c % 4]>>>(device);
            clock_gettime(CLOCK_MONOTONIC, &t);
            cudaStreamSynchronize(s[c % 4]);
            clock_gettime(CLOCK_MONOTONIC, &t);
        }
        thin<<<1, 256, 0, s[0]>>>(device);
        while (cudaStreamQuery(s[0]) == cudaErrorNotReady)
            clock_gettime(CLOCK_MONOTONIC, &t);
        break;
    }
}

/* ---- more order than that ------------------------------------------------ */

static void held(int which)
{
    int bad = 0;

    for (int c = 0; c < CHUNKS; c++) {
        const cudaStream_t now = s[c % 4], next = s[(c + 1) % 4];

        in(c, now);
        run(c, now);
        if (which == 50)
            cudaDeviceSynchronize(); // 50 order_host
        if (which == 51)
            cudaStreamSynchronize(s[c % 4]); // 51 order_host
        if (which == 52)
            cudaMemcpyFromSymbol(&bad, failed, 4); // 52 order_host
        if (which == 53)
            while (cudaStreamQuery(now)) // 53 order_query
                continue;
        if (which == 54)
            cudaMemset(other, 0, 64); // 54 order_default needless
        if (which == 55)
            cudaEventRecord(event[0]); // 55 order_default needless
        if (which == 56)
            thin<<<1, 1>>>(other); // 56 order_default needless
        if (which == 57) {
            float *more;

            cudaMalloc(&more, BYTES); // 57 order_memory
            cudaMemsetAsync(more, 0, BYTES, s[c % 4]);
            cudaFree(more); // 57 order_memory
        }
        out(c, s[c % 4]);
        if (which == 58) {
            cudaEventRecord(event[c], s[c % 4]);
            cudaStreamWaitEvent(next, event[c], 0); // 58 order_event needless
        }
    }
}

/* Each kernel needs the copy of its input, and waits for a whole chunk. */
static void needed()
{
    for (int c = 0; c < CHUNKS; c++) {
        if (c)
            cudaStreamWaitEvent(s[c % 4], event[c - 1], 0); // 59 order_event
        in(c, s[c % 4]);
        cudaMemcpyAsync(device + c * ENTRIES, other, 4,
                        cudaMemcpyDeviceToDevice, s[c % 4]);
        run(c, s[c % 4]);
        if (c == 0)
            cudaMemsetAsync(other, 0, 4, s[c % 4]);
        out(c, s[c % 4]);
        cudaEventRecord(event[c], s[c % 4]);
    }
}

static void queues()
{
    cudaStream_t many[40];

    for (int i = 0; i < 40; i++)
        cudaStreamCreateWithFlags(&many[i], cudaStreamNonBlocking);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 4; k++)
            thin<<<6, 1, 0, many[i]>>>(device + 64 * i); // 60 order_queue
    cudaDeviceSynchronize();
    for (int i = 0; i < 40; i++)
        cudaStreamDestroy(many[i]);
}

static void registered()
{
    float *p = (float *)malloc(CHUNKS * BYTES);

    cudaHostRegister(p, CHUNKS * BYTES, 0); // 61 register_few
    cudaMemcpy(device, p, CHUNKS * BYTES, cudaMemcpyHostToDevice);
    cudaHostUnregister(p);
    free(p);
}

static void rounds()
{
    for (int c = 0; c < CHUNKS; c++) {
        in(c, s[c % 4]);
        run(c, s[c % 4]);
        cudaMemcpy(host, device, 64, cudaMemcpyDefault); // 62 order_host
    }
}

/* The host's clock, and nothing waits before it is read again. */
static void clocked()
{
    timespec t;

    for (int c = 0; c < CHUNKS; c++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        thin<<<1, 256, 0, s[0]>>>(device); // 64 clock_early
        clock_gettime(CLOCK_MONOTONIC, &t);
        cudaDeviceSynchronize();
    }
}

static void made_in_one_line()
{
    for (int c = 0; c < CHUNKS; c++) {
        float *more;

        in(c, s[c % 4]);
        run(c, s[c % 4]);
        cudaMalloc(&more, BYTES), cudaFree(more); // 63 order_memory
        out(c, s[c % 4]);
    }
}

int main(int argc, char **argv)
{
    const int which = argc > 1 ? atoi(argv[1]) : 0;

    cudaMallocHost(&host, CHUNKS * BYTES);
    cudaMalloc(&device, CHUNKS * BYTES);
    cudaMalloc(&other, BYTES);
    cudaMemset(device, 0, CHUNKS * BYTES);
    cudaMemset(other, 0, BYTES);
    for (int i = 0; i < CHUNKS * ENTRIES; i++)
        host[i] = 1;
    for (int i = 0; i < CHUNKS; i++)
        cudaStreamCreate(&s[i]);
    for (int i = 0; i <= CHUNKS; i++)
        cudaEventCreate(&event[i]);
    cudaDeviceSynchronize();
    if (which < 50)
        right(which);
    else if (which < 59)
        held(which);
    else if (which == 59)
        needed();
    else if (which == 60)
        queues();
    else if (which == 61)
        registered();
    else if (which == 62)
        rounds();
    else if (which == 63)
        made_in_one_line();
    else if (which == 64)
        clocked();
    cudaDeviceSynchronize();
    printf("%g\n", host[0]);
    return 0;
}
