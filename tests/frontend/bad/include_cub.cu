//! exit 1
//! 3: error: vgpucc: #include <cub/cub.cuh>: CUB is not supported
#include <cub/cub.cuh>
