/*
 * driver_arrays.cu: the commands of labs of arrays: entries copied in,
 * decrypted and copied back.
 *
 *   setup entries=N streams=S guard=G   buffers of N entries, each followed
 *                                       by G guard entries; S streams
 *   run who=student|serial iters=R timed=0|1 ask=0|1
 *                                       ask: which streams still work?
 *   phase what=h2d|kernel|d2h|both iters=R
 *
 * Input: N + G entries for the host's buffer, N + G for the device's. Output
 * has the same layout and holds both buffers after an untimed run; after a
 * timed one only the host's.
 */
#include "driver_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct driver_job job;
static struct core_files files;
static uint64_t guard;
static uint64_t *own_host, *lab_host; /* job.data_host is one of them */
static const uint64_t *input;
static uint64_t *output;

/* ---- setup -------------------------------------------------------------- */

void arrays_free(void)
{
    if (job.streams == NULL)
        return;
    core_unmap(&files);
    for (uint64_t s = 0; s < job.num_streams; s++)
        OWN(cudaStreamDestroy(job.streams[s]));
    free(job.streams);
    if (lab_host)
        lab_host_free(lab_host);
    lab_host = NULL;
    OWN(cudaFreeHost(own_host));
    OWN(cudaFree(job.data_device));
    memset(&job, 0, sizeof job);
}

static void do_setup(const char *line)
{
    arrays_free();
    job.num_entries = core_number(line, " entries=");
    job.num_streams = core_number(line, " streams=");
    guard = core_number(line, " guard=");

    uint64_t room = job.num_entries + guard;

    if (room == 0)
        room = 1;
    job.streams = (cudaStream_t *)calloc(job.num_streams, sizeof *job.streams);
    for (uint64_t s = 0; s < job.num_streams; s++)
        OWN(cudaStreamCreate(&job.streams[s]));
    OWN(cudaMallocHost(&own_host, room * sizeof(uint64_t)));
    OWN(cudaMalloc(&job.data_device, room * sizeof(uint64_t)));
    core_map(&files);
    input = (const uint64_t *)files.input;
    output = (uint64_t *)files.output;
    core_reply("ok");
}

/* ---- runs --------------------------------------------------------------- */

static bool is_host_memory(const void *memory)
{
    struct cudaPointerAttributes attributes;

    if (memory == NULL)
        return false;
    OWN(cudaPointerGetAttributes(&attributes, memory));
    return attributes.type != cudaMemoryTypeDevice;
}

/* The student's version runs on the memory that the lab makes, if it does. */
static void choose_host(int student)
{
    if (!student || lab_host_new == NULL) {
        job.data_host = own_host;
        return;
    }
    if (lab_host == NULL)
        lab_host = lab_host_new(job.num_entries + guard);
    if (!is_host_memory(lab_host)) {
        core_reply("failed error=16 name=cudaErrorInvalidHostPointer "
                   "what=lab_host_new");
        _exit(121);
    }
    job.data_host = lab_host;
}

static void load_buffers(int timed)
{
    const size_t entries = job.num_entries + guard;
    const size_t bytes = entries * sizeof(uint64_t);

    driver_copy_entries(job.data_host, input,
                        timed ? job.num_entries : entries);
    if (!timed && bytes > 0)
        OWN(cudaMemcpy(job.data_device, input + entries, bytes,
                       cudaMemcpyHostToDevice));
    OWN(cudaDeviceSynchronize());
}

/* Asked at once when the student's function returns. */
static int count_running(void)
{
    int running = 0;

    for (uint64_t s = 0; s < job.num_streams; s++)
        running += cudaStreamQuery(job.streams[s]) == cudaErrorNotReady;
    running += cudaStreamQuery(0) == cudaErrorNotReady;
    return running;
}

/* A stream that says it is done counts as waited for: under the checker the
 * driver does not ask. */
static void run_untimed(const char *who, int ask)
{
    const size_t entries = job.num_entries + guard;
    const size_t bytes = entries * sizeof(uint64_t);
    cudaError_t pending, late;
    int running = 0;
    char line[256];

    driver_region_start();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(&job);
    else
        lab_run_student(&job);
    pending = cudaGetLastError();
    if (ask)
        running = count_running();
    if (ask && running == 0)
        driver_region_stop();
    driver_copy_entries(output, job.data_host, entries);
    late = cudaDeviceSynchronize();
    if (!ask || running > 0)
        driver_region_stop();
    if (late == cudaSuccess)
        late = cudaGetLastError();
    if (late == cudaSuccess && bytes > 0)
        late = cudaMemcpy(output + entries, job.data_device, bytes,
                          cudaMemcpyDeviceToHost);
    snprintf(line, sizeof line, "ok running=%d pending=%d/%s late=%d/%s",
             running, (int)pending, cudaGetErrorName(pending), (int)late,
             cudaGetErrorName(late));
    core_reply(line);
}

