/*
 * ptx.h: kernels that a program gives as PTX text, read (ptx_text.c) and run
 * one instruction after another (ptx_run.c).
 *
 * What is read is kernels, variables and the most common instructions; a
 * kernel with others is there and cannot be launched (ptx_kernel.lacks).
 * Addresses of shared and local memory are offsets, which cvta makes into those
 * that every instruction knows.
 *
 * Source: PTX ISA.
 */
#ifndef VGPU_PTX_TEXT_H
#define VGPU_PTX_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/kernel.h"

enum ptx_code {
    PTX_LACKING,
#define X(NAME, OPERANDS) PTX_##NAME,
#include "ptx_codes.def"
};

struct ptx_type {
    char kind; /* u, s, b, f; p: a predicate; 0: none */
    uint8_t bytes;
};

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM,
};

struct ptx_variable {
    char *name;
    enum ptx_space space;
    size_t bytes, align;
    bool managed, outside; /* extern: dynamic shared memory */
    size_t offset;         /* in its kernel's share of the space */
    uint8_t *initial;      /* or NULL: zeros */
    void *at[16];          /* for whoever loads it: on each device */
    struct ptx_variable *next;
};

struct ptx_operand {
    enum {
        PTX_NONE,
        PTX_REGISTER,
        PTX_NUMBER, /* of a float its bits */
        PTX_SPECIAL,
        PTX_ADDRESS, /* a variable's */
        PTX_LABEL,
        PTX_LIST,
    } kind;
    bool negated;
    unsigned reg[4], count; /* or the label's, or the special register's */
    int64_t number;         /* or what is added to an address */
    struct ptx_variable *variable;
};

#define PTX_WORDS 6

struct ptx_instruction {
    enum ptx_code code;
    struct ptx_type type, from; /* the last one named, and the one before */
    enum ptx_space space, to;   /* cvta.to */
    char word[PTX_WORDS][12];   /* what else stands behind its name */
    unsigned words, lanes;      /* v2, v4 */
    int guard;                  /* a predicate's register, or -1 */
    bool unless;                /* it is not set */
    struct ptx_operand operand[5];
    unsigned operands;
};

struct ptx_kernel {
    char *name;
    int target; /* its text's */
    struct vgpu_kernel description;
    struct vgpu_signature signature;
    struct vgpu_body body;
    size_t *sizes, *aligns, param_bytes;
    struct ptx_instruction *code;
    size_t room;
    unsigned count, registers;
    size_t shared_bytes, shared_align, local_bytes;
    struct ptx_variable *variables; /* its own, and its parameters */
    const char *shared_key;
    char *lacks; /* an instruction that is not there, or NULL */
    struct ptx_kernel *next;
};

struct ptx_module {
    int version, target; /* 80: PTX 8.0, sm_80 */
    struct ptx_kernel *kernels;
    unsigned count;
    struct ptx_variable *variables;
    size_t shared_bytes; /* of those that all its kernels have */
};

/* PTX_OTHER: it does not begin as PTX text does. */
enum ptx_error { PTX_FINE, PTX_SYNTAX, PTX_OTHER, PTX_NEWER, PTX_NO_MEMORY };

/* Read @text. A module lives as long as the process, for what was launched may
 * run later. Return: PTX_FINE and *@module; @line: where it went wrong. */
enum ptx_error ptx_read(const char *text, struct ptx_module **module,
                        unsigned *line);

/* ---- ptx_run.c ----------------------------------------------------------- */

/* A launch's arguments, as a kernel's closure. */
struct ptx_closure {
    const struct ptx_kernel *kernel;
    int device;
    _Alignas(16) uint8_t params[]; /* as they lie on the device */
};

/* Have the kernel's body run it. */
void ptx_prepare(struct ptx_kernel *kernel);
/* What special registers there are. Return: its number, or -1. */
int ptx_special(const char *name);

#endif
