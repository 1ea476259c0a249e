/*
 * driver_arrays.cu: the commands of labs of arrays: entries copied in,
 * decrypted and copied back.
 *
 *   setup entries=N streams=S guard=G gpus=P
 *                                       buffers of N entries, each followed
 *                                       by G guard entries; S streams; on each
 *                                       of P GPUs those of its part
 *   run who=student|serial iters=R timed=0|1 ask=0|1
 *                                       ask: which streams still work?
 *   phase what=h2d|kernel|d2h|both iters=R
 *
 * Input: N + G entries for the host's buffer, and for the buffer of each GPU
 * those of its part + G. Output has the same layout and holds both buffers
 * after an untimed run; after a timed one only the host's.
 */
#include "driver_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct driver_job job;
static struct driver_job lab_job; /* with GPU memory that the lab made */
static struct core_files files;
static uint64_t guard;
static uint64_t *own_host, *lab_host; /* job.data_host is one of them */
static const uint64_t *input;
static uint64_t *output;

/* ---- setup -------------------------------------------------------------- */

/* With one GPU, the calls are those of a program that knows of one. */
static void use_gpu(uint64_t gpu)
{
    if (job.num_gpus > 1)
        OWN(cudaSetDevice((int)gpu));
}

static void sync_gpus(void)
{
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        use_gpu(g);
        OWN(cudaDeviceSynchronize());
    }
    use_gpu(0);
}

static void free_lab_memory(void)
{
    if (lab_host)
        lab_host_free(lab_host);
    if (lab_job.num_gpus > 0)
        lab_gpus_free(&lab_job);
    lab_host = NULL;
    memset(&lab_job, 0, sizeof lab_job);
}

static void phases_free(void);

void arrays_free(void)
{
    if (job.streams == NULL)
        return;
    core_unmap(&files);
    use_gpu(0);
    free_lab_memory();
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        use_gpu(g);
        for (uint64_t s = 0; s < job.num_streams; s++)
            OWN(cudaStreamDestroy(job.gpu_streams[g][s]));
        free(job.gpu_streams[g]);
        OWN(cudaFree(job.data_gpu[g]));
    }
    use_gpu(0);
    OWN(cudaFreeHost(own_host));
    phases_free();
    memset(&job, 0, sizeof job);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* As reference_part() of the grader has it. */
static void choose_parts(void)
{
    const uint64_t chunks = job.num_gpus * job.num_streams;
    const uint64_t chunk =
        job.num_entries / chunks + (job.num_entries % chunks != 0);

    for (uint64_t g = 0; g < job.num_gpus; g++) {
        const uint64_t part = chunk * job.num_streams;

        job.gpu_lower[g] = min_u64(g * part, job.num_entries);
        job.gpu_entries[g] = min_u64(part, job.num_entries - job.gpu_lower[g]);
    }
}

static void make_gpu(uint64_t gpu)
{
    const uint64_t entries = job.gpu_entries[gpu] + guard;
    const uint64_t room = entries ? entries : 1;
    const uint64_t host = job.num_entries + guard;
    const uint64_t room_host = host ? host : 1;

    use_gpu(gpu);
    job.gpu_streams[gpu] =
        (cudaStream_t *)calloc(job.num_streams, sizeof *job.streams);
    for (uint64_t s = 0; s < job.num_streams; s++)
        OWN(cudaStreamCreate(&job.gpu_streams[gpu][s]));
    if (gpu == 0)
        OWN(cudaMallocHost(&own_host, room_host * sizeof(uint64_t)));
    OWN(cudaMalloc(&job.data_gpu[gpu], room * sizeof(uint64_t)));
}

