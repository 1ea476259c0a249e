// not for CUDA 13: texture references were removed with CUDA 12
/* Texture references, as programs for CUDA 11 have them: bound to memory and to
 * an array, bound anew while a kernel is enqueued. */
#include <stdio.h>

texture<float> line;
texture<float, 2> sheet;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colors;

__global__ void read(float *out)
{
    const float4 c = tex2D(colors, 0.5f, 0.5f);

    out[0] = tex1Dfetch(line, 2);
    out[1] = tex2D(sheet, 1, 1);
    out[2] = tex2D(sheet, 1.75f, -2);
    out[3] = c.x + 2 * c.y + 4 * c.z;
}

int main()
{
    const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uchar4 color = {255, 0, 255, 0};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    float *memory, *out, host[4];
    cudaArray *array, *pixel;
    size_t offset = 1;

    cudaMalloc(&memory, sizeof numbers);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMallocArray(&array, &desc, 4, 2);
    cudaMemcpyToArray(array, 0, 0, numbers, sizeof numbers,
                      cudaMemcpyHostToDevice);
    cudaMallocArray(&pixel, &colors.channelDesc, 1, 1);
    cudaMemcpyToArray(pixel, 0, 0, &color, sizeof color,
                      cudaMemcpyHostToDevice);
    cudaBindTexture(&offset, line, memory, sizeof numbers);
    cudaBindTexture2D(NULL, sheet, memory, desc, 2, 2, 32);
    cudaBindTextureToArray(colors, pixel);
    sheet.filterMode = cudaFilterModeLinear;
    cudaBindTextureToArray(sheet, array, desc);
    read<<<1, 1>>>(out);
    cudaUnbindTexture(sheet);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g, %zu, %s\n", host[0], host[1], host[2], host[3], offset,
           cudaGetErrorString(cudaGetLastError()));
    cudaUnbindTexture(line);
    cudaUnbindTexture(colors);
    read<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
