/*
 * entry_point.c: the driver API's calls by their names, as cuGetProcAddress and
 * its kin of the runtime give them out.
 *
 * All that the driver has are found (entry_points.def), each form of a call at
 * an address of its own. What the virtual GPU has not says so where it is
 * called. This file knows nothing of cuda.h, whose macros would put forms in
 * the place of names.
 *
 * Source: manual, cuGetProcAddress; what is not found: observed
 * (entry_points).
 */
#include "rt.h"

#include <stdio.h>
#include <string.h>

#define NO_CALL "the virtual GPU has not this form of the driver API's call"

/* Return: CUDA_ERROR_NOT_SUPPORTED, whatever the call was given. */
static int lack(const char *name)
{
    const struct vgpu_entry entry = {name, VGPU_CALL_PLAIN, NOTHING, NULL};
    struct vgpu_call call = {.null_stream = NULL};
    cudaError_t error = vgpu_call_begin(&call, &entry, VGPU_PC);

    if (!error)
        error = vgpu_call_refuse(&call, NO_CALL);
    vgpu_call_end(&call, cudaSuccess);
    return (int)error;
}

/* Each of up to four versions, with its number. */
#define EACH_1(DO, NAME, A)          DO(NAME, A, 1)
#define EACH_2(DO, NAME, A, B)       EACH_1(DO, NAME, A) DO(NAME, B, 2)
#define EACH_3(DO, NAME, A, B, C)    EACH_2(DO, NAME, A, B) DO(NAME, C, 3)
#define EACH_4(DO, NAME, A, B, C, D) EACH_3(DO, NAME, A, B, C) DO(NAME, D, 4)
#define PICK(A, B, C, D, EACH, ...)  EACH
#define EACH(DO, NAME, ...)                                                    \
    PICK(__VA_ARGS__, EACH_4, EACH_3, EACH_2, EACH_1, )(DO, NAME, __VA_ARGS__)

#define LACK(NAME, VERSION, FORM)                                              \
    static int lack_##NAME##_##FORM(void)                                      \
    {                                                                          \
        return lack(#NAME);                                                    \
    }
#define LACK_TWIN(NAME, VERSION, FORM) LACK(NAME, VERSION, FORM##_twin)
#define E(NAME, ...)                   EACH(LACK, NAME, __VA_ARGS__)
#define T(NAME, ...)                   EACH(LACK_TWIN, NAME, __VA_ARGS__)
#include "vgpu/entry_points.def"

#define ROW(NAME, VERSION, FORM)                                               \
    {#NAME, VERSION, FORM, false, lack_##NAME##_##FORM},
#define ROW_TWIN(NAME, VERSION, FORM)                                          \
    {#NAME, VERSION, FORM, true, lack_##NAME##_##FORM##_twin},

static const struct form {
    const char *name;
    unsigned since; /* 1000 * major + 10 * minor */
    unsigned number;
    bool twin; /* of the thread's own default stream */
    int (*lacking)(void);
} forms[] = {
#define E(NAME, ...) EACH(ROW, NAME, __VA_ARGS__)
#define T(NAME, ...) EACH(ROW_TWIN, NAME, __VA_ARGS__)
#include "vgpu/entry_points.def"
};

/* The first form has the plain name, the second one a "_v2" behind it. */
static void *address_of(const struct form *form)
{
    char linked[80];
    void *found = NULL;

    snprintf(linked, sizeof linked, form->number > 1 ? "%s_v%u" : "%s",
             form->name, form->number);
    if (!form->twin)
        found = vgpu_driver_find(linked);
    return found ? found : (void *)(uintptr_t)form->lacking;
}

cudaError_t vgpu_entry_point(const char *name, unsigned version,
                             unsigned long long flags, bool twins, void **out,
                             enum cudaDriverEntryPointQueryResult *status)
{
    enum cudaDriverEntryPointQueryResult found =
        cudaDriverEntryPointSymbolNotFound;
    const struct form *best = NULL;

    if (!name || !out || version > CUDART_VERSION ||
        flags & ~(cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *const form = &forms[i];

        if (strcmp(form->name, name) || (form->twin && !twins))
            continue;
        if (form->since <= version)
            best = form;
        found = best ? cudaDriverEntryPointSuccess
                     : cudaDriverEntryPointVersionNotSufficent;
    }
    *out = best ? address_of(best) : NULL;
    if (status)
        *status = found;
    return cudaSuccess;
}

/* A program that was compiled to have a default stream for each thread is given
 * such twins, unless it asks for others. */
API(cudaGetDriverEntryPointByVersion, const char *name, void **out,
    unsigned int version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *status)
{
    const bool twins = flags == cudaEnablePerThreadDefaultStream ||
                       (flags == cudaEnableDefault && call->null_stream);

    return vgpu_entry_point(name, version, flags, twins, out, status);
}

API(cudaGetDriverEntryPoint, const char *name, void **out,
    unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    return vgpu_do_cudaGetDriverEntryPointByVersion(
        call, name, out, CUDART_VERSION, flags, status);
}
