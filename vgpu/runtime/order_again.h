/* order_again.h: what orders cost, and who needs them; for order_find.c */
#ifndef VGPU_ORDER_AGAIN_H
#define VGPU_ORDER_AGAIN_H

#include "rt.h"

/* Lines of the program, each by its calls' addresses. */
struct vgpu_without {
    const uint64_t *pcs;
    size_t count;
    bool waits; /* nor does the host wait there, and memory costs nothing */
};

/* ---- order_need.c -------------------------------------------------------- */

/* How far, at each step, the operation or the host behind its wait knows each
 * stream to have come: numbers of steps. */
struct vgpu_known {
    uint32_t *cells, *host, *now;
    uint32_t *columns; /* of each step's stream */
    size_t streams;
};

/* Return: false where there is too much of it; free it all the same. */
bool vgpu_known_make(struct vgpu_known *k, const struct vgpu_without *without);
void vgpu_known_free(struct vgpu_known *k);
uint32_t *vgpu_known_row(const struct vgpu_known *k, uint32_t step);

enum vgpu_need { VGPU_NEED_UNKNOWN, VGPU_NEED_NONE, VGPU_NEED_STEP };

/*
 * Does anything need the order that only these lines make?
 * @was  of the run as it was
 * @by   out: with VGPU_NEED_STEP the operation that uses what came before
 */
enum vgpu_need vgpu_order_need(const struct vgpu_known *was,
                               const struct vgpu_without *without,
                               const struct vgpu_order_step **by);

/* ---- order_again.c ------------------------------------------------------- */

/*
 * How long the run takes without these lines.
 * @was           of the run as it was
 * @queues        on each engine of each device; 0: as there are
 * @tolerance_ns  by which the host's clock may be another than it was; 0: any
 * @spans         out: of each step's operation; or NULL
 * Return: when all has ended, or -1 where that cannot be told.
 */
struct vgpu_span {
    int64_t start_ns, end_ns;
};
int64_t vgpu_again(const struct vgpu_known *was,
                   const struct vgpu_without *without, int queues,
                   int64_t tolerance_ns, struct vgpu_span *spans);

/* ---- order_read.c -------------------------------------------------------- */

/* A launch between two readings of a clock that nobody waits for. */
struct vgpu_early {
    const struct vgpu_order_step *launch;
    int64_t read_ns, took_ns; /* as read, and until the work has ended */
};

/*
 * All lines that are measured so.
 * @spans  of the run as it was; NULL: as far as can be told without
 * Return: how many of @found.
 */
#define VGPU_EARLY 64
size_t vgpu_order_read_early(const struct vgpu_span *spans,
                             struct vgpu_early found[VGPU_EARLY]);

/* ---- order_again.c, once more -------------------------------------------- */

/* Does the host not take this step then? */
bool vgpu_again_skips(const struct vgpu_without *without,
                      const struct vgpu_order_step *step);
/* Tell @fn which steps an operation comes after then. */
typedef void vgpu_before_fn(void *arg, uint32_t step);
void vgpu_again_before(const struct vgpu_without *without,
                       const struct vgpu_order_step *step, vgpu_before_fn *fn,
                       void *arg);

#endif