static void run_timed(const char *who)
{
    uint64_t ns;
    cudaError_t pending;
    char line[256];

    driver_clock_start();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(&job);
    else
        lab_run_student(&job);
    ns = driver_clock_stop_ns();
    pending = cudaGetLastError();
    if (strcmp(who, "serial") != 0)
        driver_copy_entries(output, job.data_host, job.num_entries);
    snprintf(line, sizeof line, "ok ns=%llu pending=%d/%s",
             (unsigned long long)ns, (int)pending, cudaGetErrorName(pending));
    core_reply(line);
}

static void do_run(const char *line)
{
    const int timed = core_number(line, " timed=") != 0;
    const char *who = strstr(line, "who=serial") ? "serial" : "student";

    job.num_iters = core_number(line, " iters=");
    choose_host(strcmp(who, "student") == 0);
    load_buffers(timed);
    if (timed)
        run_timed(who);
    else
        run_untimed(who, core_number(line, " ask=") != 0);
}

/* ---- the phases, each by itself and both copies at once ------------------ */

static float copy_ms(cudaStream_t in, cudaStream_t out)
{
    const size_t bytes = job.num_entries * sizeof(uint64_t);
    cudaEvent_t at[4];
    float in_ms = 0, out_ms = 0;

    for (int i = 0; i < 4; i++)
        OWN(cudaEventCreate(&at[i]));
    if (in) {
        OWN(cudaEventRecord(at[0], in));
        OWN(cudaMemcpyAsync(job.data_device, job.data_host, bytes,
                            cudaMemcpyHostToDevice, in));
        OWN(cudaEventRecord(at[1], in));
    }
    if (out) {
        OWN(cudaEventRecord(at[2], out));
        /* Into the other half of a buffer made for this: see do_phase. */
        OWN(cudaMemcpyAsync(job.data_host + job.num_entries,
                            job.data_device + job.num_entries, bytes,
                            cudaMemcpyDeviceToHost, out));
        OWN(cudaEventRecord(at[3], out));
    }
    OWN(cudaDeviceSynchronize());
    if (in)
        OWN(cudaEventElapsedTime(&in_ms, at[0], at[1]));
    if (out)
        OWN(cudaEventElapsedTime(&out_ms, at[2], at[3]));
    for (int i = 0; i < 4; i++)
        OWN(cudaEventDestroy(at[i]));
    return in_ms > out_ms ? in_ms : out_ms;
}

static float kernel_ms(cudaStream_t stream)
{
    cudaEvent_t start, stop;
    float ms;

    OWN(cudaEventCreate(&start));
    OWN(cudaEventCreate(&stop));
    OWN(cudaEventRecord(start, stream));
    lab_run_kernel(&job, stream);
    OWN(cudaEventRecord(stop, stream));
    OWN(cudaEventSynchronize(stop));
    OWN(cudaEventElapsedTime(&ms, start, stop));
    OWN(cudaEventDestroy(start));
    OWN(cudaEventDestroy(stop));
    return ms;
}

static void do_phase(const char *line)
{
    cudaStream_t in, out;
    char text[64];
    float ms;

    /* Needs guard=entries, so that both copies have a half of their own. */
    job.num_iters = core_number(line, " iters=");
    choose_host(0);
    OWN(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
    OWN(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    OWN(cudaDeviceSynchronize());
    if (strstr(line, "what=h2d"))
        ms = copy_ms(in, NULL);
    else if (strstr(line, "what=d2h"))
        ms = copy_ms(NULL, out);
    else if (strstr(line, "what=both"))
        ms = copy_ms(in, out);
    else
        ms = kernel_ms(in);
    OWN(cudaStreamDestroy(in));
    OWN(cudaStreamDestroy(out));
    snprintf(text, sizeof text, "ok ns=%llu",
             (unsigned long long)((double)ms * 1e6 + 0.5));
    core_reply(text);
}

bool arrays_do(const char *line)
{
    if (strncmp(line, "setup ", 6) == 0)
        do_setup(line);
    else if (strncmp(line, "run ", 4) == 0)
        do_run(line);
    else if (strncmp(line, "phase ", 6) == 0)
        do_phase(line);
    else
        return false;
    return true;
}
