/* driver.h: what driver.c has from driver_module.c, called without the
 * runtime's lock. */
#ifndef VGPU_DRIVER_H
#define VGPU_DRIVER_H

#include "cuda_runtime_api.h"
#include "cuda.h"

/* From the file @name, or @image. Return: what is wrong with the text, too. */
cudaError_t vgpu_module_load(CUmodule *module, const char *name,
                             const void *image, unsigned int count,
                             CUjit_option *options, void **values);
cudaLibrary_t vgpu_module_library(CUmodule module);
cudaError_t vgpu_module_function(CUfunction *function, CUmodule module,
                                 const char *name);
cudaError_t vgpu_function_attribute(int *value, CUfunction_attribute attribute,
                                    CUfunction function);

#endif
