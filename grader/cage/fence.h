/* fence.h: which files a child may see: Landlock, where the kernel has it */
#ifndef GRADER_FENCE_H
#define GRADER_FENCE_H

#include <stdbool.h>

enum { MAX_FENCE = 128 };

enum fence_right {
    FENCE_READ,   /* and execute */
    FENCE_WRITE,  /* all, below a folder that is its own */
    FENCE_DEVICE, /* read and write what is there, make nothing */
};

/* Places that may be seen; everything else may not. All zero: no fence. */
struct fence {
    struct {
        char *path;
        enum fence_right right;
    } places[MAX_FENCE];
    int count;
    bool keep_sockets; /* abstract ones: a GPU's driver may need them */
    bool keep_memory;  /* what is in /dev/shm: so may MPS */
};

/* Add a place. One that is not there is no place. */
void fence_add(struct fence *fence, enum fence_right right, const char *path);
/* Each of @names below @root; ends with NULL. */
void fence_add_below(struct fence *fence, enum fence_right right,
                     const char *root, const char *const *names);
/* The system's programs and libraries, and what PATH, LD_LIBRARY_PATH and
 * CUDA_HOME name; nothing of a user's. */
void fence_add_system(struct fence *fence, const char *root);
/* What a program may read from and write to, a GPU's too. Not for a compiler: a
 * source can have it include them, and one without end is no source. */
void fence_add_devices(struct fence *fence);
void fence_free(struct fence *fence);

/* The version of the kernel's Landlock, 0 for none. */
int fence_version(void);
/* For the rest of this process and all that it starts. Needs no_new_privs.
 * Return: false where nothing is fenced. */
bool fence_enter(const struct fence *fence);

#endif
