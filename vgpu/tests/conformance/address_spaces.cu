/*
 * address_spaces.cu: what a kernel can tell of an address, and of its own
 * shared memory: in which space it is, where it begins there, how large it is.
 * Source: programming guide, "Address Space Predicate Functions", "Address
 * Space Conversion Functions"; PTX ISA, special registers.
 */
#include "fact.h"

__device__ int device_word;
__constant__ int constant_word;
__managed__ int managed_word;

enum { NUMBERS = 48 };

#define REGISTER(name)                                                         \
    ({                                                                         \
        unsigned value_;                                                       \
        asm volatile("mov.u32 %0, %%" name ";" : "=r"(value_));                \
        value_;                                                                \
    })

static __device__ int spaces(const void *at)
{
    return (int)__isGlobal(at) * 1000 + (int)__isShared(at) * 100 +
           (int)__isConstant(at) * 10 + (int)__isLocal(at);
}

static __global__ void look(long long *out, int *given, int number)
{
    extern __shared__ int dynamic[];
    __shared__ int words[10];
    int own[4];
    int n = 0;

    own[number & 3] = number;
    words[threadIdx.x % 10] = number;
    dynamic[0] = own[number & 3];
    __syncthreads();
    if (threadIdx.x || blockIdx.x)
        return;
    out[n++] = spaces(&device_word);
    out[n++] = spaces(&constant_word);
    out[n++] = spaces(&managed_word);
    out[n++] = spaces(given);
    out[n++] = spaces(words);
    out[n++] = spaces(dynamic);
    out[n++] = spaces(own);
    out[n++] = spaces(NULL);
    out[n++] = (long long)__cvta_generic_to_shared(words);
    out[n++] = (long long)(__cvta_generic_to_shared(words + 3) -
                           __cvta_generic_to_shared(words));
    out[n++] = (long long)__cvta_generic_to_shared(dynamic);
    out[n++] = __cvta_shared_to_generic(__cvta_generic_to_shared(words)) ==
               (void *)words;
    out[n++] = (long long)((size_t)given % 256);
    out[n++] = (long long)((size_t)&device_word % 4);
    out[n++] = (long long)((size_t)words % 16);
    out[n++] = (long long)REGISTER("dynamic_smem_size");
    out[n++] = (long long)REGISTER("total_smem_size");
    out[n++] = (long long)REGISTER("nsmid");
    out[n++] = REGISTER("smid") < REGISTER("nsmid");
    out[n++] = (long long)REGISTER("nwarpid");
    out[n++] = REGISTER("warpid") < REGISTER("nwarpid");
    out[n++] = (long long)REGISTER("laneid");
    out[n++] = (long long)REGISTER("lanemask_lt");
}

int main(void)
{
    long long seen[NUMBERS], *out;
    int *words;

    MUST(cudaMalloc((void **)&out, sizeof seen));
    MUST(cudaMalloc((void **)&words, 64));
    for (size_t shared : {4, 100, 1024, 40000}) {
        look<<<2, 64, shared>>>(out, words, 5);
        MUST(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDefault));
        for (int i = 0; i < 23; i++)
            fact("%zu_bytes.%d=%lld", shared, i, seen[i]);
    }
    return 0;
}
