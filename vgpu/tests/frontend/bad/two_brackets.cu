//! exit 1
//! 6: error: vgpucc: this '<<<' has no '>>>'
__global__ void k();
int main()
{
    k<<<1, 1>>();
}
