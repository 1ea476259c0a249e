//! exit 1
//! 4: error: vgpucc: #include <thrust/device_vector.h>: Thrust is not supported
#include <cstdio>
#include <thrust/device_vector.h>
int main()
{
    return 0;
}
