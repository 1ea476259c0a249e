/*
 * programs.c: fuzzes the virtual GPU with random legal CUDA programs, and with
 * the same programs less one ordering call.
 *
 *   fuzz_programs [--seconds S | --programs N] [--jobs J] [--first SEED]
 *   fuzz_programs --seed SEED [--verbose]
 *
 * A legal program must give the bytes of a sequential run, no error, no
 * hazard, and the same virtual times twice. One that lacks order must be
 * reported, where it lacks any by the model in plan_order.c, and must not
 * where it does not; in every second program this is compared byte by byte.
 * A seed stands for a program, a device profile and a number of devices; each
 * run is a process of its own.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLICE    100 /* programs of one process */
#define WEAKENED 3   /* programs made of each by leaving out a call */
#define LIMIT_S  20  /* for one run */

static const struct class
{
    const char *profile;
    int devices;
    bool peers;
    const char *seed; /* VGPU_SEED: order of blocks and threads */
    bool trace;       /* VGPU_TRACE, too */
} classes[] = {
    {"unit", 1, true, "0", false},
    {"unit", 2, true, "5", false},
    {"unit", 3, true, "0", true},
    {"h200", 1, true, "9", true},
    {"h200", 2, true, "0", false},
    {"h200", 3, true, "2", false},
    {"c2050:pool_piece_bytes=4096", 2, true, "0", false},
    {"rtx2070mq-wddm", 2, false, "0", false},
};
#define CLASSES (sizeof classes / sizeof classes[0])

static struct tally {
    long programs, weakened, unordered, caught, still_ordered, unclear;
    long missed, false_alarms, wrong, errors, other;
} tally;

static struct outcome *outcome; /* shared with the process that runs */
static struct plan plan, weak;
static struct order order;
static int status;
static bool verbose, loud;

static const struct class *class_of(uint64_t seed)
{
    return &classes[seed % CLASSES];
}

/* The real clock: clock_gettime is the virtual GPU's here. */
static double now_s(void)
{
    struct timespec ts;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Every second program of a class. */
static bool is_bytewise(const struct plan *p)
{
    return p->seed / CLASSES % 2;
}

/* ---- one program --------------------------------------------------------- */

static void run(const struct plan *p)
{
    pid_t child;

    memset(outcome, 0, sizeof *outcome);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(LIMIT_S);
        if (!loud && !freopen("/dev/null", "w", stderr))
            _exit(3);
        plan_run(p, &order, is_bytewise(p), outcome);
        exit(0); /* the runtime's own end is part of it */
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("fuzz_programs: fork");
        exit(2);
    }
}

static bool ended_well(void)
{
    int expected = outcome->hazards && !is_bytewise(&plan) ? 86 : 0;

    return outcome->finished && WIFEXITED(status) &&
           WEXITSTATUS(status) == expected;
}

enum verdict { FINE, MISSED, FALSE_ALARM, WRONG, ERROR, OTHER };

static const char *const verdict_names[] = {
    "fine",         "hazard missed",        "false alarm",
    "wrong result", "a call returns error", "ends badly",
};

enum expect { ORDERED, UNORDERED, UNCLEAR };

static enum expect expect(const struct plan *p)
{
    int with;

    order_build(&order, p);
    if (order_conflict(&order, 0, order.now.count, false, &with) < 0)
        return ORDERED;
    if (order_conflict(&order, 0, order.now.count, true, &with) >= 0)
        return UNORDERED;
    return UNCLEAR;
}

/* On the unit profile a copy and a kernel take 1 us each. */
static bool too_fast(uint64_t seed)
{
    return !strcmp(class_of(seed)->profile, "unit") &&
           outcome->end_ns - outcome->start_ns < 1000ll * order_steps(&order);
}

static enum verdict judge(const struct plan *p, enum expect expected)
{
    run(p);
    if (!outcome->finished)
        return OTHER;
    if (!outcome->error && outcome->lost_byte >= 0)
        return MISSED;
    if (!outcome->error && outcome->extra_byte >= 0)
        return FALSE_ALARM;
    if (expected == UNORDERED)
        return outcome->hazards || outcome->error == 700 ? FINE : MISSED;
    if (expected == UNCLEAR)
        return FINE;
    if (outcome->hazards)
        return FALSE_ALARM;
    if (outcome->error)
        return ERROR;
    if (outcome->wrong_op != -2)
        return WRONG;
    if (outcome->backwards || too_fast(p->seed) || !ended_well())
        return OTHER;
    return FINE;
}

static enum verdict judge_again(const struct plan *p)
{
    return judge(p, expect(p));
}

