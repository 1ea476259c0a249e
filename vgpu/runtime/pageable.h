/*
 * pageable.h: memory of the program's own that copies still need.
 *
 * A copy that is not waited for reads or writes pageable memory late. Where a
 * program gives such memory back before, it stays until the copy is done, which
 * would else write into whatever came to lie there; and the checker tells.
 */
#ifndef VGPU_PAGEABLE_H
#define VGPU_PAGEABLE_H

struct vgpu_op;

/* @op, a copy that is not waited for, will use such memory. */
void vgpu_pageable_lend(const struct vgpu_op *op);

/* Such a copy is about to run: tell whether its memory was given back. */
void vgpu_pageable_tell(const struct vgpu_op *op);

/* It is done, or will never be; a second time changes nothing. What nobody
 * needs any more is given back. */
void vgpu_pageable_end(const struct vgpu_op *op);

#endif
