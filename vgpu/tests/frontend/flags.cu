/* Kernels that wait for a flag: which of them are told, and of what. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void plain(const int *flag, int *out)
{
    while (*flag == 0) // read
        ;
    *out = 1;
}

__global__ void signs(const volatile int *flag, const int *data, int *out)
{
    while (*flag == 0)
        __nanosleep(100);
    __threadfence();
    *out = *data;
}

__global__ void fetches(const int *flag, const int *data, int *out)
{
    while (__ldcv(flag) == 0)
        ;
    *out = *data;
}

__global__ void asks(int *flag, const int *data, int *out)
{
    while (atomicAdd(flag, 0) == 0)
        ;
    *out = *data;
}

__global__ void gives(volatile int *flag, int *data)
{
    *data = 5;
    __threadfence();
    *flag = 1;
}

__global__ void leaves(int *flag, int *data)
{
    *data = 5;
    __threadfence();
    *flag = 1; // written
}

__global__ void counts(int *counter)
{
    atomicAdd(counter, 1);
}

static int *flag, *data, *out, *one, *shown;
static cudaStream_t a, b;

static void begin()
{
    cudaDeviceSynchronize();
    cudaMemset(flag, 0, sizeof *flag);
    cudaMemset(data, 0, sizeof *data);
    *shown = 0;
    cudaDeviceSynchronize();
}

static void copies()
{
    cudaMemcpyAsync(data, one, sizeof *data, cudaMemcpyHostToDevice, b);
    cudaMemcpyAsync(flag, one, sizeof *flag, cudaMemcpyHostToDevice, b);
}

static void right()
{
    begin();
    signs<<<1, 1, 0, a>>>(flag, data, out);
    copies();
    begin();
    fetches<<<1, 1, 0, a>>>(flag, data, out);
    copies();
    begin();
    asks<<<1, 1, 0, a>>>(flag, data, out);
    gives<<<1, 1, 0, b>>>(flag, data);
    begin();
    signs<<<1, 1, 0, a>>>(shown, data, out);
    *shown = 1;
    begin();
    asks<<<1, 1, 0, a>>>(shown, data, out);
    *shown = 1;
}

static void wrong()
{
    begin();
    plain<<<1, 1, 0, a>>>(flag, out);
    cudaMemcpyAsync(flag, one, sizeof *flag, cudaMemcpyHostToDevice, b);
    begin();
    plain<<<1, 1, 0, a>>>(shown, out);
    *shown = 1;
    begin();
    signs<<<1, 1, 0, a>>>(flag, data, out);
    leaves<<<1, 1, 0, b>>>(flag, data);
    begin();
    counts<<<2, 32, 0, a>>>(data);
    cudaMemsetAsync(data, 0, sizeof *data, b); // no flag
    begin();
}

/* Nothing runs yet that its first launch would wait for. */
static void load()
{
    begin();
    counts<<<1, 1>>>(data);
    *shown = 1;
    signs<<<1, 1>>>(shown, data, out);
    cudaDeviceSynchronize();
}

static void first_launch(bool late)
{
    if (!late)
        gives<<<1, 1>>>(flag, data);
    begin();
    signs<<<1, 1, 0, a>>>(flag, data, out);
    gives<<<1, 1, 0, b>>>(flag, data); // loads
    begin();
}

int main(int argc, char **argv)
{
    cudaMalloc(&flag, sizeof *flag);
    cudaMalloc(&data, sizeof *data);
    cudaMalloc(&out, sizeof *out);
    cudaMallocHost(&one, sizeof *one);
    cudaMallocHost(&shown, sizeof *shown);
    *one = 1;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    load();
    if (argc > 1 && *argv[1] == 'l')
        first_launch(argv[1][1]);
    else
        argc > 1 ? wrong() : right();
    begin();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(flag);
    cudaFree(data);
    cudaFree(out);
    cudaFreeHost(one);
    cudaFreeHost(shown);
    puts("done");
}
