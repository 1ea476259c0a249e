/*
 * array_info.cu: what a channel format is by a type, what arrays can be made,
 * and what they say of themselves.
 * Source: Runtime API, Memory Management, cudaMalloc3DArray, cudaArrayGetInfo;
 * Texture Object Management, cudaCreateChannelDesc.
 */
#include "fact.h"

template <class T>
static void show_type(const char *name)
{
    const struct cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();

    fact("format.%s=%d %d %d %d kind %d", name, d.x, d.y, d.z, d.w, (int)d.f);
}

static void show_array(const char *key, size_t width, size_t height,
                       size_t depth, unsigned int flags,
                       struct cudaChannelFormatDesc format)
{
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned int said = 99;
    cudaArray_t array = NULL;
    cudaError_t error = cudaMalloc3DArray(
        &array, &format, make_cudaExtent(width, height, depth), flags);

    fact("%s.error=%d %s", key, (int)error, cudaGetErrorName(error));
    cudaGetLastError();
    if (error)
        return;
    MUST(cudaArrayGetInfo(&desc, &extent, &said, array));
    fact("%s.info=%d %d %d %d kind %d, %zu x %zu x %zu, flags %u", key, desc.x,
         desc.y, desc.z, desc.w, (int)desc.f, extent.width, extent.height,
         extent.depth, said);
    MUST(cudaGetChannelDesc(&desc, array));
    fact_int("channel_desc.bits", desc.x + desc.y + desc.z + desc.w);
    fact_error("free", cudaFreeArray(array));
}

int main(void)
{
    const struct cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const enum cudaChannelFormatKind is_signed = cudaChannelFormatKindSigned;
    struct cudaChannelFormatDesc desc;
    struct cudaDeviceProp prop;
    cudaArray_t array = NULL;
    int linear = 0;

    show_type<signed char>("char");
    show_type<unsigned char>("uchar");
    show_type<uchar4>("uchar4");
    show_type<short2>("short2");
    show_type<unsigned short>("ushort");
    show_type<int>("int");
    show_type<uint4>("uint4");
    show_type<float>("float");
    show_type<float1>("float1");
    show_type<float2>("float2");
    show_type<float4>("float4");
    show_type<double>("double");
    show_array("line", 5, 0, 0, 0, floats);
    show_array("sheet", 5, 3, 0, 0, cudaCreateChannelDesc<uchar4>());
    show_array("box", 5, 3, 2, 0, cudaCreateChannelDesc<short2>());
    show_array("surface", 5, 3, 0, cudaArraySurfaceLoadStore, floats);
    show_array("layered_line", 5, 0, 2, cudaArrayLayered, floats);
    show_array("layered_sheet", 5, 3, 2, cudaArrayLayered, floats);
    show_array("no_width", 0, 3, 0, 0, floats);
    show_array("depth_without_height", 5, 0, 2, 0, floats);
    show_array("layered_without_layers", 5, 3, 0, cudaArrayLayered, floats);
    show_array("three_channels", 5, 3, 0, 0,
               cudaCreateChannelDesc(32, 32, 32, 0, is_signed));
    show_array("unequal_channels", 5, 3, 0, 0,
               cudaCreateChannelDesc(8, 16, 0, 0, is_signed));
    show_array("24_bits", 5, 3, 0, 0,
               cudaCreateChannelDesc(24, 0, 0, 0, is_signed));
    show_array("no_kind", 5, 3, 0, 0,
               cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindNone));
    MUST(cudaGetDeviceProperties(&prop, 0));
    show_array("too_wide", (size_t)prop.maxTexture1D + 1, 0, 0, 0, floats);
    show_array("too_wide_layered", (size_t)prop.maxTexture2DLayered[0] + 1, 1,
               2, cudaArrayLayered, floats);
    fact_error("no_result", cudaMallocArray(NULL, &floats, 4, 4, 0));
    fact_error("no_format", cudaMallocArray(&array, NULL, 4, 4, 0));
    fact_error("free_null", cudaFreeArray(NULL));
    fact_error("info_of_null", cudaArrayGetInfo(&desc, NULL, NULL, NULL));
    cudaGetLastError();
    fact("most.texture=%d, %d x %d, %d x %d x %d", prop.maxTexture1D,
         prop.maxTexture2D[0], prop.maxTexture2D[1], prop.maxTexture3D[0],
         prop.maxTexture3D[1], prop.maxTexture3D[2]);
    fact("most.layers=%d of %d, %d of %d x %d", prop.maxTexture1DLayered[1],
         prop.maxTexture1DLayered[0], prop.maxTexture2DLayered[2],
         prop.maxTexture2DLayered[0], prop.maxTexture2DLayered[1]);
    fact("most.surface=%d, %d x %d, %d x %d x %d", prop.maxSurface1D,
         prop.maxSurface2D[0], prop.maxSurface2D[1], prop.maxSurface3D[0],
         prop.maxSurface3D[1], prop.maxSurface3D[2]);
    fact("most.pitch2d=%d x %d, %d", prop.maxTexture2DLinear[0],
         prop.maxTexture2DLinear[1], prop.maxTexture2DLinear[2]);
    MUST(
        cudaDeviceGetAttribute(&linear, cudaDevAttrMaxTexture1DLinearWidth, 0));
    fact_int("most.linear", linear);
    return 0;
}
