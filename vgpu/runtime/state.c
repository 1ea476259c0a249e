/*
 * state.c: the process-wide state, made at the first call from the environment,
 * and each host thread's own.
 *
 * Made before main, by a constructor, although CUDA makes its context at the
 * first call that needs one: settings that are wrong must end the program
 * before it has printed half of its output. What a context's making costs is
 * charged where CUDA would.
 */
#include "rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watcher.h"

struct vgpu_runtime vgpu_rt;

static VGPU_OWN struct vgpu_thread *self;

static void give_up(const char *message)
{
    fprintf(stderr, "vgpu: %s\n", message);
    _exit(2);
}

/* A number from the environment, within bounds, or a clear end. */
static long env_number(const char *name, long fallback, long low, long high)
{
    const char *text = getenv(name);
    char message[160];
    char *end;
    long value;

    if (!text || !*text)
        return fallback;
    value = strtol(text, &end, 10);
    if (*end || value < low || value > high) {
        snprintf(message, sizeof message,
                 "%s=%.40s: give a number from %ld to %ld", name, text, low,
                 high);
        give_up(message);
    }
    return value;
}

/* VGPU_CHECK: 1, or "races" for those between a kernel's threads, too. */
static bool want_checks(void)
{
    const char *const text = getenv("VGPU_CHECK");
    char message[160];

    if (!text || !*text || !strcmp(text, "0"))
        return false;
    vgpu_rt.races = !strcmp(text, "races");
    if (!vgpu_rt.races && strcmp(text, "1")) {
        snprintf(message, sizeof message,
                 "VGPU_CHECK=%.40s: give 1 for hazards and misuse, races for "
                 "those between a kernel's threads, too, or 0",
                 text);
        give_up(message);
    }
    if (vgpu_rt.races)
        vgpu_check_races();
    return true;
}

static void make_device(int index)
{
    struct vgpu_device *device = &vgpu_rt.devices[index];

    device->index = index;
    device->profile = &vgpu_rt.profiles[index];
    vgpu_device_settings_begin(device);
    device->legacy = vgpu_stream_make(device, 0, 0, 0);
    if (!device->legacy)
        give_up("out of memory");
}

/* Device code touched what it may not: the kernel ends, and its context. A
 * copy is looked at before it is done, so only kernels get here. */
static void fault(const void *address, size_t bytes, int kind, uint64_t pc,
                  const char *message)
{
    bool odd = bytes <= 16 && (bytes & (bytes - 1)) == 0 &&
               ((uintptr_t)address & (bytes - 1)) != 0;

    (void)kind;
    (void)pc;
    if (vgpu_exec_active())
        vgpu_exec_abort(odd ? VGPU_EXEC_MISALIGNED : VGPU_EXEC_ILLEGAL_ADDRESS,
                        message);
    fprintf(stderr, "vgpu: %s\n", message);
    abort();
}

/* Which device may reach which, "0-1,2>3": both ways, or the first the second
 * only. NULL: all that are of a kind. A machine's links need not all be there,
 * and a program that asks about one pair learns nothing of the others. */
static void load_links(const char *links)
{
    for (int d = 0; d < VGPU_MAX_DEVICES; d++)
        vgpu_rt.links[d] = links ? 0 : ~0u;
    while (links && *links) {
        char *end;
        const long from = strtol(links, &end, 10);
        const char way = *end;
        const long to = way ? strtol(end + 1, &end, 10) : -1;

        if ((way != '-' && way != '>') || from < 0 || to < 0 ||
            from >= VGPU_MAX_DEVICES || to >= VGPU_MAX_DEVICES ||
            (*end && *end != ','))
            give_up("VGPU_DEVICE: links are given as 0-1,2>3");
        vgpu_rt.links[from] |= 1u << to;
        if (way == '-')
            vgpu_rt.links[to] |= 1u << from;
        links = *end ? end + 1 : end;
    }
}

/* One profile for all devices, or one each: "k20,h200". With more devices than
 * names these begin again. Behind a semicolon, who may reach whom. */
static void load_profiles(const char *setting)
{
    const char *const names = setting ? setting : "";
    const char *const links = strchr(names, ';');
    char message[256], name[256];
    const char *at = names;
    int count = 1;

    load_links(links ? links + 1 : NULL);
    for (const char *c = names; *c && c != links; c++)
        count += *c == ',';
    vgpu_rt.device_count =
        (int)env_number("VGPU_COUNT", count, 1, VGPU_MAX_DEVICES);
    for (int i = 0; i < vgpu_rt.device_count; i++) {
        const int length = (int)strcspn(at, ",;");

        snprintf(name, sizeof name, "%.*s", length, at);
        if (vgpu_profile_load(name, &vgpu_rt.profiles[i], message,
                              sizeof message) != VGPU_PROFILE_OK)
            give_up(message);
        at = at[length] == ',' ? at + length + 1 : names;
    }
}

