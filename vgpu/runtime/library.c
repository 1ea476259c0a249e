/*
 * library.c: kernels and variables that a program loads while it runs, from
 * PTX text.
 *
 * Code is loaded when it is needed: a text that is wrong is taken, and who asks
 * for what is in it is told (observed: libraries_wrong). A library's kernels
 * are known by handles alone, and are launched as all others are. What it holds
 * stays until the process ends, since work that uses it may still be pending;
 * an unloaded library's handles are no handles.
 *
 * Source: manual, Library Management.
 */
#include "rt.h"
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUlib_st {
    cudaError_t error; /* what is wrong with its text, told once it is used */
    struct ptx_module *module;
    struct vgpu_stub *stubs; /* as many as there are kernels, in their order */
    bool placed; /* a kernel was launched, or a variable asked for */
    struct CUlib_st *next;
};

static struct CUlib_st *libraries;

static struct CUlib_st *find(cudaLibrary_t handle)
{
    for (struct CUlib_st *l = libraries; l; l = l->next)
        if (l == handle)
            return l;
    return NULL;
}

/* ---- launches ------------------------------------------------------------ */

static struct CUlib_st *library_of(const struct vgpu_stub *stub)
{
    struct CUlib_st *l = libraries;

    while (l && (stub < l->stubs || stub >= l->stubs + l->module->count))
        l = l->next;
    return l;
}

/* Arguments are put where the device would have them. */
void vgpu_library_apply(const struct vgpu_stub *stub, void **args)
{
    const struct ptx_kernel *k = stub->ptx;
    struct ptx_closure *c = calloc(1, sizeof *c + k->param_bytes);
    size_t at = 0;

    if (!c)
        abort();
    c->kernel = k;
    c->device = vgpu_thread_self()->device;
    for (size_t i = 0; i < k->signature.count; i++) {
        at = round_up(at, k->aligns[i]);
        if (args)
            memcpy(c->params + at, args[i], k->sizes[i]);
        at += k->sizes[i];
    }
    library_of(stub)->placed = true;
    vgpu_launch(&k->description, cudaStreamLegacy, c, &k->body,
                (const void *const *)args);
    free(c);
}

int vgpu_library_version(const struct vgpu_stub *stub)
{
    return stub->ptx ? stub->ptx->target : 0;
}

const char *vgpu_library_lacks(const struct vgpu_stub *stub)
{
    static char words[192];

    if (!stub->ptx || !stub->ptx->lacks)
        return NULL;
    snprintf(words, sizeof words, "its PTX has \"%s\", which is not there",
             stub->ptx->lacks);
    return words;
}

/* ---- variables ----------------------------------------------------------- */

static struct ptx_variable *find_variable(const struct CUlib_st *l,
                                          const char *name)
{
    for (struct ptx_variable *v = l->module->variables; v; v = v->next)
        if (!strcmp(v->name, name) && v->space != PTX_SHARED)
            return v;
    return NULL;
}

/* On the first device that has it the rest have a managed one, too. */
static cudaError_t make_variable(struct ptx_variable *v, int device)
{
    struct vgpu_memory *memory =
        v->managed ? vgpu_memory_new(v->bytes, VGPU_MEM_MANAGED, device, 0)
                   : vgpu_memory_unnumbered(v->bytes, device, NULL);

    if (!memory)
        return cudaErrorMemoryAllocation;
    if (v->initial)
        memcpy(memory->base, v->initial, v->bytes);
    else
        memset(memory->base, 0, v->bytes);
    for (int d = 0; d < vgpu_rt.device_count; d++)
        if (v->managed || d == device)
            v->at[d] = memory->base;
    memory->id = 0;
    return cudaSuccess;
}

static cudaError_t make_variables(struct CUlib_st *l)
{
    cudaError_t error = cudaSuccess;

    for (struct ptx_variable *v = l->module->variables; v; v = v->next)
        for (int d = 0; d < vgpu_rt.device_count && !error; d++)
            if (!v->at[d] && v->space != PTX_SHARED)
                error = make_variable(v, d);
    return error;
}

/* ---- loading ------------------------------------------------------------- */

