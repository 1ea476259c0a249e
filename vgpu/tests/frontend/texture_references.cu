// not for CUDA 13: texture references were removed with CUDA 12
/* Texture and surface references, as programs for CUDA 11 have them: bound to
 * memory and to an array, bound anew while a kernel is enqueued. */
#include <stdio.h>

texture<float> line;
texture<float, 2> sheet;
surface<void, 2> paper;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colors;

__global__ void read(float *out)
{
    const float4 c = tex2D(colors, 0.5f, 0.5f);

    out[0] = tex1Dfetch(line, 2);
    out[1] = tex2D(sheet, 1, 1);
    out[2] = tex2D(sheet, 1.75f, -2);
    out[3] = c.x + 2 * c.y + 4 * c.z;
}

__global__ void write(float add)
{
    float number = surf2Dread<float>(paper, sizeof number, 1);

    surf2Dwrite(number + add, paper, sizeof number, 1);
    surf2Dread(&number, paper, 0, 1);
    surf2Dwrite(-number, paper, 0, 1, cudaBoundaryModeZero);
}

/* Two arrays, one after the other: each takes its own kernel's numbers. */
void surfaces(cudaArray *first, cudaArray *second, size_t bytes)
{
    float host[2][8];

    cudaBindSurfaceToArray(paper, first);
    write<<<1, 1>>>(0.5f);
    cudaBindSurfaceToArray(paper, second, paper.channelDesc);
    write<<<1, 1>>>(0.25f);
    cudaMemcpyFromArray(host[0], first, 0, 0, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpyFromArray(host[1], second, 0, 0, bytes, cudaMemcpyDeviceToHost);
    printf("%g %g, %g %g, %s\n", host[0][4], host[0][5], host[1][4],
           host[1][5], cudaGetErrorString(cudaGetLastError()));
}

int main()
{
    const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uchar4 color = {255, 0, 255, 0};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    float *memory, *out, host[4];
    cudaArray *array, *second, *pixel;
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
    cudaMallocArray(&second, &desc, 4, 2);
    cudaMemcpyToArray(second, 0, 0, numbers, sizeof numbers,
                      cudaMemcpyHostToDevice);
    surfaces(array, second, sizeof numbers);
    cudaUnbindTexture(line);
    cudaUnbindTexture(colors);
    read<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
