/*
 * driver.cu: the child's side of a grade, common to all labs: the talk, the
 * clock and the end. driver_cases.cu and the lab's own part do the work.
 *
 * Descriptors: 3 commands in, 4 replies out, and those of driver_cases.cu. It
 * greets, and answers each command with one line; the
 * grader looks that it then waits where it did before. The commands:
 *
 *   case  see driver_cases.cu
 *   end
 */
#include "driver_core.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"

enum { COMMAND_FD = 3, REPLY_FD = 4 };

struct clock_mark {
    cudaStream_t stream; /* own, blocks nobody */
    uint64_t start_ns;
    bool drawn;
};

static struct clock_mark mark;
static struct event_timer op_timer;
static uint64_t *peeked, peek_room; /* what driver_peek has */
static int num_devices;

/* ---- commands and replies ----------------------------------------------- */

/* A command is one line, and the next comes after the reply. Not read byte by
 * byte: a loop of the host takes virtual time, so long ones would start later.
 * Return: length, or -1 at the end of the commands. */
static int read_line(char *line, int size)
{
    int length = 0;
    ssize_t got;

    while ((got = read(COMMAND_FD, line + length, (size_t)(size - length))) >
           0) {
        length += (int)got;
        if (line[length - 1] == '\n') {
            line[--length] = '\0';
            return length;
        }
    }
    return -1;
}

void core_reply(const char *text)
{
    char line[CORE_LINE + 80];
    const int length = snprintf(line, sizeof line, "%s\n", text);

    if (write(REPLY_FD, line, (size_t)length) != length)
        _exit(120);
}

/* ---- the clock ---------------------------------------------------------- */

static void clock_create(void)
{
    OWN(cudaStreamCreateWithFlags(&mark.stream, cudaStreamNonBlocking));
}

void driver_sync_all(void)
{
    if (num_devices > 1) {
        const int current = driver_current_gpu();

        for (int d = 0; d < num_devices; d++) {
            OWN(cudaSetDevice(d));
            OWN(cudaDeviceSynchronize());
        }
        OWN(cudaSetDevice(current));
    }
    OWN(cudaDeviceSynchronize());
}

void driver_clock_start(void)
{
    driver_sync_all();
    if (mark.drawn)
        driver_region_start();
    mark.start_ns = driver_now_ns();
}

/* Everything on the devices counts, whatever stream it was left in. */
uint64_t driver_clock_stop_ns(void)
{
    uint64_t ns;

    driver_sync_all();
    ns = driver_now_ns() - mark.start_ns;
    if (mark.drawn)
        driver_region_stop();
    mark.drawn = false;
    return ns;
}

void driver_draw_timed(void)
{
    mark.drawn = true;
}

void driver_op_start(cudaStream_t stream)
{
    event_timer_create(&op_timer);
    event_timer_start(&op_timer, stream);
}

double driver_op_stop_ms(cudaStream_t stream)
{
    const double ms = event_timer_stop(&op_timer, stream);

    event_timer_destroy(&op_timer);
    return ms;
}

/* ---- for the lab's part -------------------------------------------------- */

enum { MOST_MADE = 512 };
static void *made[MOST_MADE];
static cudaError_t (*give_back[MOST_MADE])(void *);
static unsigned num_made;

/* What has just been made. */
static void *keep(cudaError_t (*how)(void *))
{
    if (num_made == MOST_MADE - 1)
        check_own(cudaErrorMemoryAllocation, "keep");
    give_back[num_made] = how;
    return made[num_made++];
}

uint64_t driver_num_gpus(void)
{
    return (uint64_t)min(num_devices, (int)DRIVER_MAX_GPUS);
}

void driver_use_gpu(uint64_t gpu)
{
    if (num_devices > 1)
        OWN(cudaSetDevice((int)gpu));
}

int driver_current_gpu(void)
{
    int current;

    OWN(cudaGetDevice(&current));
    return current;
}

