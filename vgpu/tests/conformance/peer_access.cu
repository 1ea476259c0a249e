// gpus: 2
/*
 * peer_access.cu: peer access is enabled in one direction at a time; doing
 * it twice is 704, undoing what is not done 705, flags must be 0.
 * Source: Runtime API, Peer Device Memory Access.
 */
#include "fact.h"

int main(void)
{
    int can = -1;

    fact_need_gpus(2);
    MUST(cudaSetDevice(0));
    fact_error("can_0_1.error", cudaDeviceCanAccessPeer(&can, 0, 1));
    fact_int("can_0_1", can);
    MUST(cudaDeviceCanAccessPeer(&can, 1, 0));
    fact_int("can_1_0", can);
    fact_error("can_0_0.error", cudaDeviceCanAccessPeer(&can, 0, 0));
    fact_int("can_0_0", can);
    cudaGetLastError();
    fact_error("can_0_99.error", cudaDeviceCanAccessPeer(&can, 0, 99));
    fact_last("can_0_99.latched");

    fact_error("disable_not_enabled.error", cudaDeviceDisablePeerAccess(1));
    fact_last("disable_not_enabled.latched");
    fact_error("enable_with_flags_1.error", cudaDeviceEnablePeerAccess(1, 1));
    fact_last("enable_with_flags_1.latched");
    fact_error("enable_itself.error", cudaDeviceEnablePeerAccess(0, 0));
    fact_last("enable_itself.latched");
    fact_error("enable_99.error", cudaDeviceEnablePeerAccess(99, 0));
    fact_last("enable_99.latched");
    fact_error("enable.error", cudaDeviceEnablePeerAccess(1, 0));
    fact_error("enable_twice.already_enabled",
               cudaDeviceEnablePeerAccess(1, 0));
    fact_last("enable_twice.latched");

    MUST(cudaSetDevice(1));
    fact_error("other_direction_not_enabled.error",
               cudaDeviceDisablePeerAccess(0));
    cudaGetLastError();
    fact_error("other_direction_enable.error",
               cudaDeviceEnablePeerAccess(0, 0));
    fact_error("other_direction_disable.error", cudaDeviceDisablePeerAccess(0));
    MUST(cudaSetDevice(0));
    fact_error("disable.error", cudaDeviceDisablePeerAccess(1));
    fact_error("disable_twice.not_enabled", cudaDeviceDisablePeerAccess(1));
    fact_last("disable_twice.latched");
    fact_error("enable_again.error", cudaDeviceEnablePeerAccess(1, 0));
    return 0;
}
