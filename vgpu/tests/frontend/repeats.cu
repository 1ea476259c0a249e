/* A kernel that takes long, launched again and again with the same arguments,
 * and between two launches each thing that its outcome hangs on, changed now
 * and then, so that some launches are as one before. What it prints is the same
 * whether those are run again or not (VGPU_REPEATS).
 *
 *     repeats     all of that
 *     repeats N   N launches that are the same, and nothing else
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N      8192
#define ROUNDS 1500
#define TIMES  10

__device__ float factor = 0.5f;
__device__ float left_behind[N];
__constant__ float bias = 1;
__managed__ float shift = 0;

__device__ float turn(float x)
{
    for (int r = 0; r < ROUNDS; r++)
        x = x * factor + bias;
    return x + shift;
}

__global__ void map(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = turn(in[i]) + in[i];
}

__global__ void grow(float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    x[i] += turn(0);
}

__global__ void add_up(const float *in, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(sum, turn(in[i]));
}

/* Its blocks run in their order, which nothing but memory shows. */
__global__ void line_up(float *places, unsigned *next)
{
    const unsigned place = atomicAdd(next, 1) % N;

    places[place] = turn(0) + places[place] + threadIdx.x;
}

__global__ void leave(float plus)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    left_behind[i] = turn(plus);
}

__global__ void poke(volatile float *x, float value)
{
    x[77] = value;
}

__global__ void tell(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = turn(1);
    if (i == 0)
        printf("%g\n", out[i]);
}

__global__ void fetch(cudaTextureObject_t texture, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = turn(0) + tex1Dfetch<float>(texture, i);
}

#ifdef VGPU_CUDA
texture<float> line;

__global__ void fetch_line(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = turn(0) + tex1Dfetch(line, i);
}
#endif

static void die(cudaError_t error, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) die(call, __LINE__)

static float *in, *out, *sum, *mapped;
static cudaEvent_t begin, end;

/* The sum of all, and how long it took, of the last launch. */
static void show(const char *what, int time, const float *from, int count)
{
    static float host[N];
    double all = 0;
    float ms;

    CHECK(cudaEventRecord(end));
    CHECK(cudaMemcpy(host, from, count * sizeof *host, cudaMemcpyDefault));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    for (int i = 0; i < count; i++)
        all += host[i];
    printf("%s %d: %.9g, %.6f ms\n", what, time, all, ms);
}

#define LAUNCH(kernel, ...)                                                    \
    do {                                                                       \
        CHECK(cudaEventRecord(begin));                                         \
        kernel<<<N / 256, 256>>>(__VA_ARGS__);                                 \
        CHECK(cudaGetLastError());                                             \
    } while (0)
#define EACH(...)                                                              \
    for (int t = 0; t < TIMES; t++) {                                          \
        const float step = (float)(t / 3 % 2);                                 \
        (void)step;                                                            \
        __VA_ARGS__;                                                           \
    }

static void by_calls(void)
{
    float host[64] = {0};

    EACH(LAUNCH(map, in, out); show("the same", t, out, N))
    EACH(CHECK(cudaMemset(out, 0, N * 4)); CHECK(cudaEventRecord(begin));
         map<<<t % 2 ? 16 : 32, 256>>>(in, out);
         show("another grid", t, out, N))
    EACH(LAUNCH(grow, out); show("in place", t, out, N))
    EACH(CHECK(cudaMemset(sum, 0, 4)); LAUNCH(add_up, in, sum);
         show("a sum", t, sum, 1))
    EACH(CHECK(cudaMemset(sum, 0, 8)); CHECK(cudaMemset(out, (int)step, N * 4));
         LAUNCH(line_up, out, (unsigned *)sum); show("atomics", t, out, N))
    EACH(LAUNCH(add_up, in, sum); show("a growing sum", t, sum, 1))
    EACH(CHECK(cudaMemcpyToSymbol(factor, &step, 4)); LAUNCH(map, in, out);
         show("a variable", t, out, N))
    EACH(CHECK(cudaMemcpyToSymbol(bias, &step, 4)); LAUNCH(map, in, out);
         show("a constant", t, out, N))
    EACH(host[5] = step;
         CHECK(cudaMemcpy(in + 100, host, 256, cudaMemcpyHostToDevice));
         LAUNCH(map, in, out); show("a copy", t, out, N))
    EACH(CHECK(cudaMemset(out, 0, N * 4)); LAUNCH(map, t % 2 ? in : sum, out);
         show("other arguments", t, out, N))
    EACH(CHECK(cudaMemset2D(in, 1024, (int)step, 8, 3)); LAUNCH(map, in, out);
         show("rows that are set", t, out, N))
    EACH(LAUNCH(tell, out); show("a kernel that prints", t, out, N))
    EACH(poke<<<1, 1>>>(in, step); LAUNCH(map, in, out);
         show("a kernel between", t, out, N))
}

