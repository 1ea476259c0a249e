/*
 * rows.c: what rows cost: an engine fetches each row of a copy for itself, so
 * that many narrow ones take longer than their bytes, also where they lie
 * without gaps (measured).
 */
#include "rt.h"

#define PS_PER_S 1000000000000ll

static int64_t rows_of(const struct vgpu_extent *e)
{
    return (int64_t)(e->rows * e->slices);
}

/* The bytes that move in the time that @rows take, less those that do. */
static int64_t beyond(int64_t bytes, int64_t rows, int64_t row_ps,
                      int64_t bytes_per_s)
{
    const double could =
        (double)rows * (double)row_ps * (double)bytes_per_s / PS_PER_S;

    return could > (double)bytes ? (int64_t)could - bytes : 0;
}

/* Into the device a narrow row is dearer: it is written in parts of a sector.
 * Within it rows of odd bytes are, and those of several slices. */
int64_t vgpu_rows_copied(const struct vgpu_op *op)
{
    const struct vgpu_profile *const p = vgpu_rt.devices[op->device].profile;
    const struct vgpu_extent *const e = &op->copy.extent;
    const int64_t bytes = (int64_t)vgpu_extent_bytes(e), rows = rows_of(e);

    if (rows < 2)
        return 0;
    switch (op->copy.way) {
    case VGPU_TIME_H2D:
        return beyond(bytes, rows,
                      p->row_h2d_ps + p->row_h2d_narrow_ps / (int64_t)e->width,
                      p->h2d_bytes_per_s);
    case VGPU_TIME_D2H:
        return beyond(bytes, rows, p->row_d2h_ps, p->d2h_bytes_per_s);
    case VGPU_TIME_D2D:
        return beyond(bytes, rows,
                      e->width % 4 || e->slices > 1 ? p->row_odd_ps
                                                    : p->row_d2d_ps,
                      p->d2d_bytes_per_s);
    default:
        return 0;
    }
}

/* Rows of a memset without gaps are one. */
int64_t vgpu_rows_set(const struct vgpu_op *op)
{
    const struct vgpu_profile *const p = vgpu_rt.devices[op->device].profile;
    const struct vgpu_extent *const e = &op->set.extent;

    return op->set.dst.pitch <= e->width
               ? 0
               : beyond((int64_t)vgpu_extent_bytes(e), rows_of(e),
                        p->row_odd_ps, p->memory_bytes_per_s);
}
