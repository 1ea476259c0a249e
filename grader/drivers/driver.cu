/*
 * driver.cu: the child's side of a grade, common to all labs.
 *
 * Descriptors: 3 commands in, 4 replies out, 5 input, 6 output (memory files
 * that the grader made). The first line on 3 is a token; every reply begins
 * with it. Commands, one per line:
 *
 *   setup entries=N streams=S guard=G   buffers of N entries, each followed
 *                                       by G guard entries; S streams
 *   run who=student|serial iters=R timed=0|1 ask=0|1
 *                                       ask: which streams still work?
 *   phase what=h2d|kernel|d2h|both iters=R
 *   end
 *
 * Input: N + G entries for the host's buffer, N + G for the device's. Output
 * has the same layout and holds both buffers after an untimed run; after a
 * timed one only the host's.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cuda_profiler_api.h>

#include "check.h"

enum { COMMAND_FD = 3, REPLY_FD = 4, INPUT_FD = 5, OUTPUT_FD = 6 };

struct clock_mark {
    cudaStream_t stream; /* own, blocks nobody */
    cudaEvent_t start, stop;
    struct timespec wall;
};

static char token[64];
static struct driver_job job;
static struct clock_mark mark;
static uint64_t guard;
static uint64_t *own_host, *lab_host; /* job.data_host is one of them */
static const uint64_t *input;
static uint64_t *output;
static size_t mapped_bytes;

/* ---- commands and replies ----------------------------------------------- */

/* Return: length, or -1 at the end of the commands. */
static int read_line(char *line, int size)
{
    int length = 0;

    while (read(COMMAND_FD, line + length, 1) == 1) {
        if (line[length] == '\n') {
            line[length] = '\0';
            return length;
        }
        if (length < size - 1)
            length++;
    }
    return -1;
}

