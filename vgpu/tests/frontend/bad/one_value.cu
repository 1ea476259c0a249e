//! exit 1
//! 6: error: vgpucc: a launch needs a grid and a block
__global__ void k();
int main()
{
    k<<<>>>();
}
