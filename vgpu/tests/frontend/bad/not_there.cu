// Parts of CUDA that are not there: no guess of the compiler's.
//! exit 1
//! 13: error: vgpucc: cudaMemcpyAttributes \(copies in batches\) is not supp
//! 14: error: vgpucc: CUgreenCtx \(green contexts\) is not supported
//! 15: error: vgpucc: cudaLaunchAttributeClusterDimension \(thread block cl
//! 16: error: vgpucc: clusterDim \(thread block clusters\) is not supported
//! 21: error: vgpucc: cluster_group \(thread block clusters\) is not supported
//! 22: error: vgpucc: cudaGridDependencySynchronize \(programmatic launches\)
#include <cooperative_groups.h>
#include <cuda.h>
void host(cudaLaunchAttribute *a)
{
    cudaMemcpyAttributes how = {};
    CUgreenCtx context;
    a->id = cudaLaunchAttributeClusterDimension;
    a->val.clusterDim.x = 2;
}

__global__ void kernel()
{
    cooperative_groups::cluster_group c;
    cudaGridDependencySynchronize();
}
