/*
 * test_runtime.c: the runtime's rules, without a compiler in between: streams,
 * events, copies, errors, lazy execution and virtual time on the unit profile,
 * where every copy takes 1 us and nothing else takes time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"
#include "vgpu/threads.h"
#include "vgpu_check.h"

#define BYTES 4096

void __tsan_write1(void *at);

#define OK(call) assert_int_equal((call), cudaSuccess)

/* Before the runtime looks at the environment. */
__attribute__((constructor(101))) static void choose_device(void)
{
    setenv("VGPU_DEVICE", "unit", 1);
    setenv("VGPU_COUNT", "2", 1);
    setenv("VGPU_CHECK", "0", 1);
    unsetenv("VGPU_TRACE");
}

static int64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static char *pinned(char value)
{
    void *p = NULL;

    OK(cudaMallocHost(&p, BYTES));
    memset(p, value, BYTES);
    return p;
}

static char *device(void)
{
    void *p = NULL;

    OK(cudaMalloc(&p, BYTES));
    return p;
}

/* Until the host waits, an asynchronous copy has not happened. */
static void test_copy_is_late(void **state)
{
    char *host = pinned(1), *back = pinned(0), *dev = device();
    cudaStream_t s;

    (void)state;
    OK(cudaStreamCreate(&s));
    OK(cudaMemcpyAsync(dev, host, BYTES, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyAsync(back, dev, BYTES, cudaMemcpyDeviceToHost, s));
    assert_int_equal(back[0], 0);
    OK(cudaStreamSynchronize(s));
    assert_int_equal(back[0], 1);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
}

/* A small pageable source is taken at the call. */
static void test_small_pageable_source_is_captured(void **state)
{
    char *dev = device(), *back = pinned(0);
    char host[16];
    cudaStream_t s;

    (void)state;
    OK(cudaStreamCreate(&s));
    memset(host, 5, sizeof host);
    OK(cudaMemcpyAsync(dev, host, sizeof host, cudaMemcpyHostToDevice, s));
    memset(host, 6, sizeof host);
    OK(cudaMemcpyAsync(back, dev, sizeof host, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    assert_int_equal(back[0], 5);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(back));
}

/* Streams that nothing orders run the wrong way round, until an event or the
 * legacy default stream orders them. */
static void test_unordered_streams_show(void **state)
{
    char *one = pinned(1), *two = pinned(2), *dev = device();
    cudaStream_t a, b;
    cudaEvent_t done;
    char got[BYTES];

    (void)state;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

    OK(cudaMemcpyAsync(dev, one, BYTES, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(dev, two, BYTES, cudaMemcpyHostToDevice, b));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got, dev, BYTES, cudaMemcpyDeviceToHost));
    assert_int_equal(got[0], 1); /* b ran first */

    OK(cudaMemcpyAsync(dev, one, BYTES, cudaMemcpyHostToDevice, a));
    OK(cudaEventRecord(done, a));
    OK(cudaStreamWaitEvent(b, done, 0));
    OK(cudaMemcpyAsync(dev, two, BYTES, cudaMemcpyHostToDevice, b));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got, dev, BYTES, cudaMemcpyDeviceToHost));
    assert_int_equal(got[0], 2);

    OK(cudaMemcpyAsync(dev, one, BYTES, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(one, dev, 1, cudaMemcpyDeviceToHost, 0));
    OK(cudaMemcpyAsync(dev, two, BYTES, cudaMemcpyHostToDevice, b));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got, dev, BYTES, cudaMemcpyDeviceToHost));
    assert_int_equal(got[0], 2);

    OK(cudaEventDestroy(done));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(dev));
    OK(cudaFreeHost(one));
    OK(cudaFreeHost(two));
}

/* One copy each way in two streams: one unit; in one stream: two. */
static void test_unit_times(void **state)
{
    char *host = pinned(1), *back = pinned(0), *dev = device(), *src = device();
    cudaStream_t a, b;
    int64_t start;

    (void)state;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaMemset(src, 3, BYTES));
    OK(cudaDeviceSynchronize());
    start = now_ns();
    OK(cudaMemcpyAsync(dev, host, BYTES, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(back, src, BYTES, cudaMemcpyDeviceToHost, b));
    OK(cudaDeviceSynchronize());
    assert_int_equal(now_ns() - start, 1000);
    start = now_ns();
    OK(cudaMemcpyAsync(dev, host, BYTES, cudaMemcpyHostToDevice, a));
    OK(cudaMemcpyAsync(back, src, BYTES, cudaMemcpyDeviceToHost, a));
    OK(cudaDeviceSynchronize());
    assert_int_equal(now_ns() - start, 2000);
    assert_int_equal(back[7], 3);
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(dev));
    OK(cudaFree(src));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
}

