/*
 * fault_host_pointer.cu: a kernel cannot use memory of malloc (error 700)
 * unless the system offers pageable memory access.
 * Source: programming guide, Unified Memory; observed.
 */
#include "fact.h"

int main(void)
{
    cudaError_t error;
    int pageable = 0;
    int *plain = (int *)calloc(1024, sizeof(int));

    MUST(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
    fact_store<<<1, 1>>>(plain, 1);
    fact_error("launch.error", cudaGetLastError());
    error = cudaDeviceSynchronize();
    fact_yes("faults_unless_pageable_memory_access",
             pageable ? error == cudaSuccess
                      : error == cudaErrorIllegalAddress);
    fact_yes("last_error_agrees", cudaGetLastError() == error);
    fact_yes("stays", cudaDeviceSynchronize() == error);
    return 0;
}
