/*
 * texels.c: what device code reads through texture objects, and reads and
 * writes through surface objects.
 *
 * Source: CUDA C++ Programming Guide, appendix "Texture Fetching":
 *   nearest point  texel floor(x) of each dimension
 *   linear         of texels floor(x - 0.5) and the next one, weighted by what
 *                  is left of x - 0.5, in 9 bits of which 8 are a fraction
 *   normalized     x times the number of texels
 *   clamp, border, wrap, mirror: "Texture Memory"; tex1Dfetch and layers:
 *                  "Texture Functions"; boundary modes: "Surface Functions"
 *   fractions      an integer over the largest of its type: "Texture Memory"
 *
 * Observed on an H100: filtered fractions of unsigned integers are rounded to
 * 65535ths; a line of texels is filtered as the one row of a sheet, at y = 0,
 * so that a border, which is half of what is there, halves it.
 *
 * What no manual says, and a GPU may do otherwise: a weight that is no multiple
 * of 1/256 is rounded to the nearest one; sums are float, and 1/3 of 8 bits is
 * 85.0f / 255.0f; the least of signed integers is -1, as the next one is; a
 * coordinate has a float's precision. Texels of no weight are not read.
 */
#include "block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "vgpu_check.h"

/* ---- objects ------------------------------------------------------------- */

/* Kernels read it while others do, and nobody writes it meanwhile: it is
 * changed by calls of the host, under the runtime's lock. */
static struct vgpu_image **images;
static unsigned long long last;
static size_t room;

unsigned long long vgpu_image_add(struct vgpu_image *image)
{
    if (!VGPU_GROW(images, (size_t)last + 1, &room))
        return 0;
    images[++last] = image;
    return last;
}

struct vgpu_image *vgpu_image_find(unsigned long long object)
{
    return object && object <= last ? images[object] : NULL;
}

void vgpu_image_remove(unsigned long long object)
{
    images[object] = NULL;
}

unsigned long long vgpu_image_last(void)
{
    return last;
}

/* The object that the running kernel names, or the kernel's end. */
static const struct vgpu_image *image_of(unsigned long long object,
                                         bool surface, const void *pc)
{
    const char *const what = surface ? "surface" : "texture";
    const struct vgpu_block *block = vgpu_block_required(what);
    const struct vgpu_image *m = vgpu_image_find(object);
    char text[96];

    if (m && m->surface == surface && m->device == block->exec->device)
        return m;
    snprintf(text, sizeof text, "uses a %s that %s", what,
             m && m->surface == surface ? "is another device's"
             : !m && object && object <= last
                 ? "was destroyed or unbound"
                 : "was not created, or is not bound");
    vgpu_exec_abort_at(VGPU_EXEC_ILLEGAL_ADDRESS, (uint64_t)(uintptr_t)pc,
                       text);
}

/* ---- texels -------------------------------------------------------------- */

#define AXES 3

static char *texel_at(const struct vgpu_image *m, const int at[AXES])
{
    return m->base + (size_t)at[2] * m->slice + (size_t)at[1] * m->pitch +
           (size_t)at[0] * (size_t)(m->channels * m->bits / 8);
}

