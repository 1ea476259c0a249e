/*
 * surface_access.cu: kernels read and write arrays through surfaces, whose x
 * counts bytes; what the boundary modes do outside; a texture of the same array
 * reads in the next kernel what was written.
 * Source: programming guide, Surface Functions.
 */
#include "texture.h"

enum { W = 4, H = 3, D = 2 };

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    const struct cudaResourceDesc resource = texture_resource(array);
    cudaSurfaceObject_t object = 0;

    MUST(cudaCreateSurfaceObject(&object, &resource));
    return object;
}

static __global__ void write_sheet(cudaSurfaceObject_t s)
{
    surf2Dwrite((float)(threadIdx.y * 10 + threadIdx.x), s,
                (int)(threadIdx.x * sizeof(float)), (int)threadIdx.y);
}

static __global__ void read_texture(cudaTextureObject_t t, float *out)
{
    out[threadIdx.y * W + threadIdx.x] =
        tex2D<float>(t, (float)threadIdx.x + 0.5f, (float)threadIdx.y + 0.5f);
}

/* One element before and one behind each row. */
static __global__ void read_outside(cudaSurfaceObject_t s, float *out)
{
    for (int x = -1; x <= W; x++) {
        const int at = x * (int)sizeof(float);

        out[x + 1] = surf2Dread<float>(s, at, 1, cudaBoundaryModeZero);
        surf2Dread(&out[W + 3 + x], s, at, H, cudaBoundaryModeClamp);
    }
}

static __global__ void write_outside(cudaSurfaceObject_t s)
{
    surf2Dwrite(98.0f, s, W * (int)sizeof(float), 0, cudaBoundaryModeZero);
    surf2Dwrite(99.0f, s, -(int)sizeof(float), 2, cudaBoundaryModeClamp);
}

static __global__ void write_others(cudaSurfaceObject_t line,
                                    cudaSurfaceObject_t box,
                                    cudaSurfaceObject_t layers, float *out)
{
    surf1Dwrite(make_short2(-1, 2), line, 1 * (int)sizeof(short2));
    surf3Dwrite((unsigned char)200, box, 1, 2, 1);
    surf2DLayeredwrite(7.5f, layers, 2 * (int)sizeof(float), 1, 1);
    out[0] = surf1Dread<short2>(line, 1 * (int)sizeof(short2)).y;
    out[1] = surf3Dread<unsigned char>(box, 1, 2, 1);
    out[2] = surf3Dread<unsigned char>(box, 1, 2, 0);
    out[3] = surf2DLayeredread<float>(layers, 2 * (int)sizeof(float), 1, 1);
}

static void trap(void)
{
    const float texels[W] = {0};
    cudaArray_t array =
        texture_array(texels, W, 1, 0, cudaArraySurfaceLoadStore);

    read_outside<<<1, 1>>>(surface_of(array), texture_results());
    fact_error("modes_that_do_not_trap", cudaDeviceSynchronize());
    write_sheet<<<1, dim3(W, 2)>>>(surface_of(array));
    fact_error("trap", cudaDeviceSynchronize());
}

int main(void)
{
    const float zeros[W * H * D] = {0};
    const short2 pairs[W] = {};
    const unsigned char bytes[W * H * D] = {0};
    const unsigned int stores = cudaArraySurfaceLoadStore;
    cudaArray_t sheet, line, box, layers;
    cudaSurfaceObject_t s;

    fact_in_child("trap", trap);
    sheet = texture_array(zeros, W, H, 0, stores);
    line = texture_array(pairs, W, 0, 0, stores);
    box = texture_array(bytes, W, H, D, stores);
    layers = texture_array(zeros, W, H, D, stores | cudaArrayLayered);
    s = surface_of(sheet);
    write_sheet<<<1, dim3(W, H)>>>(s);
    read_texture<<<1, dim3(W, H)>>>(texture_plain(sheet), texture_results());
    texture_show("written", W * H);
    read_outside<<<1, 1>>>(s, texture_results());
    texture_show("outside.zero_then_clamp", 2 * (W + 2));
    write_outside<<<1, 1>>>(s);
    read_texture<<<1, dim3(W, H)>>>(texture_plain(sheet), texture_results());
    texture_show("written_outside", W * H);
    write_others<<<1, 1>>>(surface_of(line), surface_of(box),
                           surface_of(layers), texture_results());
    texture_show("others", 4);
    return 0;
}
