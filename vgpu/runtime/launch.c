/*
 * launch.c: kernel launches in every form, and host functions in streams.
 *
 * `kernel<<<grid, block>>>(args)` reaches this file twice, as NVIDIA's compiler
 * has it, too: vgpu_config_push with the configuration, then vgpu_launch from
 * the kernel's stub, with the arguments. The calls that take a function's
 * address go the same way: they push, and have the stub apply the arguments.
 *
 * Source: guide, "Execution Configuration"; manual, "Execution Control".
 */
#include "rt.h"
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vgpu_stub *stubs;

static struct declared {
    const struct vgpu_kernel *kernel;
    size_t bytes, align;
    struct declared *next;
} * declared; /* the first declaration last */

/* Static objects of the program call this before main: no lock yet. */
void vgpu_kernel_register(const void *address, const struct vgpu_kernel *kernel,
                          void (*apply)(void **args),
                          const struct vgpu_signature *signature)
{
    struct vgpu_stub *stub = calloc(1, sizeof *stub);

    if (!stub) {
        fprintf(stderr, "vgpu: out of memory\n");
        abort();
    }
    stub->address = address;
    stub->kernel = kernel;
    stub->apply = apply;
    stub->signature = signature;
    stub->carveout = -1;
    memcpy(stub->cluster, kernel->cluster, sizeof stub->cluster);
    vgpu_stub_enter(stub);
}

void vgpu_stub_enter(struct vgpu_stub *stub)
{
    stub->next = stubs;
    stubs = stub;
}

void vgpu_stub_leave(const struct vgpu_stub *stub)
{
    struct vgpu_stub **at = &stubs;

    while (*at && *at != stub)
        at = &(*at)->next;
    if (*at)
        *at = stub->next;
}

/* Each __shared__ variable of a kernel tells its size once; what a launch may
 * still ask for is what they leave. */
void vgpu_kernel_add_shared(const struct vgpu_kernel *kernel, size_t bytes,
                            size_t align)
{
    struct declared *one = malloc(sizeof *one);

    if (!one) {
        fprintf(stderr, "vgpu: out of memory\n");
        abort();
    }
    *one = (struct declared){kernel, bytes, align, declared};
    declared = one;
}

bool vgpu_kernel_same(const struct vgpu_kernel *a, const struct vgpu_kernel *b)
{
    return a == b || (a->line == b->line && !strcmp(a->name, b->name) &&
                      !strcmp(a->file, b->file));
}

/* A stub knows a kernel by a copy of its description, but of a template each
 * instance has its own: what is the same object goes first. */
size_t vgpu_kernel_static_shared(const struct vgpu_kernel *kernel)
{
    size_t sum[2] = {0, 0};

    for (const struct declared *d = declared; d; d = d->next) {
        size_t *const to = &sum[d->kernel != kernel];

        if (vgpu_kernel_same(d->kernel, kernel))
            *to = round_up(*to, d->align) + d->bytes;
    }
    return sum[0] ? sum[0] : sum[1];
}

struct vgpu_stub *vgpu_stub_find(const void *address)
{
    for (struct vgpu_stub *s = stubs; s; s = s->next)
        if ((address && s->address == address) || s == address ||
            (const void *)&s->kernel == address)
            return s;
    return NULL;
}

/* As the real runtime tells a null pointer from an address that is no kernel's.
 * */
cudaError_t vgpu_stub_missing(const void *address)
{
    return address ? vgpu_because(cudaErrorInvalidResourceHandle,
                                  "it is no kernel's address")
                   : vgpu_because(cudaErrorInvalidDeviceFunction,
                                  "a kernel is NULL");
}

/* A launch has no address, only a description; a template's instances have none
 * that is registered. */
struct vgpu_stub *vgpu_stub_of(const struct vgpu_kernel *kernel)
{
    for (struct vgpu_stub *s = stubs; s; s = s->next)
        if (vgpu_kernel_same(s->kernel, kernel))
            return s;
    return NULL;
}

void vgpu_config_push(const uint32_t grid[3], const uint32_t block[3],
                      size_t dynamic_shared_bytes, void *stream, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();
    struct vgpu_config *config = &thread->config;

    memcpy(config->grid, grid, sizeof config->grid);
    memcpy(config->block, block, sizeof config->block);
    config->shared_bytes = dynamic_shared_bytes;
    config->stream = stream;
    config->pc = thread->site_pc ? thread->site_pc : pc;
    memset(&config->traits, 0, sizeof config->traits);
    thread->site_pc = 0;
    thread->valid_config = true;
}

