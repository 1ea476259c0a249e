// Device memory that is read and that nobody has written: with VGPU_CHECK the
// lines that say so are told, once for each kernel and buffer.
// tests/frontend/run.sh compares.
#include <cstdio>

struct cell {
    int key;
    double value;
};

__global__ void add_up(const int *data, int *sum)
{
    atomicAdd(sum, data[threadIdx.x]); // unwritten [0, 4) of buffer 2
}

__global__ void scale(float *x)
{
    x[threadIdx.x] *= 2; // unwritten [256, 384) of buffer 3
}

__global__ void behind(const int *x, int *y, int n)
{
    int i = threadIdx.x;
    y[i] = x[i + n]; // unwritten [400, 528) of buffer 4
}

__global__ void copied(const unsigned char *x, int *y)
{
    y[threadIdx.x] = x[threadIdx.x]; // unwritten [16, 32) of buffer 7
}

__global__ void lock(int *mutex)
{
    while (atomicCAS(mutex, 0, 1) == 1) // unwritten [0, 4) of buffer 8
        ;
}

__global__ void take(cell *to, const cell *from)
{
    to[threadIdx.x] = from[threadIdx.x]; // unwritten [0, 512) of buffer 9
}

__global__ void by_member(cell *to, const cell *from)
{
    const int i = threadIdx.x;

    to[i].key = from[i].key; // unwritten 128 bytes in [0, 500) of buffer 10
    to[i].value = 0;
}

__global__ void local(const float4 *from, float *to)
{
    const float4 v = from[threadIdx.x]; // unwritten [0, 512) of buffer 11

    to[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main()
{
    int host[100] = {1, 2, 3, 4, 5, 6, 7, 8};
    int *data, *sum, *x, *y, *mutex;
    unsigned char *from, *to;
    float *f;
    cell *cells, *others;
    float4 *vectors;

    cudaMalloc(&data, sizeof host);
    cudaMalloc(&sum, sizeof *sum);
    cudaMalloc(&f, 96 * sizeof *f);
    cudaMalloc(&x, 8192);
    cudaMalloc(&y, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    for (int i = 0; i < 3; i++)
        add_up<<<1, 8>>>(data, sum);
    cudaMemset(f, 0, 64 * sizeof *f);
    scale<<<1, 96>>>(f);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    behind<<<1, 32>>>(x, y, 100);

    // A copy takes with it what nobody wrote.
    cudaMalloc(&from, 64);
    cudaMalloc(&to, 64);
    cudaMemset(from, 0xCD, 16);
    cudaMemset(to, 0, 64);
    cudaMemcpy(to, from, 32, cudaMemcpyDeviceToDevice);
    copied<<<1, 64>>>(to, y);
    cudaMalloc(&mutex, sizeof *mutex);
    lock<<<1, 1>>>(mutex);
    cudaMalloc(&cells, 64 * sizeof *cells);
    take<<<1, 32>>>(cells + 32, cells);
    cudaMalloc(&others, 64 * sizeof *others);
    by_member<<<1, 32>>>(others + 32, others);
    cudaMalloc(&vectors, 32 * sizeof *vectors);
    local<<<1, 32>>>(vectors, f);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    cudaFree(sum);
    cudaFree(f);
    cudaFree(x);
    cudaFree(y);
    cudaFree(from);
    cudaFree(to);
    cudaFree(mutex);
    cudaFree(cells);
    cudaFree(others);
    cudaFree(vectors);
}
