/*
 * kernel_handles.cu: a kernel's name and parameters, and its two handles, which
 * calls take in place of its address.
 * Source: Runtime API, Execution Control and Library Management; codes
 * observed.
 */
#include "fact.h"

struct pair {
    char tag;
    double values[2];
};
struct three {
    char bytes[3];
};

extern "C" __global__ void plain_name(char a, double b, pair c, int *p)
{
    if (p)
        *p = a + (int)b + (int)c.values[0];
}

__global__ void odd_sizes(three a, float4 b, bool c, short d, int *p)
{
    if (p)
        *p = a.bytes[0] + (int)b.x + c + d;
}

__global__ void nothing()
{
}

__global__ void store(int *p, int value)
{
    *p = value;
}

template <class T>
__global__ void store_any(T *p, T value)
{
    *p = value;
}

namespace inner
{
__global__ void in_namespace(const float *const *p, unsigned char c)
{
    (void)p;
    (void)c;
}
} // namespace inner

static void name(const char *key, const void *function)
{
    const char *text = NULL;
    const cudaError_t error = cudaFuncGetName(&text, function);

    fact("%s=%d %s", key, (int)error, text ? text : "none");
    cudaGetLastError();
}

static void parameters(const char *key, const void *function, int count)
{
    for (int i = 0; i < count; i++) {
        size_t offset = 99, bytes = 99;
        const cudaError_t error =
            cudaFuncGetParamInfo(function, i, &offset, &bytes);

        fact("%s.%d=%d %zu %zu", key, i, (int)error, offset, bytes);
        cudaGetLastError();
    }
}

static void names(cudaKernel_t kernel)
{
    name("name.c", (const void *)plain_name);
    name("name.cpp", (const void *)odd_sizes);
    name("name.nothing", (const void *)nothing);
    name("name.template", (const void *)store_any<double>);
    name("name.namespace", (const void *)inner::in_namespace);
    name("name.handle", (const void *)kernel);
    name("name.null", NULL);
    fact_error("name.nowhere", cudaFuncGetName(NULL, (const void *)plain_name));
    parameters("parameter.c", (const void *)plain_name, 5);
    parameters("parameter.odd", (const void *)odd_sizes, 6);
    parameters("parameter.nothing", (const void *)nothing, 1);
    parameters("parameter.handle", (const void *)kernel, 3);
    parameters("parameter.null", NULL, 1);
}

static void handles(cudaKernel_t kernel)
{
    cudaKernel_t again = NULL;
    cudaFunction_t function = NULL;

    fact_error("kernel", cudaGetKernel(&again, (const void *)store));
    fact_yes("kernel.same", again == kernel);
    fact_error("kernel.null", cudaGetKernel(&again, NULL));
    fact_error("kernel.nowhere", cudaGetKernel(NULL, (const void *)store));
    fact_error("function", cudaGetFuncBySymbol(&function, (const void *)store));
    fact_error("function.null", cudaGetFuncBySymbol(&function, NULL));
    fact_error("function.nowhere",
               cudaGetFuncBySymbol(NULL, (const void *)store));
    cudaGetLastError();
}

static void launches(cudaKernel_t kernel)
{
    int *place, value = 41, seen = 0;
    void *args[] = {&place, &value};

    MUST(cudaMalloc((void **)&place, sizeof(int)));
    fact_error("launch", cudaLaunchKernel((const void *)kernel, dim3(1),
                                          dim3(1), args, 0, 0));
    MUST(cudaMemcpy(&seen, place, sizeof(int), cudaMemcpyDefault));
    fact_int("launch.value", seen);
}

static void allow(const char *key, cudaKernel_t kernel,
                  cudaFuncAttribute attribute, int value, int device)
{
    fact_error(
        key, cudaKernelSetAttributeForDevice(kernel, attribute, value, device));
    cudaGetLastError();
}

static void attributes(cudaKernel_t kernel)
{
    const cudaFuncAttribute shared =
        cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaFuncAttributes seen;

    allow("attribute", kernel, shared, 100000, 0);
    MUST(cudaFuncGetAttributes(&seen, (const void *)store));
    fact_int("attribute.seen", seen.maxDynamicSharedSizeBytes);
    MUST(cudaFuncGetAttributes(&seen, (const void *)kernel));
    fact_int("attribute.seen_by_handle", seen.maxDynamicSharedSizeBytes);
    allow("attribute.too_much", kernel, shared, 300000, 0);
    allow("attribute.negative", kernel, shared, -1, 0);
    allow("attribute.unknown", kernel, (cudaFuncAttribute)99, 1, 0);
    allow("attribute.device_99", kernel, shared, 1000, 99);
    allow("attribute.no_kernel", NULL, shared, 1000, 0);
    fact_error("attribute.function",
               cudaFuncSetAttribute((const void *)kernel, shared, 60000));
    MUST(cudaFuncGetAttributes(&seen, (const void *)store));
    fact_int("attribute.function.seen", seen.maxDynamicSharedSizeBytes);
}

int main(void)
{
    cudaKernel_t kernel;

    MUST(cudaFree(0));
    MUST(cudaGetKernel(&kernel, (const void *)store));
    names(kernel);
    handles(kernel);
    launches(kernel);
    attributes(kernel);
    return 0;
}
