/*
 * fault_misaligned.cu: an access at an address that its size does not divide
 * is error 716.
 * Source: Runtime API, cudaErrorMisalignedAddress.
 */
#include "fault.h"

int main(void)
{
    struct fault_state state;

    fault_prepare(&state);
    fact_store<<<1, 1, 0, state.stream>>>((int *)((char *)state.memory + 2), 1);
    fault_report(&state);
    fault_reset();
    return 0;
}
