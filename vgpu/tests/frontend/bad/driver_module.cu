//! exit 1
//! 8: error: .*cuModuleLoadFatBinary.*is unavailable: not supported by the virtual GPU
#include <cuda.h>
int main()
{
    CUmodule module;

    return cuModuleLoadFatBinary(&module, nullptr);
}