/*
 * Where somebody reads the reports on a descriptor, what he wants to know is
 * not for the program to see: it could work otherwise when it is looked at. The
 * words themselves go, since /proc/self/environ shows them, too. And the thread
 * for host functions is there from the beginning: any other is the program's.
 */
static void hide_settings(void)
{
    static const char *const names[] = {
        "VGPU_DEVICE", "VGPU_COUNT",  "VGPU_CHECK",   "VGPU_TRACE",
        "VGPU_SEED",   "VGPU_SAMPLE", "VGPU_REPEATS", "VGPU_REPORT_FD"};
    const bool is_read = getenv("VGPU_REPORT_FD") != NULL;

    vgpu_rt.is_read = is_read;
    vgpu_rt.explains |= is_read;
    for (size_t i = 0; is_read && i < sizeof names / sizeof *names; i++) {
        char *const value = getenv(names[i]);

        if (value) {
            const size_t name = strlen(names[i]) + 1;

            unsetenv(names[i]);
            memset(value - name, 0, name + strlen(value));
        }
    }
    if (is_read) {
        vgpu_host_function_start();
        vgpu_go_on_watch();
        vgpu_seal_program();
    }
}

/* CUDA_DEVICE_MAX_COPY_CONNECTIONS: what is no number of 1 to 32 is as if it
 * were not set (observed). Return: 0 then. */
static int copy_connections(void)
{
    const char *const text = getenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS");
    const int count = text ? atoi(text) : 0;

    return count >= 1 && count <= 32 ? count : 0;
}

/* CUDA_SCALE_LAUNCH_QUEUES, in thousandths: what else it may say is none of
 * these and changes nothing (manual, "CUDA Environment Variables"). */
static int queue_permille(void)
{
    static const struct {
        const char *text;
        int permille;
    } scales[] = {{"0.25x", 250}, {"0.5x", 500}, {"2x", 2000}, {"4x", 4000}};
    const char *const text = getenv("CUDA_SCALE_LAUNCH_QUEUES");

    for (size_t i = 0; text && i < sizeof scales / sizeof *scales; i++)
        if (!strcmp(text, scales[i].text))
            return scales[i].permille;
    return 1000;
}

/* Read when the program uses a device for the first time, as by the driver: it
 * may have set it itself before. */
void vgpu_connect(void)
{
    static bool done;

    if (!done) {
        vgpu_time_connect(
            vgpu_rt.time,
            (int)env_number("CUDA_DEVICE_MAX_CONNECTIONS", 0, 1, 32),
            copy_connections());
        vgpu_time_scale_queues(vgpu_rt.time, queue_permille());
    }
    done = true;
}

void vgpu_state_time(void)
{
    vgpu_rt.time = vgpu_time_new(vgpu_rt.profiles, vgpu_rt.device_count, 0,
                                 vgpu_op_work, NULL);
    if (!vgpu_rt.time)
        give_up("out of memory");
}

/* The checker comes before the streams, which are agents in it, and the time
 * model before the devices, whose legacy streams it knows. */
static void runtime_make(void)
{
    int machine;

    load_profiles(getenv("VGPU_DEVICE"));
    machine = vgpu_environment_start();
    vgpu_rt.seed = (uint64_t)env_number("VGPU_SEED", 0, 0, 0x7fffffff);
    vgpu_rt.sample = (uint64_t)env_number("VGPU_SAMPLE", 0, 0, 0x7fffffff);
    if (getenv("VGPU_REPORT_FD")) /* what a program does is in all blocks */
        vgpu_rt.sample = 0;
    vgpu_rt.repeats = env_number("VGPU_REPEATS", 1, 0, 1);
    env_number("VGPU_CORES", 1, 1, 4096); /* device/team.c reads it */
    vgpu_rt.checking = want_checks();
    vgpu_rt.explains |= vgpu_rt.checking;
    if (vgpu_check_init(vgpu_rt.checking))
        give_up("no room to reserve device memory: raise the limit on "
                "address space (ulimit -v unlimited)");
    vgpu_state_time();
    for (int i = 0; i < machine; i++) {
        make_device(i);
        if (!vgpu_moves_pages(vgpu_rt.devices[i].profile))
            vgpu_check_apart(i);
    }
    vgpu_rt.next_stream = 1;
    vgpu_check_set_device(
        &(struct vgpu_check_device){vgpu_exec_owns, vgpu_exec_shared, fault});
    vgpu_exec_host.create = vgpu_thread_create_real;
    vgpu_symbols_watch();
    vgpu_go_on_start();
    vgpu_trace_open();
    vgpu_order.is_kept = vgpu_rt.checking || vgpu_rt.tracing;
    vgpu_order_begin();
    vgpu_progress_begin();
    vgpu_rt.ready = true;
}

