//! exit 1
//! 9: error: vgpucc: kernel 'k' is called like a function
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    k(nullptr);
}
