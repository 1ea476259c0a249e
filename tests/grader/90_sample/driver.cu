/* 90_sample.cu: the driver's part of a lab of cases. */
#include "driver.h"

#include "check.h"
#include "lab.h"

static void run_add(const struct driver_case *c, struct driver_facts *facts)
{
    const uint32_t n = (uint32_t)case_number(c, "n");
    const size_t bytes = n * sizeof(uint32_t);
    uint32_t *host, *device;
    cudaStream_t stream;
    uint64_t call_ns, total_ns;

    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaStreamCreate(&stream));
    driver_copy_bytes(host, c->input, bytes);
    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    driver_clock_start();
    driver_region_start();
    call_ns = driver_now_ns();
    add_one(device, n, stream);
    call_ns = driver_now_ns() - call_ns;
    driver_region_stop();
    total_ns = driver_clock_stop_ns();
    CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    driver_copy_bytes(c->output, host, bytes);
    fact_number(facts, "call_ns", (int64_t)call_ns);
    fact_number(facts, "total_ns", (int64_t)total_ns);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

/* Each round does another amount of work, and in three of the first five
 * something else takes a fifth of the time. */
static void report_round(const struct driver_case *c,
                         struct driver_facts *facts)
{
    static const int64_t work[] = {1000, 3000, 2000, 9000, 5000};
    static int64_t round;
    const int64_t now = work[round % 5];
    const bool slow = round == 1 || round == 2 || round == 4;

    fact_number(facts, "limit_ns", now);
    fact_number(facts, "took_ns", slow ? now + now / 5 : now);
    fact_number(facts, "round", round);
    driver_copy_bytes(c->output, &round, sizeof round);
    round++;
}

void lab_run_case(const struct driver_case *c, struct driver_facts *facts)
{
    if (case_has(c, "n"))
        run_add(c, facts);
    if (case_has(c, "round"))
        report_round(c, facts);
    fact_number(facts, "checked", case_has(c, "checked"));
    fact_number(facts, "engines", count_copy_engines());
    fact_number(facts, "gpus", driver_num_gpus());
    fact_text(facts, "words", "a b%c");
}