/* Leave out what the failure does not need. */
static void minimise(struct plan *p, enum verdict verdict)
{
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = p->op_count - 1; i >= 0; i--) {
            if (p->ops[i].skip || p->ops[i].keep)
                continue;
            p->ops[i].skip = true;
            if (judge_again(p) == verdict)
                progress = true;
            else
                p->ops[i].skip = false;
        }
    }
}

static void describe(const struct plan *p, enum verdict verdict)
{
    int with, node;

    minimise(p == &plan ? &plan : &weak, verdict);
    loud = true;
    judge_again(p);
    loud = false;
    plan_print(p);
    printf("  error %d at %d, wrong bytes at %d (byte %d), hazards %u, "
           "status %x, event %d, %" PRId64 " ns, byte lost %x, extra %x\n",
           outcome->error, outcome->error_op, outcome->wrong_op,
           outcome->wrong_at, outcome->hazards, (unsigned)status,
           outcome->backwards - 1,
           (int64_t)(outcome->end_ns - outcome->start_ns),
           (unsigned)outcome->lost_byte, (unsigned)outcome->extra_byte);
    node = order_conflict(&order, 0, order.now.count, true, &with);
    if (node >= 0)
        printf("  not ordered: calls %d and %d\n", order.nodes[node].op,
               order.nodes[with].op);
}

static void count(const struct plan *p, enum verdict verdict, const char *what)
{
    switch (verdict) {
    case FINE:
        return;
    case MISSED:
        tally.missed++;
        break;
    case FALSE_ALARM:
        tally.false_alarms++;
        break;
    case WRONG:
        tally.wrong++;
        break;
    case ERROR:
        tally.errors++;
        break;
    default:
        tally.other++;
        break;
    }
    printf("not ok: seed %" PRIu64 ", %s: %s\n", p->seed, what,
           verdict_names[verdict]);
    if (verbose)
        describe(p, verdict);
}

/* Twice the same, to the nanosecond. */
static enum verdict judge_twice(void)
{
    enum verdict verdict = judge(&plan, ORDERED);
    struct outcome first = *outcome;

    if (verdict)
        return verdict;
    verdict = judge(&plan, ORDERED);
    if (verdict)
        return verdict;
    return first.end_ns == outcome->end_ns && first.digest == outcome->digest
               ? FINE
               : OTHER;
}

static void fuzz_weakened(uint64_t *random, int number)
{
    enum expect expected;
    enum verdict verdict;
    char what[32];

    weak = plan;
    if (!plan_weaken(&weak, random))
        return;
    expected = expect(&weak);
    verdict = judge(&weak, expected);
    tally.weakened++;
    tally.unordered += expected == UNORDERED;
    tally.caught += expected == UNORDERED && verdict == FINE;
    tally.still_ordered += expected == ORDERED;
    tally.unclear += expected == UNCLEAR;
    snprintf(what, sizeof what, "weakened %d", number);
    count(&weak, verdict, what);
}

static void fuzz(uint64_t seed)
{
    const struct class *class = class_of(seed);
    uint64_t random = seed * 3 + 1;

    plan_make(&plan, &order, seed, class->devices, class->peers);
    if (verbose)
        plan_print(&plan);
    tally.programs++;
    if (expect(&plan) != ORDERED) {
        count(&plan, OTHER, "the generator's");
        return;
    }
    count(&plan, judge_twice(), "legal");
    for (int i = 0; i < WEAKENED; i++)
        fuzz_weakened(&random, i);
}

/* ---- many ---------------------------------------------------------------- */

static void prepare_process(void)
{
    outcome = mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outcome == MAP_FAILED) {
        perror("fuzz_programs: mmap");
        exit(2);
    }
}

/* The runtime reads the environment before main: start over with a class's. */
static void enter_class(uint64_t seed, char **arguments)
{
    const struct class *class = class_of(seed);
    char devices[4], trace[64];

    snprintf(devices, sizeof devices, "%d", class->devices);
    setenv("VGPU_DEVICE", class->profile, 1);
    setenv("VGPU_COUNT", devices, 1);
    setenv("VGPU_CHECK", "1", 1);
    setenv("VGPU_SEED", class->seed, 1);
    snprintf(trace, sizeof trace, "/tmp/fuzz_programs.%d.trace", (int)getpid());
    if (class->trace)
        setenv("VGPU_TRACE", trace, 1);
    else
        unsetenv("VGPU_TRACE");
    setenv("FUZZ_CLASS", class->profile, 1);
    execv("/proc/self/exe", arguments);
    perror("fuzz_programs: exec");
    exit(2);
}