static void test_event_rules(void **state)
{
    char *host = pinned(1), *dev = device();
    cudaStream_t s;
    cudaEvent_t a, b, plain;
    float ms = -1;

    (void)state;
    OK(cudaStreamCreate(&s));
    OK(cudaEventCreateWithFlags(&a, 0));
    OK(cudaEventCreateWithFlags(&b, 0));
    OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    OK(cudaEventQuery(a)); /* never recorded: complete */
    assert_int_equal(cudaEventElapsedTime(&ms, a, b),
                     cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(a, s));
    OK(cudaMemcpyAsync(dev, host, BYTES, cudaMemcpyHostToDevice, s));
    OK(cudaEventRecord(b, s));
    assert_int_equal(cudaEventQuery(b), cudaErrorNotReady);
    assert_int_equal(cudaEventElapsedTime(&ms, a, b), cudaErrorNotReady);
    cudaGetLastError();
    OK(cudaEventSynchronize(b));
    OK(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms > 0.00099f && ms < 0.00101f);
    OK(cudaEventRecord(plain, s));
    assert_int_equal(cudaEventElapsedTime(&ms, a, plain),
                     cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    OK(cudaEventDestroy(a));
    OK(cudaEventDestroy(b));
    OK(cudaEventDestroy(plain));
    assert_int_equal(cudaEventDestroy(plain), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(host));
}

static void test_errors(void **state)
{
    void *p;
    cudaStream_t s, gone;
    int count;

    (void)state;
    OK(cudaGetDeviceCount(&count));
    assert_int_equal(count, 2);
    assert_int_equal(cudaSetDevice(2), cudaErrorInvalidDevice);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    OK(cudaGetLastError());
    OK(cudaMalloc(&p, 0));
    assert_null(p);
    OK(cudaFree(NULL));
    assert_int_equal(cudaFree(&count), cudaErrorInvalidValue);
    OK(cudaStreamCreate(&s));
    gone = s;
    OK(cudaStreamDestroy(s));
    assert_int_equal(cudaStreamSynchronize(gone),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    assert_string_equal(cudaGetErrorName(cudaErrorNotReady),
                        "cudaErrorNotReady");
}

/* So many bytes as a subtraction below zero asks for: an offset that is added
 * to them comes out small again. The runtime of CUDA 13.0 crashes in such
 * copies, and refuses such allocations. */
static void test_sizes_that_wrap(void **state)
{
    const size_t many = (size_t)-16;
    char *device, *pinned;
    size_t pitch;
    void *p;

    (void)state;
    OK(cudaMalloc((void **)&device, 256));
    OK(cudaMallocHost((void **)&pinned, 256));
    for (size_t at = 0; at < 64; at += 32) {
        assert_int_equal(
            cudaMemcpy(device + at, pinned + at, many, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
        assert_int_equal(cudaMemset(device + at, 0, many),
                         cudaErrorInvalidValue);
    }
    assert_int_equal(cudaMemcpy2D(device, 64, pinned, 64, 64,
                                  (SIZE_MAX >> 6) + 3, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMallocPitch(&p, &pitch, many, 2),
                     cudaErrorInvalidValue);
    assert_int_equal(cudaMallocPitch(&p, &pitch, 512, SIZE_MAX >> 4),
                     cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFree(device));
    OK(cudaFreeHost(pinned));
}

static void test_peer_rules(void **state)
{
    int can = 0;

    (void)state;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    assert_int_equal(cudaDeviceEnablePeerAccess(1, 0),
                     cudaErrorPeerAccessAlreadyEnabled);
    OK(cudaDeviceDisablePeerAccess(1));
    assert_int_equal(cudaDeviceDisablePeerAccess(1),
                     cudaErrorPeerAccessNotEnabled);
    assert_int_equal(cudaDeviceEnablePeerAccess(0, 0),
                     cudaErrorPeerAccessUnsupported);
    assert_int_equal(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void test_two_devices(void **state)
{
    char *host = pinned(9), *back = pinned(0);
    char *here = device(), *there;
    cudaStream_t s1;

    (void)state;
    OK(cudaSetDevice(1));
    there = device();
    OK(cudaStreamCreate(&s1));
    OK(cudaSetDevice(0));
    OK(cudaMemcpyAsync(there, host, BYTES, cudaMemcpyHostToDevice, s1));
    OK(cudaDeviceSynchronize()); /* device 0: waits for nothing */
    OK(cudaMemcpyAsync(back, there, BYTES, cudaMemcpyDeviceToHost, s1));
    OK(cudaDeviceSynchronize());
    assert_int_equal(back[0], 0);
    OK(cudaStreamSynchronize(s1));
    assert_int_equal(back[0], 9);
    OK(cudaMemcpyPeer(here, 0, there, 1, BYTES));
    memset(back, 0, BYTES);
    OK(cudaMemcpy(back, here, BYTES, cudaMemcpyDeviceToHost));
    assert_int_equal(back[BYTES - 1], 9);
    OK(cudaStreamDestroy(s1));
    OK(cudaFree(here));
    OK(cudaFree(there));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
}

static int order[4], order_count;

static void note(void *arg)
{
    order[order_count++] = (int)(intptr_t)arg;
    if ((intptr_t)arg == 2)
        order[order_count++] = (int)cudaDeviceSynchronize();
}

static void test_host_functions(void **state)
{
    cudaStream_t s;

    (void)state;
    OK(cudaStreamCreate(&s));
    OK(cudaLaunchHostFunc(s, note, (void *)1));
    OK(cudaLaunchHostFunc(s, note, (void *)2));
    assert_int_equal(order_count, 0);
    OK(cudaStreamSynchronize(s));
    assert_int_equal(order_count, 3);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 2);
    assert_int_equal(order[2], cudaErrorNotPermitted);
    cudaGetLastError();
    OK(cudaStreamDestroy(s));
}

/* A copy between host buffers has its place in its stream: the default stream
 * waits for blocking ones, and they for it. */
static void test_host_copy_takes_its_turn(void **state)
{
    char *a = pinned(1), *b = pinned(2), *c = pinned(3), *dev = device();
    cudaStream_t s;

    (void)state;
    OK(cudaStreamCreate(&s));
    OK(cudaMemset(dev, 7, BYTES));
    OK(cudaMemcpyAsync(a, dev, BYTES, cudaMemcpyDeviceToHost, s));
    OK(cudaMemcpy(b, a, BYTES, cudaMemcpyHostToHost));
    assert_int_equal(b[BYTES - 1], 7);
    OK(cudaMemsetAsync(a, 8, BYTES, 0));
    OK(cudaMemcpyAsync(c, a, BYTES, cudaMemcpyHostToHost, s));
    assert_int_equal(c[0], 8);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(a));
    OK(cudaFreeHost(b));
    OK(cudaFreeHost(c));
}

static void run_store(void *closure, struct vgpu_block *block)
{
    while (vgpu_block_next(block) >= 0) {
        __tsan_write1(*(char **)closure);
        **(char **)closure = 9;
    }
}

static void *clone_pointer(const void *closure)
{
    void *copy = malloc(sizeof(void *));

    memcpy(copy, closure, sizeof(void *));
    return copy;
}

static const struct vgpu_body store = {clone_pointer, free, run_store, NULL, 0,
                                       NULL,          0};

/* A kernel of a graph runs on the device of the stream that it was captured
 * in, and not on the one that the graph is launched on. */
static void test_graph_keeps_devices(void **state)
{
    static const struct vgpu_kernel kernel = {"store", "test.c", 1, 0, 0, {0}};
    const uint32_t one[3] = {1, 1, 1};
    char *host = pinned(0), *dev;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStream_t s;

    (void)state;
    OK(cudaSetDevice(1));
    dev = device();
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    vgpu_config_push(one, one, 0, s, 0);
    vgpu_launch(&kernel, NULL, &dev, &store, NULL);
    OK(cudaMemcpyAsync(host, dev, 1, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaSetDevice(0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaStreamSynchronize(0));
    assert_int_equal(host[0], 9);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(host));
}

/* A long chain is run and freed without deep recursion. */
static void test_long_chain(void **state)
{
    char *host = pinned(1), *dev = device();
    cudaStream_t s;

    (void)state;
    OK(cudaStreamCreate(&s));
    for (int i = 0; i < 100000; i++)
        OK(cudaMemcpyAsync(dev, host, 8, cudaMemcpyHostToDevice, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(dev));
    OK(cudaFreeHost(host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_is_late),
        cmocka_unit_test(test_small_pageable_source_is_captured),
        cmocka_unit_test(test_unordered_streams_show),
        cmocka_unit_test(test_unit_times),
        cmocka_unit_test(test_event_rules),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_sizes_that_wrap),
        cmocka_unit_test(test_peer_rules),
        cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_host_functions),
        cmocka_unit_test(test_host_copy_takes_its_turn),
        cmocka_unit_test(test_graph_keeps_devices),
        cmocka_unit_test(test_long_chain),
    };

    return cmocka_run_group_tests_name("runtime", tests, NULL, NULL);
}
