/*
 * 03_pinned_memory.cu: the driver's part that knows lab 03.
 *
 *   what=buffer entries=N         memory that buffer_new took: what is it, how
 *                                 fast is a copy from it, is the host free?
 *   what=free entries=N times=T   the same memory taken and given back
 *   what=upload entries=N batches=B marks=M work=W calls=C
 *       batches uploaded; M entries of each are new and looked at; W: the
 *       host has work as long as a copy, and with two=1, from two buffers, it
 *       fills them as long; C calls; with timed=1: measured, and compared with
 *       ways of the driver's own
 */
#include "driver.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lab.h"
#include "phases.cuh"

enum { COPIES = 5, MOST_ROUNDS = 1 << 30 };

/* What batch_fill and host_work see. */
static struct {
    const uint64_t *input;
    uint64_t marks, rounds;
    uint64_t fills, works, elsewhere;
    uint64_t unlike; /* numbers of batches filled, less those worked beside */
    volatile uint64_t spun;
    bool two;               /* to fill a buffer is the host's work */
    const uint64_t *filled; /* first */
    const uint64_t *own[2]; /* what may be filled */
    bool other_filled, running;
} batches;

/* ---- what the student calls ---------------------------------------------- */

/* Nobody knows beforehand which entries are looked at. */
static uint64_t first_mark(uint64_t batch, uint64_t step)
{
    return batches.input[batch * batches.marks] % step;
}

void batch_fill(uint64_t *buffer, uint64_t num_entries, uint64_t batch)
{
    const uint64_t step = num_entries / batches.marks;

    for (uint64_t i = 0; i < batches.marks; i++)
        buffer[i * step + first_mark(batch, step)] =
            batches.input[batch * batches.marks + i];
    batches.filled = batches.filled ? batches.filled : buffer;
    batches.other_filled |= buffer != batches.filled;
    batches.fills++;
    batches.elsewhere += buffer != batches.own[0] && buffer != batches.own[1];
    batches.unlike += batch;
    if (batches.two)
        host_work(batch);
}

void host_work(uint64_t batch)
{
    batches.spun = decrypt_entry(batches.spun + batch, batches.rounds);
    batches.works++;
    batches.unlike -= batch;
}

/* ---- ways to upload ------------------------------------------------------ */

struct upload {
    uint64_t *data_device, *buffer;
    uint64_t *other; /* where there are two: both pinned */
    uint64_t num_entries, num_batches;
};

enum way { IN_TURNS, PINNED, BESIDE, BY_STUDENT };

/* In turns, from memory that is pageable or was pinned before, or with the
 * host's work beside the copy: with two buffers, that is to fill the next. */
static void upload_in(const struct upload *upload, enum way way)
{
    const size_t bytes = upload->num_entries * sizeof(uint64_t);
    const bool pin = way != IN_TURNS && !batches.two;

    if (pin)
        CHECK(cudaHostRegister(upload->buffer, bytes, cudaHostRegisterDefault));
    for (uint64_t b = 0; b < upload->num_batches; b++) {
        uint64_t *const to = upload->data_device + b * upload->num_entries;
        uint64_t *const from =
            batches.two && b % 2 == 1 ? upload->other : upload->buffer;

        batch_fill(from, upload->num_entries, b);
        if (batches.two && way == BESIDE)
            CHECK(cudaStreamSynchronize(0));
        if (way == BESIDE)
            phases_queue_in(to, from, upload->num_entries, 0);
        else
            CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
        if (!batches.two)
            host_work(b);
        if (!batches.two || b + 1 == upload->num_batches)
            CHECK(cudaStreamSynchronize(0));
    }
    if (pin)
        CHECK(cudaHostUnregister(upload->buffer));
}

static void upload_as(const struct upload *upload, enum way way)
{
    uint64_t *const buffers[] = {upload->buffer, upload->other};

    if (way != BY_STUDENT)
        upload_in(upload, way);
    else if (batches.two) {
        upload_double_buffered(upload->data_device, buffers,
                               upload->num_entries, upload->num_batches);
        batches.running = cudaStreamQuery(0) == cudaErrorNotReady;
    } else {
        upload_batches(upload->data_device, upload->buffer, upload->num_entries,
                       upload->num_batches);
        driver_take_pending(); /* who looks at the memory's type clears it */
    }
}

/* ---- memory -------------------------------------------------------------- */

