/* scale.h: times as people read them, and the ticks of an axis */
#ifndef TIMELINE_SCALE_H
#define TIMELINE_SCALE_H

#include <stddef.h>
#include <stdint.h>

struct scale {
    uint64_t span_ns;
    uint64_t step_ns; /* 1, 2 or 5 times a power of ten */
    const char *unit; /* of all labels: "ns", "us", "ms" or "s" */
};

/* @max_ticks  there are at most this many steps in the span, at least one */
struct scale tl_scale_make(uint64_t span_ns, unsigned max_ticks);

/* A tick's number in the scale's unit, without the unit: "2.5". */
void tl_scale_label(const struct scale *s, uint64_t t_ns, char *text,
                    size_t size);

/* A time with its own unit and four significant digits: "14.62 ms". */
const char *tl_scale_time(uint64_t t_ns, char text[16]);

/* A run against its baseline: "2.26x as fast", "takes 1.10x as long". */
const char *tl_scale_compare(uint64_t baseline_ns, uint64_t run_ns,
                             char text[32]);

/* Bytes: "1.5 MiB". */
const char *tl_scale_bytes(uint64_t bytes, char text[16]);

/* A share in percent, 0 for a whole of 0. */
double tl_scale_percent(uint64_t part, uint64_t whole);

#endif
