/* stats.h: what a view means in numbers; explain.h puts them into words */
#ifndef TIMELINE_STATS_H
#define TIMELINE_STATS_H

#include "stats_path.h"

#define STATS_NUM_SETS    (1 << TRACE_ENGINE_NONE) /* sets of engines */
#define STATS_SET(engine) (1u << (engine))

struct stats_device {
    unsigned index;
    unsigned used; /* set of its engines that did something */
    /* Time in which exactly this set of engines was busy. [0] is idle time
     * within the region. */
    uint64_t exactly_ns[STATS_NUM_SETS];
};

struct stats_engine {
    unsigned device;
    enum trace_engine engine;
    size_t num_ops;
    uint64_t bytes, busy_ns;
    size_t num_gaps; /* idle times between its first and its last operation */
    uint64_t gaps_ns, longest_gap_ns;
    /* Of kernels: multiprocessors that there are blocks for, summed over time;
     * 0: not told. */
    uint64_t blocks_ns;
};

struct stats {
    const struct view *view;
    struct stats_device *devices;
    size_t num_devices;
    struct stats_engine *engines; /* by device, in the order of rows */
    size_t num_engines;
    struct stats_path path;
    /* Time in which exactly this number of devices was busy. */
    uint64_t devices_busy_ns[TRACE_MAX_DEVICES + 1];
    size_t num_copies;   /* between host and device */
    size_t num_pageable; /* of these, from or to pageable memory */
    size_t num_held;     /* of those, the host call lasted to the copy's end */
    size_t num_streams;  /* pairs of device and stream; 0: not to be told */
};

/* Measure a view.
 * @v  by engine; must live longer than the result
 * Return: false where memory ran out.
 */
bool tl_stats_make(const struct view *v, struct stats *s);

void tl_stats_free(struct stats *s);
/* What a line costs is known of a whole run: is the view one, or nearly? */
bool tl_stats_has_order(const struct stats *s, const struct trace_order *order);

/* Time in which all engines of a set are busy at once. */
uint64_t tl_stats_overlap_ns(const struct stats_device *d, unsigned set);

/* Time in which at least one engine of a set is busy. */
uint64_t tl_stats_any_ns(const struct stats_device *d, unsigned set);

/* Time in which two or more engines are busy, each counted once. */
uint64_t tl_stats_two_or_more_ns(const struct stats_device *d);

#endif
