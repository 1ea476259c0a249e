/*
 * load.c: CUDA_MODULE_LOADING=LAZY, which is a GPU's default: a kernel's code
 * is loaded at its first launch, which waits for all that runs on the device,
 * and what is launched later waits for it (measured:
 * docs/measured/lazy-loading-*). No rule orders them so: the checker does not
 * hear of it.
 *
 * Differs: a setting here, since it is no fault of the program that is looked
 * at, and hides what is. But the checker tells where it ends in a hang, unless
 * the program says EAGER.
 */
#include "rt.h"

#include <stdlib.h>

static struct loaded {
    const struct vgpu_kernel *kernel;
    int device;
    struct loaded *next;
} * loaded;

/* The first launch of a kernel of the device; NULL: it is over. */
static struct vgpu_op *loading[VGPU_MAX_DEVICES];

/* Return: whether @kernel is loaded now for the first time. */
static bool load(const struct vgpu_kernel *kernel, int device)
{
    struct loaded *one;

    for (one = loaded; one; one = one->next)
        if (vgpu_kernel_same(one->kernel, kernel) && one->device == device)
            return false;
    one = malloc(sizeof *one);
    if (!one)
        return false;
    *one = (struct loaded){kernel, device, loaded};
    loaded = one;
    return true;
}

static cudaError_t after_all(struct vgpu_op *op,
                             const struct vgpu_device *device)
{
    cudaError_t error = vgpu_op_after(op, device->legacy->last);

    for (struct vgpu_stream *s = device->streams; s && !error; s = s->next)
        error = vgpu_op_after(op, s->last);
    return error;
}

/* A graph's kernels were loaded when it was made executable. */
cudaError_t vgpu_load_order(struct vgpu_op *op,
                            const struct vgpu_stream *stream)
{
    struct vgpu_op **first = &loading[stream->device];
    cudaError_t error = cudaSuccess;
    bool loads = false;

    if (vgpu_rt.lazy_loading || (vgpu_rt.checking && !vgpu_rt.eager_loading))
        loads = op->kind == VGPU_OP_KERNEL &&
                load(op->kernel.kernel, stream->device) && !stream->inner;
    op->loads = loads;
    if (!vgpu_rt.lazy_loading)
        return cudaSuccess;
    if (*first && (*first)->done) {
        vgpu_op_unref(*first);
        *first = NULL;
    }
    if (*first)
        error = vgpu_op_after(op, *first);
    if (!loads || error)
        return error;
    vgpu_op_unref(*first);
    *first = vgpu_op_ref(op);
    return after_all(op, &vgpu_rt.devices[stream->device]);
}

void vgpu_load_named(const struct vgpu_kernel *kernel, int device)
{
    if (vgpu_rt.lazy_loading || vgpu_rt.checking)
        load(kernel, device);
}
