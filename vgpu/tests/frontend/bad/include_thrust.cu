//! exit 1
//! 10: error: vgpucc: Thrust is not supported by the virtual GPU
//! 13: error: vgpucc: Thrust is not supported by the virtual GPU
//! 6: note: #include <thrust/device_vector.h>: Thrust is not supported by the
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
int main()
{
    thrust::device_vector<int> v(4);

    v[0] = 1;
    printf("%d\n", thrust::reduce(v.begin(), v.end()));
    return 0;
}
