/*
 * trace_add.c: a trace with what others know of its run: the hazards that
 * another trace has, and what a grader says of it. Under a checker more may
 * follow in the same region than what is to be drawn, so a program is traced
 * without it, and once more with it; only the hazards are taken from there.
 * Both runs have the same operations with the same numbers.
 */
#include "trace_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/input_file.h"

static unsigned long copy_hazards(FILE *from, FILE *to)
{
    unsigned long count = 0;
    char line[TRACE_MAX_LINE + 2];

    while (from && fgets(line, sizeof line, from))
        if (strncmp(line, "hazard ", 7) == 0 && strchr(line, '\n')) {
            fputs(line, to);
            count++;
        }
    return count;
}

static void put_result(const char *failed, FILE *to)
{
    trace_begin(to, TRACE_RECORD_result);
    trace_text(to, TRACE_result_failed, failed);
    trace_end(to);
}

/* They go before the last line, which says how many records there are. */
static bool copy(FILE *trace, FILE *checked, const char *failed, FILE *to)
{
    static const char end[] = "end records=";
    char line[TRACE_MAX_LINE + 2], *rest;
    unsigned long records;

    while (fgets(line, sizeof line, trace)) {
        if (strncmp(line, end, sizeof end - 1) != 0) {
            fputs(line, to);
            continue;
        }
        records = strtoul(line + sizeof end - 1, &rest, 10) + 1;
        records += copy_hazards(checked, to);
        put_result(failed, to);
        return fprintf(to, "%s%lu%s", end, records, rest) > 0;
    }
    return false;
}

bool trace_add(const char *path, const char *checked, const char *failed)
{
    char whole[4096];
    FILE *trace = input_file_read(path, TRACE_MAX_BYTES), *to = NULL;
    FILE *from = checked ? input_file_read(checked, TRACE_MAX_BYTES) : NULL;
    bool done = false;

    if (snprintf(whole, sizeof whole, "%s.tmp", path) < (int)sizeof whole)
        to = fopen(whole, "w");
    if (trace && to && (from || !checked))
        done = copy(trace, from, failed, to);
    if (trace)
        fclose(trace);
    if (from)
        fclose(from);
    if (to)
        done = fclose(to) == 0 && done && rename(whole, path) == 0;
    return done;
}
