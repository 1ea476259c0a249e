/*
 * device_attribute_values.cu: what an H200 reports of itself by number, all
 * that is the same on every one. Source: Runtime API, Device Management,
 * cudaDeviceGetAttribute; observed.
 */
#include "fact.h"

/* Of the machine, or of the one device: where it is, how fast it may run. */
static int is_of_one(int which)
{
    static const int ones[] = {13,  32,  33,  34,  36,  50,  85,  116, 117, 118,
                               130, 131, 132, 134, 139, 140, 142, 143, 144};

    for (int one : ones)
        if (one == which)
            return 1;
    return 0;
}

int main(void)
{
    for (int which = 0; which <= 150; which++) {
        int value = -77;
        cudaError_t error;

        if (is_of_one(which))
            continue;
        error = cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)which, 0);
        cudaGetLastError();
        fact("%d=%d, %d", which, (int)error, value);
    }
    return 0;
}
