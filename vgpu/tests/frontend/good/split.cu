// Kernels with barriers: where all threads go the same way, a block that nobody
// watches does each part between two barriers for all of them in a loop. What
// it leaves, and how long it takes, is what threads on stacks of their own
// leave; so it is with a barrier too few.
#include <stdio.h>

enum { BLOCK = 128, BLOCKS = 400, ALL = BLOCK * BLOCKS };

struct pair {
    unsigned first, second;
};
struct counted {
    unsigned *at;
    __device__ explicit counted(unsigned *at) : at(at)
    {
        *at += 1;
    }
    __device__ ~counted()
    {
        *at *= 3;
    }
};
__device__ unsigned place()
{
    return threadIdx.x;
}
__device__ void grow(unsigned &x)
{
    x += x / 2 + 1;
}
constexpr unsigned WIDTH = 4;

__global__ void reduce(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned part[BLOCK];
    const unsigned t = threadIdx.x;

    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t != 0)
        return;
    out[blockIdx.x] = part[0] + n;
}

// What a thread keeps: numbers, arrays, pointers, a parameter that is changed
// by all and one that each thread changes.
template <class T>
__global__ void keep(const T *in, T *out, T n, pair both)
{
    extern __shared__ T dynamic[];
    T mine[WIDTH] = {n, 1}, sum = 0;
    T x = in[threadIdx.x], y;

    out += blockIdx.x * blockDim.x;
    in += threadIdx.x;
    __syncthreads();
    for (unsigned k = 0; k < both.second; k++) {
        const T from = (threadIdx.x + k) % blockDim.x;

        dynamic[threadIdx.x] = x * n + *in;
        y = dynamic[threadIdx.x] ^ k;
        __syncthreads();
        sum += dynamic[from] + y;
        mine[2] = sum;
        mine[k % WIDTH] += k;
        grow(x);
        __syncthreads();
    }
    out[threadIdx.x] = sum + mine[0] * 3 + mine[1] + mine[2] * 5 + mine[3] + x;
}

// Two rows in turn, and ways out that all take.
__global__ void turns(unsigned *out, int n)
{
    __shared__ unsigned rows[2][BLOCK];
    int from = 0, to = 1, round = 0;

    if (blockIdx.x % 7 == 3)
        return;
    rows[0][threadIdx.x] = place();
    __syncthreads();
    while (true) {
        unsigned left = rows[from][(threadIdx.x + 1) % blockDim.x];

        rows[to][threadIdx.x] = left * 3 + round;
        from = 1 - from;
        to = 1 - to;
        round++;
        if (round == n)
            break;
        __syncthreads();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + place()] = rows[from][place()];
}
__global__ void turns_to(unsigned *out, int n)
{
    __shared__ unsigned rows[2][BLOCK];
    int from = 0, to = 1;

    if (blockIdx.x % 7 == 3)
        return;
    rows[0][threadIdx.x] = place();
    __syncthreads();
    for (int round = 0; round < 20; ++round) {
        if (round == n)
            break;
        rows[to][threadIdx.x] =
            rows[from][(threadIdx.x + 1) % blockDim.x] * 3 + round;
        from = 1 - from;
        to = 1 - to;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + place()] = rows[from][place()];
}

// Two blocks of threads in two dimensions, with objects, lambdas, jumps within
// a part, and a barrier only where the grid says so.
__global__ void within(unsigned *out, unsigned n)
{
    __shared__ unsigned part[BLOCK + 1];
    const unsigned t = threadIdx.x + threadIdx.y * blockDim.x;

    {
        counted here(&part[t]);
        auto add = [&](unsigned by) { part[t] = t + by; };

        for (unsigned k = 0; k < 9; k++) {
            if (k == t % 5)
                continue;
            if (k > 6)
                break;
            add(k);
        }
    }
    __syncthreads();
    if (gridDim.x > 3) {
        __shared__ unsigned other[BLOCK];

        other[t] = part[t];
        __syncthreads();
        part[t] += other[BLOCK - 1 - t];
    } else {
        part[t] = 0;
    }
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = part[t] + part[(t + n) % BLOCK];
}

// One barrier too few: each thread is done with a round before the next one is.
__global__ void racing(unsigned *out)
{
    __shared__ unsigned part[BLOCK];
    const unsigned t = threadIdx.x;
    unsigned sum = 0;

    for (int k = 0; k < 5; k++) {
        part[t] = k + t;
        __syncthreads();
        sum += part[BLOCK - 1 - t];
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}
// ... or two in one part.
__global__ void too_early(unsigned *out)
{
    __shared__ unsigned part[BLOCK];
    const unsigned t = threadIdx.x;

    part[t] = t;
    __syncthreads();
    part[t] += part[(t + 1) % BLOCK];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = part[t];
}

// Not all come to the barrier in the same way.
__global__ void apart(unsigned *out, unsigned n)
{
    __shared__ unsigned part[BLOCK];
    const unsigned t = threadIdx.x;

    part[t] = t;
    if (t < n)
        __syncthreads();
    else
        __syncthreads();
    for (unsigned k = 0; k < part[0] + 3; k++)
        __syncthreads();
    out[blockIdx.x * blockDim.x + t] = part[BLOCK - 1 - t];
}

static unsigned *in, *out, host[ALL];

#define TELL(CALL)                                                             \
    do {                                                                       \
        cudaMemset(out, 0, sizeof host);                                       \
        cudaEventRecord(before);                                               \
        CALL;                                                                  \
        cudaEventRecord(after);                                                \
        cudaDeviceSynchronize();                                               \
        cudaEventElapsedTime(&ms, before, after);                              \
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);            \
        unsigned sum = 0;                                                      \
        for (unsigned x : host)                                                \
            sum = sum * 31 + x;                                                \
        printf("%08x %.6f ms %s\n", sum, ms,                                   \
               cudaGetErrorName(cudaGetLastError()));                          \
    } while (0)

int main()
{
    cudaEvent_t before, after;
    float ms;

    cudaEventCreate(&before);
    cudaEventCreate(&after);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    for (unsigned i = 0; i < ALL; i++)
        host[i] = i * 2654435761u >> 9;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    TELL((reduce<<<BLOCKS, BLOCK>>>(in, out, 5)));
    TELL((keep<unsigned>
          <<<BLOCKS, BLOCK, BLOCK * 4>>>(in, out, 7, pair{3, 6})));
    TELL((turns<<<BLOCKS, BLOCK>>>(out, 9)));
    TELL((turns_to<<<BLOCKS, BLOCK>>>(out, 9)));
    TELL((within<<<BLOCKS, dim3(16, 8)>>>(out, 3)));
    TELL((racing<<<BLOCKS, BLOCK>>>(out)));
    TELL((too_early<<<BLOCKS, BLOCK>>>(out)));
    TELL((apart<<<BLOCKS, BLOCK>>>(out, 40)));
    return 0;
}