static cudaError_t enter(struct ptx_module *module, cudaError_t wrong,
                         cudaLibrary_t *out)
{
    struct CUlib_st *l = calloc(1, sizeof *l);
    struct vgpu_stub *s;

    if (!l)
        return cudaErrorMemoryAllocation;
    l->error = wrong;
    l->module = module;
    l->stubs = calloc(module->count + 1, sizeof *l->stubs);
    if (!l->stubs)
        return cudaErrorMemoryAllocation;
    s = l->stubs;
    for (struct ptx_kernel *k = module->kernels; k; k = k->next, s++) {
        s->kernel = &k->description;
        s->signature = &k->signature;
        s->name = k->name;
        s->ptx = k;
        s->carveout = -1;
        vgpu_stub_enter(s);
        if (k->shared_bytes)
            vgpu_kernel_add_shared(s->kernel, k->shared_bytes, k->shared_align);
    }
    l->next = libraries;
    libraries = l;
    *out = l;
    return make_variables(l);
}

struct options {
    enum cudaJitOption *jit;
    void **jit_values;
    unsigned num_jit;
    enum cudaLibraryOption *library;
    void **library_values;
    unsigned num_library;
};

/* What is wrong, into the buffer that the options name. */
static void fill_log(const struct options *o, cudaError_t wrong, unsigned line)
{
    char *log = NULL;
    void **size = NULL;

    for (unsigned i = 0; i < o->num_jit; i++) {
        if (o->jit[i] == cudaJitErrorLogBuffer)
            log = o->jit_values[i];
        if (o->jit[i] == cudaJitErrorLogBufferSizeBytes)
            size = &o->jit_values[i];
    }
    if (!log || !size || !*size)
        return;
    *log = '\0';
    if (wrong)
        snprintf(log, (size_t)*size, "PTX text, line %u: %s", line,
                 cudaGetErrorString(wrong));
    *size = (void *)strlen(log);
}

static cudaError_t load(cudaLibrary_t *out, const char *text,
                        const struct options *o)
{
    static const cudaError_t codes[] = {
        [PTX_FINE] = cudaSuccess,
        [PTX_SYNTAX] = cudaErrorInvalidPtx,
        [PTX_OTHER] = cudaErrorInvalidKernelImage,
        [PTX_NEWER] = cudaErrorUnsupportedPtxVersion,
        [PTX_NO_MEMORY] = cudaErrorMemoryAllocation};
    const struct vgpu_profile *const p = vgpu_device_current()->profile;
    struct ptx_module *module = NULL;
    unsigned line = 0;
    cudaError_t wrong = codes[ptx_read(text, &module, &line)];

    if (!module)
        return cudaErrorMemoryAllocation;
    if (!wrong && module->target > 10 * p->compute_major + p->compute_minor)
        wrong = cudaErrorInvalidPtx;
    fill_log(o, wrong, line);
    return wrong && vgpu_rt.eager_loading ? wrong : enter(module, wrong, out);
}

static cudaError_t check_options(const struct options *o, bool file)
{
    if ((o->num_jit && (!o->jit || !o->jit_values)) ||
        (o->num_library && (!o->library || !o->library_values)))
        return vgpu_invalid("options are counted that are not there");
    for (unsigned i = 0; i < o->num_jit; i++)
        if ((unsigned)o->jit[i] > cudaJitOverrideDirectiveValues)
            return vgpu_invalid("%d is no cudaJitOption", (int)o->jit[i]);
    for (unsigned i = 0; i < o->num_library; i++)
        if ((unsigned)o->library[i] > cudaLibraryBinaryIsPreserved ||
            (file && o->library[i] == cudaLibraryBinaryIsPreserved))
            return vgpu_invalid("%d is no cudaLibraryOption of this call",
                                (int)o->library[i]);
    return cudaSuccess;
}

#define NO_BINARY "a library is PTX text here, and no binary"

/* Machine code, which no virtual GPU can run. */
static bool is_binary(const char *code)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};

    return !strncmp(code, "\177ELF", 4) ||
           !strncmp(code, (const char *)fatbin, 4);
}

API(cudaLibraryLoadData, cudaLibrary_t *library, const void *code,
    enum cudaJitOption *jit, void **jit_values, unsigned int num_jit,
    enum cudaLibraryOption *options, void **values, unsigned int num)
{
    const struct options o = {jit, jit_values, num_jit, options, values, num};
    cudaError_t error =
        library && code ? check_options(&o, false) : cudaErrorInvalidValue;

    if (error)
        return error;
    if (is_binary(code))
        return vgpu_call_refuse(call, NO_BINARY);
    return load(library, code, &o);
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL, *grown;
    size_t size = 0, got = 1;

