/*
 * dev_conversions.cu: conversions and sums with a named rounding, bit casts and
 * saturation have one exact result.
 * Source: CUDA Math API; programming guide, Floating-Point Standard.
 */
#include "fact.h"

#define LIST(X)                                                                \
    X("float2int_rn", __float2int_rn(3.5f))                                    \
    X("float2int_rn_near_1", __float2int_rn(a))                                \
    X("float2int_rz", __float2int_rz(-3.9f))                                   \
    X("float2int_rd", __float2int_rd(-3.1f))                                   \
    X("float2int_ru", __float2int_ru(3.1f))                                    \
    X("float2uint_rz", __float2uint_rz(3.9f))                                  \
    X("int2float_rn", __int2float_rn(16777217))                                \
    X("double2int_rn", __double2int_rn(2.5))                                   \
    X("int_as_float", __int_as_float(0x3f800000))                              \
    X("float_as_int", __float_as_int(b))                                       \
    X("fadd_rn", __fadd_rn(1.0f, 5.9604645e-8f))                               \
    X("saturatef", __saturatef(b))

enum { MAXIMUM = 64 };

static __global__ void compute(double *out, float a, float b)
{
    int i = 0;

#define VALUE(name, expression) out[i++] = (double)(expression);
    LIST(VALUE)
#undef VALUE
}

int main(void)
{
    double host[MAXIMUM];
    double *out;
    int i = 0;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    MUST(cudaMemset(out, 0, sizeof(host)));
    compute<<<1, 1>>>(out, 1.0f + 1.0f / 8192.0f, 3.0f);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
#define STATE(name, expression) fact("%s=%.17g", name, host[i++]);
    LIST(STATE)
#undef STATE
    return 0;
}