static float half_value(uint16_t h)
{
    const int exponent = h >> 10 & 31;
    const int digits = h & 1023;
    const float size = exponent == 31 ? (digits ? NAN : INFINITY)
                       : exponent
                           ? ldexpf((float)(digits + 1024), exponent - 25)
                           : ldexpf((float)digits, -24);

    return h >> 15 ? -size : size;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An integer over the largest of its type; -128 is -1 as -127 is. */
static float fraction(const struct vgpu_image *m, int32_t value)
{
    const bool is_signed = m->texels == VGPU_TEXELS_SIGNED;
    const float most = (float)((1 << (m->bits - is_signed)) - 1);

    return fmaxf((float)value / most, -1.0f);
}

/* Component @c as a register has it. */
static uint32_t component(const struct vgpu_image *m, const char *texel, int c)
{
    const bool is_signed = m->texels == VGPU_TEXELS_SIGNED;
    uint32_t word = 0;
    int32_t value;

    if (m->bits == 32) {
        memcpy(&word, texel + 4 * c, 4);
        return word;
    }
    memcpy(&word, texel + c * m->bits / 8, (size_t)m->bits / 8);
    if (m->texels == VGPU_TEXELS_FLOAT)
        return float_bits(half_value((uint16_t)word));
    value = is_signed ? (int32_t)(word << (32 - m->bits)) >> (32 - m->bits)
                      : (int32_t)word;
    return m->fractions ? float_bits(fraction(m, value)) : (uint32_t)value;
}

/* What lies outside has the border's color. */
static struct vgpu_texel read_texel(const struct vgpu_image *m,
                                    const int at[AXES], const void *pc)
{
    struct vgpu_texel texel = {{0}};
    const bool outside = at[0] < 0 || at[1] < 0 || at[2] < 0;
    const bool floats = m->texels == VGPU_TEXELS_FLOAT || m->fractions;
    const char *from;

    if (outside) {
        for (int c = 0; c < m->channels; c++)
            texel.word[c] = floats ? float_bits(m->border[c])
                                   : (uint32_t)(int32_t)m->border[c];
        return texel;
    }
    from = texel_at(m, at);
    vgpu_check_touch(from, (size_t)(m->channels * m->bits / 8), VGPU_READ,
                     (uint64_t)(uintptr_t)pc);
    for (int c = 0; c < m->channels; c++)
        texel.word[c] = component(m, from, c);
    return texel;
}

/* ---- coordinates --------------------------------------------------------- */

/* Two texels beside each other, -1: outside, and the second one's weight. */
struct axis {
    int at[2];
    float weight;
};

/* Without normalization there is nothing but clamp and border. */
static float unwrap(const struct vgpu_image *m, int d, float x)
{
    const float whole = floorf(x);

    if (!m->normalized)
        return x;
    if (m->address[d] == VGPU_WRAP)
        x -= whole;
    if (m->address[d] == VGPU_MIRROR)
        x = fmodf(whole, 2) != 0.0f ? 1 - (x - whole) : x - whole;
    return x * (float)m->extent[d];
}

static int texel_index(const struct vgpu_image *m, int d, int i)
{
    const int n = m->extent[d];

    if (i >= 0 && i < n)
        return i;
    if (m->address[d] == VGPU_BORDER)
        return -1;
    if (m->address[d] == VGPU_WRAP && m->normalized)
        return (i % n + n) % n;
    return i < 0 ? 0 : n - 1;
}

/* Far beyond any texel, and where a NaN goes. */
#define FAR 1e9f

static struct axis axis_of(const struct vgpu_image *m, int d, float coordinate)
{
    const float x = unwrap(m, d, coordinate) - (m->filters ? 0.5f : 0.0f);
    const int low = (int)fminf(fmaxf(floorf(x), -FAR), FAR);
    struct axis axis = {{texel_index(m, d, low), 0}, 0};

    if (m->filters && fabsf(x) < FAR)
        axis.weight = floorf((x - (float)low) * 256 + 0.5f) / 256;
    if (axis.weight > 0)
        axis.at[1] = texel_index(m, d, low + 1);
    return axis;
}

/* Weights are exact: they have 8 bits, and their products 24. */
static struct vgpu_texel filter(const struct vgpu_image *m,
                                const struct axis axes[AXES], const void *pc)
{
    struct vgpu_texel sum = {{0}};

    for (unsigned corner = 0; corner < 1 << AXES; corner++) {
        struct vgpu_texel texel;
        float weight = 1;
        int at[AXES];

        for (int d = 0; d < AXES; d++) {
            const unsigned side = corner >> d & 1;

            at[d] = axes[d].at[side];
            weight *= side ? axes[d].weight : 1 - axes[d].weight;
        }
        if (weight == 0.0f)
            continue;
        texel = read_texel(m, at, pc);
        for (int c = 0; c < m->channels; c++) {
            const float part = weight * bits_float(texel.word[c]);

            sum.word[c] = float_bits(bits_float(sum.word[c]) + part);
        }
    }
    for (int c = 0;
         m->fractions && m->texels == VGPU_TEXELS_UNSIGNED && c < m->channels;
         c++)
        sum.word[c] =
            float_bits(roundf(bits_float(sum.word[c]) * 65535) / 65535);
    return sum;
}

struct vgpu_texel vgpu_fetch(unsigned long long object, int dimensions, float x,
                             float y, float z, int layer, const void *pc)
{
    const struct vgpu_image *m = image_of(object, false, pc);
    const float coordinates[AXES] = {x, y, z};
    struct axis axes[AXES] = {{{0}, 0}};

    for (int d = 0; d < dimensions; d++)
        axes[d] = axis_of(m, d, coordinates[d]);
    if (dimensions == 1 && m->filters && m->address[1] == VGPU_BORDER)
        axes[1] = axis_of(m, 1, 0);
    if (dimensions < AXES)
        axes[2].at[0] = layer < 0               ? 0
                        : layer >= m->extent[2] ? m->extent[2] - 1
                                                : layer;
    if (m->filters)
        return filter(m, axes, pc);
    return read_texel(m, (int[]){axes[0].at[0], axes[1].at[0], axes[2].at[0]},
                      pc);
}

struct vgpu_texel vgpu_fetch_linear(unsigned long long object, int x,
                                    const void *pc)
{
    const struct vgpu_image *m = image_of(object, false, pc);

    if (x < 0 || x >= m->extent[0])
        return (struct vgpu_texel){{0}};
    return read_texel(m, (int[]){x, 0, 0}, pc);
}

/* ---- surfaces ------------------------------------------------------------ */

enum { MODE_ZERO, MODE_CLAMP, MODE_TRAP };

static int clamped(int x, int most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

/* Outside, a surface ends the kernel unless its mode says otherwise (guide,
 * "Surface Functions"). */
void vgpu_surface(unsigned long long object, int mode, int x, int y, int z,
                  void *data, size_t bytes, int writes, const void *pc)
{
    const struct vgpu_image *m = image_of(object, true, pc);
    const uint64_t at = (uint64_t)(uintptr_t)pc;
    const int width = m->extent[0] * (m->channels * m->bits / 8);
    const int most[AXES] = {width - (int)bytes, m->extent[1] - 1,
                            m->extent[2] - 1};
    const int inner[AXES] = {clamped(x, most[0]), clamped(y, most[1]),
                             clamped(z, most[2])};
    const bool inside = inner[0] == x && inner[1] == y && inner[2] == z;
    char *place = m->base + (size_t)inner[2] * m->slice +
                  (size_t)inner[1] * m->pitch + (size_t)inner[0];
    char text[96];

    if (x % (int)bytes)
        vgpu_exec_abort_at(VGPU_EXEC_MISALIGNED, at,
                           "a surface's x is in bytes: a multiple of the "
                           "element's size");
    if (most[0] < 0 || (!inside && mode == MODE_TRAP)) {
        snprintf(text, sizeof text,
                 "surface access at byte %d, row %d, slice %d: outside", x, y,
                 z);
        vgpu_exec_abort_at(VGPU_EXEC_ILLEGAL_ADDRESS, at, text);
    }
    if (!inside && mode == MODE_ZERO) {
        if (!writes)
            memset(data, 0, bytes);
        return;
    }
    vgpu_check_touch(place, bytes, writes ? VGPU_WRITE : VGPU_READ, at);
    memcpy(writes ? place : data, writes ? data : place, bytes);
}
