/*
 * place.c: one side of a copy: what memory it is, whether it fits; and the
 * copying itself.
 *
 * The address tells: with unified addressing all devices' memory and the host's
 * share one range. A place is looked up twice, at the call for its errors and
 * when the copy is done, because the memory may be gone by then.
 */
#include "copy.h"

#include <string.h>

/* From the first byte to behind the last: rows may have gaps. More than a
 * size_t holds, which a program that subtracts too much asks for, is SIZE_MAX.
 */
size_t vgpu_place_reach(const struct vgpu_place *place,
                        const struct vgpu_extent *extent)
{
    size_t slices, rows, bytes;

    if (!extent->width || !extent->rows || !extent->slices)
        return 0;
    if (__builtin_mul_overflow(extent->slices - 1, place->slice, &slices) ||
        __builtin_mul_overflow(extent->rows - 1, place->pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &bytes) ||
        __builtin_add_overflow(bytes, extent->width, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* Memory that is not known is the program's own, pageable, and its size too: a
 * copy that runs over it is the program's fault and not found here. */
cudaError_t vgpu_place_find(struct vgpu_place *place, const void *base,
                            size_t pitch, size_t slice,
                            const struct vgpu_extent *extent)
{
    struct vgpu_memory *memory = vgpu_memory_find(base);
    size_t bytes;

    memset(place, 0, sizeof *place);
    place->base = (char *)(uintptr_t)base;
    place->pitch = pitch;
    place->slice = slice;
    place->where = vgpu_thread_self()->device;
    bytes = vgpu_place_reach(place, extent);
    if (memory && memory->free_pc)
        return vgpu_because(cudaErrorInvalidValue,
                            "it uses memory that was freed at %s",
                            vgpu_at(memory->free_pc));
    place->memory = memory;
    place->id = memory ? memory->id : 0;
    if (!memory) {
        place->managed = vgpu_symbols_managed(base);
        place->device = place->managed;
        return base || !bytes
                   ? cudaSuccess
                   : vgpu_because(cudaErrorInvalidValue, "an address is NULL");
    }
    if (bytes > memory->bytes - (size_t)(place->base - (char *)memory->base))
        return vgpu_because(
            cudaErrorInvalidValue, "%s from there on are too many for %s",
            bytes == SIZE_MAX ? "so many bytes" : vgpu_amount(bytes),
            vgpu_memory_words(base));
    place->device =
        memory->kind == VGPU_MEM_DEVICE || memory->kind == VGPU_MEM_MANAGED;
    place->managed = memory->kind == VGPU_MEM_MANAGED;
    if (place->device)
        place->where = memory->device;
    return cudaSuccess;
}

static bool is_flat(const struct vgpu_place *place,
                    const struct vgpu_extent *extent)
{
    return extent->slices == 1 &&
           (extent->rows == 1 || place->pitch == extent->width);
}

/* Rows that touch are one range: the checker keeps ranges at a fraction of the
 * cost of rows. */
static void tell(const struct vgpu_op *op, const struct vgpu_place *place,
                 const struct vgpu_extent *extent, enum vgpu_access_kind kind)
{
    if (kind == VGPU_WRITE)
        vgpu_repeat_wrote(place->base, vgpu_place_reach(place, extent));
    if (is_flat(place, extent)) {
        vgpu_check_range(op->check, place->base, extent->width * extent->rows,
                         kind);
        return;
    }
    for (size_t z = 0; z < extent->slices; z++)
        vgpu_check_range_2d(op->check, place->base + z * place->slice,
                            place->pitch, extent->width, extent->rows, kind);
}

/* There is nothing at a graph's addresses but while a launch's work is done, or
 * what it has left. */
bool vgpu_place_is_there(const struct vgpu_place *place,
                         const struct vgpu_stream *stream)
{
    return stream->capture || !place->memory ||
           !vgpu_memory_of_graph(place->memory) ||
           (place->memory->flags & VGPU_MEMORY_LIVE);
}

/* The address is a pool's and was given out again: a GPU finds nothing wrong
 * there, as far as it reaches. */
static bool is_pools(const struct vgpu_memory *memory,
                     const struct vgpu_place *place,
                     const struct vgpu_extent *extent)
{
    return (memory->flags & VGPU_MEMORY_POOL) &&
           vgpu_place_reach(place, extent) <=
               memory->bytes - (size_t)(place->base - (char *)memory->base);
}

/* Was it freed between the call and now, and perhaps given out again? Then the
 * device faults, and the checker tells who freed it. */
static bool is_gone(const struct vgpu_op *op, const struct vgpu_place *place,
                    const struct vgpu_extent *extent,
                    enum vgpu_access_kind kind)
{
    const struct vgpu_memory *memory;

    if (!place->memory)
        return false;
    memory = vgpu_memory_find(place->base);
    if (memory && !memory->free_pc &&
        (memory->id == place->id || is_pools(memory, place, extent)))
        return false;
    if (memory && memory->free_pc)
        tell(op, place, extent, kind);
    else
        vgpu_warn(used_freed, op->pc);
    vgpu_error_fault(op, cudaErrorIllegalAddress);
    return true;
}

static void bring(const struct vgpu_place *dst, const struct vgpu_place *src,
                  const struct vgpu_extent *extent)
{
    for (size_t z = 0; z < extent->slices; z++)
        for (size_t y = 0; y < extent->rows; y++) {
            char *const to = dst->base + z * dst->slice + y * dst->pitch;
            const char *const from =
                src->base + z * src->slice + y * src->pitch;

            memmove(to, from, extent->width);
            vgpu_check_copied(to, from, extent->width);
        }
}

void vgpu_copy_bring(struct vgpu_op *op)
{
    if (vgpu_rt.devices[op->device].sticky)
        return;
    bring(&op->copy.dst, &op->copy.src, &op->copy.extent);
    op->copy.brought = true;
}

/* A grid that is too small, or a loop that ends early: the last elements come
 * back as they were. A few bytes may be a structure's, which nobody needs. */
static void tell_unwritten_end(const struct vgpu_op *op)
{
    enum { ELEMENTS_BYTES = 32 };
    const struct vgpu_place *const src = &op->copy.src;
    const size_t bytes = op->copy.extent.width;
    size_t end;

    if (!vgpu_rt.checking || op->copy.way != VGPU_TIME_D2H || !src->memory ||
        src->memory->unordered || op->copy.extent.rows != 1 ||
        op->copy.extent.slices != 1)
        return;
    end = vgpu_check_unwritten_end(src->base, bytes);
    if (end >= ELEMENTS_BYTES) {
        const uint64_t at = (uint64_t)(src->base - (char *)src->memory->base);
        char text[256];

        vgpu_warn(copied_unwritten, op->pc, .bytes = bytes,
                  .lo = at + bytes - end, .hi = at + bytes,
                  .allocated =
                      vgpu_line_format(src->memory->pc, text, sizeof text));
    }
}

static void copy_do(const struct vgpu_op *op)
{
    const struct vgpu_extent *extent = &op->copy.extent;
    const struct vgpu_place *dst = &op->copy.dst;
    struct vgpu_place src = op->copy.src;

    if (vgpu_rt.devices[op->device].sticky ||
        is_gone(op, dst, extent, VGPU_WRITE) ||
        (!op->copy.captured && is_gone(op, &src, extent, VGPU_READ)))
        return;
    if (op->copy.captured) { /* packed when it was taken */
        src.base = op->copy.captured;
        src.pitch = extent->width;
        src.slice = extent->width * extent->rows;
    }
    if (!op->copy.captured || op->copy.lent)
        tell(op, &op->copy.src, extent, VGPU_READ);
    tell(op, dst, extent, VGPU_WRITE);
    tell_unwritten_end(op);
    if (!op->copy.brought)
        bring(dst, &src, extent);
}

/* The host's side of a copy of pageable memory. */
static const struct vgpu_place *host_side(const struct vgpu_op *op)
{
    return op->copy.way == VGPU_TIME_H2D ? &op->copy.src : &op->copy.dst;
}

void vgpu_copy_lend(const struct vgpu_op *op)
{
    const struct vgpu_place *const place = host_side(op);

    vgpu_check_lend(op, place->base, vgpu_place_reach(place, &op->copy.extent));
}

void vgpu_copy_do(const struct vgpu_op *op)
{
    vgpu_check_loan_tell(
        op, op->check, op->copy.way == VGPU_TIME_H2D ? VGPU_READ : VGPU_WRITE);
    copy_do(op);
    vgpu_check_loan_end(op);
}

static void fill(char *at, size_t bytes, uint32_t value, unsigned element)
{
    if (element == 1) {
        memset(at, (int)value, bytes);
        return;
    }
    for (size_t i = 0; i + element <= bytes; i += element)
        memcpy(at + i, &value, element);
}

void vgpu_set_do(const struct vgpu_op *op)
{
    const struct vgpu_extent *extent = &op->set.extent;
    const struct vgpu_place *dst = &op->set.dst;

    if (vgpu_rt.devices[op->device].sticky ||
        is_gone(op, dst, extent, VGPU_WRITE))
        return;
    tell(op, dst, extent, VGPU_WRITE);
    for (size_t z = 0; z < extent->slices; z++)
        for (size_t y = 0; y < extent->rows; y++)
            fill(dst->base + z * dst->slice + y * dst->pitch, extent->width,
                 op->set.value, op->set.element);
}
