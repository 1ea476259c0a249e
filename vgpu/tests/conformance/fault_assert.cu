/*
 * fault_assert.cu: a failed assert in a kernel is error 710; a true one does
 * nothing.
 * Source: Runtime API, cudaErrorAssert; programming guide, Assertion.
 */
#include <assert.h>
#include "fault.h"

static __global__ void check(int value)
{
    assert(value == 1);
}

int main(void)
{
    struct fault_state state;

    check<<<1, 32>>>(1);
    fact_error("true_assert.error", cudaDeviceSynchronize());
    fault_prepare(&state);
    check<<<1, 1, 0, state.stream>>>(2);
    fault_report(&state);
    fault_reset();
    return 0;
}
