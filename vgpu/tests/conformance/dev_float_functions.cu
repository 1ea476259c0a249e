/*
 * dev_float_functions.cu: floating-point functions whose result is exact:
 * rounding, conversion, bit casts, fused multiply-add, not-a-number rules.
 * Source: CUDA Math API; programming guide, Floating-Point Standard.
 */
#include "fact.h"

#define LIST(X)                                                                \
    X("fmaf_keeps_low_bits", fmaf(a, a, -1.0f))                                \
    X("sqrtf_exact", sqrtf(b *b))                                              \
    X("sqrt_double", sqrt(2.25 * (double)b / (double)b))                       \
    X("rintf_half_to_even", rintf(2.5f * (b / b)))                             \
    X("roundf_half_away", roundf(2.5f * (b / b)))                              \
    X("truncf", truncf(-2.7f * (b / b)))                                       \
    X("floorf", floorf(-2.1f * (b / b)))                                       \
    X("ceilf", ceilf(-2.1f * (b / b)))                                         \
    X("fabsf", fabsf(-b))                                                      \
    X("fminf_with_nan", fminf(nanf(""), b))                                    \
    X("fmaxf_with_nan", fmaxf(b, nanf("")))                                    \
    X("isnan", isnan(nanf("")) ? 1 : 0)                                        \
    X("isinf", isinf(b / (b - b)) ? 1 : 0)                                     \
    X("copysignf", copysignf(b, -0.0f))                                        \
    X("fmodf", fmodf(7.5f, 2.0f))                                              \
    X("ldexpf", ldexpf(b, 4))                                                  \
    X("division_is_rounded_correctly", (b / 7.0f) * 16777216.0f)

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