/* Of the list of threads. Not the runtime's: that one is held by who waits for
 * a host function, which may make threads. */
static pthread_mutex_t births = PTHREAD_MUTEX_INITIALIZER;

static void lock_make(void)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&vgpu_rt.lock, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* A child may use CUDA where its parent has not. */
static void forked(void)
{
    lock_make();
    pthread_mutex_init(&births, NULL);
    vgpu_threads_forked();
    vgpu_handover_forked();
    vgpu_host_function_forked();
    vgpu_go_on_forked();
}

/* Before main, or sooner: a static object of the program, or of a library that
 * it is linked with, may ask for the time or call CUDA when it is made. */
__attribute__((constructor)) static void runtime_start(void)
{
    static bool started;

    if (started)
        return;
    started = true;
    lock_make();
    vgpu_threads_at_fork(forked);
    runtime_make();
    vgpu_crash_watch();
    vgpu_thread_self();
    hide_settings();
}

/* Behind all that static objects' destructors free. */
__attribute__((destructor)) static void runtime_end(void)
{
    vgpu_finish();
}

/* Threads are numbered in the order of their making, which the gate in
 * threads.c keeps the same in every run. */
struct vgpu_thread *vgpu_thread_make(int64_t now_ns, struct vgpu_agent *as)
{
    struct vgpu_thread *thread = calloc(1, sizeof *thread);
    char label[48];

    if (!thread)
        give_up("out of memory");
    vgpu_real_cond_init(&thread->moved);
    vgpu_lock(&births);
    thread->number = vgpu_rt.thread_count++;
    thread->now_ns = now_ns;
    snprintf(label, sizeof label,
             thread->number ? "host thread %d" : "the host thread",
             thread->number);
    thread->agent = as ? as : vgpu_agent_new(VGPU_AGENT_HOST, -1, label);
    thread->next = vgpu_rt.threads;
    __atomic_store_n(&vgpu_rt.threads, thread, __ATOMIC_RELEASE);
    vgpu_unlock(&births);
    return thread;
}

void vgpu_thread_adopt(struct vgpu_thread *thread)
{
    self = thread;
    vgpu_host_ops = &thread->ops;
    vgpu_check_set_host(thread->agent);
}

/* A thread that was not made through pthread_create starts now. */
struct vgpu_thread *vgpu_thread_self(void)
{
    if (!self)
        runtime_start();
    if (!self) {
        struct vgpu_thread *const some = vgpu_rt.threads;

        vgpu_thread_adopt(vgpu_thread_make(some ? some->now_ns : 0,
                                           some ? some->agent : NULL));
        self->tid = vgpu_thread_tid();
    }
    return self;
}

/* Host code's operations become time when the clock is next looked at. The
 * remainder is kept: a million short stretches take as long as one long one. */
void vgpu_thread_spend_ops(struct vgpu_thread *thread)
{
    uint64_t rate = (uint64_t)vgpu_rt.host->host_ops_per_us;
    uint64_t scaled;

    if (!rate || !thread->ops)
        return;
    scaled = thread->ops * 1000 + thread->ops_rest;
    thread->now_ns += (int64_t)(scaled / rate);
    thread->ops_rest = scaled % rate;
    thread->ops = 0;
}

void vgpu_thread_settle(struct vgpu_thread *thread)
{
    vgpu_thread_spend_ops(thread);
    if (thread->in_host_function) /* which has no time of its own */
        return;
    vgpu_go_on_wake(thread);
    vgpu_handover_settle(thread);
}

void vgpu_thread_pass(struct vgpu_thread *thread, int64_t until_ns)
{
    if (until_ns <= thread->now_ns)
        return;
    thread->asleep_ns += until_ns - thread->now_ns;
    thread->now_ns = until_ns;
}

void vgpu_thread_spend(struct vgpu_thread *thread, int64_t ns)
{
    thread->now_ns += ns;
}

bool vgpu_device_exists(int device)
{
    return device >= 0 && device < vgpu_rt.device_count;
}

struct vgpu_device *vgpu_device_current(void)
{
    return &vgpu_rt.devices[vgpu_thread_self()->device];
}