static void do_setup(const char *line)
{
    arrays_free();
    job.num_entries = core_number(line, " entries=");
    job.num_streams = core_number(line, " streams=");
    job.num_gpus = core_number(line, " gpus=");
    if (job.num_gpus < 1 || job.num_gpus > DRIVER_MAX_GPUS)
        job.num_gpus = 1;
    guard = core_number(line, " guard=");
    choose_parts();
    for (uint64_t g = 0; g < job.num_gpus; g++)
        make_gpu(g);
    use_gpu(0);
    job.data_device = job.data_gpu[0];
    job.streams = job.gpu_streams[0];
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

/* The same for memory and streams of several GPUs. Return: the job to run. */
static const struct driver_job *choose_job(int student)
{
    if (!student || lab_gpus_new == NULL)
        return &job;
    if (lab_job.num_gpus == 0) {
        lab_job = job;
        lab_gpus_new(&lab_job);
        lab_job.data_device = lab_job.data_gpu[0];
        lab_job.streams = lab_job.gpu_streams[0];
    }
    lab_job.data_host = job.data_host;
    lab_job.num_iters = job.num_iters;
    use_gpu(0);
    return &lab_job;
}

/* What the grader has for the device, or the other way. Memory that the lab
 * made has no guard behind it. */
static cudaError_t copy_devices(const struct driver_job *from, bool load)
{
    const bool own = from == &job;
    uint64_t at = job.num_entries + guard;
    cudaError_t error = cudaSuccess;

    for (uint64_t g = 0; g < job.num_gpus && error == cudaSuccess; g++) {
        const uint64_t entries = job.gpu_entries[g] + guard;
        const size_t bytes =
            (own ? entries : job.gpu_entries[g]) * sizeof(uint64_t);

        use_gpu(g);
        if (!load && !own)
            memcpy(output + at, input + at, entries * sizeof(uint64_t));
        if (bytes > 0 && load)
            error = cudaMemcpy(from->data_gpu[g], input + at, bytes,
                               cudaMemcpyHostToDevice);
        else if (bytes > 0)
            error = cudaMemcpy(output + at, from->data_gpu[g], bytes,
                               cudaMemcpyDeviceToHost);
        at += entries;
    }
    use_gpu(0);
    return error;
}

static void load_buffers(const struct driver_job *to, int timed)
{
    const size_t entries = job.num_entries + guard;

    driver_copy_entries(job.data_host, input,
                        timed ? job.num_entries : entries);
    if (!timed)
        OWN(copy_devices(to, true));
    sync_gpus();
}

/* Asked at once when the student's function returns. */
static int count_running(const struct driver_job *of)
{
    int running = 0;

    for (uint64_t g = 0; g < job.num_gpus; g++) {
        use_gpu(g);
        for (uint64_t s = 0; s < job.num_streams; s++)
            running +=
                cudaStreamQuery(of->gpu_streams[g][s]) == cudaErrorNotReady;
        running += cudaStreamQuery(0) == cudaErrorNotReady;
    }
    return running;
}

static cudaError_t sync_and_ask(void)
{
    cudaError_t error = cudaSuccess;

    for (uint64_t g = 0; g < job.num_gpus && error == cudaSuccess; g++) {
        if (job.num_gpus > 1)
            error = cudaSetDevice((int)g);
        if (error == cudaSuccess)
            error = cudaDeviceSynchronize();
    }
    return error;
}

/* A stream that says it is done counts as waited for: under the checker the
 * driver does not ask. */
static void run_untimed(const struct driver_job *run, const char *who, int ask)
{
    const size_t entries = job.num_entries + guard;
    cudaError_t pending, late;
    int running = 0;
    char line[256];

    driver_region_start();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(run);
    else
        lab_run_student(run);
    pending = cudaGetLastError();
    if (ask)
        running = count_running(run);
    if (ask && running == 0)
        driver_region_stop();
    driver_copy_entries(output, job.data_host, entries);
    late = sync_and_ask();
    if (!ask || running > 0)
        driver_region_stop();
    if (late == cudaSuccess)
        late = cudaGetLastError();
    if (late == cudaSuccess)
        late = copy_devices(run, false);
    snprintf(line, sizeof line, "ok running=%d pending=%d/%s late=%d/%s",
             running, (int)pending, cudaGetErrorName(pending), (int)late,
             cudaGetErrorName(late));
    core_reply(line);
}

static void run_timed(const struct driver_job *run, const char *who)
{
    uint64_t ns;
    cudaError_t pending;
    char line[256];

    driver_clock_start();
    if (strcmp(who, "serial") == 0)
        lab_run_serial(run);
    else
        lab_run_student(run);
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
    const struct driver_job *run;

    job.num_iters = core_number(line, " iters=");
    choose_host(strcmp(who, "student") == 0);
    run = choose_job(strcmp(who, "student") == 0);
    load_buffers(run, timed);
    if (timed)
        run_timed(run, who);
    else
        run_untimed(run, who, core_number(line, " ask=") != 0);
}

/* ---- the phases, each by itself and both copies at once ------------------ */

/* Every GPU works on its part at the same time; the slowest one counts. */
struct lane {
    cudaStream_t in, out;
    cudaEvent_t at[4]; /* start and stop of each */
};

static struct lane lanes[DRIVER_MAX_GPUS];

/* What is copied back, and where to, so that both copies have memory of their
 * own: from the first phase on until the next setup. */
static uint64_t *phase_host, *phase_gpu[DRIVER_MAX_GPUS];

static void phases_new(void)
{
    OWN(cudaMallocHost(&phase_host, (job.num_entries + 1) * sizeof(uint64_t)));
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        const size_t bytes = (job.gpu_entries[g] + 1) * sizeof(uint64_t);

        use_gpu(g);
        OWN(cudaMalloc(&phase_gpu[g], bytes));
        OWN(cudaMemset(phase_gpu[g], 0, bytes));
    }
    use_gpu(0);
}

