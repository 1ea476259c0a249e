//! exit 1
//! 3: error: vgpucc: #include <cooperative_groups.h>: cooperative groups is not supported
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
