/*
 * threads.h: what a running kernel needs: which thread it is, barriers, warps,
 * shared memory, printf. C and C++. The library (device/) implements it;
 * launch.h, device.h and device/builtins.c give it CUDA's names.
 *
 * All of it is for the host thread that runs the kernel. Outside a kernel a
 * call ends the program with a message, unless it says otherwise.
 */
#ifndef VGPU_THREADS_H
#define VGPU_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include "vector_types.h"
#include "vgpu/kernel.h"

#ifdef __cplusplus
#define VGPU_NOTHROW noexcept
extern "C" {
#else
#define VGPU_NOTHROW
#endif
#pragma GCC visibility push(default)

/* ---- the loop over a block's threads (launch.h) ------------------------- */

struct vgpu_geometry {
    struct uint3 block_index;
    struct uint3 block_dim;
    struct uint3 grid_dim;
};

void vgpu_block_geometry(const struct vgpu_block *block,
                         struct vgpu_geometry *geometry) VGPU_NOTHROW;

/*
 * Copy a closure's bytes, as CUDA copies a kernel's arguments. Not memcpy: the
 * checker need not hear of it.
 */
void vgpu_closure_read(void *to, const void *closure,
                       size_t bytes) VGPU_NOTHROW;

/*
 * The thread that the caller ran, if any, has ended; start the next one.
 * Return: x | y << 16 | z << 32, or -1 when none is left to start.
 */
int64_t vgpu_block_next(struct vgpu_block *block) VGPU_NOTHROW;

/* ---- ... and without it (split.h) ---------------------------------------- */

/* May one caller do what all threads of @block do, in their order? If so, until
 * the end nobody waits. */
int vgpu_split_begin(struct vgpu_block *block) VGPU_NOTHROW;
void vgpu_split_end(struct vgpu_block *block) VGPU_NOTHROW;
/* Room for what they keep, number 0 to VGPU_SPLIT_ROOMS - 1. */
#define VGPU_SPLIT_ROOMS 48
void *vgpu_split_find(struct vgpu_block *block, unsigned number,
                      size_t bytes) VGPU_NOTHROW __attribute__((malloc));

/* ---- who am I (for functions that a kernel calls) ------------------------ */

struct uint3 vgpu_thread_index(void) VGPU_NOTHROW __attribute__((pure));
/* Its number in the block, x fastest. */
unsigned int vgpu_thread_rank(void) VGPU_NOTHROW __attribute__((pure));
struct uint3 vgpu_block_index(void) VGPU_NOTHROW __attribute__((pure));
struct uint3 vgpu_block_extent(void) VGPU_NOTHROW __attribute__((pure));
struct uint3 vgpu_grid_extent(void) VGPU_NOTHROW __attribute__((pure));
/* Blocks of the cluster, the caller's place there, and its rank; without one 1,
 * 0, 0. Was one asked for? */
struct uint3 vgpu_cluster_extent(void) VGPU_NOTHROW __attribute__((pure));
struct uint3 vgpu_cluster_at(void) VGPU_NOTHROW __attribute__((pure));
unsigned int vgpu_cluster_rank(void) VGPU_NOTHROW __attribute__((pure));
int vgpu_cluster_explicit(void) VGPU_NOTHROW __attribute__((pure));

/* ---- shared memory ------------------------------------------------------- */

/*
 * The running block's instance of one __shared__ declaration. Every block
 * finds it filled with 0xCD.
 * @key    the declaration: an address of its own, of a pointer to its names
 * @align  a power of two, at most 128
 */
void *vgpu_shared_find(const void *key, size_t bytes,
                       size_t align) VGPU_NOTHROW;
/* extern __shared__: as many bytes as the launch asked for, aligned to 16. */
void *vgpu_shared_dynamic(void) VGPU_NOTHROW;

/* ---- barriers ------------------------------------------------------------ */

enum vgpu_barrier {
    VGPU_BARRIER_PLAIN,   /* __syncthreads */
    VGPU_BARRIER_COUNT,   /* how many threads have a predicate */
    VGPU_BARRIER_AND,     /* 1 if all have */
    VGPU_BARRIER_OR,      /* 1 if any has */
    VGPU_BARRIER_GRID,    /* waits for all other blocks, too */
    VGPU_BARRIER_CLUSTER, /* ... for those of its cluster */
};

/*
 * Wait for every thread of the block that has not ended.
 * @pc  where device code called, for messages
 * Return: what @kind says about the threads' predicates; 0 for a plain one.
 */
int vgpu_barrier_wait(enum vgpu_barrier kind, int predicate,
                      uint64_t pc) VGPU_NOTHROW;

/* ---- warps --------------------------------------------------------------- */

enum vgpu_warp_op {
    VGPU_WARP_SYNC,
    VGPU_WARP_ACTIVE,    /* lanes that wait together */
    VGPU_WARP_STEP,      /* the same, at a volatile variable */
    VGPU_WARP_BALLOT,    /* lanes whose value is not 0 */
    VGPU_WARP_SHFL,      /* @operand is the source lane */
    VGPU_WARP_MATCH_ANY, /* lanes with my value */
    VGPU_WARP_MATCH_ALL, /* @mask if all values are equal */
    VGPU_WARP_ADD,       /* reductions of 32-bit values */
    VGPU_WARP_MIN_U,
    VGPU_WARP_MIN_S,
    VGPU_WARP_MAX_U,
    VGPU_WARP_MAX_S,
    VGPU_WARP_AND,
    VGPU_WARP_OR,
    VGPU_WARP_XOR,
    VGPU_WARP_LOAD, /* of matrices, see below: load_matrix_sync */
    VGPU_WARP_STORE,
    VGPU_WARP_MMA,
};

/*
 * Wait until every lane in @mask that has not ended does the same operation
 * with the same mask, then combine their values. A lane that has ended, or is
 * not in @mask, has no value: shuffling from it gives 0xCDCD...
 * @mask     holds the caller's own lane; ignored for VGPU_WARP_ACTIVE
 *           and VGPU_WARP_STEP
 * @operand  the source lane of a shuffle, else 0
 * @pc       where device code called, for messages
 */
uint64_t vgpu_warp_combine(enum vgpu_warp_op op, unsigned int mask,
                           uint64_t value, unsigned int operand,
                           uint64_t pc) VGPU_NOTHROW;
/* My lane, 0 to 31. */
unsigned int vgpu_warp_lane(void) VGPU_NOTHROW;

/* ---- matrices of a warp (mma.h) ------------------------------------------ */

enum vgpu_element {
    VGPU_HALF,
    VGPU_BFLOAT16,
    VGPU_TF32, /* a float whose last 13 bits do not count */
    VGPU_FLOAT,
    VGPU_DOUBLE,
    VGPU_INT8,
    VGPU_UINT8,
    VGPU_INT,
};

#define VGPU_MATRIX_ELEMENTS 512 /* at most */

/* Row by row, the first lane holds the first of its elements, and so on. */
struct vgpu_matrix {
    uint8_t element; /* enum vgpu_element */
    uint8_t rows;
    uint8_t columns;
    uint8_t copies; /* that each lane has of its share */
};

/* D = A * B + C, or load D or store it: what all lanes say alike. */
struct vgpu_matrix_plan {
    struct vgpu_matrix d, a, b, c;
    void *memory;
    uint32_t pitch;      /* elements from one row to the next, or ... */
    uint16_t by_columns; /* ... from one column */
    uint16_t saturate;   /* whole numbers */
};

/* ... and a lane's shares. */
struct vgpu_matrix_call {
    struct vgpu_matrix_plan plan;
    void *d;
    const void *a, *b, *c;
    uint64_t pc; /* where device code called */
};

/* Wait for all 32 lanes, then do it. @op: VGPU_WARP_LOAD, _STORE or _MMA */
void vgpu_warp_matrix(enum vgpu_warp_op op,
                      const struct vgpu_matrix_call *call) VGPU_NOTHROW;

/* ---- gangs: the same function for several threads at once (lanes.h) ------ */

#define VGPU_GANG        32 /* threads */
#define VGPU_GANG_VALUES 4  /* arguments */

struct vgpu_gang_call {
    uint64_t value[VGPU_GANG_VALUES];
    uint64_t result;
};

enum vgpu_gang_outcome {
    VGPU_GANG_SINGLY, /* there were few */
    VGPU_GANG_TOGETHER,
    VGPU_GANG_UNLIKE, /* done singly: they want different ways */
};

/* Do @n of them, 1 to VGPU_GANG, and add what they cost. */
typedef enum vgpu_gang_outcome
vgpu_gang_run(struct vgpu_gang_call *const *calls, int n);

/* A function's own; begins as zeros. */
struct vgpu_gang_site {
    uint64_t launch;
    uint64_t ops; /* of a call, in that launch; 0: gangs do not pay */
};

struct vgpu_gang_answer {
    uint64_t result;
    uint64_t done;
};

/*
 * The running thread calls a function of plain numbers. It may wait for others
 * that do, and is then given its result.
 * Return: not done where the caller is to do it himself: outside of kernels,
 * and where a call is so little work that waiting would be more.
 */
struct vgpu_gang_answer vgpu_gang_join(struct vgpu_gang_site *site,
                                       vgpu_gang_run *run, uint64_t a,
                                       uint64_t b, uint64_t c,
                                       uint64_t d) VGPU_NOTHROW;

/* The same for a function that reads memory: not done, too, where the block is
 * watched. @a: what it is called with */
struct vgpu_gang_answer vgpu_gang_join_calm(struct vgpu_gang_site *site,
                                            vgpu_gang_run *run,
                                            uint64_t a) VGPU_NOTHROW;

/* ---- textures and surfaces (texture.h) ----------------------------------- */

/* Components as a GPU's registers have them: a float's bits, or an integer. */
struct vgpu_texel {
    uint32_t word[4];
};

/*
 * Fetch from a texture object; one that is not there ends the kernel.
 * @dimensions  1 to 3: so many coordinates count
 * @layer       of a layered one, else 0
 */
struct vgpu_texel vgpu_fetch(unsigned long long object, int dimensions, float x,
                             float y, float z, int layer,
                             const void *pc) VGPU_NOTHROW;
/* tex1Dfetch: 0 outside. */
struct vgpu_texel vgpu_fetch_linear(unsigned long long object, int x,
                                    const void *pc) VGPU_NOTHROW;
/*
 * Read or write @bytes of a surface object.
 * @mode  enum cudaSurfaceBoundaryMode
 * @x     in bytes
 * @z     a slice or a layer
 */
void vgpu_surface(unsigned long long object, int mode, int x, int y, int z,
                  void *data, size_t bytes, int writes,
                  const void *pc) VGPU_NOTHROW;

/* ---- the rest ------------------------------------------------------------ */

/* Outside a kernel this is printf. Inside, text is kept until a synchronising
 * call. Return: the number of conversions, -1 for a NULL format. */
int vgpu_printf(const char *format, ...) VGPU_NOTHROW
    __attribute__((format(printf, 1, 2)));

/* A failed assert. Outside a kernel this is the C library's. */
void vgpu_assert_fail(const char *expression, const char *file,
                      unsigned int line, const char *function) VGPU_NOTHROW
    __attribute__((noreturn));

/* __trap. Also ends a program outside of a kernel. */
void vgpu_trap(void) VGPU_NOTHROW __attribute__((noreturn));

/*
 * The running kernel's clock: the operations done so far, plus a little for
 * each reading, so that a loop which waits for it ends. Outside a kernel 0.
 * @own_ops  what the caller counted and has not added yet
 */
uint64_t vgpu_clock_read(uint64_t own_ops) VGPU_NOTHROW;
/* The same in nanoseconds, and how many SMs the running kernel's device has. */
unsigned long long vgpu_global_ns(uint64_t own_ops) VGPU_NOTHROW;
unsigned int vgpu_sm_count(void) VGPU_NOTHROW;
/* Bytes of shared memory: what the launch asked for, and all that the block
 * takes of its SM. */
unsigned int vgpu_dynamic_bytes(void) VGPU_NOTHROW;
unsigned int vgpu_shared_total(void) VGPU_NOTHROW;
unsigned int vgpu_shared_sum(void) VGPU_NOTHROW;
/* The launch's number, and how many warps an SM has room for. */
unsigned long long vgpu_grid_number(void) VGPU_NOTHROW;
unsigned int vgpu_warp_slots(void) VGPU_NOTHROW;

/* malloc and free: the device's heap in a kernel, else the C library's. */
void *vgpu_malloc(size_t bytes) VGPU_NOTHROW;
void vgpu_free(void *address) VGPU_NOTHROW;
/* A condition of the graph whose kernel runs. */
void vgpu_condition_set(unsigned long long handle,
                        unsigned int value) VGPU_NOTHROW;

/* The C library's clock() outside a kernel, else vgpu_clock_read. */
long vgpu_clock(void) VGPU_NOTHROW;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