    while (file && got && (grown = realloc(text, size + 65537))) {
        text = grown;
        got = fread(text + size, 1, 65536, file);
        size += got;
        text[size] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

API(cudaLibraryLoadFromFile, cudaLibrary_t *library, const char *name,
    enum cudaJitOption *jit, void **jit_values, unsigned int num_jit,
    enum cudaLibraryOption *options, void **values, unsigned int num)
{
    const struct options o = {jit, jit_values, num_jit, options, values, num};
    cudaError_t error =
        library && name ? check_options(&o, true) : cudaErrorInvalidValue;
    char *text = error ? NULL : read_file(name);

    if (error)
        return error;
    if (!text)
        return vgpu_because(cudaErrorFileNotFound, "%s cannot be read", name);
    error = strlen(text) >= 4 && is_binary(text)
                ? vgpu_call_refuse(call, NO_BINARY)
                : load(library, text, &o);
    free(text);
    return error;
}

/* Hardware waits where the device has it (observed). */
API(cudaLibraryUnload, cudaLibrary_t library)
{
    struct CUlib_st *l = find(library), **at = &libraries;
    cudaError_t error = cudaSuccess;

    if (!l)
        return cudaErrorInvalidResourceHandle;
    if (l->placed)
        error =
            vgpu_wait_device(vgpu_thread_self(), vgpu_device_current(), false);
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    for (unsigned i = 0; i < l->module->count; i++)
        vgpu_stub_leave(&l->stubs[i]);
    return error;
}

/* ---- questions ----------------------------------------------------------- */

static struct vgpu_stub *find_kernel(const struct CUlib_st *l, const char *name)
{
    for (unsigned i = 0; i < l->module->count; i++)
        if (!strcmp(l->stubs[i].name, name))
            return &l->stubs[i];
    return NULL;
}

API(cudaLibraryGetKernel, cudaKernel_t *kernel, cudaLibrary_t library,
    const char *name)
{
    const struct CUlib_st *l = find(library);
    struct vgpu_stub *found;

    if (!kernel || !name)
        return cudaErrorInvalidValue;
    if (!l || l->error)
        return l ? l->error : cudaErrorInvalidResourceHandle;
    found = find_kernel(l, name);
    if (!found)
        return vgpu_because(cudaErrorSymbolNotFound,
                            "the library has no kernel %s", name);
    *kernel = (cudaKernel_t)(void *)found;
    return cudaSuccess;
}

API(cudaLibraryGetKernelCount, unsigned int *count, cudaLibrary_t library)
{
    const struct CUlib_st *l = find(library);

    if (!count)
        return cudaErrorInvalidValue;
    if (!l)
        return cudaErrorInvalidResourceHandle;
    *count = l->error ? 0 : l->module->count;
    return cudaSuccess;
}

API(cudaLibraryEnumerateKernels, cudaKernel_t *kernels, unsigned int num,
    cudaLibrary_t library)
{
    const struct CUlib_st *l = find(library);

    if (!kernels)
        return cudaErrorInvalidValue;
    if (!l || l->error)
        return l ? l->error : cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < num && i < l->module->count; i++)
        kernels[i] = (cudaKernel_t)(void *)&l->stubs[i];
    return cudaSuccess;
}

static cudaError_t get_variable(void **at, size_t *bytes, cudaLibrary_t library,
                                const char *name, bool managed)
{
    struct CUlib_st *const l = find(library);
    const struct ptx_variable *v;
    cudaError_t error = cudaSuccess;

    if ((!at && !bytes) || !name)
        return cudaErrorInvalidValue;
    if (!l || l->error)
        return l ? l->error : cudaErrorInvalidResourceHandle;
    v = find_variable(l, name);
    if (!v && find_kernel(l, name))
        return vgpu_invalid("%s is a kernel", name);
    if (!v || (managed && !v->managed))
        return vgpu_because(cudaErrorSymbolNotFound,
                            "the library has no %svariable %s",
                            managed ? "managed " : "", name);
    if (!l->placed) /* hardware waits until they are (observed) */
        error =
            vgpu_wait_device(vgpu_thread_self(), vgpu_device_current(), false);
    l->placed = true;
    if (at)
        *at = v->at[vgpu_thread_self()->device];
    if (bytes)
        *bytes = v->bytes;
    return error;
}

API(cudaLibraryGetGlobal, void **at, size_t *bytes, cudaLibrary_t library,
    const char *name)
{
    return get_variable(at, bytes, library, name, false);
}

API(cudaLibraryGetManaged, void **at, size_t *bytes, cudaLibrary_t library,
    const char *name)
{
    return get_variable(at, bytes, library, name, true);
}

/* No device has functions that are at one address everywhere. */
API(cudaLibraryGetUnifiedFunction, void **function, cudaLibrary_t library,
    const char *name)
{
    return function && name && !find(library) ? cudaErrorInvalidResourceHandle
                                              : cudaErrorInvalidValue;
}
