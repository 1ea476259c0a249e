//! exit 1
//! 3: error: vgpucc: surface memory is not supported
__global__ void k(cudaSurfaceObject_t s, float *x)
{
    surf1Dwrite(*x, s, 0);
}
