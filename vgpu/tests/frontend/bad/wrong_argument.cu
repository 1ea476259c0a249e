//! exit 1
//! 10: error:
__global__ void k(int *x)
{
    x[threadIdx.x] = 1;
}
int main()
{
    double d = 0;
    k<<<1, 1>>>(&d);
    return 0;
}
