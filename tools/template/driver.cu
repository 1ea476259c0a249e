/* NN_name.cu: the driver's part of lab NN. See driver.h. */
#include "driver.h"

#include "check.h"
#include "lab.h"

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t n = case_number(c, "entries");
    const size_t bytes = n * sizeof(uint64_t);
    uint64_t *host, *device;
    cudaStream_t stream;

    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaStreamCreate(&stream));
    driver_copy_bytes(host, c->input, bytes);
    driver_clock_start();
    driver_region_start();
    add_one(host, device, n, stream);
    /* Read at once: a result that was not waited for becomes a hazard. */
    driver_copy_bytes(c->output, host, bytes);
    driver_region_stop();
    fact_number(facts, "ns", (int64_t)driver_clock_stop_ns());
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}
