/*
 * vgpu_exec.h: runs a kernel's threads on the CPU, for real, at once.
 *
 * Blocks one after another, unless one waits for a flag or for all others (a
 * cooperative launch); the threads of a block
 * one after another until the first barrier, from there on as fibers. Knows
 * nothing of streams or of time. This header is C and C++: what the front end
 * writes into a program (include/vgpu/launch.h) fills these structures.
 *
 * Where CUDA leaves something open:
 * - A barrier does not wait for threads that have ended (as CUDA promises
 *   since Volta), but a warning says that some had.
 * - A shuffle from a lane that has ended or is not in the mask gives 0xCDCD...;
 *   shared memory starts as that, too.
 * - __activemask is the lanes that come to it before their warp can do nothing
 *   else: what a program may hope for, and the same on every run.
 * - Integer division by zero ends the kernel with VGPU_EXEC_TRAP where the CPU
 *   raises a signal (x86-64); elsewhere the result is the CPU's.
 * - clock64 counts operations, in as many ticks as they take one thread; a loop
 *   that waits for it is moved on.
 */
#ifndef VGPU_EXEC_H
#define VGPU_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include "vgpu/kernel.h" /* struct vgpu_kernel, vgpu_block */

#ifdef __cplusplus
extern "C" {
#endif

struct vgpu_memory; /* vgpu_check.h */

struct vgpu_exec {
    const struct vgpu_kernel *kernel;
    const struct vgpu_body *body;
    void *closure; /* the arguments, by value */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3]; /* blocks that run together; all 1, or 0: each alone */
    size_t dynamic_shared_bytes;
    int device; /* selects __device__ variables */
    int warp_size;
    double ticks_per_op; /* of clock64() */
    double ns_per_tick;
    int64_t base_ns; /* what clocks begin with */
    unsigned sms, warps_per_sm;
    int capability;         /* 90: compute capability 9.0 */
    bool cooperative;       /* its blocks may wait for each other */
    uint64_t room;          /* for so many blocks that wait; 0: any */
    const bool *let_go;     /* may blocks that let the next kernel begin go on?
                               NULL: at once */
    const bool *ahead_over; /* has the kernel ended that it need not wait for?
                               NULL: it began behind all */
    uint64_t seed;          /* permutes blocks and threads */
    uint64_t sample;        /* so many blocks are run, for all; 0: all are */
};

enum vgpu_exec_status {
    VGPU_EXEC_OK = 0,
    VGPU_EXEC_ILLEGAL_ADDRESS,   /* cudaErrorIllegalAddress, 700 */
    VGPU_EXEC_ASSERT,            /* 710 */
    VGPU_EXEC_TRAP,              /* 719: __trap, a crash in the body */
    VGPU_EXEC_DIVERGENT_BARRIER, /* some threads of a block wait where
                                    others never come, or some
                                    blocks of a grid */
    VGPU_EXEC_MISALIGNED,        /* 716 */
    VGPU_EXEC_NO_INSTRUCTION,    /* 715 */
    VGPU_EXEC_NO_MEMORY,
    VGPU_EXEC_WAITS, /* for a flag: not over */
};

struct vgpu_exec_run; /* a kernel that waits */

struct vgpu_exec_result {
    enum vgpu_exec_status status;
    uint64_t ops;   /* source-level operations */
    uint64_t slots; /* instructions of math functions (vgpu/math.h) */
    uint64_t doubles;
    uint64_t busy_blocks; /* that had something to do */
    int64_t read_ns;      /* behind its begin, the last reading of a clock */
    bool is_lost;         /* WAITS: for what never comes, by its message */
    bool at_trigger;      /* WAITS: all blocks let the next kernel begin */
    uint32_t trigger_permille; /* of its work, when the next may begin */
    char message[256];         /* one line, empty when OK */
    uint64_t pc;               /* where it went wrong or waits, or 0 */
    char warning[256];         /* one line, empty when there is none:
                                  a barrier that threads which had
                                  ended did not come to */
};

/*
 * Run every thread of the launch. Messages and warnings name the place, the
 * block and the thread where they are known, not the kernel.
 * Device printf output is collected, and written to stdout by
 * vgpu_exec_flush_printf.
 * Return: result->status.
 */
enum vgpu_exec_status vgpu_exec_run(const struct vgpu_exec *exec,
                                    struct vgpu_exec_result *result);

/*
 * The same, but where all its blocks wait for flags that they read again and
 * again, come back with VGPU_EXEC_WAITS and *@run, which is NULL in any other
 * case. Called with a *@run it goes on there, on any thread.
 * @moved  has anything happened since the last time?
 */
enum vgpu_exec_status vgpu_exec_go(const struct vgpu_exec *exec,
                                   struct vgpu_exec_run **run,
                                   struct vgpu_exec_result *result,
                                   bool *moved);

