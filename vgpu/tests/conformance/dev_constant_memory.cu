/*
 * dev_constant_memory.cu: constant memory is read by all threads and set by
 * the host between launches, in the default stream's order.
 * Source: programming guide, Device Memory Space Specifiers.
 */
#include "fact.h"

struct settings {
    int offset;
    float scale;
    char name[8];
};

__constant__ int table[16] = {1, 2, 4, 8};
__constant__ struct settings settings = {3, 1.5f, "first"};

static __global__ void look_up(int *out)
{
    int i = (int)threadIdx.x;

    out[i] = table[i] + settings.offset;
    if (i == 15)
        out[16] = settings.name[0];
}

int main(void)
{
    struct settings changed = {100, 2.0f, "second"};
    int squares[16];
    int host[17];
    int *out;

    MUST(cudaMalloc((void **)&out, sizeof(host)));
    look_up<<<1, 16>>>(out);
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    fact("initial=%d %d %d", host[0], host[3], host[4]);
    fact("initial_text=%c", host[16]);
    for (int i = 0; i < 16; i++)
        squares[i] = i * i;
    MUST(cudaMemcpyToSymbol(table, squares, sizeof(squares)));
    MUST(cudaMemcpyToSymbol(settings, &changed, sizeof(changed)));
    look_up<<<1, 16>>>(out);
    MUST(cudaMemcpyToSymbol(table, host, sizeof(squares)));
    MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    fact("changed=%d %d %d", host[0], host[3], host[15]);
    fact("changed_text=%c", host[16]);
    fact_error("at_end.error", cudaDeviceSynchronize());
    return 0;
}
