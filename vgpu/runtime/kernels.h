/*
 * kernels.h: what is known of kernels, and what a launch is given; a part of
 * rt.h.
 */
#ifndef VGPU_RUNTIME_KERNELS_H
#define VGPU_RUNTIME_KERNELS_H

/* ---- launch.c ------------------------------------------------------------ */

struct vgpu_stub { /* a cudaKernel_t */
    const void *address;
    const struct vgpu_kernel *kernel; /* where it stands: a cudaFunction_t */
    void (*apply)(void **args);
    const struct vgpu_signature *signature;   /* or NULL */
    const struct ptx_kernel *ptx;             /* of a library, or NULL */
    char *name;                               /* nvcc's, once asked for */
    int max_dynamic_shared[VGPU_MAX_DEVICES]; /* and 1; 0: not set */
    int carveout;                             /* a hint, kept to be asked for */
    int cluster[3];    /* as the kernel's own, or cudaFuncSetAttribute's */
    int wide_clusters; /* of more than 8 blocks are allowed */
    int scheduling;    /* enum cudaClusterSchedulingPolicy */
    struct vgpu_stub *next;
};
/* What a launch on the current device may ask for; -1: as ever. */
static inline int vgpu_stub_shared(const struct vgpu_stub *stub)
{
    return stub->max_dynamic_shared[vgpu_thread_self()->device] - 1;
}
/* By name and place: a header's kernel has a description in each file that
 * includes it. */
bool vgpu_kernel_same(const struct vgpu_kernel *a, const struct vgpu_kernel *b);
/* Its static __shared__ variables together. */
size_t vgpu_kernel_static_shared(const struct vgpu_kernel *kernel);
/* What is known of a kernel by its stub's address or a handle; NULL: no kernel.
 */
struct vgpu_stub *vgpu_stub_find(const void *address);
/* Launch it, with what was pushed before and what @args point to. */
void vgpu_stub_apply(const struct vgpu_stub *stub, void **args);
/* One more, and one that is none any longer. */
void vgpu_stub_enter(struct vgpu_stub *stub);
void vgpu_stub_leave(const struct vgpu_stub *stub);
/* The error for an address that is no kernel. */
cudaError_t vgpu_stub_missing(const void *address);
/* The registration of a kernel that was launched; NULL for templates. */
struct vgpu_stub *vgpu_stub_of(const struct vgpu_kernel *kernel);

/* ---- function.c ---------------------------------------------------------- */

/* As nvcc names it. */
const char *vgpu_stub_name(struct vgpu_stub *stub);

/* ---- library.c ----------------------------------------------------------- */

/* As stub->apply. */
void vgpu_library_apply(const struct vgpu_stub *stub, void **args);
/* What its text was written for, 80: sm_80; 0: it is no library's. */
int vgpu_library_version(const struct vgpu_stub *stub);
/* Why a kernel cannot be launched, in words, or NULL. */
const char *vgpu_library_lacks(const struct vgpu_stub *stub);

/* ---- entry_point.c, driver.c --------------------------------------------- */

/* The call of the driver API with this @name that was the newest at @version;
 * @twins: those for a default stream of each thread, where there are. What it
 * returns is cudaGetDriverEntryPointByVersion's. */
cudaError_t vgpu_entry_point(const char *name, unsigned version,
                             unsigned long long flags, bool twins, void **out,
                             enum cudaDriverEntryPointQueryResult *status);
/* The function that is linked by this name, or NULL. */
void *vgpu_driver_find(const char *linked);

/* ---- kernel.c ------------------------------------------------------------ */

/* Its launch, as a graph's node tells it. */
void vgpu_kernel_params(const struct vgpu_op *op,
                        struct cudaKernelNodeParams *params);
/* The most shared memory that a kernel may ask to be allowed. */
int vgpu_shared_optin_bytes(const struct vgpu_profile *profile);
/* Blocks of this kernel that fit on one SM at once. */
int vgpu_kernel_resident(const struct vgpu_stub *stub, int block_size,
                         size_t shared_bytes);
#define VGPU_REGISTERS 32 /* of each thread: no compiler gives them out */

/* ---- launch_attributes.c: what streams, launches and nodes can be given ---
 */

enum { VGPU_OF_STREAM = 1, VGPU_OF_NODE = 2, VGPU_OF_LAUNCH = 4 };
/* Do these have it at all, and may it be @value? */
bool vgpu_attribute_fits(cudaLaunchAttributeID id, unsigned whose,
                         const cudaLaunchAttributeValue *value);
/* What a launch's say. Return: the first error; @call, or NULL, has then begun.
 */
cudaError_t vgpu_traits_read(struct vgpu_call *call,
                             const cudaLaunchConfig_t *config,
                             struct vgpu_traits *to);

/* ---- cluster_launch.c: clusters, before they run ------------------------- */

/* Sets the launch's cluster, which the kernel may have, too.
 * Return: cudaErrorInvalidClusterSize where it cannot be. */
cudaError_t vgpu_cluster_check(struct vgpu_config *config,
                               const struct vgpu_kernel *kernel);
/* Of cudaFuncGetAttributes and cudaFuncSetAttribute. */
void vgpu_cluster_attributes(const struct vgpu_stub *stub,
                             struct cudaFuncAttributes *to);
cudaError_t vgpu_cluster_attribute_set(struct vgpu_stub *stub,
                                       enum cudaFuncAttribute which, int value);

/* ---- beside.c: what begins before the kernel ahead ends ------------------ */

cudaError_t vgpu_beside_kernel(struct vgpu_op *op, struct vgpu_stream *stream,
                               const char *what, struct vgpu_call *call);
cudaError_t vgpu_beside_event(struct vgpu_event *event, struct vgpu_op *kernel,
                              struct vgpu_stream *stream,
                              struct vgpu_call *call);
bool vgpu_beside_over(struct vgpu_op *op);
void vgpu_beside_drop(struct vgpu_op *op);

/* ---- op_kernel.c and op.c, for each other -------------------------------- */

/* Run it, or go on where it waits. Return: false where it waits (again).
 * @moved  has anything happened since? */
bool vgpu_op_kernel_go(struct vgpu_op *op, bool *moved);
/* When it begins as far as kernels can tell. */
int64_t vgpu_op_begins_ns(const struct vgpu_op *op);
/* Any operation, all of whose predecessors are done; the same. */
bool vgpu_op_do(struct vgpu_op *op, bool *moved);
void vgpu_op_drop_before(struct vgpu_op *op);

/* ---- load.c: an order that no rule promises ------------------------------ */

/* What @op has to wait for in @stream beyond that. */
cudaError_t vgpu_load_order(struct vgpu_op *op,
                            const struct vgpu_stream *stream);
/* A call asks for what only the kernel's code tells: it is loaded now. */
void vgpu_load_named(const struct vgpu_kernel *kernel, int device);

#endif
