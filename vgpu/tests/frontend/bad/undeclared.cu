//! exit 1
//! 9: error: .*nowhere
__global__ void k(int *x)
{
    x[threadIdx.x] = 1;
}
int main()
{
    k<<<1, 1>>>(nowhere);
    return 0;
}
