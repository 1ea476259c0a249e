/* What course and sample code does. */
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <stdio.h>

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)

template <typename T>
void check(T result, char const *const func, const char *const file,
           int const line)
{
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d \"%s\" \n", file, line,
                static_cast<unsigned int>(result), func);
        exit(EXIT_FAILURE);
    }
}

inline void __getLastCudaError(const char *errorMessage, const char *file,
                               const int line)
{
    cudaError_t err = cudaGetLastError();

    if (cudaSuccess != err) {
        fprintf(stderr, "%s(%i) : %s\n", file, line, errorMessage);
        exit(EXIT_FAILURE);
    }
}

/* Dynamic shared memory of any type. */
template <class T>
struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
    __device__ inline operator const T *() const
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

template <>
struct SharedMemory<double> {
    __device__ inline operator double *()
    {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <typename T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n)
{
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    T mySum = 0;

    while (i < n) {
        mySum += g_idata[i];
        if (nIsPow2 || i + blockSize < n)
            mySum += g_idata[i + blockSize];
        i += gridSize;
    }
    sdata[tid] = mySum;
    __syncthreads();
    if ((blockSize >= 64) && (tid < 32)) {
        sdata[tid] = mySum = mySum + sdata[tid + 32];
    }
    __syncthreads();
#pragma unroll
    for (unsigned int s = 16; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
void run_reduce(int threads, int blocks, int size, T *in, T *out)
{
    dim3 dimBlock(threads, 1, 1);
    dim3 dimGrid(blocks, 1, 1);
    int smemSize = (threads <= 32) ? 2 * threads * sizeof(T)
                                   : threads * sizeof(T);

    switch (threads) {
        case 64: reduce<T, 64, true><<<dimGrid, dimBlock, smemSize>>>(in, out, size); break;
        case 32: reduce<T, 32, false><<<dimGrid, dimBlock, smemSize>>>(in, out, size); break;
        default: printf("unsupported\n");
    }
}

template <int BLOCK_SIZE> __global__ void
matrixMul(float *C, const float *A, const float *B, int wA, int wB)
{
    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1;
    float Csub = 0;

    for (int a = aBegin, b = BLOCK_SIZE * bx; a <= aEnd;
         a += BLOCK_SIZE, b += BLOCK_SIZE * wB) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];

        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
        for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = Csub;
}

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void histogram(unsigned int *bins, const unsigned char *data, int n)
{
    __shared__ unsigned int local[4];

    if (threadIdx.x < 4)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&local[data[i] & 3], 1);
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__inline__ __device__ int warp_sum(int val)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        val += __shfl_down_sync(0xffffffff, val, offset);
    return val;
}

__global__ void warp_kernel(int *out)
{
    int sum = warp_sum(threadIdx.x);
    unsigned votes = __ballot_sync(0xffffffffu, threadIdx.x & 1);

    if (threadIdx.x == 0)
        out[0] = sum, out[1] = __popc(votes);
}

struct matrix {
    int width, height;
    float *elements;

    __host__ __device__ float &at(int r, int c)
    {
        return elements[r * width + c];
    }
};

__global__ void fill(matrix m, float v)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;

    if (r < m.height && c < m.width) {
        m.at(r, c) = v + r * 10 + c;
    }
}

static void CUDART_CB done(void *data)
{
    *static_cast<int *>(data) += 1;
}

class worker
{
public:
    explicit worker(int n) : n_(n)
    {
        checkCudaErrors(cudaStreamCreate(&stream_));
        checkCudaErrors(cudaMalloc((void **)&data_, n_ * sizeof(float)));
    }
    ~worker()
    {
        cudaFree(data_);
        cudaStreamDestroy(stream_);
    }
    worker(const worker &) = delete;
    worker &operator=(const worker &) = delete;
    void run(float a)
    {
        saxpy<<<(n_ + 31) / 32, 32, 0, stream_>>>(n_, a, data_, data_);
        cudaLaunchHostFunc(stream_, done, &calls_);
    }
    int wait()
    {
        checkCudaErrors(cudaStreamSynchronize(stream_));
        return calls_;
    }

private:
    int n_, calls_{0};
    float *data_ = nullptr;
    cudaStream_t stream_;
};

