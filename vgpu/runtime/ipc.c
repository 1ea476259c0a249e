/*
 * ipc.c: device memory and events of one process in another.
 *
 * Each process has a virtual GPU of its own, with a clock of its own. What can
 * be shared is memory: an allocation that is exported moves, at its address,
 * into a file in memory, which the other process maps as memory of its device.
 * What is written there is written when it is done for real, so a process that
 * does not wait before it tells the other one shows it old data, as elsewhere
 * here. An event that was exported has its work done when it is recorded: its
 * process may be anywhere when the other one waits.
 *
 * Differs: nothing that another process does takes time here, and the checker
 * sees the accesses of its own process only.
 * Source: programming guide, "Interprocess Communication".
 */
#include "rt.h"
#include "capture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a handle says. Its file is that of a process, which may be gone and the
 * number another's by now: the inode tells. */
struct word {
    char kind[8]; /* "memory", "event" */
    int64_t process;
    int32_t file;
    int32_t device;
    uint64_t inode;
    uint64_t bytes;
};

/* In memory that all who have the event share. */
struct vgpu_ipc_event {
    _Atomic int64_t recorder; /* the process that recorded it last, or 0 */
};

/* Memory of this process that others may have, or of others that this has. */
struct shared {
    struct shared *next;
    uint32_t id; /* of the memory */
    unsigned opened;
    void *base;
    struct word word;
};

static struct shared *exports, *imports;

static struct shared *find_shared(struct shared *list, uint32_t id)
{
    while (list && list->id != id)
        list = list->next;
    return list;
}

static bool word_make(struct word *word, const char *kind, int file,
                      size_t bytes)
{
    struct stat status;

    memset(word, 0, sizeof *word);
    snprintf(word->kind, sizeof word->kind, "%s", kind);
    word->process = getpid();
    word->file = file;
    word->bytes = bytes;
    if (fstat(file, &status))
        return false;
    word->inode = (uint64_t)status.st_ino;
    vgpu_rt.shares = true;
    return true;
}

/* Return: the file, or -1. */
static int word_open(const struct word *word)
{
    struct stat status;
    char path[64];
    int file;

    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)word->process,
             (int)word->file);
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return -1;
    if (fstat(file, &status) || (uint64_t)status.st_ino != word->inode ||
        (uint64_t)status.st_size < word->bytes) {
        close(file);
        return -1;
    }
    vgpu_rt.shares = true;
    return file;
}

static cudaError_t own_handle(void)
{
    return vgpu_because(cudaErrorDeviceUninitialized,
                        "the handle is of this process, and is for others");
}

static cudaError_t gone_handle(void)
{
    return vgpu_because(cudaErrorMapBufferObjectFailed,
                        "who made the handle has ended, or has taken back what "
                        "it stands for");
}

/* ---- memory -------------------------------------------------------------- */

/* Only what cudaMalloc and its kin have given. */
static struct vgpu_memory *find_plain(const void *pointer)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);

    if (!memory || vgpu_memory_is_freed(memory) ||
        memory->kind != VGPU_MEM_DEVICE || !memory->id || memory->flags)
        return NULL;
    return memory;
}

static cudaError_t export_memory(struct vgpu_memory *memory, struct word *word)
{
    struct shared *shared = find_shared(exports, memory->id);
    int file;

    if (!shared) {
        shared = calloc(1, sizeof *shared);
        file = shared ? vgpu_memory_share(memory) : -1;
        if (file < 0 ||
            !word_make(&shared->word, "memory", file, memory->bytes)) {
            free(shared);
            return cudaErrorMemoryAllocation;
        }
        shared->id = memory->id;
        shared->word.device = memory->device;
        shared->next = exports;
        exports = shared;
    }
    *word = shared->word;
    return cudaSuccess;
}

API(cudaIpcGetMemHandle, cudaIpcMemHandle_t *handle, void *pointer)
{
    struct vgpu_memory *memory = find_plain(pointer);

    if (!handle || !memory)
        return vgpu_invalid(handle ? "only memory of cudaMalloc has a handle, "
                                     "and it is %s"
                                   : "handle is NULL",
                            vgpu_memory_words(pointer));
    memset(handle, 0, sizeof *handle);
    return export_memory(memory, (struct word *)handle);
}