static void by_hand(void)
{
    EACH(shift = step; LAUNCH(map, in, out); show("managed", t, out, N))
    EACH(mapped[9] = step; LAUNCH(map, mapped, out); show("mapped", t, out, N))
}

/* Each device has its own variable. */
static void elsewhere(void)
{
    static float host[N];
    int devices;

    CHECK(cudaGetDeviceCount(&devices));
    for (int t = 0; t < TIMES; t++) {
        memset(host, 0, sizeof host);
        for (int d = 0; d < devices; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaMemcpyToSymbol(left_behind, host, sizeof host));
        }
        CHECK(cudaSetDevice(t / 2 % devices));
        leave<<<N / 256, 256>>>(1);
        for (int d = 0; d < devices; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaMemcpyFromSymbol(host, left_behind, sizeof host));
            printf("device %d: %.9g\n", d, host[N - 1]);
        }
    }
    CHECK(cudaSetDevice(0));
}

static void by_others(void)
{
    cudaResourceDesc resource;
    cudaTextureDesc description;
    cudaTextureObject_t texture;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t launchable;

    memset(&resource, 0, sizeof resource);
    memset(&description, 0, sizeof description);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = N * sizeof *in;
    EACH(resource.res.linear.devPtr = step ? in : sum; CHECK(
             cudaCreateTextureObject(&texture, &resource, &description, NULL));
         LAUNCH(fetch, texture, out); show("a texture", t, out, N);
         CHECK(cudaDestroyTextureObject(texture)))

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    map<<<N / 256, 256, 0, stream>>>(in, out);
    grow<<<N / 256, 256, 0, stream>>>(sum);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&launchable, graph, 0));
    EACH(CHECK(cudaMemset(sum, (int)step, 4)); CHECK(cudaEventRecord(begin));
         CHECK(cudaGraphLaunch(launchable, 0)); show("a graph", t, sum, N);
         show("... and", t, out, N))
    EACH(float *own; CHECK(cudaMallocAsync((void **)&own, N * 4, 0));
         LAUNCH(map, in, own); show("memory in stream order", t, own, N);
         CHECK(cudaFreeAsync(own, 0)))
    CHECK(cudaGraphExecDestroy(launchable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

#ifdef VGPU_CUDA
static void by_references(void)
{
    EACH(CHECK(cudaMemset(out, 0, N * 4));
         CHECK(cudaBindTexture(NULL, line, t % 2 ? in : sum, N * 4));
         LAUNCH(fetch_line, out); show("a texture reference", t, out, N))
}
#endif

int main(int argc, char **argv)
{
    const int alike = argc > 1 ? atoi(argv[1]) : 0;

    CHECK(cudaMalloc((void **)&in, N * sizeof *in));
    CHECK(cudaMalloc((void **)&out, N * sizeof *out));
    CHECK(cudaMalloc((void **)&sum, N * sizeof *sum));
    CHECK(cudaHostAlloc((void **)&mapped, N * sizeof *mapped,
                        cudaHostAllocMapped));
    CHECK(cudaMemset(in, 0, N * sizeof *in));
    CHECK(cudaMemset(sum, 0, N * sizeof *sum));
    memset(mapped, 0, N * sizeof *mapped);
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int t = 0; t < alike; t++) {
        LAUNCH(map, in, out);
        CHECK(cudaDeviceSynchronize());
    }
    if (!alike) {
        by_calls();
        by_hand();
        elsewhere();
        by_others();
#ifdef VGPU_CUDA
        by_references();
#endif
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sum));
    CHECK(cudaFreeHost(mapped));
    return 0;
}
