// Kernels that are given memory of the host: argv[1] says which launch. Its
// comment has what check mode must say of it (run.sh).
#include <cstdio>
#include <cstdlib>
#include <vector>

struct view {
    long n;
    int *values;
};

__global__ void add(long n, int *to, const int *from)
{
    if (threadIdx.x < n)
        to[threadIdx.x] += from[threadIdx.x];
}

__global__ void by_value(int n, view v)
{
    if (threadIdx.x < n)
        v.values[threadIdx.x] = 1;
}

__global__ void by_pointer(view *v)
{
    v->n = 1;
}

__device__ int table[32];

__global__ void own(const char **text)
{
    table[threadIdx.x] = threadIdx.x;
    *text = "a constant";
}

static int global[32];
static int pinned[1024];

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0, local = 1, stack[32] = {};
    int *device, *heap = (int *)malloc(sizeof stack);
    int *managed;
    std::vector<int> vector(32);
    view v = {32, heap};

    cudaMalloc(&device, sizeof stack);
    cudaMemset(device, 0, sizeof stack);
    cudaMallocManaged(&managed, sizeof stack);
    cudaHostRegister(pinned, sizeof pinned, cudaHostRegisterDefault);
    switch (which) {
    case 1: add<<<1, 32>>>(32, stack, device); break; // argument 2 leads to a local variable
    case 2: add<<<1, 32>>>(32, device, heap); break; // argument 3 leads to memory of malloc
    case 3: add<<<1, 32>>>(32, device, vector.data()); break; // argument 3 leads to memory of malloc
    case 4: add<<<1, 1>>>(1, device, &local); break; // argument 3 leads to a local variable
    case 5: by_value<<<1, 32>>>(32, v); break; // argument 2 leads to memory of malloc
    case 6: by_pointer<<<1, 1>>>(&v); break; // argument 1 leads to a local variable
    case 7: add<<<1, 32>>>(32, device, global); break; // argument 3 leads to a variable of the host's
    case 8: add<<<1, 32>>>(32, heap, device); break; // argument 2 leads to memory of malloc
    default:
        add<<<1, 32>>>(32, managed, pinned);
        own<<<1, 32>>>((const char **)device);
    }
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    free(heap);
}
