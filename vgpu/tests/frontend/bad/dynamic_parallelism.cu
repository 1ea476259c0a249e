//! exit 1
//! 8: error: vgpucc: a launch from device code \(dynamic parallelism\) is not supported
__global__ void inner()
{
}
__global__ void outer()
{
    inner<<<1, 1>>>();
}