/* Blocks of a cooperative grid wait for each other: all must be resident. */
static bool all_resident(const struct vgpu_config *config,
                         const struct vgpu_stub *stub, uint64_t threads)
{
    const struct vgpu_profile *p = vgpu_device_current()->profile;
    uint64_t blocks =
        (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];

    return blocks <= (uint64_t)p->sms *
                         (uint64_t)vgpu_kernel_resident(stub, (int)threads,
                                                        config->shared_bytes);
}

/* What every device says of a configuration; only the number of threads is the
 * device's own. */
static cudaError_t check_sizes(const struct vgpu_config *config,
                               const struct vgpu_kernel *kernel,
                               uint64_t threads)
{
    const cudaError_t error = cudaErrorInvalidValue;
    const uint32_t *const grid = config->grid, *const block = config->block;
    const int64_t most = vgpu_device_current()->profile->max_threads_per_block;
    const int own = kernel->max_threads_per_block;

    if (!grid[0] || !grid[1] || !grid[2])
        return vgpu_because(error, "a grid of %u x %u x %u has no blocks",
                            grid[0], grid[1], grid[2]);
    if (!threads)
        return vgpu_because(error, "a block of %u x %u x %u has no threads",
                            block[0], block[1], block[2]);
    if (grid[0] > 2147483647u || grid[1] > 65535 || grid[2] > 65535)
        return vgpu_because(error,
                            "a grid may have 2147483647 x 65535 x 65535 "
                            "blocks, and not %u x %u x %u",
                            grid[0], grid[1], grid[2]);
    if (threads > (uint64_t)most)
        return vgpu_because(error,
                            "a block may have %d threads in all, and not %llu",
                            (int)most, (unsigned long long)threads);
    if (block[2] > 64)
        return vgpu_because(
            error, "a block may have 64 threads in z, and not %u", block[2]);
    if (own && threads > (uint64_t)own)
        return vgpu_because(error,
                            "the kernel's __launch_bounds__ are %d threads for "
                            "a block, and not %d",
                            own, (int)threads);
    return cudaSuccess;
}

static cudaError_t too_much_shared(const struct vgpu_config *config,
                                   const struct vgpu_kernel *kernel,
                                   size_t most)
{
    const struct vgpu_profile *p = vgpu_device_current()->profile;
    const size_t own = vgpu_kernel_static_shared(kernel);
    const size_t optin = (size_t)vgpu_shared_optin_bytes(p);

    return vgpu_because(
        cudaErrorInvalidValue,
        "%zu bytes of dynamic shared memory are asked for, and %zu are left "
        "beside the kernel's own %zu%s",
        config->shared_bytes, most, own,
        config->shared_bytes + own <= optin
            ? "; more needs cudaFuncSetAttribute with "
              "cudaFuncAttributeMaxDynamicSharedMemorySize"
            : "; the device has no more for a block");
}

static cudaError_t too_many_resident(const struct vgpu_config *config,
                                     const struct vgpu_stub *stub,
                                     uint64_t threads)
{
    const struct vgpu_profile *p = vgpu_device_current()->profile;
    const int each =
        vgpu_kernel_resident(stub, (int)threads, config->shared_bytes);

    return vgpu_because(
        cudaErrorCooperativeLaunchTooLarge,
        "all %llu blocks of a cooperative launch must run at once, and there "
        "is room for %d: %d on each of %d multiprocessors",
        (unsigned long long)config->grid[0] * config->grid[1] * config->grid[2],
        each * (int)p->sms, each, (int)p->sms);
}

/* CUDA 13 on an H200 says "invalid argument" (1) for every configuration that
 * older toolkits called invalid (9). */
static cudaError_t check_config(struct vgpu_config *config,
                                const struct vgpu_kernel *kernel)
{
    const struct vgpu_profile *p = vgpu_device_current()->profile;
    const struct vgpu_stub *stub = vgpu_stub_of(kernel);
    size_t most_shared =
        (size_t)p->shared_per_block_bytes - vgpu_kernel_static_shared(kernel);
    uint64_t threads =
        (uint64_t)config->block[0] * config->block[1] * config->block[2];
    cudaError_t error;

    error = check_sizes(config, kernel, threads);
    if (error)
        return error;
    if (stub && vgpu_stub_shared(stub) >= 0)
        most_shared = (size_t)vgpu_stub_shared(stub);
    if (config->shared_bytes > most_shared)
        return too_much_shared(config, kernel, most_shared);
    error = vgpu_cluster_check(config, kernel);
    if (error)
        return error;
    if (config->traits.cooperative && !config->traits.any_size && stub &&
        !all_resident(config, stub, threads))
        return too_many_resident(config, stub, threads);
    return cudaSuccess;
}

