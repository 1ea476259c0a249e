//! exit 1
//! 5: error: vgpucc: texture memory with mipmaps, cubemaps or gathers is not sup
__global__ void k(cudaTextureObject_t t, float *x)
{
    *x = tex2DLod<float>(t, 0, 0, 0);
}
