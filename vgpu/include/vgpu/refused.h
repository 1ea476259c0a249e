/*
 * refused.h: a function that is not there, declared, so that the compiler says
 * where it is used and why it is not to be had. A program that does not use it
 * never hears of it.
 */
#ifndef VGPU_REFUSED_H
#define VGPU_REFUSED_H

#ifdef __cplusplus
#define VGPU_ANY ...
#else
#define VGPU_ANY
#endif
#if defined(__has_attribute) && __has_attribute(unavailable)
#define VGPU_REFUSED(type, name, why)                                          \
    type name(VGPU_ANY) __attribute__((                                        \
        unavailable("not supported by the virtual GPU: " why)));
#else
#define VGPU_REFUSED(type, name, why)                                          \
    type name(VGPU_ANY)                                                        \
        __attribute__((error("not supported by the virtual GPU: " why)));
#endif

/* Why: of the calls that api.def and api_driver.def say are lacking. */
#define VGPU_NO_VIEWS                                                          \
    "its arrays have no mipmaps, planes or views, and its surfaces are "       \
    "objects"
#define VGPU_NO_GRAPHICS                                                       \
    "it draws nothing and shares nothing with a graphics library"
#define VGPU_NO_SHARING "each process has a virtual GPU of its own"
#define VGPU_NO_MODULES                                                        \
    "it links no modules, and those that it loads are PTX text"
#define VGPU_NOT_YET "not yet, docs/virtual-gpu.md lists what it has"
#define VGPU_NO_DRIVER_ARRAYS                                                  \
    "use the runtime API's arrays, textures and surfaces"
#define VGPU_NO_MAPPING "use cuMemAlloc, it has no virtual memory management"

#endif
