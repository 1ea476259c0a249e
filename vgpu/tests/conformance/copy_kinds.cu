/*
 * copy_kinds.cu: cudaMemcpyDefault infers the direction from the pointers;
 * a kind that does not exist is error 21; counts and bounds.
 * Source: Runtime API, Memory Management, cudaMemcpy; bounds observed.
 */
#include "fact.h"

static int source[4] = {1, 2, 3, 4};
static int back[4];

static void by_default_kind(int *memory, int *other, int *pinned)
{
    fact_error("default_host_to_device.error",
               cudaMemcpy(memory, source, sizeof(source), cudaMemcpyDefault));
    fact_error("default_device_to_device.error",
               cudaMemcpy(other, memory, sizeof(source), cudaMemcpyDefault));
    fact_error("default_device_to_host.error",
               cudaMemcpy(back, other, sizeof(source), cudaMemcpyDefault));
    fact_int("default_round_trip_value", back[3]);
    memset(back, 0, sizeof(back));
    fact_error("default_device_to_pinned.error",
               cudaMemcpy(pinned, other, sizeof(source), cudaMemcpyDefault));
    fact_int("default_pinned_value", pinned[2]);
    fact_error("default_host_to_host.error",
               cudaMemcpy(back, source, sizeof(source), cudaMemcpyDefault));
    fact_int("default_host_value", back[1]);
    memset(back, 0, sizeof(back));
    fact_error("host_to_host.error",
               cudaMemcpy(back, source, sizeof(source), cudaMemcpyHostToHost));
    fact_int("host_to_host_value", back[0]);
}

static void edges(char *memory, size_t size)
{
    static char bytes[64];

    fact_error("kind_99.invalid_direction",
               cudaMemcpy(memory, bytes, 4, (enum cudaMemcpyKind)99));
    fact_last("kind_99.latched");
    fact_error("kind_negative.error",
               cudaMemcpy(memory, bytes, 4, (enum cudaMemcpyKind) - 1));
    fact_last("kind_negative.latched");
    fact_error("count_0.error",
               cudaMemcpy(memory, bytes, 0, cudaMemcpyHostToDevice));
    fact_error("count_0_null_pointers.error",
               cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    fact_error("null_destination.error",
               cudaMemcpy(NULL, bytes, 4, cudaMemcpyHostToDevice));
    fact_last("null_destination.latched");
    fact_error("null_source.error",
               cudaMemcpy(memory, NULL, 4, cudaMemcpyDeviceToDevice));
    fact_last("null_source.latched");
    fact_error("up_to_the_end.error",
               cudaMemcpy(memory + size - 8, bytes, 8, cudaMemcpyHostToDevice));
}

/* More than the whole allocation and all that may pad it. */
static void beyond_the_end(char *memory, size_t size)
{
    char *bytes = (char *)calloc(1, 2 * size);

    fact_error("twice_the_allocation.error",
               cudaMemcpy(memory, bytes, 2 * size, cudaMemcpyHostToDevice));
    fact_last("twice_the_allocation.latched");
    fact_error("still_usable.error",
               cudaMemcpy(memory, bytes, size, cudaMemcpyHostToDevice));
    free(bytes);
}

int main(void)
{
    const size_t size = (size_t)4 << 20;
    int *memory, *other, *pinned;

    MUST(cudaMalloc((void **)&memory, size));
    MUST(cudaMalloc((void **)&other, sizeof(source)));
    MUST(cudaMallocHost((void **)&pinned, sizeof(source)));
    by_default_kind(memory, other, pinned);
    edges((char *)memory, size);
    beyond_the_end((char *)memory, size);
    return 0;
}
