// Calls that fail: a line's comment has the reason that check mode must give of
// it, and of no other line it may say anything (run.sh).
#include <cstdio>
#include <cstdlib>

#include <cuda.h>

__global__ void fill(int *to)
{
    extern __shared__ int more[];

    more[0] = 1;
    to[threadIdx.x] = more[0];
}

__global__ void __launch_bounds__(64) bounded(int *to)
{
    to[threadIdx.x] = 1;
}

__device__ int table[4];

static int bad;

static void look(cudaError_t error)
{
    bad += error != cudaSuccess;
}

static void times()
{
    cudaEvent_t start, stop, plain;
    float ms;
    int *p;

    look(cudaMalloc(&p, 256 << 20));
    look(cudaEventCreate(&start));
    look(cudaEventCreate(&stop));
    look(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    look(cudaEventRecord(start));
    look(cudaEventElapsedTime(&ms, start, stop)); // because: the end event was never recorded
    look(cudaMemsetAsync(p, 0, 256 << 20));
    look(cudaEventRecord(stop));
    look(cudaEventRecord(plain));
    if (cudaEventQuery(stop) != cudaErrorNotReady)
        puts("ready?");
    look(cudaEventElapsedTime(&ms, start, stop)); // because: wait for it first: cudaEventSynchronize(stop)
    look(cudaEventElapsedTime(&ms, start, plain)); // because: made with cudaEventDisableTiming
    look(cudaEventSynchronize(stop));
    look(cudaEventElapsedTime(&ms, start, stop));
    look(cudaEventDestroy(plain));
    look(cudaEventRecord(plain)); // because: event is an event that was destroyed at
    look(cudaEventDestroy(start));
    look(cudaEventDestroy(stop));
    look(cudaDeviceSynchronize());
    look(cudaFree(p));
    look(cudaFree(p)); // because: it has been freed already
}

static void copies()
{
    int host[100] = {}, *p, *pinned;

    look(cudaMalloc(&p, 40));
    look(cudaMallocHost(&pinned, 40));
    look(cudaMemcpy(p, host, 400, cudaMemcpyHostToDevice)); // because: 400 bytes from there on are too many for 40 bytes of device memory
    look(cudaMemcpy(p, host, 40, cudaMemcpyHostToDevice));
    look(cudaMemcpy(host, host, 40, cudaMemcpyHostToDevice)); // because: has its destination on a device
    look(cudaMemcpy(p, host, 40, (cudaMemcpyKind)9)); // because: 9 is no direction
    look(cudaMemset(host, 0, 40)); // because: a device cannot write there
    look(cudaMemcpyToSymbol(table, host, 40)); // because: too many for the variable table, of 16 bytes
    look(cudaFree(pinned)); // because: it is pinned host memory: cudaFreeHost
    look(cudaFree(p + 1)); // because: only the address that the allocation returned
    look(cudaDeviceSynchronize());
    look(cudaFreeHost(pinned));
    look(cudaFree(p));
    bad += cuMemFree(16) != CUDA_SUCCESS; // because: cuMemFree failed with CUDA_ERROR_INVALID_VALUE (1): no call of CUDA's has allocated it
    look(cudaMalloc(&p, 1ull << 50)); // because: are asked for, and of the
}

static void registers()
{
    char *const pages = (char *)aligned_alloc(4096, 8192);

    look(cudaHostRegister(pages, 8192, 0));
    look(cudaHostRegister(pages + 4096, 4096, 0)); // because: are still registered
    look(cudaHostUnregister(pages));
    look(cudaHostUnregister(pages)); // because: it is not registered
    free(pages);
}

static void launches()
{
    cudaStream_t stream;
    int *p;

    look(cudaMalloc(&p, 1 << 16));
    look(cudaGetLastError()); // because: is that of cudaHostUnregister at
    fill<<<0, 1>>>(p); // because: has no blocks
    look(cudaGetLastError());
    fill<<<1, 1025>>>(p); // because: a block may have 1024 threads in all, and not 1025
    look(cudaGetLastError());
    bounded<<<1, 65>>>(p); // because: __launch_bounds__ are 64 threads
    look(cudaGetLastError());
    fill<<<1, 1, 60000>>>(p); // because: more needs cudaFuncSetAttribute
    look(cudaStreamCreate(&stream));
    look(cudaPeekAtLastError()); // because: is that of the launch at
    look(cudaGetLastError());
    look(cudaStreamDestroy(stream));
    look(cudaStreamSynchronize(stream)); // because: stream is a stream that was destroyed at
    look(cudaSetDevice(99)); // because: the program sees
    fill<<<1, 1, 4>>>(p);
    look(cudaDeviceSynchronize());
    fill<<<1, 1, 4>>>(NULL);
    look(cudaDeviceSynchronize()); // because: kernel fill, launched at failed.cu:
    look(cudaMalloc(&p, 4));
    look(cudaGetLastError()); // because: is that of kernel fill at failed.cu:
}

int main()
{
    times();
    copies();
    registers();
    launches();
    printf("%d failed\n", bad);
}
