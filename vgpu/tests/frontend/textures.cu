/* Textures and surfaces under the checker: case 0 is right, the others are not.
 * What is said is said of the lines that are marked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { W = 64, H = 32 };

__global__ void read(cudaTextureObject_t t, float *out, int rows)
{
    const int x = threadIdx.x, y = blockIdx.x;

    if (y < rows)
        out[y * W + x] = tex2D<float>(t, x + 0.5f, y + 0.5f); // second 1, told 3 4
}

__global__ void write(cudaSurfaceObject_t s)
{
    surf2Dwrite(1.0f, s, threadIdx.x * 4, blockIdx.x); // first 2, told 6
}

__global__ void race(cudaSurfaceObject_t s)
{
    surf2Dwrite((float)threadIdx.x, s, 0, 0); // first 5, second 5
}

static float host[W * H];

int main(int argc, char **argv)
{
    const int number = argc > 1 ? atoi(argv[1]) : 0;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const size_t pitch = W * sizeof(float);
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaStream_t a, b;
    cudaArray_t array;
    float *pinned, *out;

    cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore);
    cudaMallocHost(&pinned, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    memset(&resource, 0, sizeof resource);
    memset(&desc, 0, sizeof desc);
    memset(pinned, 0, sizeof host);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateTextureObject(&t, &resource, &desc, NULL);
    cudaCreateSurfaceObject(&s, &resource);
    cudaMemcpy2DToArray(array, 0, 0, pinned, pitch, pitch, H,
                        cudaMemcpyHostToDevice);
    /* The lower half, and a kernel that reads the upper one, or all of it. */
    cudaMemcpy2DToArrayAsync(array, 0, H / 2, pinned, pitch, pitch, // first 1
                             H / 2, cudaMemcpyHostToDevice, a);
    read<<<H, W, 0, b>>>(t, out, number == 1 ? H : H / 2);
    cudaDeviceSynchronize();
    if (number == 2) {
        write<<<H, W, 0, a>>>(s);
        cudaMemcpy2DFromArrayAsync(pinned, pitch, array, 0, 0, // second 2
                                   pitch, H, cudaMemcpyDeviceToHost, b);
    }
    if (number == 3)
        cudaFreeArray(array);
    if (number == 4)
        cudaDestroyTextureObject(t);
    if (number == 3 || number == 4 || number == 7)
        read<<<H, W>>>(t, out, H);
    if (number == 5)
        race<<<1, 2>>>(s);
    if (number == 6)
        write<<<1, W + 1>>>(s);
    if (number != 4)
        cudaDestroyTextureObject(t); // told 7
    cudaDestroySurfaceObject(s);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    cudaFreeHost(pinned);
    cudaFreeArray(number == 3 ? NULL : array);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaGetLastError();
    return 0;
}
