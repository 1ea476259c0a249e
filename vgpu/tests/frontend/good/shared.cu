/* __shared__ variables, static and dynamic. */
#include <cstdio>

struct pair {
    int a;
    float b;
};

__global__ void reverse(int *d, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;

    s[i] = d[i];
    __syncthreads();
    d[i] = s[n - 1 - i];
}

__global__ void reverse_dynamic(int *d, int n)
{
    extern __shared__ int s[];
    int i = threadIdx.x;

    s[i] = d[i];
    __syncthreads();
    d[i] = s[n - 1 - i];
}

__global__ void transpose(int *d)
{
    __shared__ int tile[8][8 + 1];
    int x = threadIdx.x, y = threadIdx.y;

    tile[y][x] = d[y * 8 + x];
    __syncthreads();
    d[y * 8 + x] = tile[x][y];
}

__global__ void several(int *d)
{
    __shared__ int total, list[2], *where;
    __shared__ pair p;
    __shared__ struct {
        int a[2];
        char c;
    } local;
    __shared__ alignas(16) unsigned char bytes[64];
    static __shared__ volatile int flag;
    const int i = threadIdx.x;

    if (i == 0) {
        total = 0;
        where = d;
        p.a = 3;
        local.a[1] = 4;
        flag = 5;
        bytes[0] = (size_t)bytes % 16 == 0;
        list[0] = list[1] = 1;
    }
    __syncthreads();
    if (i == 1)
        total += p.a + local.a[1] + flag + bytes[0] + list[0];
    __syncthreads();
    where[i] += total;
}

template <class T, int N>
__global__ void sum(T *d, T *result)
{
    __shared__ T partial[N];

    partial[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    for (int step = N / 2; step > 0; step /= 2) {
        if ((int)threadIdx.x < step)
            partial[threadIdx.x] += partial[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *result = partial[0];
}

extern __shared__ float pool[];

__global__ void uses_pool(int *d)
{
    float *mine = pool;

    mine[threadIdx.x] = 2.0f;
    __syncthreads();
    d[threadIdx.x] += (int)pool[63 - threadIdx.x];
}

__device__ void put(int i, int v)
{
    __shared__ int kept[64];

    kept[i] = v;
    __syncthreads();
    __shared__ int other;
    other = kept[63 - i];
}

__device__ int largest(int v)
{
    __shared__ int best;

    if (threadIdx.x == 0)
        best = 0;
    __syncthreads();
    atomicMax(&best, v);
    __syncthreads();
    return best;
}

__global__ void through_function(int *d)
{
    put(threadIdx.x, 1);
    d[threadIdx.x] += largest(threadIdx.x);
}

int main()
{
    int *d, *result;

    cudaMallocManaged(&d, 64 * sizeof *d);
    cudaMallocManaged(&result, sizeof *result);
    for (int i = 0; i < 64; i++)
        d[i] = i;
    reverse<<<1, 64>>>(d, 64);
    reverse_dynamic<<<1, 64, 64 * sizeof(int)>>>(d, 64);
    transpose<<<1, dim3(8, 8)>>>(d);
    several<<<1, 64>>>(d);
    uses_pool<<<1, 64, 64 * sizeof(float)>>>(d);
    through_function<<<1, 64>>>(d);
    sum<int, 64><<<1, 64>>>(d, result);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d %d sum %d\n", d[0], d[1], d[63], *result);
    cudaFree(d);
    cudaFree(result);
    return 0;
}
