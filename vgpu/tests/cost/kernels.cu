// kernels.cu WHAT N: kernels with barriers, for what these cost. Prints a sum.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { TILE = 16 };

__global__ void reduce(const float *in, float *out, int)
{
    __shared__ float part[256];
    const int t = threadIdx.x;

    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (!t)
        out[blockIdx.x] = part[0];
}

__global__ void scan(const float *in, float *out, int)
{
    __shared__ float part[2][512];
    const int t = threadIdx.x;
    int now = 0;

    part[0][t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        part[1 - now][t] = part[now][t] + (t >= step ? part[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * 512 + t] = part[now][t];
}

__global__ void product(const float *in, float *out, int n)
{
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k += TILE) {
        a[threadIdx.y][threadIdx.x] = in[y * n + k + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = in[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    out[y * n + x] = sum;
}

__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

    tile[threadIdx.y][threadIdx.x] =
        in[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    out[(x + threadIdx.y) * n + y + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void stencil(const float *in, float *out, int n)
{
    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;

    if (x && y && x < n - 1 && y < n - 1)
        out[y * n + x] =
            in[y * n + x] + (in[y * n + x - 1] + in[y * n + x + 1] +
                             in[(y - 1) * n + x] + in[(y + 1) * n + x]) /
                                4;
}

static const struct {
    const char *name;
    void (*kernel)(const float *in, float *out, int n);
    int block; // of one dimension; 0: tiles
} kinds[] = {{"reduce", reduce, 256},
             {"scan", scan, 512},
             {"product", product, 0},
             {"transpose", transpose, 0},
             {"stencil", stencil, 0}};

int main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[2]) : 0;
    double sum = 0;
    bool known = false;

    for (const auto &one : kinds) {
        const size_t count = one.block ? (size_t)n : (size_t)n * n;
        const dim3 grid =
            one.block ? dim3(n / one.block) : dim3(n / TILE, n / TILE);
        const dim3 block = one.block ? dim3(one.block) : dim3(TILE, TILE);
        float *in, *out;

        if (argc < 3 || strcmp(argv[1], one.name))
            continue;
        std::vector<float> host(count);
        for (size_t i = 0; i < count; i++)
            host[i] = i % 7;
        cudaMalloc(&in, count * sizeof *in);
        cudaMalloc(&out, count * sizeof *out);
        cudaMemset(out, 0, count * sizeof *out);
        cudaMemcpy(in, host.data(), count * sizeof *in, cudaMemcpyHostToDevice);
        one.kernel<<<grid, block>>>(in, out, n);
        known = cudaMemcpy(host.data(), out, count * sizeof *out,
                           cudaMemcpyDeviceToHost) == cudaSuccess;
        for (const float value : host)
            sum += value;
        cudaFree(in);
        cudaFree(out);
    }
    printf("%.9g\n", sum);
    return !known;
}
