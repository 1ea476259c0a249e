/*
 * calls.c: every call of the runtime API as programs call it, made from
 * api.def: it begins, does what its function says, and ends.
 */
#include "rt.h"

#define AND_CALL(...) (&call, __VA_ARGS__)
#define ON(stream)    ((stream) ? (stream) : call.null_stream)

#pragma GCC visibility push(default)

#define ENTRY(NAME, SYMBOL, NULL_STREAM, PARAMETERS, ARGUMENTS, MANNER, COST)  \
    cudaError_t SYMBOL PARAMETERS;                                             \
    cudaError_t SYMBOL PARAMETERS                                              \
    {                                                                          \
        static const struct vgpu_entry entry = {#NAME, VGPU_CALL_##MANNER,     \
                                                COST};                         \
        struct vgpu_call call = {.null_stream = NULL_STREAM};                  \
        const cudaError_t error = vgpu_call_begin(&call, &entry, VGPU_PC);     \
                                                                               \
        return vgpu_call_end(&call, error ? error : vgpu_do_##NAME ARGUMENTS); \
    }
#define VGPU_CALL(NAME, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)            \
    ENTRY(NAME, NAME, NULL, PARAMETERS, AND_CALL ARGUMENTS, MANNER, COST)
#define VGPU_CALL0(NAME, MANNER, COST, SHOWN)                                  \
    ENTRY(NAME, NAME, NULL, (void), (&call), MANNER, COST)
#define VGPU_TWINS(NAME, SUFFIX, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)   \
    VGPU_CALL(NAME, PARAMETERS, ARGUMENTS, MANNER, COST, SHOWN)                \
    ENTRY(NAME, NAME##SUFFIX, cudaStreamPerThread, PARAMETERS,                 \
          AND_CALL ARGUMENTS, MANNER, COST)
#include "vgpu/api.def"
