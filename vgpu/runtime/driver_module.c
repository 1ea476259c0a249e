/* driver_module.c: the driver API's modules, which are the runtime's libraries,
 * and a function's attributes. */
#include "driver.h"

/* A module is a library whose text has to be right at once. */
cudaError_t vgpu_module_load(CUmodule *module, const char *name,
                             const void *image, unsigned int count,
                             CUjit_option *options, void **values)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t none;
    cudaError_t error;

    if (!module)
        return cudaErrorInvalidValue;
    error = name ? cudaLibraryLoadFromFile(&library, name, options, values,
                                           count, NULL, NULL, 0)
                 : cudaLibraryLoadData(&library, image, options, values, count,
                                       NULL, NULL, 0);
    if (!error) /* what is wrong with its text is told to who asks for some */
        error = cudaLibraryGetKernel(&none, library, "");
    if (error == cudaErrorSymbolNotFound)
        error = cudaSuccess;
    if (!error)
        *module = (CUmodule)(void *)library;
    return error;
}

cudaLibrary_t vgpu_module_library(CUmodule module)
{
    return (cudaLibrary_t)(void *)module;
}

cudaError_t vgpu_module_function(CUfunction *function, CUmodule module,
                                 const char *name)
{
    cudaKernel_t kernel;
    cudaError_t error = cudaErrorInvalidValue;

    if (function) {
        *function = NULL; /* also where there is none (observed) */
        error =
            cudaLibraryGetKernel(&kernel, vgpu_module_library(module), name);
    }
    return error ? error : cudaGetFuncBySymbol(function, kernel);
}

cudaError_t vgpu_function_attribute(int *value, CUfunction_attribute attribute,
                                    CUfunction function)
{
    struct cudaFuncAttributes a = {0};
    const cudaError_t error =
        value ? cudaFuncGetAttributes(&a, function) : cudaErrorInvalidValue;
    const int values[] = {a.maxThreadsPerBlock,
                          (int)a.sharedSizeBytes,
                          (int)a.constSizeBytes,
                          (int)a.localSizeBytes,
                          a.numRegs,
                          a.ptxVersion,
                          a.binaryVersion,
                          a.cacheModeCA,
                          a.maxDynamicSharedSizeBytes,
                          a.preferredShmemCarveout};

    if (error || (unsigned)attribute >= sizeof values / sizeof *values)
        return error ? error : cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}
