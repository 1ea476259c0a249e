/*
 * math_slots.h: what math functions and divisions take, in slots: how often a
 * full SM could have added two floats meanwhile. For vgpu/math.h, whose numbers
 * are the same on every device, and for the two of a profile that are not.
 */
#ifndef MATH_SLOTS_H
#define MATH_SLOTS_H

#include "measure.h"

enum { SLOT_THREADS = 1024, SLOT_SHARE = 2 }; /* blocks on each SM */

/* ---- adds in single and in double precision ------------------------------ */

#define FUSED_KERNEL(type)                                                     \
    __global__ static void fused_##type(type by, uint32_t rounds, type *sink)  \
    {                                                                          \
        type a = by, b = by + 1, c = by + 2, d = by + 3;                       \
                                                                               \
        for (uint32_t i = 0; i < rounds; i++) {                                \
            a = a * by + by;                                                   \
            b = b * by + by;                                                   \
            c = c * by + by;                                                   \
            d = d * by + by;                                                   \
        }                                                                      \
        if (a + b + c + d == (type)12345)                                      \
            *sink = a;                                                         \
    }

FUSED_KERNEL(float)
FUSED_KERNEL(double)

/* ---- a loop around one function -------------------------------------------
 */

/* The same for all but the function, so that the difference is the function;
 * from round to round the argument stays what it is, nearly. */
#define MATH_KERNEL(name, type, expression)                                    \
    __global__ static void math_##name(type x0, type y, uint32_t rounds,       \
                                       type *sink)                             \
    {                                                                          \
        type x = x0;                                                           \
                                                                               \
        for (uint32_t i = 0; i < rounds; i++)                                  \
            x = (expression) * (type)1e-3 + x0;                                \
        if (x == (type)12345)                                                  \
            *sink = x;                                                         \
    }

#define WHOLE_KERNEL(name, type, expression)                                   \
    __global__ static void math_##name(type x0, type y, uint32_t rounds,       \
                                       type *sink)                             \
    {                                                                          \
        type x = x0;                                                           \
                                                                               \
        for (uint32_t i = 0; i < rounds; i++)                                  \
            x = (expression) + x0;                                             \
        if (x == (type)12345)                                                  \
            *sink = x;                                                         \
    }

/* name, what it works on, x0, y, expression */
#define MATH_LIST(ONE)                                                         \
    ONE(none_float, float, 0.7f, 0.3f, x)                                      \
    ONE(sinf, float, 0.7f, 0.3f, sinf(x))                                      \
    ONE(sinf_far, float, 1e6f, 0.3f, sinf(x))                                  \
    ONE(cosf, float, 0.7f, 0.3f, cosf(x))                                      \
    ONE(tanf, float, 0.7f, 0.3f, tanf(x))                                      \
    ONE(expf, float, 0.7f, 0.3f, expf(x))                                      \
    ONE(exp2f, float, 0.7f, 0.3f, exp2f(x))                                    \
    ONE(logf, float, 0.7f, 0.3f, logf(x))                                      \
    ONE(log2f, float, 0.7f, 0.3f, log2f(x))                                    \
    ONE(sqrtf, float, 0.7f, 0.3f, sqrtf(x))                                    \
    ONE(rsqrtf, float, 0.7f, 0.3f, rsqrtf(x))                                  \
    ONE(cbrtf, float, 0.7f, 0.3f, cbrtf(x))                                    \
    ONE(asinf, float, 0.7f, 0.3f, asinf(x))                                    \
    ONE(atanf, float, 0.7f, 0.3f, atanf(x))                                    \
    ONE(tanhf, float, 0.7f, 0.3f, tanhf(x))                                    \
    ONE(erff, float, 0.7f, 0.3f, erff(x))                                      \
    ONE(powf, float, 0.7f, 0.3f, powf(x, y))                                   \
    ONE(fmodf, float, 0.7f, 0.3f, fmodf(x, y))                                 \
    ONE(atan2f, float, 0.7f, 0.3f, atan2f(x, y))                               \
    ONE(hypotf, float, 0.7f, 0.3f, hypotf(x, y))                               \
    ONE(divide_float, float, 0.7f, 0.3f, y / x)                                \
    ONE(fast_sinf, float, 0.7f, 0.3f, __sinf(x))                               \
    ONE(fast_expf, float, 0.7f, 0.3f, __expf(x))                               \
    ONE(fast_logf, float, 0.7f, 0.3f, __logf(x))                               \
    ONE(fast_powf, float, 0.7f, 0.3f, __powf(x, y))                            \
    ONE(none_double, double, 0.7, 0.3, x)                                      \
    ONE(sin, double, 0.7, 0.3, sin(x))                                         \
    ONE(sin_far, double, 1e11, 0.3, sin(x))                                    \
    ONE(exp, double, 0.7, 0.3, exp(x))                                         \
    ONE(log, double, 0.7, 0.3, log(x))                                         \
    ONE(sqrt, double, 0.7, 0.3, sqrt(x))                                       \
    ONE(pow, double, 0.7, 0.3, pow(x, y))                                      \
    ONE(divide_double, double, 0.7, 0.3, y / x)

