// flags: -lcuda
/*
 * driver_modules.cu: the driver API's modules and libraries of PTX text, and
 * kernels of the program's own, launched by their handles.
 * Source: Driver API, Module Management, Library Management, Execution Control;
 * codes observed.
 */
#include <cuda.h>

#include "fact.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 cell = 7;\n"
    ".visible .entry add_cell(.param .u64 p)\n.maxntid 32, 1, 1\n{\n"
    ".reg .b32 %r<3>;\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n"
    "ld.global.u32 %r2, [cell];\nadd.u32 %r1, %r1, %r2;\n"
    "st.global.u32 [%rd1], %r1;\nret;\n}\n";

__global__ void store(int *p, int value)
{
    *p = value;
}

static void tell(const char *key, CUresult result)
{
    const char *name = "none";

    cuGetErrorName(result, &name);
    fact("%s=%d %s", key, (int)result, name);
}

static int read_back(const int *place)
{
    int value = -1;

    MUST(cudaMemcpy(&value, place, sizeof value, cudaMemcpyDefault));
    return value;
}

static void modules(int *place)
{
    CUmodule module = NULL, wrong = NULL;
    CUfunction function = NULL;
    CUdeviceptr cell = 0;
    size_t bytes = 0;
    int value = -1;
    void *params[] = {&place};

    tell("module", cuModuleLoadData(&module, text));
    tell("module.wrong", cuModuleLoadData(&wrong, "hello\n"));
    tell("module.no_file", cuModuleLoad(&wrong, "/nonexistent/x.ptx"));
    tell("function", cuModuleGetFunction(&function, module, "add_cell"));
    tell("function.unknown", cuModuleGetFunction(&function, module, "none"));
    tell("global", cuModuleGetGlobal(&cell, &bytes, module, "cell"));
    fact_int("global.bytes", (long long)bytes);
    tell("global.unknown", cuModuleGetGlobal(&cell, &bytes, module, "none"));
    tell("launch",
         cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
    fact_int("launch.value", read_back(place));
    tell("launch.too_many",
         cuLaunchKernel(function, 1, 1, 1, 33, 1, 1, 0, 0, params, NULL));
    tell("attribute",
         cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                            function));
    fact_int("attribute.value", value);
    tell("attribute.set",
         cuFuncSetAttribute(
             function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000));
    tell("unload", cuModuleUnload(module));
    tell("module.options", cuModuleLoadDataEx(&module, text, 0, NULL, NULL));
    tell("module.options.unload", cuModuleUnload(module));
}

static void libraries(int *place)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    const char *name = NULL;
    void *params[] = {&place};

    tell("library",
         cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    tell("kernel", cuLibraryGetKernel(&kernel, library, "add_cell"));
    tell("kernel.function", cuKernelGetFunction(&function, kernel));
    tell("kernel.name", cuFuncGetName(&name, function));
    fact("kernel.name.is=%s", name);
    tell("kernel.launch", cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1,
                                         0, 0, params, NULL));
    fact_int("kernel.launch.value", read_back(place));
    tell("library.unload", cuLibraryUnload(library));
}

/* The runtime's handle of a kernel is the driver's. */
static void own(int *place)
{
    cudaFunction_t function = NULL;
    int value = 41;
    void *params[] = {&place, &value};

    MUST(cudaGetFuncBySymbol(&function, (const void *)store));
    tell("own.launch", cuLaunchKernel((CUfunction)function, 1, 1, 1, 1, 1, 1, 0,
                                      0, params, NULL));
    fact_int("own.value", read_back(place));
}

/* The driver's calls by name, asked of either API. */
static void names(void)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    cudaDriverEntryPointQueryResult result;
    void *driver = NULL, *runtime = NULL;

    tell("name", cuGetProcAddress("cuModuleLoadData", &driver, 13000,
                                  CU_GET_PROC_ADDRESS_DEFAULT, &status));
    fact_int("name.status", status);
    fact_error("name.runtime",
               cudaGetDriverEntryPoint("cuModuleLoadData", &runtime,
                                       cudaEnableDefault, &result));
    fact_yes("name.same", driver == runtime);
    tell("name.unknown",
         cuGetProcAddress("cuNoSuchCall", &driver, 13000,
                          CU_GET_PROC_ADDRESS_DEFAULT, &status));
    fact_int("name.unknown.status", status);
    tell("name.unknown.no_status",
         cuGetProcAddress("cuNoSuchCall", &driver, 13000,
                          CU_GET_PROC_ADDRESS_DEFAULT, NULL));
}

int main(void)
{
    int *place;

    MUST(cudaMalloc((void **)&place, sizeof(int)));
    MUST(cudaMemset(place, 0, sizeof(int)));
    modules(place);
    libraries(place);
    own(place);
    names();
    fact_error("end", cudaDeviceSynchronize());
    return 0;
}
