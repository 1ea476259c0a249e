//! exit 1
//! 5: error: vgpucc: a __shared__ variable cannot have an initial value
__global__ void k(int *x)
{
    __shared__ int s = 3;
    *x = s;
}
