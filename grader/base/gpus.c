/* gpus.c: which GPUs the CUDA driver reports, and for what nvcc compiles */
#include "base/gpus.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/text.h"

/* cuda.h's CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*: cuda.h itself is not
 * there on machines without the CUDA Toolkit. */
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

static void add_kind(struct gpus *gpus, int kind)
{
    for (int i = 0; i < gpus->num_kinds; i++)
        if (gpus->kinds[i] == kind)
            return;
    if (gpus->num_kinds < GPUS_MAX_KINDS)
        gpus->kinds[gpus->num_kinds++] = kind;
}

/* By name at run time: without a driver the grader starts all the same. What
 * is left out of the fields is zero, and that is no GPU. */
static void ask_driver(void *answer)
{
    struct gpus *const gpus = answer;
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned);
    int (*get_count)(int *);
    int (*get_attribute)(int *, int, int);

    if (library == NULL)
        return;
    *(void **)&init = dlsym(library, "cuInit");
    *(void **)&get_count = dlsym(library, "cuDeviceGetCount");
    *(void **)&get_attribute = dlsym(library, "cuDeviceGetAttribute");
    if (!init || !get_count || init(0) != 0 || get_count(&gpus->count) != 0) {
        gpus->count = 0;
        return;
    }
    /* A CUdevice is the device's number. */
    for (int i = 0; get_attribute && i < gpus->count; i++) {
        int major = 0, minor = 0;

        if (get_attribute(&major, CAPABILITY_MAJOR, i) == 0 &&
            get_attribute(&minor, CAPABILITY_MINOR, i) == 0 && major > 0)
            add_kind(gpus, 10 * major + minor);
    }
}

static void forget_unknown(struct gpus *gpus, const char *nvcc)
{
    OWNED char *command = text_format("'%s' --list-gpu-code 2>/dev/null", nvcc);
    FILE *listing = strchr(nvcc, '\'') ? NULL : popen(command, "r");
    char codes[1024] = "", wanted[32];

    if (listing) {
        codes[fread(codes, 1, sizeof codes - 1, listing)] = '\0';
        pclose(listing);
    }
    for (int i = 0; i < gpus->num_kinds; i++) {
        snprintf(wanted, sizeof wanted, "sm_%d\n", gpus->kinds[i]);
        if (strstr(codes, wanted) == NULL)
            gpus->num_kinds = 0;
    }
}

void gpus_find(struct gpus *gpus, const char *nvcc)
{
    memset(gpus, 0, sizeof *gpus);
    if (process_apart(ask_driver, gpus, sizeof *gpus) && gpus->count > 0)
        forget_unknown(gpus, nvcc);
}
