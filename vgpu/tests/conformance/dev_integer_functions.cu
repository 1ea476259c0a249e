/*
 * dev_integer_functions.cu: integer intrinsics have one exact result, at
 * their edges too.
 * Source: CUDA Math API, Integer Intrinsics.
 */
#include "fact.h"

#define LIST(X)                                                                \
    X("clz_0", __clz(zero))                                                    \
    X("clz_1", __clz(zero + 1))                                                \
    X("clz_negative", __clz(zero - 1))                                         \
    X("clzll_1", __clzll((long long)zero + 1))                                 \
    X("popc", __popc(0xf0f0u + (unsigned int)zero))                            \
    X("popcll", __popcll(~0ull - (unsigned long long)zero))                    \
    X("ffs_0", __ffs(zero))                                                    \
    X("ffs_8", __ffs(zero + 8))                                                \
    X("ffsll", __ffsll((long long)zero + (1ll << 40)))                         \
    X("brev_1", __brev(1u + (unsigned int)zero))                               \
    X("brevll_1", (long long)(__brevll(1ull) >> 60) + zero)                    \
    X("mulhi", __mulhi(1 << 30, 8 + zero))                                     \
    X("mulhi_negative", __mulhi(-5, 7 + zero))                                 \
    X("umulhi", __umulhi(0xffffffffu, 2u + (unsigned int)zero))                \
    X("umul64hi", (long long)__umul64hi(1ull << 63, 6ull))                     \
    X("mul24", __mul24(1000, 3000 + zero))                                     \
    X("byte_perm", __byte_perm(0x33221100u, 0x77665544u, 0x5140u))             \
    X("sad", __sad(3, -4, 10u))                                                \
    X("usad", __usad(3u, 9u, 1u))                                              \
    X("hadd", __hadd(7, 8))                                                    \
    X("rhadd", __rhadd(7, 8))                                                  \
    X("funnelshift_l", __funnelshift_l(0x80000000u, 1u, 4u))                   \
    X("funnelshift_r", __funnelshift_r(0u, 0xfu, 8u))                          \
    X("min", min(-3, 2 + zero))                                                \
    X("max", max(-3, 2 + zero))                                                \
    X("min_unsigned", min(0xfffffff0u, 2u))                                    \
    X("max_long_long", max(1ll << 40, 5ll))                                    \
    X("abs", abs(zero - 17))                                                   \
    X("llabs", llabs(-(1ll << 40)) >> 40)                                      \
    X("division_toward_zero", (zero - 7) / 2)                                  \
    X("remainder_sign", (zero - 7) % 2)                                        \
    X("arithmetic_shift", (zero - 16) >> 2)

enum { MAXIMUM = 64 };

static __global__ void compute(long long *out, int zero)
{
    int i = 0;

#define VALUE(name, expression) out[i++] = (long long)(expression);
    LIST(VALUE)
#undef VALUE
}

int main(void)
{
    long long host[MAXIMUM];
    long long *out;
    int i = 0;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    MUST(cudaMemset(out, 0, sizeof(host)));
    compute<<<1, 1>>>(out, 0);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
#define STATE(name, expression) fact_int(name, host[i++]);
    LIST(STATE)
#undef STATE
    return 0;
}