static void phases_free(void)
{
    if (phase_host == NULL)
        return;
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        use_gpu(g);
        OWN(cudaFree(phase_gpu[g]));
    }
    use_gpu(0);
    OWN(cudaFreeHost(phase_host));
    phase_host = NULL;
}

static void lanes_new(void)
{
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        struct lane *lane = &lanes[g];

        use_gpu(g);
        OWN(cudaMemset(job.data_gpu[g], 0,
                       job.gpu_entries[g] * sizeof(uint64_t)));
        OWN(cudaStreamCreateWithFlags(&lane->in, cudaStreamNonBlocking));
        OWN(cudaStreamCreateWithFlags(&lane->out, cudaStreamNonBlocking));
        for (int i = 0; i < 4; i++)
            OWN(cudaEventCreate(&lane->at[i]));
    }
    sync_gpus();
}

static void lanes_free(void)
{
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        struct lane *lane = &lanes[g];

        use_gpu(g);
        for (int i = 0; i < 4; i++)
            OWN(cudaEventDestroy(lane->at[i]));
        OWN(cudaStreamDestroy(lane->in));
        OWN(cudaStreamDestroy(lane->out));
    }
    use_gpu(0);
}

static void start_copies(uint64_t gpu, bool in, bool out)
{
    const struct lane *lane = &lanes[gpu];
    const uint64_t entries = job.gpu_entries[gpu];
    const size_t bytes = entries * sizeof(uint64_t);
    uint64_t *const host = job.data_host + job.gpu_lower[gpu];

    use_gpu(gpu);
    if (in) {
        OWN(cudaEventRecord(lane->at[0], lane->in));
        OWN(cudaMemcpyAsync(job.data_gpu[gpu], host, bytes,
                            cudaMemcpyHostToDevice, lane->in));
        OWN(cudaEventRecord(lane->at[1], lane->in));
    }
    if (out) {
        OWN(cudaEventRecord(lane->at[2], lane->out));
        OWN(cudaMemcpyAsync(phase_host + job.gpu_lower[gpu], phase_gpu[gpu],
                            bytes, cudaMemcpyDeviceToHost, lane->out));
        OWN(cudaEventRecord(lane->at[3], lane->out));
    }
}

static void start_kernel(uint64_t gpu)
{
    const struct lane *lane = &lanes[gpu];
    struct driver_job part = job;

    part.data_device = job.data_gpu[gpu];
    part.num_entries = job.gpu_entries[gpu];
    use_gpu(gpu);
    OWN(cudaEventRecord(lane->at[0], lane->in));
    lab_run_kernel(&part, lane->in);
    OWN(cudaEventRecord(lane->at[1], lane->in));
}

static float longest_ms(bool first, bool second)
{
    float longest = 0, ms;

    for (uint64_t g = 0; g < job.num_gpus; g++)
        for (int i = first ? 0 : 2; i < (second ? 4 : 2); i += 2) {
            OWN(cudaEventElapsedTime(&ms, lanes[g].at[i], lanes[g].at[i + 1]));
            longest = ms > longest ? ms : longest;
        }
    return longest;
}

static void do_phase(const char *line)
{
    const bool both = strstr(line, "what=both") != NULL;
    const bool in = both || strstr(line, "what=h2d");
    const bool out = both || strstr(line, "what=d2h");
    char text[64];
    float ms;

    job.num_iters = core_number(line, " iters=");
    choose_host(0);
    if (phase_host == NULL)
        phases_new();
    lanes_new();
    for (uint64_t g = 0; g < job.num_gpus; g++) {
        if (in || out)
            start_copies(g, in, out);
        else
            start_kernel(g);
    }
    sync_gpus();
    ms = longest_ms(in || !out, out);
    lanes_free();
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
