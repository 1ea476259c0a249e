// Parts of CUDA that are not there: no guess of the compiler's.
//! exit 1
//! 9: error: vgpucc: CUgreenCtx \(green contexts\) is not supported
//! 10: error: vgpucc: CUtensorMap \(tensor maps\) is not supported
#include <cooperative_groups.h>
#include <cuda.h>
void host()
{
    CUgreenCtx context;
    CUtensorMap map;
}
