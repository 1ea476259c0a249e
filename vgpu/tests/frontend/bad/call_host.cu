//! exit 1
//! 9: error: vgpucc: host function 'square' is called from device code
static int square(int a)
{
    return a * a;
}
__global__ void k(int *x)
{
    *x = square(*x);
}