/* Seeds of one class; the tally goes to descriptor 3. */
static int run_slice(uint64_t first, double until)
{
    prepare_process();
    for (int i = 0; i < SLICE && now_s() < until; i++)
        fuzz(first + (uint64_t)i * CLASSES);
    if (getenv("VGPU_TRACE"))
        unlink(getenv("VGPU_TRACE"));
    fflush(stdout);
    return write(3, &tally, sizeof tally) != sizeof tally;
}

static int start_slice(uint64_t first, double until, pid_t *child)
{
    char text[32], end[32];
    char *arguments[] = {"fuzz_programs", "--slice", text,
                         "--until",       end,       NULL};
    int ends[2];

    snprintf(end, sizeof end, "%.3f", until);
    snprintf(text, sizeof text, "%" PRIu64, first);
    if (pipe(ends))
        return -1;
    *child = fork();
    if (*child == 0) {
        close(ends[0]);
        if (ends[1] != 3) {
            dup2(ends[1], 3);
            close(ends[1]);
        }
        enter_class(first, arguments);
    }
    close(ends[1]);
    return ends[0];
}

static void add_slice(int fd, pid_t child)
{
    struct tally part;
    long *to = (long *)&tally, *from = (long *)&part;

    if (read(fd, &part, sizeof part) == sizeof part) {
        for (size_t i = 0; i < sizeof part / sizeof(long); i++)
            to[i] += from[i];
    } else {
        tally.other++;
        printf("not ok: a process that runs programs died\n");
    }
    close(fd);
    waitpid(child, NULL, 0);
}

static long failures(void)
{
    return tally.missed + tally.false_alarms + tally.wrong + tally.errors +
           tally.other;
}

static void print_tally(double seconds)
{
    printf("programs %ld (%.0f a second), each run twice\n", tally.programs,
           (double)tally.programs / seconds);
    printf("weakened %ld: %ld lost an order, %ld of them caught; %ld did not; "
           "%ld unclear\n",
           tally.weakened, tally.unordered, tally.caught, tally.still_ordered,
           tally.unclear);
    printf("missed %ld, false alarms %ld, wrong results %ld, errors %ld, "
           "other %ld\n",
           tally.missed, tally.false_alarms, tally.wrong, tally.errors,
           tally.other);
    printf("%ld passed, %ld failed\n",
           2 * tally.programs + tally.weakened - failures(), failures());
}

#define MAX_JOBS 16

/* In processes of their own, because a class is set by the environment, and so
 * that a program that dies takes only its slice along. Return: the exit status.
 */
static int fuzz_many(uint64_t first, long programs, double seconds, int jobs)
{
    double start = now_s();
    int fds[MAX_JOBS];
    pid_t children[MAX_JOBS];
    long begun = 0;
    int running = 0, oldest = 0;

    while (begun < programs || running) {
        if (now_s() - start > seconds)
            programs = 0;
        if (begun < programs && running < jobs) {
            int slot = (oldest + running++) % MAX_JOBS;
            uint64_t slice = (uint64_t)(begun / SLICE);

            fds[slot] = start_slice(first + slice % CLASSES +
                                        slice / CLASSES * CLASSES * SLICE,
                                    start + seconds, &children[slot]);
            begun += SLICE;
            continue;
        }
        if (running) {
            add_slice(fds[oldest], children[oldest]);
            oldest = (oldest + 1) % MAX_JOBS;
            running--;
        }
    }
    print_tally(now_s() - start);
    return failures() != 0;
}

static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], name))
            return argv[i + 1];
    return NULL;
}

int main(int argc, char **argv)
{
    const char *slice = option(argc, argv, "--slice");
    const char *seed = option(argc, argv, "--seed");
    const char *seconds = option(argc, argv, "--seconds");
    const char *programs = option(argc, argv, "--programs");
    const char *jobs = option(argc, argv, "--jobs");
    const char *first = option(argc, argv, "--first");

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (slice)
        return run_slice(strtoull(slice, NULL, 10),
                         atof(option(argc, argv, "--until")));
    if (seed) {
        if (!getenv("FUZZ_CLASS"))
            enter_class(strtoull(seed, NULL, 10), argv);
        verbose = !strcmp(argv[argc - 1], "--verbose");
        prepare_process();
        fuzz(strtoull(seed, NULL, 10));
        if (getenv("VGPU_TRACE"))
            unlink(getenv("VGPU_TRACE"));
        return failures() != 0;
    }
    return fuzz_many(first ? strtoull(first, NULL, 10) : 0,
                     programs  ? atol(programs)
                     : seconds ? 100000000
                               : 4000,
                     seconds ? atof(seconds) : 1e9, jobs ? atoi(jobs) : 2);
}
