// What nvcc refuses and one compilation for both sides does not see: each line
// with a comment of two exclamation marks is told, with these words, and no other.
#include <array>

struct host_only {
    int v;
    host_only(int x) : v(x) {}
    int get() const { return v; }
};
struct both {
    int v;
    __host__ __device__ both(int x) : v(x) {}
    static int count;
};
int both::count = 4;
template <class T> __global__ void fill(T *p)
{
    extern __shared__ T room[]; //!! redeclaration of 'room' with a different type
    room[0] = *p;
}

__global__ void k(int *p, std::array<int, 4> a, int n)
{
    host_only h(3);                 //!! constructor for initialization of 'host_only'
    p[0] = h.get();                 //!! 'get': it is __host__
    p[1] = both::count;             //!! __host__ variable 'count'
    p[5] = a[n];                    //!! overloaded operator\[\]
    p[4] = a.size();                //!! 'size': it is __host__
    int rows[n];                    //!! variable-length arrays
    rows[0] = 3;
    __constant__ int local;         //!! not allowed on non-static local
}

int main()
{
    int *p = nullptr;
    float *q = nullptr;

    fill<<<1, 1, 4>>>(p);
    fill<<<1, 1, 4>>>(q);
    return 0;
}
