/*
 * parts.h: what the parts of speed share.
 *
 * Each looks at what was read, p->code, and notes edits:
 *   host_loops.c   functions of the host that need not be watched
 *   lanes.c        device functions that are done for many threads at once
 *   lanes_write.c  ... and the copy that is written of each
 *   unwatched.c    kernels that run without call-backs, too
 *   calls.c        which device functions may call which
 *   sums.c         atomics that do not show the order of their blocks
 *   loops.c        loops of a kernel that many threads do at once
 *   split.c        kernels whose threads need not wait at barriers
 *   split_write.c  ... and the copy that is written of each
 */
#ifndef VGPU_SPEED_PARTS_H
#define VGPU_SPEED_PARTS_H

#include "../parse.h"

/* What speed's parts know of a name. */
struct known {
    int lane;    /* its lane function's number, from 1; 0: none */
    bool varies; /* split.c: a variable of the device's has it */
    /* sums.c: the last function that declares it __shared__; its end. */
    int shared_in, shared_array_in;
    /* loops.c: what a kernel has said of it. */
    struct {
        int kernel; /* its second token */
        int next;   /* the first token that was not looked at */
        bool declared, has_value, pointed;
    } number;
};

/* A device function that a copy for lanes can be made of. */
struct lane_function {
    const struct code *code;
    bool loops;  /* it is worth waiting for others */
    bool simple; /* no loop, no if */
    bool needed; /* device code calls it */
};

/* A kernel, or a function or lambda that one may call. */
struct device_function {
    struct code *code;
    int name;       /* token, or -1 */
    int begin, end; /* its tokens */
    bool kernel;
    bool declared;  /* ... and not defined by this */
    unsigned shows; /* SHOWS_...; when all is read: what it calls, too */
    bool sums;      /* shows it in what atomics leave that are its last */
    bool alone;     /* cannot be inlined */
    bool recursive; /* may call itself in the end */
    bool reached;   /* from a kernel that may run unwatched */
};

/* What a device function shows of the order in which blocks run. */
enum {
    SHOWS_ORDER = 1, /* in memory */
    SHOWS_MORE = 2,  /* ... and elsewhere, or nobody knows */
    SHOWS_FLAG = 4,  /* it may wait for a flag, and must be watched */
    SHOWS_WAITS = 8, /* it may wait for others, but for __syncthreads in a
                        kernel */
};

struct speed {
    struct parse *p;
    struct known *known; /* by the words' numbers */
    struct lane_function *lanes;
    int num_lanes;
    struct device_function *functions;
    int num_functions;
    int num_sorted; /* edits that the rest of the front end has noted */
    bool signals;   /* a variable may be a flag */
    bool ordered;   /* device code shows in which order its threads run */
    int bindings_kernel, bindings_next; /* loops.c; as in struct known */
    bool bindings;
    /* split.c: functions of the device ask which thread runs; some class has a
     * destructor. */
    bool indexed, destructors;
};

/* What is known of token @i; that of no name is not to be changed. */
struct known *known_of(const struct speed *s, int i);

/* Have the body of the host's function @code compiled without call-backs, too,
 * if it can be. */
void host_loops_write(struct speed *s, const struct code *code);
/* @code declares variables or a type. */
void host_loops_declared(struct speed *s, const struct code *code);
/* What such functions call of the compiler's headers. */
void host_loops_subscripts(struct parse *p);

/* Remember the device function @code if it can be done for lanes. */
void lanes_note(struct speed *s, const struct code *code);
/* Device code may call what token @i names. */
void lanes_note_call(struct speed *s, int i);
/* Write the copies that are needed; before any other edit of speed's. */
void lanes_finish(struct speed *s);

/* Remember a kernel, a device function or its declaration, or a lambda. */
void unwatched_note(struct speed *s, struct code *code);
/* All are known: write which kernels may run unwatched. */
void unwatched_finish(struct speed *s);

/* Sort device functions by name; find what each shows in the end, and whether
 * it calls itself. */
void calls_find(struct speed *s);
/* What those that are reached may call is reached, too. */
void calls_reach(struct speed *s);

/* What @f declares __shared__ is noted; before sums_own(). */
void sums_note_shared(struct speed *s, const struct device_function *f);
/* Is @i, an atomic's name in @f, one of the block's own memory? */
bool sums_own(const struct speed *s, const struct device_function *f, int i);
/* ... one that is the last thing that a thread does, for its effect alone? Not
 * in a loop. */
bool sums_last(const struct parse *p, const struct device_function *f, int i);
/* Behind the loop whose word is token @i, or 0. */
int sums_loop_end(const struct parse *p, const struct device_function *f,
                  int i);

/* The kernel @f as parts between its barriers, which each are a loop over the
 * threads of a block, to be freed; NULL if it cannot be split. */
char *split_kernel(struct speed *s, const struct device_function *f);

/* Write the loop of a kernel for threads in step, if they can do it so. */
void loops_write(struct speed *s, const struct kernel_loop *loop);
/* Can they do it so, and may it be long enough to be worth that? */
bool loops_may_be_long(struct speed *s, const struct kernel_loop *loop);

#endif
