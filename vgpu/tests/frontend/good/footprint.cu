// Kernels whose time is that of the memory they touch: gcc and clang must
// agree on what that is. run.sh compares the two traces.
#include <cstdio>
#include <cstring>

struct wide {
    float a[12];
    int b;
};
struct mixed {
    int x;
    double y;
};

#define N 65536
#define KERNEL(name, type, ...)                                                \
    __global__ void name(type *to, const type *from)                           \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        __VA_ARGS__                                                            \
    }

KERNEL(add_to, int, to[i] += from[i];)
KERNEL(twice, int, to[i] = 1; to[i] = 2;)
KERNEL(copy_wide, wide, to[i] = from[i];)
KERNEL(copy_mixed, mixed, to[i] = from[i];)
KERNEL(clear_wide, wide, to[i] = wide{};)
KERNEL(part, float4, to[i].y = from[i].x;)
KERNEL(vector, float4, float4 v = from[i]; v.x += v.w; to[i] = v;)
KERNEL(bytes, unsigned char, memcpy(to + 12 * i, from + 12 * i, 12);)
KERNEL(choose, int, to[i] = i & 1 ? from[i] : 3;)
KERNEL(lookahead, int, if (from[i] && from[i ^ 1]) to[i]++;)
KERNEL(unused, int, int x = from[i]; (void)x; to[i] = i;)
KERNEL(repeated, int, for (int k = 0; k < 4; k++) to[i] += from[i ^ k];)

template <class T> static void run(void (*kernel)(T *, const T *))
{
    T *to, *from;

    cudaMalloc(&to, 12 * N * sizeof(T));
    cudaMalloc(&from, 12 * N * sizeof(T));
    cudaMemset(to, 0, 12 * N * sizeof(T));
    cudaMemset(from, 1, 12 * N * sizeof(T));
    kernel<<<N / 256, 256>>>(to, from);
    cudaFree(to);
    cudaFree(from);
}

int main()
{
    run(add_to);
    run(twice);
    run(copy_wide);
    run(copy_mixed);
    run(clear_wide);
    run(part);
    run(vector);
    run(bytes);
    run(choose);
    run(lookahead);
    run(unused);
    run(repeated);
    puts(cudaGetErrorString(cudaGetLastError()));
    return 0;
}