static struct vgpu_memory *map(const struct word *word, uint64_t pc)
{
    const int device = vgpu_device_exists(word->device) ? word->device : 0;
    const int file = word_open(word);
    struct vgpu_memory *memory = NULL;

    if (file >= 0) {
        memory = vgpu_memory_open(file, word->bytes, device, pc);
        close(file);
    }
    return memory;
}

/* A handle that is open already is the same memory once more. */
static cudaError_t open_memory(struct vgpu_call *call, const struct word *word,
                               void **out)
{
    struct vgpu_memory *memory;
    struct shared *shared = imports;

    while (shared && memcmp(&shared->word, word, sizeof *word))
        shared = shared->next;
    if (!shared) {
        shared = calloc(1, sizeof *shared);
        memory = shared ? map(word, call->pc) : NULL;
        if (!memory) {
            free(shared);
            return gone_handle();
        }
        memory->flags = VGPU_MEMORY_OPENED;
        shared->id = memory->id;
        shared->word = *word;
        shared->base = memory->base;
        shared->next = imports;
        imports = shared;
    }
    shared->opened++;
    *out = shared->base;
    return cudaSuccess;
}

API(cudaIpcOpenMemHandle, void **pointer, cudaIpcMemHandle_t handle,
    unsigned int flags)
{
    struct word word;

    memcpy(&word, &handle, sizeof word);
    if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess)
        return vgpu_invalid(pointer
                                ? "flags is not cudaIpcMemLazyEnablePeerAccess"
                                : "pointer is NULL");
    if (memcmp(word.kind, "memory", sizeof "memory"))
        return vgpu_invalid("the handle is none of cudaIpcGetMemHandle");
    if (word.process == getpid())
        return own_handle();
    return open_memory(call, &word, pointer);
}

/* Like a free, it waits for what may still use the memory. */
static void close_memory(struct vgpu_call *call, struct shared *shared)
{
    struct shared **link = &imports;
    struct vgpu_memory *memory = vgpu_memory_find(shared->base);

    for (int d = 0; d < vgpu_rt.device_count; d++)
        vgpu_wait_drain(call->thread, &vgpu_rt.devices[d]);
    while (*link != shared)
        link = &(*link)->next;
    *link = shared->next;
    free(shared);
    vgpu_memory_free(memory, call->pc);
}

API(cudaIpcCloseMemHandle, void *pointer)
{
    struct vgpu_memory *memory = vgpu_memory_find(pointer);
    struct shared *shared =
        memory && !vgpu_memory_is_freed(memory) && memory->base == pointer
            ? find_shared(imports, memory->id)
            : NULL;

    if (!shared)
        return vgpu_invalid("cudaIpcOpenMemHandle has not given it, or it is "
                            "closed already");
    if (!--shared->opened)
        close_memory(call, shared);
    return cudaSuccess;
}

void vgpu_ipc_freed(const struct vgpu_memory *memory)
{
    struct shared **link = &exports, *shared;

    while (*link && (*link)->id != memory->id)
        link = &(*link)->next;
    shared = *link;
    if (!shared)
        return;
    *link = shared->next;
    close(shared->word.file);
    free(shared);
}

/* ---- files that stand for something ---------------------------------------
 */

int vgpu_ipc_file(void)
{
    return memfd_create("vgpu-pool", MFD_CLOEXEC);
}

int vgpu_ipc_file_again(int file)
{
    return dup(file);
}

bool vgpu_ipc_is_file(int file)
{
    struct stat status;

    return !fstat(file, &status);
}

bool vgpu_ipc_same_file(int a, int b)
{
    struct stat one, other;

    return !fstat(a, &one) && !fstat(b, &other) && one.st_ino == other.st_ino &&
           one.st_dev == other.st_dev;
}

/* ---- may another process end a wait? ------------------------------------- */

/* Of a line of /proc/self/maps: memory that others see, and not the runtime's
 * own, whose files have no names. */
static bool is_shared(const char *line)
{
    char rights[8], path[256];

    return sscanf(line, "%*s %7s %*s %*s %*s %255[^\n]", rights, path) == 2 &&
           rights[3] == 's' && !strstr(path, "memfd:") &&
           !strstr(path, "/dev/zero") &&
           (rights[1] == 'w' || !strncmp(path, "/dev/shm/", 9));
}

