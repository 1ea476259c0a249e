/* A header with kernels, functions and launches of its own. */
#ifndef HEADER_CUH
#define HEADER_CUH

__global__ static void from_header(int *x)
{
    x[threadIdx.x]++;
}

inline void launch_from_header(int *x, int n)
{
    from_header<<<1, n>>>(x);
}

#define DEFINE_KERNEL(name, expression)        \
    __global__ void name(int *x, int a)        \
    {                                          \
        int i = threadIdx.x;                   \
        x[i] = (expression);                   \
    }

#endif
