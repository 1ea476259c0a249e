//! exit 1
//! 9: error: vgpucc: __device__ function 'square' is called from host code
static __device__ int square(int a)
{
    return a * a;
}
int main()
{
    return square(1);
}
