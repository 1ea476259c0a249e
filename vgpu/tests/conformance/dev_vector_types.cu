/*
 * dev_vector_types.cu: sizes and alignments of the vector types are the same
 * on host and device, and they travel unchanged.
 * Source: programming guide, Built-in Vector Types.
 */
#include "fact.h"

#define LIST(X)                                                                \
    X(char2)                                                                   \
    X(char3)                                                                   \
    X(char4)                                                                   \
    X(uchar4)                                                                  \
    X(short2)                                                                  \
    X(short3)                                                                  \
    X(short4)                                                                  \
    X(int1)                                                                    \
    X(int2)                                                                    \
    X(int3)                                                                    \
    X(int4)                                                                    \
    X(uint4)                                                                   \
    X(longlong2)                                                               \
    X(ulonglong2)                                                              \
    X(float1)                                                                  \
    X(float2)                                                                  \
    X(float3)                                                                  \
    X(float4)                                                                  \
    X(double1)                                                                 \
    X(double2)                                                                 \
    X(dim3)

enum {
#define NUMBER(type) TYPE_##type,
    LIST(NUMBER)
#undef NUMBER
        TYPES
};

static __global__ void sizes(int *out)
{
#define SIZE(type)                                                             \
    out[2 * TYPE_##type] = (int)sizeof(type);                                  \
    out[2 * TYPE_##type + 1] = (int)alignof(type);
    LIST(SIZE)
#undef SIZE
}

static __global__ void use(const float4 *from, float4 *to, int2 pair,
                           uchar4 bytes)
{
    float4 v = *from;

    *to = make_float4(v.w, v.z + (float)pair.x, v.y + (float)pair.y,
                      v.x + (float)bytes.w);
}

int main(void)
{
    int host[2 * TYPES];
    int *out;
    float4 value = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    float4 *from, *to;
    dim3 shape(7);
    int same = 0;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    sizes<<<1, 1>>>(out);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
#define STATE(type)                                                            \
    fact("%s=%zu aligned %zu", #type, sizeof(type), alignof(type));            \
    same += host[2 * TYPE_##type] == (int)sizeof(type) &&                      \
            host[2 * TYPE_##type + 1] == (int)alignof(type);
    LIST(STATE)
#undef STATE
    fact_yes("device_agrees_on_all", same == TYPES);
    fact("dim3_defaults=%u %u %u", shape.x, shape.y, shape.z);

    MUST(cudaMalloc((void **)&from, sizeof(value)));
    MUST(cudaMalloc((void **)&to, sizeof(value)));
    MUST(cudaMemcpy(from, &value, sizeof(value), cudaMemcpyHostToDevice));
    use<<<1, 1>>>(from, to, make_int2(10, 20), make_uchar4(1, 2, 3, 255));
    MUST(cudaMemcpy(&value, to, sizeof(value), cudaMemcpyDeviceToHost));
    fact("after_kernel=%g %g %g %g", (double)value.x, (double)value.y,
         (double)value.z, (double)value.w);
    return 0;
}