/* Whatever the student made of it, it is free for malloc afterwards. */
static void unpin(void *memory)
{
    if (driver_memory_type(memory) == cudaMemoryTypeHost)
        CHECK(cudaHostUnregister(memory));
    cudaGetLastError();
}

/* ---- new memory ---------------------------------------------------------- */

/* A copy alone: its time, and how long the call held the host. */
static void measure_copy(uint64_t *data_device, const uint64_t *from,
                         size_t bytes, uint64_t *copy_ns, uint64_t *held_ns)
{
    *copy_ns = *held_ns = UINT64_MAX;
    for (int i = 0; i < COPIES; i++) {
        uint64_t start_ns, ns, held;

        driver_clock_start();
        start_ns = driver_now_ns();
        CHECK(cudaMemcpyAsync(data_device, from, bytes, cudaMemcpyHostToDevice,
                              0));
        held = driver_now_ns() - start_ns;
        ns = driver_clock_stop_ns();
        *copy_ns = ns < *copy_ns ? ns : *copy_ns;
        *held_ns = held < *held_ns ? held : *held_ns;
    }
}

static void run_buffer(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t num_entries = case_number(c, "entries");
    const size_t bytes = num_entries * sizeof(uint64_t);
    uint64_t copy_ns, held_ns, *buffer, *own, *data_device;
    int type;

    buffer = buffer_new(num_entries);
    fact_number(facts, "null", buffer == NULL);
    if (buffer == NULL)
        return;
    type = driver_memory_type(buffer);
    fact_number(facts, "type", type);
    if (type == cudaMemoryTypeDevice)
        return;
    own = driver_pinned(num_entries);
    data_device = driver_device(num_entries);
    memset(own, 1, bytes);
    /* Refused where pinned memory is too small, before anything is written. */
    if (cudaMemcpy(data_device, buffer, bytes, cudaMemcpyHostToDevice) !=
        cudaSuccess) {
        cudaGetLastError();
        fact_number(facts, "small", 1);
        return;
    }
    driver_copy_entries(buffer, c->input, num_entries);
    measure_copy(data_device, own, bytes, &copy_ns, &held_ns);
    fact_number(facts, "best_ns", copy_ns);
    measure_copy(data_device, buffer, bytes, &copy_ns, &held_ns);
    fact_number(facts, "copy_ns", copy_ns);
    fact_number(facts, "held_ns", held_ns);
    CHECK(cudaMemcpy(own, data_device, bytes, cudaMemcpyDeviceToHost));
    driver_copy_entries(c->output, own, num_entries);
    /* Not by the student's function: that has a case of its own. */
    if (type == cudaMemoryTypeHost && cudaFreeHost(buffer) != cudaSuccess)
        cudaGetLastError(); /* it was registered: it stays */
    else if (type == cudaMemoryTypeUnregistered)
        free(buffer);
}

/* What malloc has given and not got back, where the C library tells. */
static size_t malloc_bytes(void)
{
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks + mallinfo2().hblkhd;
#endif
#endif
    return 0;
}

static void run_free(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t num_entries = case_number(c, "entries");
    const uint64_t times = case_number(c, "times");
    size_t before = malloc_bytes();
    int pinned_after = 0;

    for (uint64_t i = 0; i < times; i++) {
        /* What CUDA takes at first, it keeps. */
        before = i == 1 ? malloc_bytes() : before;

        uint64_t *const one = buffer_new(num_entries);
        uint64_t *const other = buffer_new(num_entries + i);

        one[0] = other[num_entries - 1] = i;
        buffer_free(one);
        pinned_after += driver_memory_type(one) != cudaMemoryTypeUnregistered;
        buffer_free(other);
        pinned_after += driver_memory_type(other) != cudaMemoryTypeUnregistered;
    }
    fact_number(facts, "taken", 2 * times);
    fact_number(facts, "pinned_after", pinned_after);
    fact_number(facts, "malloced_after",
                malloc_bytes() > before + 2 * (times - 1) * num_entries * 8);
}

/* ---- batches ------------------------------------------------------------- */

static double work_ns(void *)
{
    const uint64_t start_ns = driver_now_ns();

    host_work(0);
    return (double)(driver_now_ns() - start_ns);
}

/* Rounds with which the host's work takes as long as one pinned copy. */
static void choose_work(uint64_t copy_ns)
{
    phases_rounds(work_ns, NULL, &batches.rounds, 3000, (double)copy_ns, false,
                  MOST_ROUNDS);
}