static bool maps_shared(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    char line[512];

    while (maps && !found && fgets(line, sizeof line, maps))
        found = is_shared(line);
    if (maps)
        fclose(maps);
    return found;
}

/* What a shell or a Makefile leaves open are files and pipes. */
static bool has_sockets(void)
{
    struct stat status;

    for (int file = STDERR_FILENO + 1; file < 1024; file++)
        if (!fstat(file, &status) && S_ISSOCK(status.st_mode))
            return true;
    return false;
}

static bool has_children(void)
{
    siginfo_t info;

    return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

/* Whoever reads the reports looks after the processes, too. */
bool vgpu_ipc_others(void)
{
    return vgpu_rt.shares ||
           (!vgpu_rt.is_read && (vgpu_rt.forked || has_children() ||
                                 maps_shared() || has_sockets()));
}

/* ---- events -------------------------------------------------------------- */

static struct vgpu_ipc_event *map_event(int file)
{
    void *at = mmap(NULL, sizeof(struct vgpu_ipc_event), PROT_READ | PROT_WRITE,
                    MAP_SHARED, file, 0);

    return at == MAP_FAILED ? NULL : at;
}

void vgpu_ipc_recorded(struct vgpu_event *event)
{
    if (!event->shared || !event->op)
        return;
    if (!vgpu_op_run(event->op))
        vgpu_warn(record_unfinished, event->op->pc);
    atomic_store(&event->shared->recorder, getpid());
}

/* Recorded by another process since: that is done, and what this one recorded
 * is no longer what the event stands for. */
void vgpu_ipc_look(struct vgpu_event *event)
{
    if (event->op && atomic_load(&event->shared->recorder) != getpid()) {
        vgpu_op_unref(event->op);
        event->op = NULL;
    }
}

void vgpu_ipc_forget(struct vgpu_event *event)
{
    if (event->shared)
        munmap(event->shared, sizeof *event->shared);
    if (event->shared_file > 0)
        close(event->shared_file);
}

static cudaError_t export_event(struct vgpu_event *event, struct word *word)
{
    int file = event->shared_file;

    if (!event->shared) {
        file = memfd_create("vgpu-event", MFD_CLOEXEC);
        if (file >= 0 && !ftruncate(file, sizeof *event->shared))
            event->shared = map_event(file);
        if (!event->shared)
            return cudaErrorMemoryAllocation;
        event->shared_file = file;
        vgpu_ipc_recorded(event);
    }
    return word_make(word, "event", file, sizeof *event->shared)
               ? cudaSuccess
               : cudaErrorUnknown;
}

API(cudaIpcGetEventHandle, cudaIpcEventHandle_t *handle,
    cudaEvent_t event_handle)
{
    struct vgpu_event *event = vgpu_event_find(event_handle);

    if (!handle)
        return cudaErrorInvalidValue;
    if (!event || !(event->flags & cudaEventInterprocess))
        return event ? vgpu_because(cudaErrorInvalidResourceHandle,
                                    "the event was made without "
                                    "cudaEventInterprocess")
                     : cudaErrorInvalidResourceHandle;
    memset(handle, 0, sizeof *handle);
    return export_event(event, (struct word *)handle);
}

/* An event like any other, which knows of the other process's records. */
static cudaError_t open_event(struct vgpu_call *call, const struct word *word,
                              cudaEvent_t *out)
{
    struct vgpu_ipc_event *shared = NULL;
    int file = word_open(word);
    cudaError_t error;

    if (file >= 0)
        shared = map_event(file);
    if (!shared)
        return gone_handle();
    error = vgpu_event_make(call, out,
                            cudaEventInterprocess | cudaEventDisableTiming);
    if (error)
        return error;
    vgpu_event_find(*out)->shared_file = file;
    vgpu_event_find(*out)->shared = shared;
    return cudaSuccess;
}

API(cudaIpcOpenEventHandle, cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    struct word word;

    memcpy(&word, &handle, sizeof word);
    if (!event)
        return cudaErrorInvalidValue;
    if (memcmp(word.kind, "event", sizeof "event"))
        return vgpu_because(cudaErrorMapBufferObjectFailed,
                            "the handle is none of cudaIpcGetEventHandle");
    if (word.process == getpid())
        return own_handle();
    return open_event(call, &word, event);
}
