/*
 * function.c: kernels as handles: what they are called, what they are given.
 *
 * A kernel is known by its stub's address, by a cudaKernel_t, which is the same
 * for all devices, and by a cudaFunction_t. Each call that takes one takes the
 * others, too (vgpu_stub_find).
 *
 * Source: manual, Execution Control and Library Management.
 */
#include "rt.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind digits, which @at begins with; 0: none. */
static size_t number(const char *at, const char **end)
{
    size_t value = 0;

    for (*end = at; isdigit((unsigned char)**end); (*end)++)
        value = value * 10 + (size_t)(**end - '0');
    return value;
}

/* What stood before is "S_", then "S0_", "S1_" and so on, and one was the type
 * that the name is taken out of. Return: behind it. */
static const char *put_earlier(const char *at, char **to)
{
    char *end;
    const unsigned long which = strtoul(at + 1, &end, 36);

    if (at[1] == '_' || *end != '_')
        return at;
    *to += which ? sprintf(*to, "S%lu_", which - 1) : sprintf(*to, "S_");
    return end + 1;
}

/* Names, which may look like anything, are passed over. */
static void put_mangled(const char *at, const char *end, char *to)
{
    while (at < end) {
        const char *name, *next = *at == 'S' ? put_earlier(at, &to) : at;
        size_t length = number(at, &name);

        if (next > at) {
            at = next;
            continue;
        }
        if (strchr("TAL", *at) && at[1] != '_')
            length = 0, name = at + 1 + strspn(at + 1, "0123456789");
        if (name == at || length > (size_t)(end - name))
            name = at + 1, length = 0;
        memcpy(to, at, (size_t)(name + length - at));
        to += name + length - at;
        at = name + length;
    }
    *to = '\0';
}

/*
 * The C++ ABI has the stub's name within that of the type that is made of it:
 * "9vgpu_stubIXadL_Z4spinxPyiEEE". A function with C's linkage has nothing
 * behind its name there, and no mangled one.
 */
static char *mangled(const char *type)
{
    const char *begin = type ? strstr(type, "L_Z") : NULL, *name, *end;
    size_t length;
    char *out;

    if (!begin || strlen(begin) < 8)
        return NULL;
    begin += begin[3] == 'L';        /* static: nvcc leaves that out */
    end = begin + strlen(begin) - 3; /* "EEE" */
    length = number(begin + 3, &name);
    out = malloc((size_t)(end - begin));
    if (out && length && name + length == end) {
        memcpy(out, name, length);
        out[length] = '\0';
    } else if (out) {
        memcpy(out, "_Z", 2);
        put_mangled(begin + 3, end, out + 2);
    }
    return out;
}

/* Without run-time type information it is as it is in the program. */
const char *vgpu_stub_name(struct vgpu_stub *stub)
{
    if (!stub->name && stub->signature)
        stub->name = mangled(stub->signature->type);
    return stub->name ? stub->name : stub->kernel->name;
}

API(cudaFuncGetName, const char **name, const void *function)
{
    struct vgpu_stub *stub = vgpu_stub_find(function);

    if (!name)
        return cudaErrorInvalidValue;
    if (!stub)
        return vgpu_stub_missing(function);
    *name = vgpu_stub_name(stub);
    return cudaSuccess;
}

/* Parameters lie one behind another, each aligned as its type is. */
API(cudaFuncGetParamInfo, const void *function, size_t index, size_t *offset,
    size_t *bytes)
{
    struct vgpu_stub *stub = vgpu_stub_find(function);
    const struct vgpu_signature *s = stub ? stub->signature : NULL;
    size_t at = 0;

    if (!stub)
        return vgpu_stub_missing(function);
    if (!s || index >= s->count || !offset)
        return offset ? vgpu_invalid("the kernel has %zu parameters, with "
                                     "numbers from 0 on",
                                     s ? s->count : 0)
                      : cudaErrorInvalidValue;
    for (size_t i = 0; i <= index; i++) {
        at = round_up(at, s->aligns[i]);
        if (i < index)
            at += s->sizes[i];
    }
    *offset = at;
    if (bytes)
        *bytes = s->sizes[index];
    return cudaSuccess;
}

API(cudaGetKernel, cudaKernel_t *kernel, const void *function)
{
    struct vgpu_stub *stub = vgpu_stub_find(function);

    if (!kernel)
        return cudaErrorInvalidValue;
    if (!stub || stub->ptx) /* a library's has no other (observed) */
        return vgpu_because(cudaErrorInvalidDeviceFunction,
                            stub ? "it is a kernel of a library, and has no "
                                   "other handle"
                                 : "it is no kernel's address");
    *kernel = (cudaKernel_t)(void *)stub;
    return cudaSuccess;
}

API(cudaGetFuncBySymbol, cudaFunction_t *out, const void *function)
{
    struct vgpu_stub *stub = vgpu_stub_find(function);

    if (!stub)
        return out ? vgpu_because(cudaErrorInvalidDeviceFunction,
                                  "it is no kernel's address")
                   : cudaErrorInvalidValue;
    if (out) /* nowhere to put it is no error (observed) */
        *out = (cudaFunction_t)(void *)&stub->kernel;
    return cudaSuccess;
}

/* As if the device were current. */
API(cudaKernelSetAttributeForDevice, cudaKernel_t kernel,
    enum cudaFuncAttribute attribute, int value, int device)
{
    const int current = call->thread->device;
    cudaError_t error;

    if (!kernel)
        return cudaErrorInvalidResourceHandle;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    call->thread->device = device;
    error = vgpu_do_cudaFuncSetAttribute(call, kernel, attribute, value);
    call->thread->device = current;
    return error;
}
