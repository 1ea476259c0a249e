//! exit 1
//! 4: error: vgpucc: the '{' opened here is never closed
__global__ void k(int *x)
{
    for (int i = 0; i < 3; i++) {
        x[i] = 1;
}
int main()
{
    return 0;
}
