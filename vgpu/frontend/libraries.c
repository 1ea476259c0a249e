/*
 * libraries.c: what -l means.
 */
#include "options.h"

#include <string.h>

/* Is @name among the @count @names? */
static bool is_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}
#define AMONG(name, names)                                                     \
    is_among(name, names, sizeof(names) / sizeof *(names))

/* What a program links besides: what the virtual GPU has is here already, other
 * libraries of the toolkit are not to be had, and the rest is the host's. Many
 * Makefiles name more than their programs use: only what is used is missed. */
void library_add(struct options *o, const char *name)
{
    static const char *const ours[] = {
        "cudart", "cudart_static", "cudadevrt",   "culibos",
        "cuda",   "nvToolsExt",    "nvtx3interop"};
    static const char *const lacking[] = {
        "cublas",    "cublas_static", "cublasLt",  "curand",   "curand_static",
        "cufft",     "cufft_static",  "cufftw",    "cusparse", "cusolver",
        "cudnn",     "nccl",          "nvrtc",     "nppc",     "nppig",
        "nppial",    "nppicc",        "nppidei",   "nppif",    "nppim",
        "nppist",    "nppisu",        "nppitc",    "npps",     "nvgraph",
        "nvml",      "cupti",         "nvidia-ml", "nvshmem",  "nvjpeg",
        "nvJitLink", "cufile",        "accinj64",  "cuinj64"};

    if (AMONG(name, ours))
        return;
    if (AMONG(name, lacking))
        list_addf(&o->lacking, "-l%s", name);
    else
        list_addf(&o->link, "-l%s", name);
}
