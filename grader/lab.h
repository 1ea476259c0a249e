/*
 * lab.h: what the grader's core needs to know of a lab: its rules.
 *
 * One file of rules per lab, rules/NN_name.c: shapes, points, thresholds, and
 * the lab's own eye for what went wrong. Everything else is the core's.
 */
#ifndef GRADER_LAB_H
#define GRADER_LAB_H

#include <stddef.h>
#include <stdint.h>

struct evidence;

/* One problem size that the student's function must get right. */
struct lab_shape {
    const char *name; /* "uneven" */
    uint64_t entries, streams;
    int points;
};

/* What went wrong, in one plain sentence, and where to read about it. */
struct finding {
    const char *id;   /* "floor-division"; NULL: nothing */
    const char *read; /* section of the lab's README.md */
    char sentence[600];
};

/* How the speed of a lab is measured. */
struct lab_speed {
    uint64_t entries_cuda, streams_cuda;
    uint64_t entries_vgpu, streams_vgpu;
    uint64_t most_rounds_vgpu; /* a virtual GPU runs on the CPU */
    double eta_needed;
};

struct lab_rules {
    const char *name;           /* "08_uneven_chunks" */
    const char *virtual_device; /* profile, unless VGPU_DEVICE is set */
    const struct lab_shape *shapes;
    size_t num_shapes;
    uint64_t shape_iters;       /* rounds of the cipher for these */
    const size_t *order_shapes; /* which of them the checker sees */
    size_t num_order_shapes;
    int points_builds, points_large, points_ordered, points_fast;
    int points_clean;
    struct lab_speed speed;
    /*
     * Name the mistake behind a check that failed. Each returns the finding
     * that @evidence supports, or one without an id.
     */
    struct finding (*explain_shape)(const struct evidence *evidence,
                                    size_t shape);
    struct finding (*explain_order)(const struct evidence *evidence);
    struct finding (*explain_speed)(const struct evidence *evidence);
    struct finding (*explain_clean)(const struct evidence *evidence);
};

/* All labs that can be graded, by number; ends with NULL. */
extern const struct lab_rules *const lab_all[];

/* "08" or "08_uneven_chunks". Return: NULL where there is none. */
const struct lab_rules *lab_find(const char *name);

#endif
