/*
 * trace_line.h: the lines of a trace, written
 *
 *     trace_begin(out, TRACE_RECORD_mark);
 *     trace_text(out, TRACE_mark_what, "stop");
 *     trace_number(out, TRACE_mark_t_ns, 60000);
 *     trace_end(out);
 *
 * makes "mark what=stop t_ns=60000". See trace.def and docs/trace-format.md.
 */
#ifndef VGPU_TRACE_LINE_H
#define VGPU_TRACE_LINE_H

#include <inttypes.h>
#include <stdio.h>

#define TRACE_FIRST_LINE "cuda-streams-lab trace 1"

enum trace_record_kind {
#define RECORD(NAME, WORD) TRACE_RECORD_##NAME,
#include "vgpu/trace.def"
    TRACE_NUM_RECORDS
};

/* By record: TRACE_op_id, TRACE_op_kind, ... */
enum trace_key {
#define KEY(RECORD, NAME, TYPE, NEED, MEANING) TRACE_##RECORD##_##NAME,
#define OTHER(RECORD, NAME, NEED, MEANING)     TRACE_##RECORD##_##NAME,
#include "vgpu/trace.def"
    TRACE_NUM_KEYS
};

static inline const char *trace_key_name(enum trace_key key)
{
    static const char *const names[] = {
#define KEY(RECORD, NAME, TYPE, NEED, MEANING) #NAME,
#define OTHER(RECORD, NAME, NEED, MEANING)     #NAME,
#include "vgpu/trace.def"
    };

    return names[key];
}

static inline const char *trace_record_word(enum trace_record_kind kind)
{
    static const char *const words[] = {
#define RECORD(NAME, WORD) WORD,
#include "vgpu/trace.def"
    };

    return words[kind];
}

static inline void trace_begin(FILE *out, enum trace_record_kind kind)
{
    fputs(trace_record_word(kind), out);
}

static inline void trace_number(FILE *out, enum trace_key key, int64_t value)
{
    fprintf(out, " %s=%" PRId64, trace_key_name(key), value);
}

/* Blanks separate fields, so they are escaped within one. At most 1,000 bytes:
 * a line has a limit, and C++ names have none. NULL is empty. */
static inline void trace_text(FILE *out, enum trace_key key, const char *value)
{
    fprintf(out, " %s=", trace_key_name(key));
    for (int i = 0; value && value[i] && i < 1000; i++) {
        const unsigned char c = (unsigned char)value[i];

        if (c <= ' ' || c == '%' || c == 0x7f)
            fprintf(out, "%%%02X", c);
        else
            fputc(c, out);
    }
}

static inline void trace_shape(FILE *out, enum trace_key key,
                               const uint32_t shape[3])
{
    fprintf(out, " %s=%" PRIu32 "x%" PRIu32 "x%" PRIu32, trace_key_name(key),
            shape[0], shape[1], shape[2]);
}

/* One more of a list of ids. */
static inline void trace_id(FILE *out, enum trace_key key, uint64_t id,
                            int is_first)
{
    if (is_first)
        trace_number(out, key, (int64_t)id);
    else
        fprintf(out, ",%" PRIu64, id);
}

static inline void trace_end(FILE *out)
{
    fputc('\n', out);
}

#endif
