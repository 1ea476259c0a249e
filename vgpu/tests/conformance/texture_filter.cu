/*
 * texture_filter.cu: linear filtering in one to three dimensions, of floats,
 * vectors and fractions of integers; weights have 8 bits.
 * Source: programming guide, Texture Fetching, Linear Filtering.
 */
#include "texture.h"

static cudaTextureObject_t linear(cudaArray_t array,
                                  enum cudaTextureReadMode read)
{
    const struct cudaResourceDesc resource = texture_resource(array);
    const struct cudaTextureDesc desc =
        texture_desc(cudaAddressModeClamp, cudaFilterModeLinear, read, 0);

    return texture_make(&resource, &desc);
}

/* Between the middles of two texels, in steps of 1/256 of the way. */
static __global__ void read_steps(cudaTextureObject_t t, float *out)
{
    const int i = threadIdx.x;

    out[i] = tex1D<float>(t, 0.5f + (float)i / 256.0f);
}

/* All 256 weights, as the number that are what they should be. */
static void steps(void)
{
    const float texels[2] = {0, 256};
    const cudaTextureObject_t t =
        linear(texture_array(texels, 2, 0, 0), cudaReadModeElementType);
    int exact = 0;

    read_steps<<<1, TEXTURE_RESULTS>>>(t, texture_results());
    MUST(cudaDeviceSynchronize());
    for (int i = 0; i < TEXTURE_RESULTS; i++)
        exact += texture_results()[i] == (float)i;
    fact_int("steps.exact", exact);
}

static __global__ void read_sheet(cudaTextureObject_t t, float *out)
{
    const float place[4] = {0.5f, 0.75f, 1.0f, 1.5f};
    const int i = threadIdx.x;

    out[i] = tex2D<float>(t, place[i % 4], place[i / 4]);
}

static __global__ void read_box(cudaTextureObject_t t, float *out)
{
    out[0] = tex3D<float>(t, 1.0f, 1.0f, 1.0f);
    out[1] = tex3D<float>(t, 0.75f, 1.0f, 1.25f);
    out[2] = tex3D<float>(t, 1.5f, 0.5f, 0.625f);
    out[3] = tex3D<float>(t, -3.0f, 9.0f, 1.0f);
}

static __global__ void read_vector(cudaTextureObject_t t, float *out)
{
    const float4 v = tex1D<float4>(t, 0.75f);

    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = v.w;
}

static __global__ void read_layer(cudaTextureObject_t t, float *out)
{
    out[0] = tex2DLayered<float>(t, 1.0f, 1.0f, 0);
    out[1] = tex2DLayered<float>(t, 1.0f, 1.0f, 1);
}

int main(void)
{
    const float box[8] = {0, 256, 512, 768, 1024, 1280, 1536, 4096};
    const float4 vectors[2] = {{0, 4, 8, -8}, {16, 4, 0, 8}};
    const unsigned char bytes[2] = {0, 255};
    const unsigned short shorts[2] = {0, 65535};

    steps();
    read_sheet<<<1, 16>>>(
        linear(texture_array(box, 2, 2, 0), cudaReadModeElementType),
        texture_results());
    texture_show("sheet", 16);
    read_box<<<1, 1>>>(
        linear(texture_array(box, 2, 2, 2), cudaReadModeElementType),
        texture_results());
    texture_show("box", 4);
    read_vector<<<1, 1>>>(
        linear(texture_array(vectors, 2, 0, 0), cudaReadModeElementType),
        texture_results());
    texture_show("vector", 4);
    read_layer<<<1, 1>>>(linear(texture_array(box, 2, 2, 2, cudaArrayLayered),
                                cudaReadModeElementType),
                         texture_results());
    texture_show("layers", 2);
    for (int i = 0; i < 2; i++) {
        cudaArray_t array =
            i ? texture_array(shorts, 2, 0, 0) : texture_array(bytes, 2, 0, 0);

        read_steps<<<1, TEXTURE_RESULTS>>>(
            linear(array, cudaReadModeNormalizedFloat), texture_results());
        MUST(cudaDeviceSynchronize());
        fact("fractions.%d_bits=%.9g %.9g %.9g", i ? 16 : 8,
             (double)texture_results()[0], (double)texture_results()[64],
             (double)texture_results()[128]);
    }
    return 0;
}
