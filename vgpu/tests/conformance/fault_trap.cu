/*
 * fault_trap.cu: a kernel that calls __trap ends with a launch failure.
 * Source: programming guide, Trap function; Runtime API,
 * cudaErrorLaunchFailure.
 */
#include "fault.h"

static __global__ void trap_if(int value)
{
    if (value == 2)
        __trap();
}

int main(void)
{
    struct fault_state state;

    trap_if<<<1, 32>>>(1);
    fact_error("no_trap.error", cudaDeviceSynchronize());
    fault_prepare(&state);
    trap_if<<<1, 1, 0, state.stream>>>(2);
    fault_report(&state);
    fault_reset();
    return 0;
}
