/*
 * copy_wrong_kind.cu: a kind that contradicts the pointers. The manual calls
 * the result undefined; students do it, so this is what the device shows.
 * Each case runs in a process of its own, since some may crash.
 * Source: observed.
 */
#include "fact.h"

static int host[4] = {1, 2, 3, 4};
static int *device;

static void prepare(void)
{
    int values[4] = {5, 6, 7, 8};

    MUST(cudaMalloc((void **)&device, sizeof(values)));
    MUST(cudaMemcpy(device, values, sizeof(values), cudaMemcpyHostToDevice));
}

static void swapped_pointers(void)
{
    prepare();
    fact_error("to_device_with_pointers_swapped.error",
               cudaMemcpy(host, device, sizeof(host), cudaMemcpyHostToDevice));
    fact_last("to_device_with_pointers_swapped.latched");
}

static void swapped_pointers_back(void)
{
    prepare();
    fact_error("to_host_with_pointers_swapped.error",
               cudaMemcpy(device, host, sizeof(host), cudaMemcpyDeviceToHost));
    fact_last("to_host_with_pointers_swapped.latched");
}

static void device_kind_on_host_source(void)
{
    prepare();
    fact_error(
        "device_to_device_from_host.error",
        cudaMemcpy(device, host, sizeof(host), cudaMemcpyDeviceToDevice));
    fact_last("device_to_device_from_host.latched");
}

int main(void)
{
    fact_in_child("swapped", swapped_pointers);
    fact_in_child("swapped_back", swapped_pointers_back);
    fact_in_child("device_kind", device_kind_on_host_source);
    return 0;
}