static uint64_t number_of(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void reply(const char *text)
{
    char line[512];
    const int length = snprintf(line, sizeof line, "%s %s\n", token, text);

    if (write(REPLY_FD, line, (size_t)length) != length)
        _exit(120);
}

static void check_own(cudaError_t error, const char *what)
{
    char line[256];

    if (error == cudaSuccess)
        return;
    snprintf(line, sizeof line, "failed error=%d name=%s what=%s", (int)error,
             cudaGetErrorName(error), what);
    reply(line);
    _exit(121);
}

#define OWN(call) check_own((call), #call)

/* ---- the clock ---------------------------------------------------------- */

static void clock_create(void)
{
    OWN(cudaStreamCreateWithFlags(&mark.stream, cudaStreamNonBlocking));
    OWN(cudaEventCreate(&mark.start));
    OWN(cudaEventCreate(&mark.stop));
}

static void clock_start(void)
{
    OWN(cudaDeviceSynchronize());
    OWN(cudaEventRecord(mark.start, mark.stream));
    OWN(cudaEventSynchronize(mark.start));
    clock_gettime(CLOCK_MONOTONIC, &mark.wall);
}

/* Everything on the device counts, whatever stream it was left in. The
 * virtual GPU has its own time, which only its events know. */
static uint64_t clock_stop_ns(void)
{
    struct timespec now;
    float ms;

    OWN(cudaDeviceSynchronize());
    clock_gettime(CLOCK_MONOTONIC, &now);
#ifdef __VGPU__
    OWN(cudaEventRecord(mark.stop, mark.stream));
    OWN(cudaEventSynchronize(mark.stop));
    OWN(cudaEventElapsedTime(&ms, mark.start, mark.stop));
    return (uint64_t)((double)ms * 1e6 + 0.5);
#else
    (void)ms;
    return (uint64_t)(now.tv_sec - mark.wall.tv_sec) * 1000000000u +
           (uint64_t)(now.tv_nsec - mark.wall.tv_nsec);
#endif
}

/* ---- setup -------------------------------------------------------------- */

static void job_free(void)
{
    if (job.streams == NULL)
        return;
    munmap((void *)input, mapped_bytes);
    munmap(output, mapped_bytes);
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

static void map_files(size_t bytes)
{
    void *in, *out;

    mapped_bytes = bytes;
    in = mmap(NULL, bytes, PROT_READ, MAP_SHARED, INPUT_FD, 0);
    out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, OUTPUT_FD, 0);
    if (in == MAP_FAILED || out == MAP_FAILED) {
        reply("failed error=0 name=mmap what=mmap");
        _exit(121);
    }
    input = (const uint64_t *)in;
    output = (uint64_t *)out;
}

static void do_setup(const char *line)
{
    job_free();
    job.num_entries = number_of(line, " entries=");
    job.num_streams = number_of(line, " streams=");
    guard = number_of(line, " guard=");

    uint64_t room = job.num_entries + guard;

    if (room == 0)
        room = 1;
    job.streams = (cudaStream_t *)calloc(job.num_streams, sizeof *job.streams);
    for (uint64_t s = 0; s < job.num_streams; s++)
        OWN(cudaStreamCreate(&job.streams[s]));
    OWN(cudaMallocHost(&own_host, room * sizeof(uint64_t)));
    OWN(cudaMalloc(&job.data_device, room * sizeof(uint64_t)));
    map_files(2 * room * sizeof(uint64_t));
    reply("ok");
}

/* A loop, so that the virtual GPU's checker sees each entry that is read. */
static void copy_entries(uint64_t *to, const uint64_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* ---- runs --------------------------------------------------------------- */

/* The student's version runs on the memory that the lab makes, if it does. */
static void choose_host(int student)
{
    if (!student || lab_host_new == NULL) {
        job.data_host = own_host;
        return;
    }
    if (lab_host == NULL)
        lab_host = lab_host_new(job.num_entries + guard);
    job.data_host = lab_host;
}

static void load_buffers(int timed)
{
    const size_t entries = job.num_entries + guard;
    const size_t bytes = entries * sizeof(uint64_t);

    copy_entries(job.data_host, input, timed ? job.num_entries : entries);
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

    cudaProfilerStart();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(&job);
    else
        lab_run_student(&job);
    pending = cudaGetLastError();
    if (ask)
        running = count_running();
    if (ask && running == 0)
        cudaProfilerStop();
    copy_entries(output, job.data_host, entries);
    late = cudaDeviceSynchronize();
    if (!ask || running > 0)
        cudaProfilerStop();
    if (late == cudaSuccess)
        late = cudaGetLastError();
    if (late == cudaSuccess && bytes > 0)
        late = cudaMemcpy(output + entries, job.data_device, bytes,
                          cudaMemcpyDeviceToHost);
    snprintf(line, sizeof line, "ok running=%d pending=%d/%s late=%d/%s",
             running, (int)pending, cudaGetErrorName(pending), (int)late,
             cudaGetErrorName(late));
    reply(line);
}

static void run_timed(const char *who)
{
    uint64_t ns;
    cudaError_t pending;
    char line[256];

    clock_start();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(&job);
    else
        lab_run_student(&job);
    ns = clock_stop_ns();
    pending = cudaGetLastError();
    if (strcmp(who, "serial") != 0)
        copy_entries(output, job.data_host, job.num_entries);
    snprintf(line, sizeof line, "ok ns=%llu pending=%d/%s",
             (unsigned long long)ns, (int)pending, cudaGetErrorName(pending));
    reply(line);
}

static void do_run(const char *line)
{
    const int timed = number_of(line, " timed=") != 0;
    const char *who = strstr(line, "who=serial") ? "serial" : "student";

    job.num_iters = number_of(line, " iters=");
    choose_host(strcmp(who, "student") == 0);
    load_buffers(timed);
    if (timed)
        run_timed(who);
    else
        run_untimed(who, number_of(line, " ask=") != 0);
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
    job.num_iters = number_of(line, " iters=");
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
    reply(text);
}

/* ---- main --------------------------------------------------------------- */

static void greet(void)
{
    struct cudaDeviceProp prop;
    char line[400];
    int count;

    OWN(cudaGetDeviceCount(&count));
    OWN(cudaGetDeviceProperties(&prop, 0));
    snprintf(line, sizeof line, "ok gpus=%d device=%s", count, prop.name);
    reply(line);
}

int main(void)
{
    char line[512];

    if (read_line(token, (int)sizeof token) < 0) {
        fprintf(stderr, "This program is run by build/bin/grade.\n");
        return 2;
    }
    greet();
    clock_create();
    while (read_line(line, (int)sizeof line) >= 0) {
        if (strncmp(line, "setup ", 6) == 0)
            do_setup(line);
        else if (strncmp(line, "run ", 4) == 0)
            do_run(line);
        else if (strncmp(line, "phase ", 6) == 0)
            do_phase(line);
        else
            break;
    }
    job_free();
    OWN(cudaEventDestroy(mark.start));
    OWN(cudaEventDestroy(mark.stop));
    OWN(cudaStreamDestroy(mark.stream));
    reply("ok");
    return 0;
}
