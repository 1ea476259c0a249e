/*
 * device_count_and_set.cu: the current device is 0 at first and changes only
 * by a valid cudaSetDevice; an ordinal out of range is error 101.
 * Source: Runtime API, Device Management.
 */
#include "fact.h"

int main(void)
{
    int count = -1;
    int device = -1;

    fact_error("get_count.error", cudaGetDeviceCount(&count));
    fact_yes("count_is_positive", count > 0);
    fact_error("get_count_null.error", cudaGetDeviceCount(NULL));
    fact_last("get_count_null.latched");

    fact_error("get_device.error", cudaGetDevice(&device));
    fact_int("first_current_device", device);
    fact_error("get_device_null.error", cudaGetDevice(NULL));
    fact_last("get_device_null.latched");

    fact_error("set_device_0.error", cudaSetDevice(0));
    fact_error("set_device_count.invalid_ordinal", cudaSetDevice(count));
    fact_last("set_device_count.latched");
    fact_error("set_device_negative.invalid_ordinal", cudaSetDevice(-1));
    fact_last("set_device_negative.latched");
    fact_error("set_device_99.invalid_ordinal", cudaSetDevice(99));
    fact_last("set_device_99.latched");
    MUST(cudaGetDevice(&device));
    fact_int("device_after_failed_set", device);

    fact_error("set_same_device_again.error", cudaSetDevice(0));
    fact_error("synchronize_after_failed_set.error", cudaDeviceSynchronize());
    return 0;
}
