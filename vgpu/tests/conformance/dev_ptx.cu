/*
 * dev_ptx.cu: single PTX instructions in asm(): special registers, loads and
 * stores with cache hints, arithmetic, barriers, fences.
 * Source: "Inline PTX Assembly in CUDA"; PTX ISA.
 */
#include "fact.h"

enum { THREADS = 96, INTS = 40 };

static __device__ unsigned lane()
{
    unsigned r;

    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

static __device__ unsigned warp()
{
    unsigned r;

    asm volatile("mov.u32 %0, %%warpid;" : "=r"(r));
    return r;
}

static __device__ unsigned sm()
{
    unsigned r;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
    return r;
}

static __device__ unsigned long long timer()
{
    unsigned long long r;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r));
    return r;
}

/* Each thread: are the special registers what the built-in names say? */
static __global__ void registers(int *out)
{
    unsigned tid, ntid, ctaid, nctaid, lt, le, eq, ge, gt, sms;
    unsigned t0, t1;
    unsigned long long c0, c1, n0, n1;

    asm("mov.u32 %0, %%tid.x;" : "=r"(tid));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(ntid));
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(ctaid));
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(nctaid));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
    asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t0));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c0));
    n0 = timer();
    for (int i = 0; i < 10000; i++)
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(n1));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c1));
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t1));
    if (tid != threadIdx.x || ntid != blockDim.x || ctaid != blockIdx.x ||
        nctaid != gridDim.x)
        atomicAdd(&out[0], 1);
    if (lane() != threadIdx.x % 32)
        atomicAdd(&out[1], 1);
    if (warp() != threadIdx.x / 32)
        atomicAdd(&out[2], 1);
    if (sm() >= sms)
        atomicAdd(&out[3], 1);
    if (eq != 1u << lane() || lt != eq - 1 || le != (eq | lt) || gt != ~le ||
        ge != ~lt)
        atomicAdd(&out[4], 1);
    if (c1 <= c0 || t1 == t0)
        atomicAdd(&out[5], 1);
    if (n1 < n0)
        atomicAdd(&out[6], 1);
}

static __global__ void arithmetic(int *out)
{
    float f, a = 1.5f, b = 2.25f, c = -3.0f;
    double d;
    int r;
    unsigned u;
    unsigned long long wide;

    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(f) : "f"(a), "f"(b), "f"(c));
    out[0] = (int)(f * 1000);
    asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(d) : "d"(1.5), "d"(4.0), "d"(0.25));
    out[1] = (int)(d * 1000);
    asm("add.s32 %0, %1, %2;" : "=r"(r) : "r"(40), "r"(2));
    out[2] = r;
    asm("sub.s32 %0, %1, %2;" : "=r"(r) : "r"(40), "r"(2));
    out[3] = r;
    asm("mul.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(-7), "r"(6));
    out[4] = r;
    asm("mul.hi.u32 %0, %1, %2;" : "=r"(u) : "r"(0x80000000), "r"(6));
    out[5] = (int)u;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(7), "r"(6), "r"(-1));
    out[6] = r;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(0xffffffffu), "r"(0x10u));
    out[7] = (int)(wide >> 32);
    asm("add.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b));
    out[8] = (int)(f * 1000);
    asm("mul.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b));
    out[9] = (int)(f * 1000);
    asm("and.b32 %0, %1, %2;" : "=r"(u) : "r"(0xff0fu), "r"(0x0ff0u));
    out[10] = (int)u;
    asm("or.b32 %0, %1, %2;" : "=r"(u) : "r"(0xff0fu), "r"(0x0ff0u));
    out[11] = (int)u;
    asm("xor.b32 %0, %1, %2;" : "=r"(u) : "r"(0xff0fu), "r"(0x0ff0u));
    out[12] = (int)u;
    asm("shl.b32 %0, %1, %2;" : "=r"(u) : "r"(0xffu), "r"(4u));
    out[13] = (int)u;
    asm("shl.b32 %0, %1, %2;" : "=r"(u) : "r"(0xffu), "r"(40u));
    out[14] = (int)u;
    asm("shr.u32 %0, %1, %2;" : "=r"(u) : "r"(0x80000000u), "r"(31u));
    out[15] = (int)u;
    asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(-8), "r"(1));
    out[16] = r;
    asm("popc.b32 %0, %1;" : "=r"(r) : "r"(0xff0fu));
    out[17] = r;
    asm("brev.b32 %0, %1;" : "=r"(u) : "r"(0x2u));
    out[18] = (int)(u >> 28);
    asm("clz.b32 %0, %1;" : "=r"(r) : "r"(0x00010000u));
    out[19] = r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(0xabcdu), "r"(4), "r"(8));
    out[20] = (int)u;
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(u)
        : "r"(0x5u), "r"(0xffffu), "r"(4), "r"(4));
    out[21] = (int)u;
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(u)
        : "r"(0x03020100u), "r"(0x07060504u), "r"(0x0167u));
    out[22] = (int)u;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;"
        : "=r"(u)
        : "r"(0xff00u), "r"(0xf0f0u), "r"(0xccccu));
    out[23] = (int)u;
    asm("min.s32 %0, %1, %2;" : "=r"(r) : "r"(-4), "r"(3));
    out[24] = r;
    asm("max.u32 %0, %1, %2;" : "=r"(u) : "r"(4u), "r"(9u));
    out[25] = (int)u;
    asm("rcp.approx.f32 %0, %1;" : "=f"(f) : "f"(4.0f));
    out[26] = (int)(f * 1000);
    asm("sqrt.rn.f32 %0, %1;" : "=f"(f) : "f"(9.0f));
    out[27] = (int)(f * 1000);
    asm("cvt.rn.f32.s32 %0, %1;" : "=f"(f) : "r"(-12));
    out[28] = (int)(f * 1000);
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(-2.75f));
    out[29] = r;
    asm("mov.b32 %0, %1;" : "=r"(u) : "f"(1.0f));
    out[30] = (int)u;
    asm("abs.s32 %0, %1;" : "=r"(r) : "r"(-12));
    out[31] = r;
    asm("neg.s32 %0, %1;" : "=r"(r) : "r"(-12));
    out[32] = r;
    asm("not.b32 %0, %1;" : "=r"(u) : "r"(0xfffffff0u));
    out[33] = (int)u;
    r = 5;
    asm("add.s32 %0, %0, %1;" : "+r"(r) : "r"(3));
    out[34] = r;
    asm("add.s32 %0, %1, 12;" : "=r"(r) : "r"(3));
    out[35] = r;
}

