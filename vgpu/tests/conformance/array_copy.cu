/*
 * array_copy.cu: copies to, from and between arrays, at a position.
 * Source: Runtime API, Memory Management, cudaMemcpy2DToArray and kin,
 * cudaMemcpy3D: a box with an array counts in its elements.
 */
#include "fact.h"

enum { W = 6, H = 4, D = 2, N = W * H };

static short source[N * D], back[N * D];

static void show(const char *key, int count)
{
    printf("%s=", key);
    for (int i = 0; i < count; i++)
        printf("%s%d", i ? " " : "", back[i]);
    putchar('\n');
}

static void take(const char *key, cudaArray_t array)
{
    memset(back, 0, sizeof(back));
    MUST(cudaMemcpy2DFromArray(back, W * sizeof(short), array, 0, 0,
                               W * sizeof(short), H, cudaMemcpyDeviceToHost));
    show(key, N);
}

static void clear(cudaArray_t array)
{
    static const short zeros[N] = {0};

    MUST(cudaMemcpy2DToArray(array, 0, 0, zeros, W * sizeof(short),
                             W * sizeof(short), H, cudaMemcpyHostToDevice));
}

static void boxes(const struct cudaChannelFormatDesc *desc)
{
    struct cudaMemcpy3DParms p;
    cudaArray_t box, wide;
    const struct cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();

    MUST(cudaMalloc3DArray(&box, desc, make_cudaExtent(W, H, D)));
    MUST(cudaMallocArray(&wide, &floats, W, H));
    memset(&p, 0, sizeof(p));
    p.srcPtr = make_cudaPitchedPtr(source, W * sizeof(short), W, H);
    p.dstArray = box;
    p.extent = make_cudaExtent(W, H, D);
    p.kind = cudaMemcpyHostToDevice;
    fact_error("box.to.error", cudaMemcpy3D(&p));
    memset(&p, 0, sizeof(p));
    p.srcArray = box;
    p.srcPos = make_cudaPos(2, 1, 1);
    p.dstPtr = make_cudaPitchedPtr(back, W * sizeof(short), W, H);
    p.dstPos = make_cudaPos(2, 1, 0); /* 2 bytes */
    p.extent = make_cudaExtent(3, 2, 1);
    p.kind = cudaMemcpyDeviceToHost;
    memset(back, 0, sizeof(back));
    fact_error("box.from.error", cudaMemcpy3D(&p));
    show("box.from_2_1_1", N);
    p.extent.width = W;
    fact_error("box.too_wide.error", cudaMemcpy3D(&p));
    p.extent.width = 3;
    p.srcPtr = p.dstPtr;
    fact_error("box.two_sources.error", cudaMemcpy3D(&p));
    memset(&p, 0, sizeof(p));
    p.srcArray = box;
    p.dstArray = wide;
    p.extent = make_cudaExtent(2, 2, 1);
    p.kind = cudaMemcpyDeviceToDevice;
    fact_error("box.unequal_elements.error", cudaMemcpy3D(&p));
    cudaGetLastError();
    MUST(cudaFreeArray(box));
    MUST(cudaFreeArray(wide));
}

int main(void)
{
    const struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>();
    const size_t pitch = W * sizeof(short);
    cudaArray_t a, b;
    cudaStream_t stream;

    for (int i = 0; i < N * D; i++)
        source[i] = (short)(i + 1);
    MUST(cudaMallocArray(&a, &desc, W, H));
    MUST(cudaMallocArray(&b, &desc, W, H));
    MUST(cudaStreamCreate(&stream));
    fact_error("whole.error", cudaMemcpy2DToArray(a, 0, 0, source, pitch, pitch,
                                                  H, cudaMemcpyHostToDevice));
    take("whole", a);
    clear(b);
    fact_error("part.error",
               cudaMemcpy2DToArray(b, 2 * sizeof(short), 1, source, pitch,
                                   3 * sizeof(short), 2, cudaMemcpyDefault));
    take("part", b);
    fact_error("between.error",
               cudaMemcpy2DArrayToArray(b, 0, 2, a, 2 * sizeof(short), 1,
                                        4 * sizeof(short), 2));
    take("between", b);
    clear(b);
    fact_error("async.error",
               cudaMemcpy2DToArrayAsync(b, 0, 0, source, pitch, pitch, 2,
                                        cudaMemcpyHostToDevice, stream));
    memset(back, 0, sizeof(back));
    fact_error("async.back.error",
               cudaMemcpy2DFromArrayAsync(back, pitch, b, 0, 1, pitch, 2,
                                          cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    show("async.back", N);
    fact_error("beyond_width.error",
               cudaMemcpy2DToArray(b, 2 * sizeof(short), 0, source, pitch,
                                   pitch, 1, cudaMemcpyHostToDevice));
    fact_error("beyond_height.error",
               cudaMemcpy2DToArray(b, 0, 1, source, pitch, pitch, H,
                                   cudaMemcpyHostToDevice));
    fact_error("small_pitch.error",
               cudaMemcpy2DToArray(b, 0, 0, source, pitch - 2, pitch, H,
                                   cudaMemcpyHostToDevice));
    fact_error("no_array.error",
               cudaMemcpy2DToArray(NULL, 0, 0, source, pitch, pitch, H,
                                   cudaMemcpyHostToDevice));
    fact_error("wrong_kind.error",
               cudaMemcpy2DToArray(b, 0, 0, source, pitch, pitch, H,
                                   cudaMemcpyDeviceToHost));
    cudaGetLastError();
    boxes(&desc);
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
    return 0;
}
