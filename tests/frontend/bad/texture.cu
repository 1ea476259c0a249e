//! exit 1
//! 3: error: vgpucc: texture memory is not supported
__global__ void k(cudaTextureObject_t t, float *x)
{
    *x = tex2D<float>(t, 0, 0);
}
