//! exit 1
//! 8: error: .*cuModuleLoad.*is unavailable: not supported by the virtual GPU
#include <cuda.h>
int main()
{
    CUmodule module;

    return cuModuleLoad(&module, "kernels.ptx");
}
