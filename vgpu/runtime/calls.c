/*
 * calls.c: every call of the runtime API as programs call it, made from
 * api.def: it begins, does what its function says, and ends.
 */
#include "rt.h"

#define AND_CALL(...) (&call, __VA_ARGS__)
#define ON(stream)    ((stream) ? (stream) : call.null_stream)

/* Where the arguments are, for the words of a call that failed. Each is copied,
 * as a stream may be no variable; an array can be made of any type. */
#define VALUE(x)                                                               \
    (__typeof__(x)[])                                                          \
    {                                                                          \
        x                                                                      \
    }
#define V1(x)                                     VALUE(x)
#define V2(x, ...)                                VALUE(x), V1(__VA_ARGS__)
#define V3(x, ...)                                VALUE(x), V2(__VA_ARGS__)
#define V4(x, ...)                                VALUE(x), V3(__VA_ARGS__)
#define V5(x, ...)                                VALUE(x), V4(__VA_ARGS__)
#define V6(x, ...)                                VALUE(x), V5(__VA_ARGS__)
#define V7(x, ...)                                VALUE(x), V6(__VA_ARGS__)
#define V8(x, ...)                                VALUE(x), V7(__VA_ARGS__)
#define V9(x, ...)                                VALUE(x), V8(__VA_ARGS__)
#define V10(x, ...)                               VALUE(x), V9(__VA_ARGS__)
#define NTH(a, b, c, d, e, f, g, h, i, j, n, ...) n
#define VALUES(...)                                                            \
    NTH(__VA_ARGS__, V10, V9, V8, V7, V6, V5, V4, V3, V2, V1, )(__VA_ARGS__)

#pragma GCC visibility push(default)

#define ENTRY(NAME, SYMBOL, NULL_STREAM, PARAMETERS, ARGUMENTS, VALUES,        \
              MANNER, COST)                                                    \
    cudaError_t SYMBOL PARAMETERS;                                             \
    cudaError_t SYMBOL PARAMETERS                                              \
    {                                                                          \
        static const struct vgpu_entry entry = {#NAME, VGPU_CALL_##MANNER,     \
                                                COST, #PARAMETERS};            \
        struct vgpu_call call = {.null_stream = NULL_STREAM,                   \
                                 .frame = VGPU_FRAME()};                       \
        cudaError_t error = vgpu_call_begin(&call, &entry, VGPU_PC);           \
                                                                               \
        if (!error)                                                            \
            error = vgpu_do_##NAME ARGUMENTS;                                  \
        if (__builtin_expect(error && vgpu_rt.explains, 0))                    \
            vgpu_call_failed(&call, error, (const void *const[]){VALUES});     \
        return vgpu_call_end(&call, error);                                    \
    }
#define VGPU_CALL(NAME, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)            \
    ENTRY(NAME, NAME, NULL, PARAMETERS, AND_CALL ARGUMENTS, VALUES ARGUMENTS,  \
          MANNER, COST)
#define VGPU_CALL0(NAME, MANNER, COST, SHOWN)                                  \
    ENTRY(NAME, NAME, NULL, (void), (&call), NULL, MANNER, COST)
#define VGPU_TWINS(NAME, SUFFIX, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)   \
    VGPU_CALL(NAME, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)                \
    ENTRY(NAME, NAME##SUFFIX, cudaStreamPerThread, PARAMETERS,                 \
          AND_CALL ARGUMENTS, VALUES ARGUMENTS, MANNER, COST)
#include "vgpu/api.def"
