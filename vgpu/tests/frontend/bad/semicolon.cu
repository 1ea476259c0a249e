//! exit 1
//! [56]: error: .*;
__global__ void k(int *x)
{
    int i = threadIdx.x
    x[i] = 1;
}
