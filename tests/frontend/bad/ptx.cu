//! exit 1
//! 6: error: vgpucc: inline PTX \(asm\) is not supported
__device__ int lane()
{
    int r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
