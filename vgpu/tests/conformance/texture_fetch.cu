/*
 * texture_fetch.cu: what texture functions read: element types, fractions of
 * integers, linear and pitched memory, one to three dimensions, layers.
 * Source: programming guide, Texture Functions, Texture Fetching.
 */
#include "texture.h"

enum { W = 4, H = 3, D = 2 };

template <class T>
static __global__ void read_line(cudaTextureObject_t t, float *out)
{
    for (int x = 0; x < W; x++)
        out[x] = (float)tex1D<T>(t, (float)x + 0.5f);
}

template <class T>
static void elements(const char *key, T a, T b, T c, T d)
{
    const T texels[W] = {a, b, c, d};
    cudaArray_t array = texture_array(texels, W, 0, 0);
    cudaTextureObject_t t = texture_plain(array);

    read_line<T><<<1, 1>>>(t, texture_results());
    texture_show(key, W);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
}

/* In parts of @most, since the last bit of a third is a GPU's own. */
static __global__ void read_fractions(cudaTextureObject_t t, float most,
                                      float *out)
{
    for (int x = 0; x < W; x++)
        out[x] = rintf(tex1D<float>(t, (float)x + 0.5f) * most);
}

/* Integers as fractions of the largest. */
template <class T>
static void fractions(const char *key, float most, T a, T b, T c, T d)
{
    const T texels[W] = {a, b, c, d};
    cudaArray_t array = texture_array(texels, W, 0, 0);
    const struct cudaResourceDesc resource = texture_resource(array);
    const struct cudaTextureDesc desc =
        texture_desc(cudaAddressModeClamp, cudaFilterModePoint,
                     cudaReadModeNormalizedFloat, 0);
    cudaTextureObject_t t = texture_make(&resource, &desc);

    read_fractions<<<1, 1>>>(t, most, texture_results());
    texture_show(key, W);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
}

static __global__ void read_vectors(cudaTextureObject_t bytes,
                                    cudaTextureObject_t pairs,
                                    cudaTextureObject_t fours, float *out)
{
    const uchar4 b = tex2D<uchar4>(bytes, 1.5f, 1.5f);
    const short2 s = tex2D<short2>(pairs, 0.5f, 1.5f);
    float4 f;

    tex2D(&f, fours, 1.5f, 0.5f);
    out[0] = b.x;
    out[1] = b.y;
    out[2] = b.z;
    out[3] = b.w;
    out[4] = s.x;
    out[5] = s.y;
    out[6] = f.x;
    out[7] = f.y;
    out[8] = f.z;
    out[9] = f.w;
}

static void vectors(void)
{
    const uchar4 bytes[4] = {{}, {}, {}, {1, 2, 254, 255}};
    const short2 pairs[4] = {{}, {}, {-32768, 32767}, {}};
    const float4 fours[4] = {{}, {0.5f, -1, 1e30f, 4}, {}, {}};
    cudaArray_t a = texture_array(bytes, 2, 2, 0);
    cudaArray_t b = texture_array(pairs, 2, 2, 0);
    cudaArray_t c = texture_array(fours, 2, 2, 0);

    read_vectors<<<1, 1>>>(texture_plain(a), texture_plain(b), texture_plain(c),
                           texture_results());
    texture_show("vectors", 10);
}

static __global__ void read_box(cudaTextureObject_t t, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;

    out[(z * H + y) * W + x] =
        tex3D<float>(t, (float)x + 0.25f, (float)y + 0.5f, (float)z + 0.75f);
}

static __global__ void read_layers(cudaTextureObject_t lines,
                                   cudaTextureObject_t sheets, float *out)
{
    const int layer = threadIdx.x;

    out[layer] = tex1DLayered<float>(lines, 1.5f, layer);
    out[3 + layer] = tex2DLayered<float>(sheets, 2.5f, 1.5f, layer);
}

static void boxes(void)
{
    float texels[W * H * D];
    cudaArray_t box, lines, sheets;

    for (int i = 0; i < W * H * D; i++)
        texels[i] = (float)i;
    box = texture_array(texels, W, H, D);
    lines = texture_array(texels, W, 0, D, cudaArrayLayered);
    sheets = texture_array(texels, W, H, D, cudaArrayLayered);
    read_box<<<1, dim3(W, H, D)>>>(texture_plain(box), texture_results());
    texture_show("box", W * H * D);
    read_layers<<<1, 3>>>(texture_plain(lines), texture_plain(sheets),
                          texture_results());
    texture_show("layers_0_1_and_beyond", 6);
}

static __global__ void read_linear(cudaTextureObject_t t, float *out)
{
    const int at = (int)threadIdx.x - 2;

    out[threadIdx.x] = (float)tex1Dfetch<int>(t, at);
}

static __global__ void read_pitched(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, (float)(threadIdx.x % 5) - 0.5f,
                                    (float)(threadIdx.x / 5) + 0.5f);
}

static void memory(void)
{
    const int numbers[W] = {5, -6, 7, -8};
    const float rows[2][W] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const struct cudaTextureDesc desc = texture_desc(
        cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
    struct cudaResourceDesc resource, said;
    cudaTextureObject_t t;
    void *linear, *pitched;
    size_t pitch;

    MUST(cudaMalloc(&linear, sizeof(numbers)));
    MUST(cudaMemcpy(linear, numbers, sizeof(numbers), cudaMemcpyDefault));
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof(numbers);
    t = texture_make(&resource, &desc);
    read_linear<<<1, W + 4>>>(t, texture_results());
    texture_show("linear_from_minus_2", W + 4);
    MUST(cudaGetTextureObjectResourceDesc(&said, t));
    fact_yes("linear.same_memory", said.res.linear.devPtr == linear);
    fact_int("linear.bytes", (long long)said.res.linear.sizeInBytes);
    MUST(cudaDestroyTextureObject(t));

    MUST(cudaMallocPitch(&pitched, &pitch, sizeof(rows[0]), 2));
    MUST(cudaMemcpy2D(pitched, pitch, rows, sizeof(rows[0]), sizeof(rows[0]), 2,
                      cudaMemcpyHostToDevice));
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = pitch;
    t = texture_make(&resource, &desc);
    read_pitched<<<1, 10>>>(t, texture_results());
    texture_show("pitched_from_minus_1", 10);
    MUST(cudaDestroyTextureObject(t));
}

int main(void)
{
    elements<signed char>("char", -128, -1, 0, 127);
    elements<unsigned char>("uchar", 0, 1, 128, 255);
    elements<short>("short", -32768, -1, 0, 32767);
    elements<unsigned short>("ushort", 0, 1, 32768, 65535);
    elements<int>("int", -16777216, -1, 0, 16777216);
    elements<unsigned int>("uint", 0, 1, 8388608, 4294967040u);
    elements<float>("float", -1.5f, 0, 1e-30f, 3e38f);
    fractions<signed char>("fraction.char", 127, -128, -127, 0, 127);
    fractions<unsigned char>("fraction.uchar", 255, 0, 51, 204, 255);
    fractions<short>("fraction.short", 32767, -32768, -32767, 0, 32767);
    fractions<unsigned short>("fraction.ushort", 65535, 0, 13107, 52428, 65535);
    vectors();
    boxes();
    memory();
    return 0;
}
