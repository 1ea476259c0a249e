/*
 * device_choose.cu: a device is found again by its PCI bus id, and
 * cudaChooseDevice returns a valid ordinal without changing the current one.
 * Source: Runtime API, Device Management.
 */
#include "fact.h"

int main(void)
{
    struct cudaDeviceProp wanted;
    char id[32] = "";
    int count = 0;
    int device = -1;

    MUST(cudaGetDeviceCount(&count));
    fact_error("get_bus_id.error", cudaDeviceGetPCIBusId(id, sizeof(id), 0));
    fact_int("bus_id_length", (long long)strlen(id));
    fact_yes("bus_id_has_two_colons",
             id[0] && strchr(id, ':') && strchr(strchr(id, ':') + 1, ':'));
    fact_error("by_bus_id.error", cudaDeviceGetByPCIBusId(&device, id));
    fact_int("by_bus_id.device", device);
    fact_error("by_unknown_bus_id.error",
               cudaDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"));
    fact_last("by_unknown_bus_id.latched");
    fact_error("by_null_bus_id.error", cudaDeviceGetByPCIBusId(&device, NULL));
    fact_last("by_null_bus_id.latched");
    fact_error("get_bus_id_of_device_99.invalid_ordinal",
               cudaDeviceGetPCIBusId(id, sizeof(id), 99));
    fact_last("get_bus_id_of_device_99.latched");

    MUST(cudaGetDeviceProperties(&wanted, 0));
    device = -1;
    fact_error("choose.error", cudaChooseDevice(&device, &wanted));
    fact_yes("chosen_is_valid", device >= 0 && device < count);
    MUST(cudaGetDevice(&device));
    fact_int("current_after_choose", device);
    return 0;
}
