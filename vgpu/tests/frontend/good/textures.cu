/* Textures and surfaces: many blocks, most of which nobody watches, on several
 * cores; device functions and templates that take them; linear memory. */
#include <stdio.h>
#include <string.h>
#include <channel_descriptor.h>
#include <texture_types.h>

enum { N = 256 };

static float image[N * N], result[N * N];

__device__ float mean(cudaTextureObject_t t, float x, float y)
{
    float sum = 0;

    for (int i = 0; i < 4; i++)
        sum += tex2D<float>(t, x + i % 2, y + i / 2);
    return sum / 4;
}

__global__ void means(cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    surf2Dwrite(mean(t, x + 0.5f, y + 0.5f), s, x * 4, y);
}

template <class T>
__global__ void sums(cudaTextureObject_t t, int n, int *out)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += tex1Dfetch<T>(t, i).x;
    *out = sum;
}

static cudaArray_t make_array(unsigned int flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;

    cudaMallocArray(&array, &format, N, N, flags);
    return array;
}

static int at(int i)
{
    return i < N ? i : N - 1;
}

static void sheet()
{
    cudaArray_t from = make_array(0), to = make_array(cudaArraySurfaceLoadStore);
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    int wrong = 0;

    for (int i = 0; i < N * N; i++)
        image[i] = (i * 37) % 1024;
    cudaMemcpy2DToArray(from, 0, 0, image, N * 4, N * 4, N,
                        cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = from;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaCreateTextureObject(&t, &resource, &desc, NULL);
    resource.res.array.array = to;
    cudaCreateSurfaceObject(&s, &resource);
    means<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(t, s);
    cudaMemcpy2DFromArray(result, N * 4, to, 0, 0, N * 4, N,
                          cudaMemcpyDeviceToHost);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            wrong += result[y * N + x] !=
                     (image[y * N + x] + image[y * N + at(x + 1)] +
                      image[at(y + 1) * N + x] +
                      image[at(y + 1) * N + at(x + 1)]) / 4;
    printf("%d of %d wrong\n", wrong, N * N);
    cudaDestroyTextureObject(t);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(from);
    cudaFreeArray(to);
}

static void linear()
{
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    char2 *pairs;
    int *sum;

    cudaMallocManaged(&pairs, 100 * sizeof *pairs);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 100; i++)
        pairs[i] = make_char2(i - 50, 1);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = pairs;
    resource.res.linear.desc = cudaCreateChannelDesc<char2>();
    resource.res.linear.sizeInBytes = 100 * sizeof *pairs;
    cudaCreateTextureObject(&t, &resource, &desc, NULL);
    sums<char2><<<1, 1>>>(t, 120, sum);
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaDestroyTextureObject(t);
}

int main()
{
    sheet();
    linear();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
