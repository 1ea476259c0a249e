/* Inline PTX where a program has it: in functions, templates, macros, without
 * braces, with several instructions; atomics, conversions, nothing at all. */
#include <cstdio>

#define FENCE() asm volatile("membar.gl;" ::: "memory")

static __device__ __forceinline__ unsigned lane_of()
{
    unsigned r;

    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

template <class T>
__device__ T load_stream(const T *p)
{
    unsigned bits;

    __asm__ __volatile__("ld.global.L1::no_allocate.b32 %0, [%1 + 8];"
                         : "=r"(bits)
                         : "l"(p));
    return *(T *)&bits;
}

__global__ void mixed(float *f, unsigned *u, int n)
{
    const unsigned i = threadIdx.x;
    unsigned x = 1, old;
    unsigned long long wide = 5;
    double d = 2.5;
    int whole;

    if (i < n)
        asm("add.u32 %0, %0, %1;\n\t"
            "shl.b32 %0, %0, 4;"
            : "+r"(x)
            : "r"(lane_of()));
    else
        asm volatile("trap;");
    for (int k = 0; k < 2; k++)
        asm("mad.wide.u32 %0, %1, %1, %0;" : "+l"(wide) : "r"(x));
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(u), "r"(x) : "memory");
    asm volatile("atom.global.max.u32 %0, [%1+4], %2;"
                 : "=r"(old)
                 : "l"(u), "r"((unsigned)(i + (i < 3 ? 100 : 0)))
                 : "memory");
    asm("cvt.rni.s32.f64 %0, %1;" : "=r"(whole) : "d"(d + (double)i));
    FENCE();
    asm volatile("");
    asm volatile("prefetch.global.L1 [%0];" : : "l"(f));
    u[2 + i] = whole + (unsigned)wide;
    f[4 + i] = load_stream(f) * 2;
    asm volatile("bar.sync 0;");
}

__global__ void saturates(int *out)
{
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out[0]) : "f"(1e20f));
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out[1]) : "f"(-1e20f));
    asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(out[2]) : "f"(-3.0f));
    asm("cvt.s32.s8 %0, %1;" : "=r"(out[3]) : "r"(0xff));
    asm("shr.s32 %0, %1, 99;" : "=r"(out[4]) : "r"(-8));
    asm("bfe.s32 %0, %1, 4, 4;" : "=r"(out[5]) : "r"(0xf0));
}

int main()
{
    unsigned u[10] = {};
    float f[8] = {0, 1, 2.5f, 3};
    float *fd;
    unsigned *ud;
    int s[6], *sd;

    cudaMalloc(&fd, sizeof f);
    cudaMalloc(&ud, sizeof u);
    cudaMalloc(&sd, sizeof s);
    cudaMemcpy(fd, f, sizeof f, cudaMemcpyHostToDevice);
    cudaMemcpy(ud, u, sizeof u, cudaMemcpyHostToDevice);
    mixed<<<1, 4>>>(fd, ud, 4);
    saturates<<<1, 1>>>(sd);
    cudaMemcpy(u, ud, sizeof u, cudaMemcpyDeviceToHost);
    cudaMemcpy(f, fd, sizeof f, cudaMemcpyDeviceToHost);
    cudaMemcpy(s, sd, sizeof s, cudaMemcpyDeviceToHost);
    printf("%u %u, %u %u %u, %g\n", u[0], u[1], u[2], u[3], u[5], f[7]);
    printf("%d %d %d %d %d %d\n", s[0], s[1], s[2], s[3], s[4], s[5]);
    return cudaDeviceSynchronize();
}