/* Another order in each launch, the same in each run of the program; 0 asks for
 * the plain order. */
static uint64_t launch_seed(void)
{
    return vgpu_rt.seed ? vgpu_rt.seed * 0x9e3779b97f4a7c15ull + vgpu_rt.next_op
                        : 0;
}

/* The closure is copied again: the stub's is gone when the stub returns, and
 * the operation runs later. */
static struct vgpu_op *make_op(const struct vgpu_config *config,
                               const struct vgpu_kernel *kernel,
                               const void *closure,
                               const struct vgpu_body *body,
                               const void *const *arguments)
{
    const struct vgpu_profile *profile = vgpu_device_current()->profile;
    struct vgpu_op *op = vgpu_op_new(VGPU_OP_KERNEL);
    struct vgpu_exec *exec;

    if (!op)
        return NULL;
    exec = &op->kernel.exec;
    op->kernel.kernel = kernel;
    op->kernel.arguments = arguments;
    op->kernel.arguments_hash = vgpu_repeat_arguments(body, arguments);
    exec->kernel = kernel;
    exec->body = body;
    exec->closure = body->clone(closure);
    memcpy(exec->grid, config->grid, sizeof exec->grid);
    memcpy(exec->block, config->block, sizeof exec->block);
    exec->dynamic_shared_bytes = config->shared_bytes;
    exec->cooperative = config->traits.cooperative;
    memcpy(exec->cluster, config->traits.cluster, sizeof exec->cluster);
    exec->warp_size = (int)profile->warp_size;
    exec->ticks_per_op =
        profile->unit_ns ? 1
                         : (double)profile->clock_khz /
                               (1000.0 * (double)profile->thread_ops_per_us);
    exec->ns_per_tick = profile->unit_ns ? 1 : 1e6 / (double)profile->clock_khz;
    exec->sms = (unsigned)profile->sms;
    exec->warps_per_sm =
        (unsigned)(profile->max_threads_per_sm / profile->warp_size);
    exec->capability =
        (int)(10 * profile->compute_major + profile->compute_minor);
    exec->seed = launch_seed();
    op->priority = config->traits.has_priority ? config->traits.priority : 0;
    op->kernel.overlaps = config->traits.overlaps;
    exec->sample = exec->cluster[0] ? 0 : vgpu_rt.sample;
    return op;
}

/* In a capture all order is that of the stream. The other event, of blocks that
 * let others begin, is seen with the kernel's end (observed). */
static cudaError_t enqueue(struct vgpu_op *op, struct vgpu_stream *stream,
                           const struct vgpu_traits *traits, const char *what,
                           struct vgpu_call *call)
{
    const bool early = traits->overlaps && stream->kernel && !stream->capture;
    cudaError_t error = early ? vgpu_beside_kernel(op, stream, what, call)
                              : vgpu_op_enqueue(op, stream, what, call);

    if (!error && traits->begun && !stream->capture)
        error = vgpu_beside_event(traits->begun, op, stream, call);
    if (!error && traits->triggered)
        error = vgpu_event_mark(call, traits->triggered, stream);
    return error;
}

/* Those that may be addresses, in structures as well, for what is told where
 * the kernel uses one that is not the device's. */
static void tell_arguments(const struct vgpu_op *op,
                           const struct vgpu_body *body,
                           const void *const *arguments)
{
    uintptr_t word;

    for (size_t i = 0; arguments && op->check && i < body->num_sizes; i++)
        for (size_t at = 0; at + sizeof word <= body->sizes[i];
             at += sizeof word) {
            memcpy(&word, (const char *)arguments[i] + at, sizeof word);
            vgpu_check_op_given(op->check, (unsigned)i + 1, word);
        }
}

/* Nothing is checked about arguments: they have been copied into a closure by
 * C++'s own rules. */
