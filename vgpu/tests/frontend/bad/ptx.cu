//! exit 1
//! 11: error: vgpucc: inline PTX: '\{ \.reg \.pred p; .* is not supported
//! 14: error: vgpucc: inline PTX: 'ld.shared.u32 %0, \[%1\]' is not supported
//! 15: error: vgpucc: inline PTX: '@%1 mov.u32 %0, 3' is not supported
//! 16: error: vgpucc: inline PTX: 'add.rz.f32 %0, %0, %0' is not supported
//! 17: error: vgpucc: inline PTX: 'cp.async.wait_all' is not supported
__device__ unsigned all(unsigned x, float f)
{
    unsigned r;

    asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(r)
        : "r"(x));
    asm("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(x));
    asm("@%1 mov.u32 %0, 3;" : "=r"(r) : "r"(x));
    asm("add.rz.f32 %0, %0, %0;" : "+f"(f));
    asm volatile("cp.async.wait_all;" ::);
    return r;
}