#define WHOLE_LIST(ONE)                                                        \
    ONE(none_int, int, 1000, 7, x)                                             \
    ONE(divide_int, int, 1000, 7, x / y)                                       \
    ONE(remainder_int, int, 1000, 7, x % y)                                    \
    ONE(none_long, int64_t, 1000, 7, x)                                        \
    ONE(divide_long, int64_t, 1000, 7, x / y)

#define DEFINE_MATH(name, type, x0, y, expression)                             \
    MATH_KERNEL(name, type, expression)
#define DEFINE_WHOLE(name, type, x0, y, expression)                            \
    WHOLE_KERNEL(name, type, expression)

MATH_LIST(DEFINE_MATH)
WHOLE_LIST(DEFINE_WHOLE)

/* ---- how long --------------------------------------------------------------
 */

static inline unsigned slot_blocks(void)
{
    int sms;

    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return (unsigned)(SLOT_SHARE * sms);
}

/* Nanoseconds of one round on an SM, for each of its threads. */
#define ROUND_NS(result, kernel, type, rounds, ...)                            \
    do {                                                                       \
        cudaEvent_t begin_, end_;                                              \
        double ns_[REPEATS][2];                                                \
        float ms_;                                                             \
        type *sink_;                                                           \
                                                                               \
        CHECK(cudaMalloc((void **)&sink_, 64));                                \
        CHECK(cudaEventCreate(&begin_));                                       \
        CHECK(cudaEventCreate(&end_));                                         \
        kernel<<<slot_blocks(), SLOT_THREADS>>>(__VA_ARGS__, 1, sink_);        \
        for (int r_ = 0; r_ < REPEATS; r_++)                                   \
            for (int more_ = 0; more_ < 2; more_++) {                          \
                CHECK(cudaEventRecord(begin_));                                \
                kernel<<<slot_blocks(), SLOT_THREADS>>>(                       \
                    __VA_ARGS__, (more_ ? 3u : 1u) * (rounds), sink_);         \
                CHECK(cudaGetLastError());                                     \
                CHECK(cudaEventRecord(end_));                                  \
                CHECK(cudaEventSynchronize(end_));                             \
                CHECK(cudaEventElapsedTime(&ms_, begin_, end_));               \
                ns_[r_][more_] = (double)ms_ * 1e6;                            \
            }                                                                  \
        for (int r_ = 0; r_ < REPEATS; r_++)                                   \
            ns_[0][0] = r_ == 0 ? ns_[0][1] - ns_[0][0]                        \
                        : ns_[r_][1] - ns_[r_][0] < ns_[0][0]                  \
                            ? ns_[r_][1] - ns_[r_][0]                          \
                            : ns_[0][0];                                       \
        (result) = ns_[0][0] / (2.0 * (rounds)) / SLOT_SHARE / SLOT_THREADS;   \
        CHECK(cudaEventDestroy(begin_));                                       \
        CHECK(cudaEventDestroy(end_));                                         \
        CHECK(cudaFree(sink_));                                                \
    } while (0)

#ifdef __VGPU__
enum { SLOT_ROUNDS = 8 };
#else
enum { SLOT_ROUNDS = 2000 };
#endif

/*
 * On the virtual GPU the text of a product and a sum is two operations, not an
 * instruction: there the device's lanes and clock are taken, as its profile
 * was made.
 */
static inline double slots_per_us(void)
{
    static double result;
#ifdef __VGPU__
    int khz, major;

    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    result = (major >= 9 ? 128 : major == 3 ? 192 : 64) * (khz / 1e3);
#else
    if (result == 0) {
        double ns;

        ROUND_NS(ns, fused_float, float, SLOT_ROUNDS, 0.5f);
        result = 4 / ns * 1e3;
        printf("a product and a sum of floats  %.0f a us and SM\n", result);
    }
#endif
    return result;
}

static inline double double_slots(void)
{
#ifdef __VGPU__
    return 2;
#else
    static double ns;

    if (ns == 0)
        ROUND_NS(ns, fused_double, double, SLOT_ROUNDS, 0.5);
    printf("one in double precision        %.3f slots\n",
           ns * slots_per_us() / 4 / 1e3);
    return ns * slots_per_us() / 4 / 1e3;
#endif
}

static inline const char *slots_source(void)
{
    return REPEATS > 1 ? "measured" : "not measured: lanes times clock";
}

/* A line for each function: its slots, and the loop's own, in its type. */
static inline void print_math_slots(void)
{
    double none = 0, ns;

#define PRINT_MATH(name, type, x0, y, expression)                              \
    ROUND_NS(ns, math_##name, type, SLOT_ROUNDS, (type)x0, (type)y);           \
    if (strncmp(#name, "none", 4) == 0)                                        \
        none = ns;                                                             \
    printf("math %-14s %8.1f slots, with its loop %8.1f\n", #name,             \
           (ns - none) * slots_per_us() / 1e3, ns * slots_per_us() / 1e3);

    MATH_LIST(PRINT_MATH)
    WHOLE_LIST(PRINT_MATH)
#undef PRINT_MATH
}

#endif
