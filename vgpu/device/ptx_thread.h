/* ptx_thread.h: a thread of a kernel that was read from PTX text, while it runs
 * (ptx_run.c), and what is computed from its registers (ptx_compute.c). */
#ifndef VGPU_PTX_THREAD_H
#define VGPU_PTX_THREAD_H

#include "ptx.h"
#include "vgpu/threads.h"

#define PTX_DYNAMIC                                                            \
    ((uint64_t)1 << 24) /* where dynamic shared memory begins                  \
                         */

struct ptx_thread {
    const struct ptx_closure *given;
    const struct ptx_kernel *kernel;
    uint64_t *reg;
    uint8_t *local;
    char *shared;
    uint32_t index[3];
    struct vgpu_geometry grid;
};

/* So many bytes of @value, without or with its sign. */
uint64_t ptx_cut(uint64_t value, unsigned bytes);
int64_t ptx_widen(uint64_t value, unsigned bytes);
/* An operand as it stands, and as @type has it. */
uint64_t ptx_bits(const struct ptx_thread *t, const struct ptx_operand *o);
uint64_t ptx_value(const struct ptx_thread *t, const struct ptx_operand *o,
                   struct ptx_type type);
void ptx_put(struct ptx_thread *t, const struct ptx_operand *o, uint64_t value);
/* Has the instruction @word behind its name? */
bool ptx_has(const struct ptx_instruction *in, const char *word);
/* @in of values: a number of its type. */
uint64_t ptx_combine(const struct ptx_instruction *in, uint64_t a, uint64_t b,
                     uint64_t c);
/* The instruction of that name, with its operands. */
void ptx_compute(struct ptx_thread *t, const struct ptx_instruction *in);
void ptx_set_predicate(struct ptx_thread *t, const struct ptx_instruction *in);
void ptx_convert(struct ptx_thread *t, const struct ptx_instruction *in);

#endif
