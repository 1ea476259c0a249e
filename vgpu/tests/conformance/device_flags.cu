/*
 * device_flags.cu: scheduling flags may be set before or after the device is
 * in use; unknown flags are refused.
 * Source: Runtime API, Device Management, cudaSetDeviceFlags.
 */
#include "fact.h"

int main(void)
{
    unsigned int flags = 0;

    fact_error("set_before_use.error",
               cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    fact_error("create_context.error", cudaFree(NULL));
    fact_error("get.error", cudaGetDeviceFlags(&flags));
    fact_int("schedule_flag", flags & cudaDeviceScheduleMask);
    fact_yes("map_host_flag_is_set", (flags & cudaDeviceMapHost) != 0);
    fact_error("set_while_in_use.error",
               cudaSetDeviceFlags(cudaDeviceScheduleYield));
    fact_last("set_while_in_use.latched");
    MUST(cudaGetDeviceFlags(&flags));
    fact_int("schedule_flag_after_change", flags & cudaDeviceScheduleMask);
    fact_error("set_unknown_flags.error", cudaSetDeviceFlags(0x4000));
    fact_last("set_unknown_flags.latched");
    fact_error("set_all_schedule_bits.error",
               cudaSetDeviceFlags(cudaDeviceScheduleMask));
    fact_last("set_all_schedule_bits.latched");
    fact_error("synchronize.error", cudaDeviceSynchronize());
    return 0;
}
