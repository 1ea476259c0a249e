/* Where the texts of several rewritings meet at one place. */
#include <cstdio>

__device__ float first_word(float x) { float s = 0; for (int i = 0; i < 100; i++) s = s * x + 1.0f; return s; }
struct nothing {
};__device__ float glued(float x, int n) { float s = x; while (n-- > 0) s = s * 0.5f + x; return s; }
__device__ static inline double both_words(double x, int n)
{
    double s = 1;

    do
        s = s * x + 1;
    while (--n > 0);
    return s;
}
__device__ __forceinline__ unsigned forced(unsigned x, int n) { for (int i = 0; i < n; i++) x = x * 3 + 1; return x; }__device__ __noinline__ unsigned alone(unsigned x, int n) { for (int i = 0; i < n; i++) x = x * 5 + 1; return x; }
__device__ __host__ unsigned sides(unsigned x, int n) { for (int i = 0; i < n; i++) x = x * 7 + 1; return x; }
__device__ inline unsigned called(unsigned x) { return x * 11 + 1; }
__device__ unsigned calls(unsigned x, int n) { for (int i = 0; i < n; i++) x = called(x); return x; }
#define FUNCTION(name) __device__ unsigned name(unsigned x, int n) { for (int i = 0; i < n; i++) x += 13; return x; }
FUNCTION(made)FUNCTION(made_again)

__global__ void all(float *f, double *d, unsigned *u)
{
    const int i = threadIdx.x;

    f[i] = first_word(f[i]) + glued(f[i], 8);
    d[i] = both_words(d[i], 9);
    u[i] = forced(u[i], 3) + alone(u[i], 4) + sides(u[i], 5) + calls(u[i], 6) + made(u[i], 7) + made_again(u[i], 8);
}

int main()
{
    float *f;
    double *d;
    unsigned *u;

    cudaMallocManaged(&f, 32 * sizeof *f);
    cudaMallocManaged(&d, 32 * sizeof *d);
    cudaMallocManaged(&u, 32 * sizeof *u);
    for (int i = 0; i < 32; i++) {
        f[i] = 0.01f * i;
        d[i] = 0.5 + i % 2;
        u[i] = i;
    }
    all<<<1, 32>>>(f, d, u);
    cudaDeviceSynchronize();
    printf("%.6f %.6f %u %u\n", f[31], d[31], u[0], u[31]);
    printf("%u\n", sides(1, 2));
    return cudaGetLastError();
}
