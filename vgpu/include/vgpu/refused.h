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

#endif
