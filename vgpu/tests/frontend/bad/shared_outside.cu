//! exit 1
//! 4: error: vgpucc: a __shared__ variable is not supported here
struct s {
    __shared__ int x;
};
