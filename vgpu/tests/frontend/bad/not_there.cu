// Parts of CUDA that are not there: no guess of the compiler's.
//! exit 1
//! 10: error: vgpucc: cudaMemcpyAttributes \(copies in batches\) is not supp
//! 11: error: vgpucc: CUgreenCtx \(green contexts\) is not supported
//! 12: error: vgpucc: CUtensorMap \(tensor maps\) is not supported
#include <cooperative_groups.h>
#include <cuda.h>
void host()
{
    cudaMemcpyAttributes how = {};
    CUgreenCtx context;
    CUtensorMap map;
}
