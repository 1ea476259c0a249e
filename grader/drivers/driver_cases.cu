/*
 * driver_cases.cu: a case, in the child.
 *
 *   case name=NAME input=BYTES output=BYTES KEY=VALUE ...
 *
 * picture=1 is of a run that is only drawn, checked=1 of one under the virtual
 * GPU's checker, under=1 of one under a tool such as compute-sanitizer; the
 * other keys are the lab's.
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

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fact_number(facts, key, (int64_t)(ms * 1e6 + 0.5));
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

/* ---- the command --------------------------------------------------------- */

static cudaError_t pending, late;
static uint64_t stale;

void driver_look(const uint64_t *now, const uint64_t *before, uint64_t count)
{
    const uint64_t step = count / 64 + 1;

    for (uint64_t i = count; i > 0; i -= min(i, step))
        stale += now[i - 1] == before[i - 1];
}

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

static void run_case(const char *line)
{
    static struct driver_facts facts;
    static struct core_files files;
    struct driver_case c;

    core_map(&files);
    c.line = line;
    c.input = (const uint64_t *)files.input;
    c.output = (uint64_t *)files.output;
    c.input_bytes = core_number(line, " input=");
    c.output_bytes = core_number(line, " output=");
    facts.length = 0;
    add_format(&facts, "ok");
    cudaGetLastError();
    pending = late = cudaSuccess;
    stale = 0;
    lab_run_case(&c, &facts);
    driver_take_pending();
    if (late == cudaSuccess) {
        driver_sync_all();
        late = cudaGetLastError();
    }
    fact_number(&facts, "stale", (int64_t)stale);
    add_format(&facts, " pending=%d/%s late=%d/%s", (int)pending,
               cudaGetErrorName(pending), (int)late, cudaGetErrorName(late));
    core_unmap(&files);
    core_reply(facts.text);
}

bool cases_do(const char *line)
{
    if (strncmp(line, "case ", 5) != 0)
        return false;
    run_case(line);
    return true;
}
