/*
 * launch_parameters.cu: an argument of a class is copied once, into the
 * parameter, and that copy ends when the launch returns. What reaches the
 * device are bytes, whatever the number of blocks: no constructor runs for it.
 * Source: programming guide, __global__ Function Parameters; observed.
 */
#include "fact.h"

static int copies, moves, ends;

struct counted {
    int value;

    counted(int v) : value(v)
    {
    }
    counted(const counted &other) : value(other.value)
    {
        copies++;
    }
    ~counted()
    {
        ends++;
    }
};

struct moved {
    int value;

    moved(int v) : value(v)
    {
    }
    moved(moved &&other) : value(other.value)
    {
        moves++;
    }
    ~moved()
    {
        ends++;
    }
};

static __global__ void take(counted c, int *out)
{
    if (out)
        *out = c.value;
    c.value = 0;
}

template <class T>
static __global__ void take_any(const T c, int *out)
{
    if (out)
        *out = c.value;
}

static __global__ void take_moved(moved m, int *out)
{
    if (out)
        *out = m.value;
}

static void tell(const char *key)
{
    fact("%s=%d copied %d moved %d ended", key, copies, moves, ends);
    copies = moves = ends = 0;
}

int main()
{
    counted c(3);
    moved m(4);

    take<<<8, 32>>>(c, (int *)NULL);
    tell("lvalue");
    take<<<8, 32>>>(counted(5), (int *)NULL);
    tell("temporary");
    take_any<<<1, 1>>>(c, (int *)NULL);
    tell("template");
    take_moved<<<1, 1>>>(static_cast<moved &&>(m), (int *)NULL);
    tell("moved");
    take_moved<<<1, 1>>>(moved(6), (int *)NULL);
    tell("moved_temporary");
    cudaDeviceSynchronize();
    return 0;
}
