/*
 * driver.cu: the child's side of a grade, common to all labs: the talk, the
 * clock and the end. driver_cases.cu and the lab's own part do the work.
 *
 * Descriptors: 3 commands in, 4 replies out, 5 input, 6 output (memory files
 * that the grader made). It greets, and answers each command with one line; the
 * grader looks that it then waits where it did before. The commands:
 *
 *   case  see driver_cases.cu
 *   end
 */
#include "driver_core.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cuda_profiler_api.h>

#include "helper.h"

enum { COMMAND_FD = 3, REPLY_FD = 4, INPUT_FD = 5, OUTPUT_FD = 6 };

struct clock_mark {
    cudaStream_t stream; /* own, blocks nobody */
    cudaEvent_t start, stop;
    struct timespec wall;
};

static struct clock_mark mark;
static struct event_timer op_timer;
static int num_devices;
static bool many_devices;

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

uint64_t core_number(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
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
    OWN(cudaEventCreate(&mark.start));
    OWN(cudaEventCreate(&mark.stop));
}

/* The others than the current one. */
static void sync_others(void)
{
    int current;

    OWN(cudaGetDevice(&current));
    for (int d = 0; d < num_devices; d++) {
        OWN(cudaSetDevice(d));
        OWN(cudaDeviceSynchronize());
    }
    OWN(cudaSetDevice(current));
}

void driver_sync_all(void)
{
    if (many_devices)
        sync_others();
    OWN(cudaDeviceSynchronize());
}

void driver_clock_start(void)
{
    driver_sync_all();
    OWN(cudaEventRecord(mark.start, mark.stream));
    OWN(cudaEventSynchronize(mark.start));
    clock_gettime(CLOCK_MONOTONIC, &mark.wall);
}

/* Everything on the devices counts, whatever stream it was left in. The
 * virtual GPU has its own time, which only its events know. */
uint64_t driver_clock_stop_ns(void)
{
    struct timespec now;
    float ms;

    driver_sync_all();
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

uint64_t driver_num_gpus(void)
{
    return (uint64_t)min(num_devices, (int)DRIVER_MAX_GPUS);
}

struct driver_part driver_part_of(uint64_t num_entries, uint64_t num_gpus,
                                  uint64_t num_streams, uint64_t gpu)
{
    const uint64_t size =
        sdiv(num_entries, num_gpus * num_streams) * num_streams;
    const uint64_t lower = min(gpu * size, num_entries);

    return {lower, min(size, num_entries - lower)};
}

static cudaPointerAttributes attributes_of(const void *memory)
{
    cudaPointerAttributes attributes;

    memset(&attributes, 0, sizeof attributes);
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

/* That there is room, only a write can tell, or a pool of which it is. */
char driver_memory_home(void *memory, size_t bytes)
{
    const int home = driver_memory_device(memory);

    if (home < 0)
        return memory == NULL ? '-' : 'h';
    OWN(cudaSetDevice(home));
    if (cudaMemset(memory, 0, bytes) == cudaSuccess ||
        (bytes > 0 && driver_pool_used(home) >= bytes))
        return (char)('0' + home);
    cudaGetLastError();
    return '<';
}

/* No call asks for it. But an event can be recorded only in the streams of its
 * own device. */
int driver_stream_device(cudaStream_t stream)
{
    int found = -1, current;

    OWN(cudaGetDevice(&current));
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

uint64_t driver_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void driver_region_start(void)
{
    cudaProfilerStart();
}

void driver_region_stop(void)
{
    cudaProfilerStop();
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

/* ---- memory files -------------------------------------------------------- */

void core_map(struct core_files *files)
{
    struct stat st;
    void *in, *out;

    if (fstat(INPUT_FD, &st) != 0)
        st.st_size = 1;
    files->bytes = (size_t)st.st_size;
    in = mmap(NULL, files->bytes, PROT_READ, MAP_SHARED, INPUT_FD, 0);
    out = mmap(NULL, files->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
               OUTPUT_FD, 0);
    if (in == MAP_FAILED || out == MAP_FAILED) {
        core_reply("failed error=0 name=mmap what=mmap");
        _exit(121);
    }
    files->input = in;
    files->output = out;
}

void core_unmap(struct core_files *files)
{
    if (files->output == NULL)
        return;
    munmap((void *)files->input, files->bytes);
    munmap(files->output, files->bytes);
    files->input = files->output = NULL;
}

/* ---- main --------------------------------------------------------------- */

/* The context is made before the reply: after it another grading's program may
 * have its turn on the GPU. */
static void greet(void)
{
    struct cudaDeviceProp prop;
    char line[400];

    OWN(cudaGetDeviceCount(&num_devices));
    many_devices = num_devices > 1;
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
    OWN(cudaEventDestroy(mark.start));
    OWN(cudaEventDestroy(mark.stop));
    OWN(cudaStreamDestroy(mark.stream));
    core_reply("ok");
    return 0;
}