enum Mode { FIRST = 1 << 0, SECOND = 1 << 1 };

static std::map<std::string, std::function<int(int)>> table = {
    {"twice", [](int a) { return 2 * a; }},
    {"half", [](int a) -> int { return a / 2; }},
};

int main(int argc, char **argv)
{
    const int n = 256;
    float *x, *y, *A, *B, *C;
    int *out;
    unsigned int *bins;
    unsigned char *bytes;
    std::vector<std::unique_ptr<worker>> workers;
    std::vector<std::thread> threads;
    matrix m = {6, 5, nullptr};
    int calls = 0, bad = 0, block = 0, grid = 0;

    (void)argc, (void)argv;
    checkCudaErrors(cudaMallocManaged(&x, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&y, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&A, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&B, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&C, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&out, 2 * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&bins, 4 * sizeof(*bins)));
    checkCudaErrors(cudaMallocManaged(&bytes, n));
    checkCudaErrors(cudaMallocManaged(&m.elements, 30 * sizeof(float)));
    for (int i = 0; i < n; i++)
        x[i] = i, y[i] = 1, A[i] = i % 3, B[i] = i % 5, bytes[i] = i;
    for (int i = 0; i < 4; i++) bins[i] = 0;

    run_reduce<float>(64, 2, n, x, C);
    run_reduce<float>(32, 1, 70, x, C + 2);
    getLastCudaError("reduce failed");
    checkCudaErrors(cudaDeviceSynchronize());
    printf("%g %g\n", C[0] + C[1], C[2]);

    dim3 threadsPerBlock(8, 8);
    dim3 numBlocks(16 / threadsPerBlock.x, 16 / threadsPerBlock.y);
    matrixMul<8><<<numBlocks, threadsPerBlock>>>(C, A, B, 16, 16);
    saxpy<<<MIN(n / 32, 4), 32>>>(n, 2.0f, x, y);
    histogram<<<1, 64>>>(bins, bytes, n);
    warp_kernel<<<1, 32>>>(out);
    fill<<<dim3(2, 2), dim3(4, 4)>>>(m, 0.5f);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 0;
            for (int k = 0; k < 16; k++) sum += A[i * 16 + k] * B[k * 16 + j];
            bad += sum != C[i * 16 + j];
        }
    printf("%d wrong, y %g, bins %u %u, warp %d %d, m %g\n", bad, y[255],
           bins[0], bins[3], out[0], out[1], m.at(4, 5));

    for (int i = 0; i < 3; i++)
        workers.emplace_back(new worker(100));
    for (auto &w : workers)
        for (int i = 0; i < 2; ++i)
            w->run(1.5f);
    for (const auto &w : workers)
        calls += w->wait();
    for (int i = 0; i < 2; i++)
        threads.emplace_back([&, i] {
            saxpy<<<1, 32>>>(n / 2, 1.0f, x + i * n / 2, y + i * n / 2);
            cudaDeviceSynchronize();
        });
    std::for_each(threads.begin(), threads.end(),
                  [](std::thread &t) { t.join(); });
    printf("%d calls, y %g, %d %d\n", calls, y[255], table["twice"](4),
           table.at("half")(4) | SECOND);

    void (*kernel)(int, float, const float *, float *) = saxpy;
    float a = 1.0f;
    int count = n;
    void *args[] = {&count, &a, &x, &y};
    checkCudaErrors(cudaLaunchKernel((void *)saxpy, dim3(1), dim3(64), args, 0,
                                     nullptr));
    checkCudaErrors(cudaLaunchKernel((const void *)kernel, 1, 64, args, 0, 0));
    checkCudaErrors(cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy, 0,
                                                       0));
    checkCudaErrors(cudaDeviceSynchronize());
    printf("y %g, occupancy %d\n", y[255], block > 0 && grid > 0);
    for (void *p : {(void *)x, (void *)y, (void *)A, (void *)B, (void *)C,
                    (void *)out, (void *)bins, (void *)bytes,
                    (void *)m.elements})
        checkCudaErrors(cudaFree(p));
    return 0;
}
