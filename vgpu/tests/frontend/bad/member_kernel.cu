//! exit 1
//! 4: error: vgpucc: a kernel that is a class member
struct s {
    __global__ static void k(int *x)
    {
        *x = 1;
    }
};