int driver_attribute(enum cudaDeviceAttr which, int device)
{
    int value;

    OWN(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

void driver_cut(struct driver_part *parts, uint64_t num_entries,
                uint64_t num_gpus, uint64_t num_streams)
{
    const uint64_t size =
        sdiv(num_entries, num_gpus * num_streams) * num_streams;

    for (uint64_t gpu = 0; gpu < num_gpus; gpu++) {
        const uint64_t lower = min(gpu * size, num_entries);

        parts[gpu] = {lower, min(size, num_entries - lower)};
    }
}

static cudaPointerAttributes attributes_of(const void *memory)
{
    cudaPointerAttributes attributes = {};

    attributes.type = cudaMemoryTypeUnregistered;
    if (memory == NULL ||
        cudaPointerGetAttributes(&attributes, memory) != cudaSuccess)
        attributes.type = cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return attributes;
}

int driver_memory_type(const void *memory)
{
    return attributes_of(memory).type;
}

int driver_memory_device(const void *memory)
{
    const cudaPointerAttributes attributes = attributes_of(memory);

    return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

uint64_t driver_pool_used(int device)
{
    cudaMemPool_t pool;
    uint64_t used = 0;

    if (cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    cudaGetLastError();
    return used;
}

size_t driver_free_bytes(uint64_t num_gpus)
{
    size_t all = 0;

    for (uint64_t g = 0; g < num_gpus; g++) {
        size_t left, total;

        driver_use_gpu(g);
        OWN(cudaMemGetInfo(&left, &total));
        all += left;
    }
    return all;
}

/* Memory of the first time is kept: taking pinned memory, and giving it back,
 * takes a real GPU's host longer than many a kernel takes. */
void driver_peek(uint64_t *to, const uint64_t *device, uint64_t count)
{
    if (count > peek_room) {
        OWN(cudaFreeHost(peeked));
        OWN(cudaMallocHost(&peeked, count * sizeof *peeked));
        peek_room = count;
    }
    OWN(cudaMemcpyAsync(peeked, device, count * sizeof *peeked,
                        cudaMemcpyDeviceToHost, mark.stream));
    OWN(cudaStreamSynchronize(mark.stream));
    driver_copy_entries(to, peeked, count);
}

/* No call asks for it. But an event can be recorded only in the streams of its
 * own device. */
int driver_stream_device(cudaStream_t stream)
{
    const int current = driver_current_gpu();
    int found = -1;

    for (int d = 0; stream && d < num_devices && found < 0; d++) {
        cudaEvent_t event;

        OWN(cudaSetDevice(d));
        OWN(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        if (cudaEventRecord(event, stream) == cudaSuccess)
            found = d;
        cudaGetLastError();
        OWN(cudaEventDestroy(event));
    }
    OWN(cudaSetDevice(current));
    return found;
}

uint64_t *driver_device(uint64_t entries)
{
    OWN(cudaMalloc(&made[num_made],
                   max(entries, (uint64_t)1) * sizeof entries));
    return (uint64_t *)keep(cudaFree);
}

uint64_t *driver_pinned(uint64_t entries)
{
    OWN(cudaMallocHost(&made[num_made],
                       max(entries, (uint64_t)1) * sizeof entries));
    return (uint64_t *)keep(cudaFreeHost);
}

static cudaError_t destroy_stream(void *stream)
{
    return cudaStreamDestroy((cudaStream_t)stream);
}

cudaStream_t driver_stream(unsigned flags)
{
    OWN(cudaStreamCreateWithFlags((cudaStream_t *)&made[num_made], flags));
    return (cudaStream_t)keep(destroy_stream);
}

cudaError_t core_give_back(void)
{
    cudaError_t lent = cudaSuccess;

    while (num_made > 0) {
        const cudaError_t error = give_back[num_made - 1](made[num_made - 1]);

        if (error == cudaErrorInvalidValue ||
            error == cudaErrorInvalidResourceHandle)
            lent = error;
        num_made--;
    }
    return lent;
}

void core_failed(cudaError_t error, const char *what, cudaError_t lent)
{
    char line[256];

    snprintf(line, sizeof line, "failed error=%d name=%s lent=%d what=%s",
             (int)error, cudaGetErrorName(error), lent != cudaSuccess, what);
    core_reply(line);
    _exit(121);
}

uint64_t driver_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A loop, so that the virtual GPU's checker sees each entry that is read. */
void driver_copy_entries(uint64_t *to, const uint64_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i];
}

void driver_copy_bytes(void *to, const void *from, size_t bytes)
{
    unsigned char *const out = (unsigned char *)to;
    const unsigned char *const in = (const unsigned char *)from;
    size_t done = 0;

    if (((uintptr_t)to | (uintptr_t)from) % sizeof(uint64_t) == 0) {
        driver_copy_entries((uint64_t *)to, (const uint64_t *)from,
                            bytes / sizeof(uint64_t));
        done = bytes / sizeof(uint64_t) * sizeof(uint64_t);
    }
    for (; done < bytes; done++)
        out[done] = in[done];
}

/* ---- main --------------------------------------------------------------- */

/* The context is made before the reply: after it another grading's program may
 * have its turn on the GPU. */
static void greet(void)
{
    struct cudaDeviceProp prop;
    char line[400];

    OWN(cudaGetDeviceCount(&num_devices));
    OWN(cudaGetDeviceProperties(&prop, 0));
    snprintf(line, sizeof line, "ok gpus=%d device=%s", num_devices, prop.name);
    clock_create();
    core_reply(line);
}

int main(void)
{
    char line[CORE_LINE];
    struct stat st;

    if (fstat(COMMAND_FD, &st) != 0) {
        fprintf(stderr, "This program is run by build/bin/grade.\n");
        return 2;
    }
    greet();
    while (read_line(line, (int)sizeof line) >= 0 && cases_do(line))
        ;
    if (lab_end)
        lab_end();
    OWN(cudaStreamDestroy(mark.stream));
    OWN(cudaFreeHost(peeked));
    core_reply("ok");
    return 0;
}