/* What device/ asks of the runtime, which sets it; all NULL without one. */
struct vgpu_exec_host {
    /* Host code goes round in a loop that only looks, as vgpu_idle() has it of
     * device code. */
    void (*idle)(uint64_t ops, unsigned step, uint64_t pc, bool counts);
    void (*idle_end)(uint64_t ops);
    /* The C library's own pthread_create: the program's threads are counted,
     * and those of device/ are none. */
    int (*create)(pthread_t *out, void *(*body)(void *), void *arg);
    /* Told now and then, by the thread that runs a kernel, how many of its
     * blocks are done; NULL: nobody asks. */
    void (*progress)(const struct vgpu_exec *exec, uint64_t done, uint64_t all);
};

extern struct vgpu_exec_host vgpu_exec_host;

/* Where the calling thread's own code counts operations, or NULL: no call of
 * the runtime's, since each basic block adds what it costs. */
extern VGPU_OWN uint64_t *vgpu_host_ops;

/* The running kernel reads what may be a flag. May come back much later. */
void vgpu_exec_look(const volatile void *at, size_t bytes, uint64_t pc);
/* ... or is about to read or write a volatile variable. The same holds. */
void vgpu_exec_step(const volatile void *at, bool writes);

/* 1 while the calling thread is inside vgpu_exec_run. */
bool vgpu_exec_active(void);

/* Is @address the executor's own (a thread's stack, shared memory, a symbol),
 * so that device code may touch it though it is no allocation? */
bool vgpu_exec_owns(const void *address);

/* What the running block has at @address of its shared memory.
 * @base, @bytes: where that is. Return: its name. */
const char *vgpu_exec_shared(const void *address, uintptr_t *base,
                             size_t *bytes);

/* End the running kernel with @status; does not return. From the access
 * callbacks' fault handler, __trap and assert. */
void vgpu_exec_abort(enum vgpu_exec_status status, const char *message)
    __attribute__((noreturn));

/* Write what device printf collected (a synchronising call does this). */
void vgpu_exec_flush_printf(void);

/*
 * Variables declared __device__, __constant__ or __managed__. Each device has
 * its own, but for __managed__ ones. Make @device's those that device code
 * finds where the linker has put them.
 */
void vgpu_symbols_activate(int device);
/* The kernel that used them has come back. */
void vgpu_symbols_done(void);
/* Have the checker watch __managed__ ones, before the program begins. */
void vgpu_symbols_watch(void);
/* The memory that holds @device's copy of what the linker put at @address;
 * NULL where that is no variable, or one of all devices. */
struct vgpu_memory *vgpu_symbols_memory(const void *address, int device);
/* @device's copies get their first values again. */
void vgpu_symbols_reset(int device);
/* Is @address the linker's of such a variable, ... */
bool vgpu_symbols_contain(const void *address);
/* ... and of a __managed__ one? */
bool vgpu_symbols_managed(const void *address);

/* ---- texels.c ------------------------------------------------------------ */

enum vgpu_texels {
    VGPU_TEXELS_SIGNED,
    VGPU_TEXELS_UNSIGNED,
    VGPU_TEXELS_FLOAT
};
/* Coordinates outside of it. Values as of cudaTextureAddressMode. */
enum vgpu_address { VGPU_WRAP, VGPU_CLAMP, VGPU_MIRROR, VGPU_BORDER };

/* What a texture or a surface object is of. */
struct vgpu_image {
    char *base;
    size_t pitch;  /* bytes from row to row */
    size_t slice;  /* ... and from slice, or layer, to the next one */
    int extent[3]; /* texels, rows, slices or layers: each 1 at least */
    int channels;  /* 1, 2 or 4 */
    int bits;      /* of each: 8, 16 or 32 */
    enum vgpu_texels texels;
    int device;
    bool surface;    /* of one; and what follows is a texture's: */
    bool normalized; /* coordinates are from 0 to 1 */
    bool fractions;  /* integers are read as floats from -1 or 0 to 1 */
    bool filters;    /* linearly; else the nearest texel is read */
    enum vgpu_address address[3];
    float border[4];
};

/* A new object's number, never 0 and never used again; 0 without memory. The
 * caller keeps @image until the object is removed. */
unsigned long long vgpu_image_add(struct vgpu_image *image);
/* NULL: there is no such object. */
struct vgpu_image *vgpu_image_find(unsigned long long object);
void vgpu_image_remove(unsigned long long object);
/* The highest number that was given out. */
unsigned long long vgpu_image_last(void);

/* What malloc may give out to kernels of @device, from its first use on. */
void vgpu_heap_limit(int device, size_t bytes);
/* The device's memory is gone, and its heap with it. */
void vgpu_heap_reset(int device);
/* Has a kernel of @device asked for some since then, or printed? */
bool vgpu_heap_used(int device);
bool vgpu_exec_printed(int device);
void vgpu_exec_printed_reset(int device);

#ifdef __cplusplus
}
#endif
#endif
