// gpus: 2
// recorded: not yet
/*
 * link_atomics.cu: what atomics the links to the host and between two devices
 * can do, and what the questions refuse.
 * Source: Runtime API, Device Management; values observed.
 */
#include "fact.h"

enum { OPERATIONS = 13 };

int main(void)
{
    cudaAtomicOperation ops[OPERATIONS + 1];
    unsigned found[OPERATIONS + 1] = {0};
    int can = 0;

    fact_need_gpus(2);
    for (int i = 0; i <= OPERATIONS; i++)
        ops[i] = (cudaAtomicOperation)i;
    fact_error("host",
               cudaDeviceGetHostAtomicCapabilities(found, ops, OPERATIONS, 0));
    for (int i = 0; i < OPERATIONS; i++)
        fact("host.%d=%u", i, found[i]);
    fact_error("host.count_0",
               cudaDeviceGetHostAtomicCapabilities(found, ops, 0, 0));
    fact_error("host.nowhere",
               cudaDeviceGetHostAtomicCapabilities(NULL, ops, 1, 0));
    fact_error("host.no_operations",
               cudaDeviceGetHostAtomicCapabilities(found, NULL, 1, 0));
    fact_error("host.operation_13", cudaDeviceGetHostAtomicCapabilities(
                                        found, ops + OPERATIONS, 1, 0));
    fact_error("host.device_99",
               cudaDeviceGetHostAtomicCapabilities(found, ops, 1, 99));

    MUST(cudaDeviceCanAccessPeer(&can, 0, 1));
    fact_int("peer.reachable", can);
    fact_error("peer", cudaDeviceGetP2PAtomicCapabilities(found, ops,
                                                          OPERATIONS, 0, 1));
    for (int i = 0; i < OPERATIONS; i++)
        fact("peer.%d=%u", i, found[i]);
    fact_error("peer.itself",
               cudaDeviceGetP2PAtomicCapabilities(found, ops, 1, 0, 0));
    fact_error("peer.device_99",
               cudaDeviceGetP2PAtomicCapabilities(found, ops, 1, 0, 99));
    fact_error("peer.count_0",
               cudaDeviceGetP2PAtomicCapabilities(found, ops, 0, 0, 1));
    fact_error("peer.operation_13", cudaDeviceGetP2PAtomicCapabilities(
                                        found, ops + OPERATIONS, 1, 0, 1));
    return 0;
}
