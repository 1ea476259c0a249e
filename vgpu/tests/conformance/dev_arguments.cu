/*
 * dev_arguments.cu: kernel arguments are copied at the launch, structures
 * included; each thread has its own copy to change.
 * Source: programming guide, global Function Parameters.
 */
#include "fact.h"

struct box {
    int size[3];
    double weight;
    char label[16];
    int *target;
};

static __global__ void fill(struct box box, char c, short s, long long wide,
                            bool flag)
{
    int i = (int)threadIdx.x;

    box.size[0] += i;
    c = (char)(c + 1);
    box.target[i] = box.size[0] + box.size[2] + (int)(2.0 * box.weight) +
                    box.label[1] + c + s + (int)(wide >> 40) + flag;
}

static __global__ void many(int a0, int a1, int a2, int a3, int a4, int a5,
                            int a6, int a7, int a8, int a9, int *sum)
{
    *sum = a0 + 2 * a1 + 3 * a2 + 4 * a3 + 5 * a4 + 6 * a5 + 7 * a6 + 8 * a7 +
           9 * a8 + 10 * a9;
}

int main(void)
{
    struct box box = {{10, 20, 30}, 1.5, "ab", NULL};
    int host[4] = {0};
    int n = 1;

    fact_warm_up();
    MUST(cudaMalloc((void **)&box.target, sizeof(host)));
    fact_slow_ms(0, 10);
    fill<<<1, 4>>>(box, 'x', -5, 3ll << 40, true);
    box.size[0] = 1000000;
    box.label[1] = 'z';
    MUST(cudaMemcpy(host, box.target, sizeof(host), cudaMemcpyDeviceToHost));
    fact("structure=%d %d %d %d", host[0], host[1], host[2], host[3]);
    many<<<1, 1>>>(n, n, n, n, n, n, n, n, n, 2 * n, box.target);
    MUST(cudaMemcpy(host, box.target, 4, cudaMemcpyDeviceToHost));
    fact_int("eleven_arguments", host[0]);
    /* Arguments convert to the parameters' types, as in any call. */
    many<<<1, 1>>>('\1', 1u, (short)1, 1.9, 1, 1, 1, 1, 1, true, box.target);
    MUST(cudaMemcpy(host, box.target, 4, cudaMemcpyDeviceToHost));
    fact_int("converted_arguments", host[0]);
    return 0;
}
