/*
 * published.cu: the work whose times NVIDIA published for three devices.
 *
 * 4 Mi floats, 16 MiB, go to the device, become themselves plus the length of
 * (sin i, cos i), which is 1, and come back: at once; then in four streams,
 * each stream's three steps in turn; then the same by kind of step. The times
 * are in "How to Overlap Data Transfers in CUDA C/C++" (NVIDIA's developer
 * blog). Most i are so large that sines take their slow path.
 *
 * Prints three lines, in milliseconds: sequential, depth-first, breadth-first.
 */
#include <math.h>
#include <stdio.h>

#include "check.h"

enum { BLOCK = 256, STREAMS = 4, COUNT = 4 * 1024 * BLOCK * STREAMS };

static float *host, *device;
static cudaStream_t streams[STREAMS];

__global__ void lengthen(float *a, int first)
{
    const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    const float s = sinf((float)i);
    const float c = cosf((float)i);

    a[i] = a[i] + sqrtf(s * s + c * c);
}

enum step { IN, WORK, BACK, STEPS };

static void do_step(enum step step, int stream)
{
    const int part = COUNT / STREAMS;
    const int first = stream * part;

    if (step == IN)
        CHECK(cudaMemcpyAsync(device + first, host + first,
                              part * sizeof(float), cudaMemcpyHostToDevice,
                              streams[stream]));
    if (step == WORK) {
        lengthen<<<part / BLOCK, BLOCK, 0, streams[stream]>>>(device, first);
        CHECK(cudaGetLastError());
    }
    if (step == BACK)
        CHECK(cudaMemcpyAsync(host + first, device + first,
                              part * sizeof(float), cudaMemcpyDeviceToHost,
                              streams[stream]));
}

static void at_once(void)
{
    CHECK(cudaMemcpy(device, host, COUNT * sizeof(float),
                     cudaMemcpyHostToDevice));
    lengthen<<<COUNT / BLOCK, BLOCK>>>(device, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, device, COUNT * sizeof(float),
                     cudaMemcpyDeviceToHost));
}

static void depth_first(void)
{
    for (int stream = 0; stream < STREAMS; stream++)
        for (int step = IN; step < STEPS; step++)
            do_step((enum step)step, stream);
}

static void breadth_first(void)
{
    for (int step = IN; step < STEPS; step++)
        for (int stream = 0; stream < STREAMS; stream++)
            do_step((enum step)step, stream);
}

static int measure(const char *name, void work(void))
{
    cudaEvent_t start, stop;
    float ms;

    for (int i = 0; i < COUNT; i++)
        host[i] = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, 0));
    work();
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    printf("%-14s %.6f\n", name, ms);
    for (int i = 0; i < COUNT; i++)
        if (fabsf(host[i] - 1) > 1e-6f)
            return 1;
    return 0;
}

int main(void)
{
    int wrong = 0;

    CHECK(cudaMallocHost((void **)&host, COUNT * sizeof(float)));
    CHECK(cudaMalloc((void **)&device, COUNT * sizeof(float)));
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamCreate(&streams[i]));
    wrong |= measure("sequential", at_once);
    wrong |= measure("depth-first", depth_first);
    wrong |= measure("breadth-first", breadth_first);
    for (int i = 0; i < STREAMS; i++)
        CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return wrong;
}
