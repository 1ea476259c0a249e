/*
 * host_func_order.cu: a host function runs in its place in the stream: after
 * all earlier work, before all later work; the launch does not wait for it.
 * Source: Runtime API, Execution Control, cudaLaunchHostFunc.
 */
#include "fact.h"

static char log_text[32];
static int seen;
static int *pinned;

static void CUDART_CB note(void *data)
{
    size_t length = strlen(log_text);

    log_text[length] = *(const char *)data;
}

static void CUDART_CB read_and_write(void *data)
{
    (void)data;
    seen = pinned[0];
    pinned[1] = 70;
}

static void in_one_stream(cudaStream_t s)
{
    cudaEvent_t done;

    MUST(cudaEventCreate(&done));
    fact_slow(s);
    fact_error("launch.error", cudaLaunchHostFunc(s, note, (void *)"a"));
    fact("ran_when_launch_returned=%s", log_text[0] ? "yes" : "no");
    MUST(cudaLaunchHostFunc(s, note, (void *)"b"));
    fact_slow_ms(s, 5);
    MUST(cudaLaunchHostFunc(s, note, (void *)"c"));
    MUST(cudaEventRecord(done, s));
    MUST(cudaEventSynchronize(done));
    fact("order=%s", log_text);
    MUST(cudaLaunchHostFunc(s, note, (void *)"d"));
    MUST(cudaStreamSynchronize(s));
    fact("after_stream_sync=%s", log_text);
    MUST(cudaLaunchHostFunc(s, note, (void *)"e"));
    MUST(cudaDeviceSynchronize());
    fact("after_device_sync=%s", log_text);
}

static void data_in_order(cudaStream_t s, int *memory)
{
    int back[2] = {0, 0};

    fact_slow_ms(s, 10);
    fact_store<<<1, 1, 0, s>>>(memory, 60);
    MUST(cudaMemcpyAsync(pinned, memory, 4, cudaMemcpyDeviceToHost, s));
    MUST(cudaLaunchHostFunc(s, read_and_write, NULL));
    MUST(cudaMemcpyAsync(memory + 1, pinned + 1, 4, cudaMemcpyHostToDevice, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(back, memory, sizeof(back), cudaMemcpyDeviceToHost));
    fact_int("function_sees_earlier_copy", seen);
    fact_int("later_copy_sees_function", back[1]);
}

int main(void)
{
    cudaStream_t s, b;
    int *memory;

    fact_warm_up();
    MUST(cudaMalloc((void **)&memory, 2 * sizeof(int)));
    MUST(cudaMallocHost((void **)&pinned, 2 * sizeof(int)));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreate(&b));
    in_one_stream(s);
    data_in_order(s, memory);

    memset(log_text, 0, sizeof(log_text));
    fact_slow_ms(b, 20);
    MUST(cudaLaunchHostFunc(b, note, (void *)"b"));
    MUST(cudaLaunchHostFunc(0, note, (void *)"d"));
    MUST(cudaLaunchHostFunc(b, note, (void *)"b"));
    MUST(cudaDeviceSynchronize());
    fact("default_stream_between=%s", log_text);
    fact_error("null_function.error", cudaLaunchHostFunc(s, NULL, NULL));
    fact_last("null_function.latched");
    return 0;
}