static cudaError_t launch(struct vgpu_call *call, struct vgpu_config *config,
                          const struct vgpu_kernel *kernel, const void *closure,
                          const struct vgpu_body *body,
                          const void *const *arguments)
{
    struct vgpu_stream *stream = vgpu_stream_find(config->stream);
    cudaError_t error = check_config(config, kernel);
    struct vgpu_op *op;
    char what[96];

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (error)
        return vgpu_capture_failed(stream, error);
    op = make_op(config, kernel, closure, body, arguments);
    if (!op)
        return cudaErrorMemoryAllocation;
    if (call->thread->caught) {
        *call->thread->caught = op;
        return cudaSuccess;
    }
    if (stream->device != call->thread->device)
        vgpu_warn(foreign_stream, call->pc, .kernel = kernel->name,
                  .owner = stream->device, .device = call->thread->device);
    /* Today's toolkits run it on the stream's device. */
    op->kernel.exec.device = stream->device;
    vgpu_rt.shared_ran |=
        config->shared_bytes || vgpu_kernel_static_shared(kernel);
    snprintf(what, sizeof what, "kernel %s", kernel->name);
    error = enqueue(op, stream, &config->traits, what, call);
    tell_arguments(op, body, arguments);
    if (!error)
        error = vgpu_wait_launched(call, stream, op);
    vgpu_op_unref(op);
    return error;
}

/* What a launch was given. One that is caught fails as a call's part. */
static void tell_failed(const struct vgpu_call *call, cudaError_t error,
                        const struct vgpu_config *config,
                        const struct vgpu_kernel *kernel)
{
    struct vgpu_given given = {.text = ""};
    char name[96];

    if (!vgpu_rt.explains || call->thread->caught)
        return;
    snprintf(name, sizeof name, "the launch of kernel %.70s", kernel->name);
    snprintf(given.text, sizeof given.text,
             "; with %u x %u x %u blocks of %u x %u x %u threads, and %zu "
             "bytes of shared memory, in %s",
             config->grid[0], config->grid[1], config->grid[2],
             config->block[0], config->block[1], config->block[2],
             config->shared_bytes, vgpu_stream_words(config->stream));
    if (!vgpu_stream_find(config->stream))
        snprintf(given.dead, sizeof given.dead, "there is no such stream");
    vgpu_call_failed_with(call, name, error, &given);
}

/* A launch returns no error, so it goes where cudaGetLastError finds it
 * (vgpu_call_end). */
void vgpu_launch(const struct vgpu_kernel *kernel, void *default_stream,
                 const void *closure, const struct vgpu_body *body,
                 const void *const *arguments)
{
    static const struct vgpu_entry entry = {"cudaLaunchKernel", VGPU_CALL_PAID,
                                            NS(launch), NULL};
    struct vgpu_thread *thread = vgpu_thread_self();
    struct vgpu_config config = thread->config;
    struct vgpu_call call;
    cudaError_t error;

    if (!config.stream)
        config.stream = default_stream;
    thread->site_pc = config.pc; /* the launch, not the stub */
    error = vgpu_call_begin(&call, &entry, VGPU_PC);
    if (!error && !thread->valid_config)
        error = vgpu_because(cudaErrorMissingConfiguration,
                             "a kernel is called without <<<...>>>");
    thread->valid_config = false;
    if (!error)
        error = launch(&call, &config, kernel, closure, body, arguments);
    if (error)
        tell_failed(&call, error, &config, kernel);
    vgpu_call_end(&call, error);
    if (error && error != vgpu_device_current()->sticky) /* that is told */
        vgpu_error_unasked(thread, error, NULL, call.pc);
}

void vgpu_stub_apply(const struct vgpu_stub *stub, void **args)
{
    if (stub->ptx)
        vgpu_library_apply(stub, args);
    else
        stub->apply(args);
}

/* What keeps a kernel from being launched at all. */
static cudaError_t refuse_stub(struct vgpu_call *call, const void *function,
                               const struct vgpu_stub *stub)
{
    call->name = "cudaLaunchKernel";
    vgpu_call_late(call, VGPU_CALL_CONTEXT);
    return stub ? vgpu_call_refuse(call, vgpu_library_lacks(stub))
                : vgpu_stub_missing(function);
}

/* The stub launches as if it had been called with <<<>>>, and its error is this
 * call's. An error from before must not be taken for it, nor be lost. */