static __global__ void memory(int *out, const int *in, float *floats)
{
    __shared__ int turned[THREADS];
    const int i = (int)threadIdx.x;
    int a, b, c, d;
    float f;

    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(a) : "l"(in + i));
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(b) : "l"(in + i));
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(c) : "l"(in + i));
    asm volatile("ld.global.nc.s32 %0, [%1+4];" : "=r"(d) : "l"(in + i));
    turned[THREADS - 1 - i] = a + b + c + d;
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("st.global.cs.s32 [%0], %1;"
                 :
                 : "l"(out + i), "r"(turned[i])
                 : "memory");
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("membar.cta;" ::: "memory");
    asm volatile("membar.sys;" ::: "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    asm volatile("barrier.sync 0;" ::: "memory");
    asm volatile("ld.volatile.global.f32 %0, [%1];"
                 : "=f"(f)
                 : "l"(floats + i));
    asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(floats + i),
                 "f"(f * 2.0f)
                 : "memory");
    asm volatile("" ::: "memory");
}

static __global__ void vectors(int *out, const int4 *in)
{
    int4 v;

    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(in));
    asm volatile("st.global.v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(out),
                 "r"(v.w), "r"(v.z), "r"(v.y), "r"(v.x)
                 : "memory");
}

int main(void)
{
    static const char *const names[] = {"index",    "laneid", "warpid", "smid",
                                        "lanemask", "clock",  "timer"};
    int host[THREADS + 1], *out, *in;
    float *floats, four[THREADS];

    MUST(cudaMalloc((void **)&out, sizeof host));
    MUST(cudaMalloc((void **)&in, sizeof host));
    MUST(cudaMalloc((void **)&floats, sizeof host));
    MUST(cudaMemset(out, 0, sizeof host));
    registers<<<4, THREADS>>>(out);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 7; i++)
        fact("registers.%s.wrong=%d", names[i], host[i]);
    arithmetic<<<1, 1>>>(out);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 36; i++)
        fact("arithmetic.%d=%d", i, host[i]);
    for (int i = 0; i <= THREADS; i++)
        host[i] = i;
    for (int i = 0; i < THREADS; i++)
        four[i] = (float)i;
    MUST(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(floats, four, sizeof four, cudaMemcpyHostToDevice));
    memory<<<1, THREADS>>>(out, in, floats);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(four, floats, sizeof four, cudaMemcpyDeviceToHost));
    fact("memory=%d %d %d", host[0], host[1], host[THREADS - 1]);
    fact("memory.volatile=%d %d", (int)four[1], (int)four[THREADS - 1]);
    vectors<<<1, 1>>>(out, (const int4 *)in);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    fact("vectors=%d %d %d %d", host[0], host[1], host[2], host[3]);
    return 0;
}
