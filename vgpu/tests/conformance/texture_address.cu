/*
 * texture_address.cu: coordinates outside of a texture: clamp, border, wrap,
 * mirror, for points and for linear filtering.
 * Source: programming guide, Texture Memory, Texture Fetching; wrap and mirror
 * are for normalized coordinates (Runtime API, cudaCreateTextureObject).
 */
#include "texture.h"

enum { W = 4, H = 2, STEPS = 25 };

static const char *const names[] = {"wrap", "clamp", "mirror", "border"};

/* From -W to 2 W, in steps of half a texel, and never where two texels are
 * equally near. */
static __global__ void read_line(cudaTextureObject_t t, float scale, float *out)
{
    const int i = threadIdx.x;
    const float x = (float)(i - 8) * 0.5f + 0.25f;

    out[i] = tex1D<float>(t, x * scale);
}

static __global__ void read_sheet(cudaTextureObject_t t, float *out)
{
    const int i = threadIdx.x;

    out[i] = tex2D<float>(t, (float)(i % 5 - 2) * 0.5f + 0.125f,
                          (float)(i / 5 - 2) * 0.5f + 0.25f);
}

static void line(cudaArray_t array, enum cudaTextureFilterMode filter,
                 int normalized, float border)
{
    const struct cudaResourceDesc resource = texture_resource(array);
    char key[64];

    for (int mode = 0; mode < 4; mode++) {
        struct cudaTextureDesc desc =
            texture_desc((enum cudaTextureAddressMode)mode, filter,
                         cudaReadModeElementType, normalized);
        cudaTextureObject_t t;

        desc.borderColor[0] = border;
        t = texture_make(&resource, &desc);
        read_line<<<1, STEPS>>>(t, normalized ? 1.0f / W : 1.0f,
                                texture_results());
        snprintf(key, sizeof(key), "%s.%s.%s%s",
                 filter == cudaFilterModeLinear ? "linear" : "point",
                 normalized ? "normalized" : "texels", names[mode],
                 border != 0.0f ? ".colored" : "");
        texture_show(key, STEPS);
        MUST(cudaDestroyTextureObject(t));
    }
}

/* Each dimension has a mode of its own. */
static void sheet(void)
{
    const float texels[W * H] = {0, 1, 2, 3, 10, 11, 12, 13};
    cudaArray_t array = texture_array(texels, W, H, 0);
    const struct cudaResourceDesc resource = texture_resource(array);
    struct cudaTextureDesc desc = texture_desc(
        cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, 1);
    cudaTextureObject_t t;

    desc.addressMode[1] = cudaAddressModeBorder;
    t = texture_make(&resource, &desc);
    read_sheet<<<1, 25>>>(t, texture_results());
    texture_show("wrap_x_border_y", 25);
    desc.addressMode[0] = cudaAddressModeClamp;
    desc.addressMode[1] = cudaAddressModeMirror;
    t = texture_make(&resource, &desc);
    read_sheet<<<1, 25>>>(t, texture_results());
    texture_show("clamp_x_mirror_y", 25);
}

int main(void)
{
    const float texels[W] = {16, 32, 64, 128};
    cudaArray_t array = texture_array(texels, W, 0, 0);

    line(array, cudaFilterModePoint, 0, 0);
    line(array, cudaFilterModePoint, 1, 0);
    line(array, cudaFilterModeLinear, 0, 0);
    line(array, cudaFilterModeLinear, 1, 0);
    line(array, cudaFilterModePoint, 1, 8);
    sheet();
    return 0;
}
