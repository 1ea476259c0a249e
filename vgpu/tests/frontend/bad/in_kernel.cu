//! exit 1
//! 7: error: .*undeclared
//! 9: error: .*missing
__global__ void k(int *x)
{
    for (int i = 0; i < 3; i++)
        x[i] = undeclared;
    __shared__ int s[4];
    s[0] = missing;
}
