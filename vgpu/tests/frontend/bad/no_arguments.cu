//! exit 1
//! 6: error: vgpucc: expected the kernel's arguments
__global__ void k();
int main()
{
    k<<<1, 1>>>;
}
