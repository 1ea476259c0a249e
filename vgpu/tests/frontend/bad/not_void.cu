//! exit 1
//! 3: error: vgpucc: a __global__ function must return void
__global__ int k(int *x)
{
    return *x;
}
