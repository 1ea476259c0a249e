/*
 * texture_errors.cu: what texture and surface objects cannot be made of.
 * Source: Runtime API, Texture Object Management, Surface Object Management;
 * error codes observed.
 */
#include "texture.h"

static void try_texture(const char *key, const struct cudaResourceDesc *r,
                        enum cudaTextureFilterMode filter,
                        enum cudaTextureReadMode read)
{
    const struct cudaTextureDesc desc =
        texture_desc(cudaAddressModeClamp, filter, read, 0);
    cudaTextureObject_t t = 0;
    cudaError_t error = cudaCreateTextureObject(&t, r, &desc, NULL);

    fact("%s=%d %s", key, (int)error, cudaGetErrorName(error));
    cudaGetLastError();
    if (!error)
        MUST(cudaDestroyTextureObject(t));
}

static void memory(char *device)
{
    struct cudaResourceDesc r;

    memset(&r, 0, sizeof(r));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = device;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    try_texture("linear.filtered", &r, cudaFilterModeLinear,
                cudaReadModeElementType);
    r.res.linear.devPtr = device + 4;
    try_texture("linear.unaligned", &r, cudaFilterModePoint,
                cudaReadModeElementType);
    r.res.linear.devPtr = NULL;
    try_texture("linear.null", &r, cudaFilterModePoint,
                cudaReadModeElementType);
    r.res.linear.devPtr = device;
    r.res.linear.desc.y = r.res.linear.desc.z = 32;
    try_texture("linear.three_channels", &r, cudaFilterModePoint,
                cudaReadModeElementType);
    memset(&r, 0, sizeof(r));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = device;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 8;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 33;
    try_texture("pitch2d.odd_pitch", &r, cudaFilterModePoint,
                cudaReadModeElementType);
    r.res.pitch2D.pitchInBytes = 32;
    try_texture("pitch2d.32_bytes", &r, cudaFilterModePoint,
                cudaReadModeElementType);
    r.res.pitch2D.width = 16;
    try_texture("pitch2d.pitch_below_width", &r, cudaFilterModePoint,
                cudaReadModeElementType);
}

int main(void)
{
    const int ints[4] = {0};
    const float floats[4] = {0};
    const struct cudaTextureDesc desc = texture_desc(
        cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);
    cudaArray_t array = texture_array(ints, 2, 2, 0);
    struct cudaResourceDesc r = texture_resource(array), said;
    struct cudaTextureDesc told;
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    char *device;

    MUST(cudaMalloc((void **)&device, 4096));
    try_texture("int.filtered", &r, cudaFilterModeLinear,
                cudaReadModeElementType);
    try_texture("int.fraction", &r, cudaFilterModePoint,
                cudaReadModeNormalizedFloat);
    try_texture("int.fraction.filtered", &r, cudaFilterModeLinear,
                cudaReadModeNormalizedFloat);
    fact_error("no_resource", cudaCreateTextureObject(&t, NULL, &desc, NULL));
    fact_error("no_texture_desc", cudaCreateTextureObject(&t, &r, NULL, NULL));
    fact_error("no_result", cudaCreateTextureObject(NULL, &r, &desc, NULL));
    fact_error("surface_of_plain_array", cudaCreateSurfaceObject(&s, &r));
    cudaGetLastError();
    memory(device);
    t = texture_make(&r, &desc);
    fact_error("resource_desc", cudaGetTextureObjectResourceDesc(&said, t));
    fact_yes("resource_desc.same_array",
             said.resType == cudaResourceTypeArray &&
                 said.res.array.array == array);
    fact_error("texture_desc", cudaGetTextureObjectTextureDesc(&told, t));
    fact("texture_desc.modes=%d %d %d", (int)told.addressMode[0],
         (int)told.filterMode, (int)told.readMode);
    fact_error("destroy", cudaDestroyTextureObject(t));
    fact_error("destroy_null", cudaDestroyTextureObject(0));
    fact_error("destroy_null_surface", cudaDestroySurfaceObject(0));
    cudaGetLastError();
    r = texture_resource(
        texture_array(floats, 2, 2, 0, cudaArraySurfaceLoadStore));
    try_texture("float.fraction", &r, cudaFilterModePoint,
                cudaReadModeNormalizedFloat);
    fact_error("surface", cudaCreateSurfaceObject(&s, &r));
    fact_error("surface_desc", cudaGetSurfaceObjectResourceDesc(&said, s));
    fact_error("destroy_surface", cudaDestroySurfaceObject(s));
    return 0;
}
