/*
 * driver_cases.cu: a case, in the child.
 *
 *   case who=WHO input=BYTES output=BYTES KEY=VALUE ...
 *
 * picture=1 is of a run that is only drawn, checked=1 of one under the virtual
 * GPU's checker, under=1 of one under a tool such as compute-sanitizer; the
 * other keys are the lab's.
 *
 * Input and output are memory files that the grader made, both of one size: the
 * descriptors 5 and 6.
 *
 * The answer holds what the lab's part reported, and what was left behind:
 *
 *   ok KEY=VALUE ... pending=CODE/NAME late=CODE/NAME
 *
 * Before that, there may be lines for the case that the program dies:
 *
 *   so-far KEY=VALUE ...
 *
 * In all values space, "%" and control characters are written %XX.
 */
#include "driver_core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { INPUT_FD = 5, OUTPUT_FD = 6 };

struct driver_facts {
    char text[CORE_LINE - 256];
    size_t length;
};

/* ---- parameters ---------------------------------------------------------- */

/* Where the value of a key begins, or NULL. */
static const char *find_value(const char *line, const char *key)
{
    const size_t length = strlen(key);

    for (const char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return at + length + 2;
    return NULL;
}

bool case_has(const struct driver_case *c, const char *key)
{
    return find_value(c->line, key) != NULL;
}

uint64_t case_number(const struct driver_case *c, const char *key)
{
    const char *const at = find_value(c->line, key);

    return at ? strtoull(at, NULL, 10) : 0;
}

bool case_is(const struct driver_case *c, const char *key, const char *word)
{
    const char *const at = find_value(c->line, key);

    return at && strncmp(at, word, strlen(word)) == 0 &&
           (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* ---- facts --------------------------------------------------------------- */

static void add_format(struct driver_facts *facts, const char *format, ...)
{
    const size_t room = sizeof facts->text - facts->length;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(facts->text + facts->length, room, format, args);
    va_end(args);
    if (length > 0 && (size_t)length < room)
        facts->length += (size_t)length;
    facts->text[facts->length] = '\0'; /* what does not fit is left out */
}

void fact_number(struct driver_facts *facts, const char *key, int64_t value)
{
    add_format(facts, " %s=%lld", key, (long long)value);
}

void fact_indexed(struct driver_facts *facts, const char *key, uint64_t index,
                  int64_t value)
{
    add_format(facts, " %s%llu=%lld", key, (unsigned long long)index,
               (long long)value);
}

void fact_text(struct driver_facts *facts, const char *key, const char *value)
{
    add_format(facts, " %s=", key);
    for (const unsigned char *at = (const unsigned char *)value; *at; at++)
        add_format(facts,
                   *at <= ' ' || *at == '%' || *at == 0x7f ? "%%%02X" : "%c",
                   *at);
}

void fact_ms(struct driver_facts *facts, const char *key, double ms)
{
    fact_number(facts, key, fact_rounded(ms * 1e6));
}

int64_t fact_rounded(double value)
{
    return fabs(value) < 9e18 ? (int64_t)floor(value + 0.5) : INT64_MIN;
}

double driver_median(double *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            const double swap = values[k];

            values[k] = values[k - 1];
            values[k - 1] = swap;
        }
    return values[count / 2];
}

void fact_send(const struct driver_facts *facts)
{
    char line[CORE_LINE];

    /* Without the "ok" of the answer. */
    snprintf(line, sizeof line, "so-far%s", facts->text + 2);
    core_reply(line);
}

/* ---- errors -------------------------------------------------------------- */

static cudaError_t pending, late;

void driver_take_pending(void)
{
    if (pending == cudaSuccess)
        pending = cudaGetLastError();
}

bool driver_take_late(void)
{
    late = cudaDeviceSynchronize();
    return late == cudaSuccess;
}

/* ---- memory of the GPUs -------------------------------------------------- */

/* That there is room, only a write can tell, or a pool of which it is. */
static char home_of(void *memory, size_t bytes)
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

void driver_report_homes(uint64_t *const *memory,
                         const struct driver_part *parts, uint64_t num_gpus,
                         struct driver_facts *facts)
{
    char homes[DRIVER_MAX_GPUS + 1] = "";

    for (uint64_t g = 0; g < num_gpus; g++)
        homes[g] = home_of(memory[g], parts[g].width * sizeof(uint64_t));
    fact_text(facts, "memory_on", homes);
    driver_sync_all();
}

/* Memory of a pool is there for its own GPU only, so that one is the current
 * one meanwhile. */
static bool copy_device(void *to, const void *from, size_t bytes)
{
    cudaError_t error = cudaErrorInvalidValue;
    int home, current;

    driver_take_pending();
    home = max(driver_memory_device(to), driver_memory_device(from));
    current = driver_current_gpu();
    driver_use_gpu((uint64_t)max(home, 0));
    if (home >= 0)
        error = cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
    cudaGetLastError();
    driver_use_gpu((uint64_t)current);
    return error == cudaSuccess;
}

bool driver_copy_parts(const struct driver_work *work,
                       const struct driver_part *parts, const uint64_t *from,
                       uint64_t *to)
{
    bool good = true;

    for (uint64_t g = 0; g < work->num_gpus; g++) {
        uint64_t *const own = work->memory[g];
        const uint64_t lower = parts[g].lower, width = parts[g].width;

        if (width > 0 &&
            !copy_device(from ? own : to + lower, from ? from + lower : own,
                         width * sizeof *to))
            good = false;
    }
    return good;
}

/* ---- the student's work -------------------------------------------------- */

void driver_call(const struct driver_case *c, const struct driver_work *work)
{
    driver_use_gpu(min(case_number(c, "current"), driver_num_gpus() - 1));
    driver_region_start();
    work->call(work->of);
    driver_copy_entries(c->output, work->host, work->count);
    driver_sync_all();
    driver_region_stop();
}

void driver_run(const struct driver_case *c, const struct driver_work *work,
                const struct driver_part *parts, uint64_t other)
{
    driver_sync_all();
    driver_fill(work, other);
    if (parts)
        driver_copy_parts(work, parts, c->input + work->count, NULL);
    driver_sync_all();
    driver_call(c, work);
    if (parts)
        driver_copy_parts(work, parts, NULL, c->output + work->count);
}

/* ---- under the clock ----------------------------------------------------- */

static uint64_t stale, places, untouched;

enum { LOOKS = 64, WATCHED = 64 };
static struct {
    uint64_t *memory, step, rows;
} watched[WATCHED];
static unsigned num_watched;
/* Work is done in memory of the student's own: so the first case says, which
 * runs under the checker too. Who changes later has another reason. */
static bool noted, elsewhere;

void driver_note_use(const uint64_t *before, const uint64_t *after,
                     uint64_t count)
{
    uint64_t same = 0;

    for (uint64_t i = 0; i < count; i++)
        same += before[i] == after[i];
    elsewhere = noted ? elsewhere : 2 * same > count;
    noted = true;
}

void driver_watch(uint64_t *memory, uint64_t count)
{
    const uint64_t step = max(count / LOOKS, (uint64_t)1);
    const uint64_t rows = min(count / step, (uint64_t)LOOKS);
    int home;

    driver_take_pending();
    home = driver_memory_device(memory);
    if (home < 0 || rows < 2 || elsewhere || num_watched == WATCHED)
        return;
    driver_use_gpu((uint64_t)home);
    /* Done before the clock runs: it would be in the student's way. */
    if (cudaMemset2D(memory, step * sizeof *memory, 0x5a, sizeof *memory,
                     rows) == cudaSuccess &&
        cudaDeviceSynchronize() == cudaSuccess)
        watched[num_watched++] = {memory, step, rows};
    cudaGetLastError();
}

/* Neighbours tell: whoever fills the memory with one value did not use it. */
void driver_watch_end(void)
{
    driver_take_pending();
    while (num_watched > 0) {
        const auto *const w = &watched[--num_watched];
        uint64_t now[LOOKS];

        driver_use_gpu((uint64_t)max(driver_memory_device(w->memory), 0));
        if (cudaMemcpy2D(now, sizeof *now, w->memory, w->step * sizeof *now,
                         sizeof *now, w->rows,
                         cudaMemcpyDeviceToHost) == cudaSuccess) {
            places += w->rows;
            for (uint64_t i = 0; i < w->rows; i++)
                untouched += now[i] == now[(i + 1) % w->rows];
        }
        cudaGetLastError();
    }
}

void driver_fill(const struct driver_work *work, uint64_t other)
{
    for (uint64_t i = 0; i < work->count; i++)
        work->host[i] = work->input[i] ^ other;
}

/* While the clock runs: quick, and free on the virtual GPU. */
static void look(const struct driver_work *t, uint64_t other)
{
    const uint64_t step = t->count / LOOKS + 1;

    for (uint64_t i = t->count; i > 0; i -= min(i, step))
        stale += t->host[i - 1] == (t->input[i - 1] ^ other);
}

double driver_time_ms(const struct driver_work *t, uint64_t other, bool drawn)
{
    const int current = driver_current_gpu();
    int64_t ns;

    driver_fill(t, other);
    /* What all parts have, however they are cut. */
    for (uint64_t g = 0; g < t->num_gpus; g++)
        driver_watch(t->memory[g], t->count / t->num_gpus);
    driver_use_gpu((uint64_t)current);
    if (drawn)
        driver_draw_timed();
    ns = DRIVER_TIME_NS((t->call(t->of), look(t, other)));
    driver_watch_end();
    driver_use_gpu((uint64_t)current);
    return (double)ns / 1e6;
}

/* ---- the command --------------------------------------------------------- */

void driver_run_job(const struct driver_case *c, struct driver_facts *facts,
                    const char *key, const struct driver_job *jobs)
{
    while (jobs->name && !case_is(c, key, jobs->name))
        jobs++;
    if (jobs->name)
        jobs->run(c, facts);
}

/* One of the two memory files. */
static uint64_t *map_file(int fd, size_t bytes, int protection)
{
    void *const at = mmap(NULL, bytes, protection, MAP_SHARED, fd, 0);

    if (at == MAP_FAILED)
        core_failed(cudaErrorMemoryAllocation, "mmap", cudaSuccess);
    return (uint64_t *)at;
}

/* What the student's work leaves behind is told in the order in which it came
 * up: an error that no call waited for shows only when all GPUs are idle, and
 * after one nothing can be given back. */
static void report_left(struct driver_facts *facts)
{
    cudaError_t lent;

    driver_take_pending();
    if (late == cudaSuccess) {
        driver_sync_all();
        late = cudaGetLastError();
    }
    if (late == cudaSuccess && (lent = core_give_back()) != cudaSuccess)
        core_failed(lent, "core_give_back()", lent);
    fact_number(facts, "stale", (int64_t)stale);
    fact_number(facts, "places", (int64_t)places);
    fact_number(facts, "untouched", (int64_t)untouched);
    add_format(facts, " pending=%d/%s late=%d/%s", (int)pending,
               cudaGetErrorName(pending), (int)late, cudaGetErrorName(late));
}

bool cases_do(const char *line)
{
    static struct driver_facts facts;
    struct driver_case c = {NULL, NULL, 0, 0, line};
    struct stat st;
    size_t bytes;

    if (strncmp(line, "case ", 5) != 0)
        return false;
    if (fstat(INPUT_FD, &st) != 0)
        st.st_size = 1;
    bytes = (size_t)st.st_size;
    c.input_bytes = case_number(&c, "input");
    c.output_bytes = case_number(&c, "output");
    c.input = map_file(INPUT_FD, bytes, PROT_READ);
    c.output = map_file(OUTPUT_FD, bytes, PROT_READ | PROT_WRITE);
    facts.length = 0;
    add_format(&facts, "ok");
    /* What an earlier case left is not this one's. */
    cudaGetLastError();
    pending = late = cudaSuccess;
    stale = places = untouched = 0;
    driver_use_gpu(0);
    lab_run_case(&c, &facts);
    fflush(stdout);
    report_left(&facts);
    munmap((void *)c.input, bytes);
    munmap(c.output, bytes);
    core_reply(facts.text);
    return true;
}
