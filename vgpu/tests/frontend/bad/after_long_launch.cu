//! exit 1
//! 12: error: .*undeclared
__global__ void k(int *x, int a)
{
    x[threadIdx.x] = a;
}
int main()
{
    k<<<1,
        2>>>(
            nullptr,
            undeclared);
}
