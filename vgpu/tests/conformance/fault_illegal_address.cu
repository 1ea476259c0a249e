/*
 * fault_illegal_address.cu: a kernel that writes where nothing is mapped
 * ends with error 700, and every later call returns it.
 * Source: Runtime API, cudaErrorIllegalAddress; observed.
 */
#include "fault.h"

int main(void)
{
    struct fault_state state;

    fault_prepare(&state);
    fact_store<<<1, 1, 0, state.stream>>>((int *)16, 1);
    fault_report(&state);
    fault_reset();
    return 0;
}