/* The driver's own ways. */
static void report_ways(const struct upload *upload, uint64_t work,
                        struct driver_facts *facts)
{
    uint64_t copy_ns, held_ns;

    measure_copy(upload->data_device, driver_pinned(upload->num_entries),
                 upload->num_entries * sizeof(uint64_t), &copy_ns, &held_ns);
    fact_number(facts, "copies_ns", upload->num_batches * copy_ns);
    if (work)
        choose_work(copy_ns);
    upload_as(upload, IN_TURNS); /* the first takes longer */
    fact_number(facts, "pageable_ns",
                DRIVER_TIME_NS(upload_as(upload, IN_TURNS)));
    fact_number(facts, "pinned_ns", DRIVER_TIME_NS(upload_as(upload, PINNED)));
    if (work)
        fact_number(facts, "beside_ns",
                    DRIVER_TIME_NS(upload_as(upload, BESIDE)));
}

/* The marked entries of every batch, as the device has them. */
static void read_marks(const struct upload *upload, uint64_t *output)
{
    const uint64_t step = upload->num_entries / batches.marks;

    for (uint64_t b = 0; b < upload->num_batches; b++)
        CHECK(cudaMemcpy2D(output + b * batches.marks, sizeof(uint64_t),
                           upload->data_device + b * upload->num_entries +
                               first_mark(b, step),
                           step * sizeof(uint64_t), sizeof(uint64_t),
                           batches.marks, cudaMemcpyDeviceToHost));
}

/* And the driver's own for a picture; what the calls did is reported. */
static void run_student(const struct driver_case *c,
                        const struct upload *upload, struct driver_facts *facts)
{
    const enum way way = case_is(c, "who", "baseline") ? IN_TURNS : BY_STUDENT;
    const uint64_t calls = case_has(c, "calls") ? case_number(c, "calls") : 1;
    int64_t ns = 0;

    batches.fills = batches.works = batches.elsewhere = batches.unlike = 0;
    batches.filled = NULL;
    batches.own[0] = upload->buffer;
    batches.own[1] = batches.two ? upload->other : upload->buffer;
    batches.other_filled = batches.running = false;
    driver_region_start();
    for (uint64_t i = 0; i < calls; i++) {
        if (case_number(c, "timed"))
            ns = DRIVER_TIME_NS(upload_as(upload, way));
        else
            upload_as(upload, way);
    }
    fact_number(facts, "running",
                batches.running || cudaStreamQuery(0) == cudaErrorNotReady);
    driver_region_stop();
    fact_number(facts, "ns", ns);
    fact_number(facts, "batches", calls * upload->num_batches);
    fact_number(facts, "fills", batches.fills);
    fact_number(facts, "works", batches.works);
    fact_number(facts, "elsewhere", batches.elsewhere);
    fact_number(facts, "unlike", batches.unlike);
    fact_number(facts, "buffers", 1 + batches.other_filled);
    fact_number(facts, "type", driver_memory_type(upload->buffer));
}

static void run_upload(const struct driver_case *c, struct driver_facts *facts)
{
    const uint64_t work = case_number(c, "work");
    struct upload upload = {};
    size_t bytes;

    upload.num_entries = case_number(c, "entries");
    bytes = upload.num_entries * sizeof(uint64_t);
    upload.num_batches = case_number(c, "batches");
    upload.buffer = (uint64_t *)malloc(bytes);
    /* Touched: memory that nobody wrote to yet is no memory yet. */
    memset(upload.buffer, 1, bytes);
    batches.two = case_number(c, "two");
    if (batches.two) {
        CHECK(cudaHostRegister(upload.buffer, bytes, cudaHostRegisterDefault));
        upload.other = driver_pinned(upload.num_entries);
    }
    upload.data_device = driver_device(upload.num_entries * upload.num_batches);
    batches.input = c->input;
    batches.marks = case_number(c, "marks");
    batches.rounds = 1;
    if (case_number(c, "timed"))
        report_ways(&upload, work, facts);
    /* What those ways left there must not pass for the student's. */
    CHECK(cudaMemset(upload.data_device, 0, upload.num_batches * bytes));
    driver_sync_all();
    run_student(c, &upload, facts);
    driver_sync_all();
    unpin(upload.buffer);
    read_marks(&upload, c->output);
    free(upload.buffer);
}

DRIVER_JOBS("what", {"buffer", run_buffer}, {"free", run_free},
            {"upload", run_upload});
