/*
 * fault_callbacks.cu: after a fault a host function is not run, a callback
 * is, with the error as its status.
 * Source: Runtime API, cudaLaunchHostFunc, cudaStreamAddCallback.
 */
#include "fact.h"

static volatile int function_ran;
static volatile int callback_ran;
static volatile int callback_status = -1;

static void CUDART_CB function(void *data)
{
    (void)data;
    function_ran = 1;
}

static void CUDART_CB callback(cudaStream_t stream, cudaError_t status,
                               void *data)
{
    (void)stream;
    (void)data;
    callback_status = (int)status;
    callback_ran = 1;
}

int main(void)
{
    cudaStream_t s;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    fact_slow_ms(s, 10);
    fact_store<<<1, 1, 0, s>>>((int *)16, 1);
    MUST(cudaLaunchHostFunc(s, function, NULL));
    MUST(cudaStreamAddCallback(s, callback, NULL, 0));
    fact_error("synchronize.error", cudaStreamSynchronize(s));
    for (int i = 0; i < 200 && !callback_ran; i++)
        usleep(1000);
    fact_yes("host_function_ran", function_ran);
    fact_yes("callback_ran", callback_ran);
    fact_int("callback_status", callback_status);
    fact_error("launch_host_func_afterwards.error",
               cudaLaunchHostFunc(s, function, NULL));
    fact_error("add_callback_afterwards.error",
               cudaStreamAddCallback(s, callback, NULL, 0));
    return 0;
}
