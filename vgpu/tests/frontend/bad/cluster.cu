//! exit 1
//! 3: error: vgpucc: thread block clusters .* not supported
__global__ void __cluster_dims__(2, 1, 1) k(float *x)
{
    *x = 1;
}
