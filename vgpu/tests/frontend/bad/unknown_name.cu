//! exit 1
//! 7: error: .*CUdevResource
#include <cuda.h>

int main()
{
    CUdevResource resource;

    return sizeof resource;
}