static cudaError_t launch_by_address(struct vgpu_call *call,
                                     const void *function, dim3 grid,
                                     dim3 block, void **args, size_t bytes,
                                     cudaStream_t stream,
                                     const struct vgpu_traits *traits)
{
    const uint32_t g[3] = {grid.x, grid.y, grid.z};
    const uint32_t b[3] = {block.x, block.y, block.z};
    struct vgpu_stub *stub = vgpu_stub_find(function);
    struct vgpu_thread *thread = vgpu_thread_self();
    const struct vgpu_unasked unasked = thread->unasked;
    cudaError_t before;

    if (!stub || vgpu_library_lacks(stub))
        return refuse_stub(call, function, stub);
    before = thread->last_error;
    thread->last_error = cudaSuccess;
    vgpu_config_push(g, b, bytes, stream ? stream : cudaStreamLegacy, call->pc);
    thread->config.traits = *traits;
    vgpu_stub_apply(stub, args);
    thread->unasked = unasked;
    if (!thread->last_error) {
        thread->last_error = before;
        return cudaSuccess;
    }
    return thread->last_error;
}

int vgpu_config_push_all(const void *from, void *stream, uint64_t pc)
{
    static const struct vgpu_entry entry = {"cudaLaunchKernelExC",
                                            VGPU_CALL_LATER, NOTHING, NULL};
    const cudaLaunchConfig_t *config = from;
    const dim3 grid = config->gridDim, block = config->blockDim;
    const uint32_t g[3] = {grid.x, grid.y, grid.z};
    const uint32_t b[3] = {block.x, block.y, block.z};
    struct vgpu_call call;
    struct vgpu_traits traits;
    cudaError_t error;

    vgpu_call_begin(&call, &entry, pc);
    error = vgpu_call_end(&call, vgpu_traits_read(&call, config, &traits));
    if (error)
        return (int)error;
    vgpu_config_push(g, b, config->dynamicSmemBytes, stream, pc);
    vgpu_thread_self()->config.traits = traits;
    return cudaSuccess;
}

API(cudaLaunchKernel, const void *function, dim3 grid, dim3 block, void **args,
    size_t bytes, cudaStream_t stream)
{
    const struct vgpu_traits none = {.cooperative = false};

    return launch_by_address(call, function, grid, block, args, bytes, stream,
                             &none);
}

API(cudaLaunchCooperativeKernel, const void *function, dim3 grid, dim3 block,
    void **args, size_t bytes, cudaStream_t stream)
{
    const struct vgpu_traits waits = {.cooperative = true};

    return launch_by_address(call, function, grid, block, args, bytes, stream,
                             &waits);
}

API(cudaLaunchKernelExC, const cudaLaunchConfig_t *config, const void *function,
    void **args)
{
    struct vgpu_traits traits;
    cudaError_t error = vgpu_traits_read(call, config, &traits);

    return error ? error
                 : launch_by_address(
                       call, function, config->gridDim, config->blockDim, args,
                       config->dynamicSmemBytes,
                       config->stream ? config->stream : call->null_stream,
                       &traits);
}

/* ---- host functions -------------------------------------------------------
 */

#define WATCHED_BYTES 4096 /* of what a function is given */

/* What a host function is given a pointer to, it will use: host code that
 * does so too, meanwhile, must be seen. Numbers made pointers are left out. */
static void watch_user_data(const struct vgpu_op *op, void *user_data)
{
    if ((uintptr_t)user_data < 65536 || vgpu_memory_find(user_data))
        return;
    vgpu_check_watch(user_data, WATCHED_BYTES);
    if (vgpu_rt.checking)
        vgpu_check_lend(op, user_data, 0);
}

/* The older cudaStreamAddCallback differs in what the function is given, and in
 * running even when the context is gone. */
static cudaError_t add_host(struct vgpu_call *call, cudaStream_t handle,
                            cudaHostFn_t function,
                            cudaStreamCallback_t callback, void *user_data)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_op *op;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!function && !callback)
        return cudaErrorInvalidValue;
    if (callback && stream->capture)
        return vgpu_capture_failed(stream, cudaErrorStreamCaptureUnsupported);
    op = vgpu_op_new(VGPU_OP_HOST);
    if (!op)
        return cudaErrorMemoryAllocation;
    op->host.function = function;
    op->host.callback = callback;
    op->host.handle = handle;
    op->host.user_data = user_data;
    watch_user_data(op, user_data);
    error = vgpu_op_enqueue(op, stream, "host function", call);
    vgpu_op_unref(op);
    return error;
}

API(cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function,
    void *user_data)
{
    return add_host(call, stream, function, NULL, user_data);
}

API(cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t callback,
    void *user_data, unsigned int flags)
{
    return add_host(call, stream, NULL, flags ? NULL : callback, user_data);
}
