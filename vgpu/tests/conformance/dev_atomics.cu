/*
 * dev_atomics.cu: atomic functions lose no update and return the old value.
 * Source: programming guide, Atomic Functions.
 */
#include "fact.h"

enum { THREADS = 4 * 64 };

struct results {
    int add, sub, min, max, exch_sum, cas_wins, inc_wraps;
    unsigned int and_bits, or_bits, xor_bits, inc, dec;
    unsigned long long wide_add, wide_max;
    float float_add;
    double double_add;
    int old_sum;
};

static __global__ void update(struct results *r)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    atomicAdd(&r->old_sum, atomicAdd(&r->add, 1));
    atomicSub(&r->sub, 2);
    atomicMin(&r->min, i - 50);
    atomicMax(&r->max, i * 3);
    atomicAdd(&r->exch_sum, atomicExch(&r->inc_wraps, i));
    if (atomicCAS(&r->cas_wins, 0, 1) == 0)
        atomicAdd(&r->cas_wins, 10);
    atomicAnd(&r->and_bits, ~(1u << (i % 16)));
    atomicOr(&r->or_bits, 1u << (i % 20));
    atomicXor(&r->xor_bits, 1u << (i % 7));
    atomicInc(&r->inc, 99);
    atomicDec(&r->dec, 99);
    atomicAdd(&r->wide_add, 1ull << 33);
    atomicMax(&r->wide_max, (unsigned long long)i << 32);
    atomicAdd(&r->float_add, 0.5f);
    atomicAdd(&r->double_add, 0.25);
}

int main(void)
{
    struct results host = {};
    struct results *device;

    host.and_bits = 0xffffffffu;
    MUST(cudaMalloc((void **)&device, sizeof(host)));
    MUST(cudaMemcpy(device, &host, sizeof(host), cudaMemcpyHostToDevice));
    update<<<4, 64>>>(device);
    fact_error("launch.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost));
    fact_int("add", host.add);
    fact_int("sum_of_old_values", host.old_sum);
    fact_int("sub", host.sub);
    fact_int("min", host.min);
    fact_int("max", host.max);
    fact_int("exchanged_values_plus_last", host.exch_sum + host.inc_wraps);
    fact_int("compare_and_swap_wins_once", host.cas_wins);
    fact("and=0x%x", host.and_bits);
    fact("or=0x%x", host.or_bits);
    fact("xor=0x%x", host.xor_bits);
    fact("inc_modulo_100=%u", host.inc);
    fact("dec_modulo_100=%u", host.dec);
    fact("add_64_bit=%llu", host.wide_add >> 33);
    fact("max_64_bit=%llu", host.wide_max >> 32);
    fact("add_float=%g", (double)host.float_add);
    fact("add_double=%g", host.double_add);
    return 0;
}
