/*
 * lab.h: what lab.cu offers to the program that grades it, and the three
 * operations that it puts in order. Read it, do not change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#include "check.h"
#include "helper.h"

#define NUM_STREAMS 2
#define ADD_THREADS 256

/*
 * A vector addition, cut into segments. Segment s belongs to stream
 * s % NUM_STREAMS and uses that stream's memory on the device, which has room
 * for one segment: what is there must be done with before the next comes.
 */
struct addition {
    const float *a_host, *b_host; /* pinned, in */
    float *c_host;                /* pinned, out */
    uint64_t num_entries;
    uint64_t segment_entries; /* of each segment; the last may have fewer */
    uint64_t num_segments;    /* any number, 0 and odd ones too */
    uint64_t rounds;          /* of the kernel */
    cudaStream_t streams[NUM_STREAMS];
    float *a_device[NUM_STREAMS], *b_device[NUM_STREAMS];
    float *c_device[NUM_STREAMS];
};

/* ---- you write these (lab.cu) -------------------------------------------- */

/*
 * Queue the work of all segments of @job and return. The caller waits for the
 * streams; these functions wait for nothing.
 */
void issue_depth_first(const struct addition *job);
void issue_breadth_first(const struct addition *job);

/*
 * Queue all steps of all chains and return, with nothing to wait for but what
 * a stream orders. There may be more chains than the device has connections.
 */
struct chains;
void issue_chains(const struct chains *chains);

/*
 * Make a driver that collects commands send all that it has. Waits for
 * nothing. What an earlier operation did wrong ends the program.
 */
void flush(cudaStream_t stream);

enum issue_order { DEPTH_FIRST, BREADTH_FIRST };

/* Which of the two orders takes less time on device number @device? */
enum issue_order choose_order(int device);

/* ---- these are there: the operations of segment @s ----------------------- */

/*
 * c = rounds * (a + b), as so many additions. A real vector addition is one
 * round. That takes the GPU next to no time, so there would be nothing to see.
 */
__global__ void add_gpu(const float *a, const float *b, float *c,
                        uint64_t num_entries, uint64_t rounds);

/* How many entries segment @s has. There must be such a segment. */
static inline uint64_t segment_width(const struct addition *job, uint64_t s)
{
    const uint64_t lower = s * job->segment_entries;

    CHECK(s < job->num_segments ? cudaSuccess : cudaErrorInvalidValue);
    return min(job->segment_entries, job->num_entries - lower);
}

/* Queue the copies of a and b to the device. */
static inline void copy_in(const struct addition *job, uint64_t s)
{
    const uint64_t lower = s * job->segment_entries;
    const size_t bytes = segment_width(job, s) * sizeof(float);
    const uint64_t k = s % NUM_STREAMS;

    CHECK(cudaMemcpyAsync(job->a_device[k], job->a_host + lower, bytes,
                          cudaMemcpyHostToDevice, job->streams[k]));
    CHECK(cudaMemcpyAsync(job->b_device[k], job->b_host + lower, bytes,
                          cudaMemcpyHostToDevice, job->streams[k]));
}

/* Queue the kernel. */
static inline void add(const struct addition *job, uint64_t s)
{
    const uint64_t width = segment_width(job, s);
    const uint64_t k = s % NUM_STREAMS;

    add_gpu<<<(unsigned)sdiv(width, ADD_THREADS), ADD_THREADS, 0,
              job->streams[k]>>>(job->a_device[k], job->b_device[k],
                                 job->c_device[k], width, job->rounds);
    CHECK(cudaGetLastError());
}

/* Queue the copy of c to the host. */
static inline void copy_back(const struct addition *job, uint64_t s)
{
    const uint64_t lower = s * job->segment_entries;
    const size_t bytes = segment_width(job, s) * sizeof(float);
    const uint64_t k = s % NUM_STREAMS;

    CHECK(cudaMemcpyAsync(job->c_host + lower, job->c_device[k], bytes,
                          cudaMemcpyDeviceToHost, job->streams[k]));
}

/* ---- chains of small kernels --------------------------------------------- */

/* They have nothing to do with one another: each is in a stream of its own. */
struct chains {
    uint64_t num_chains;
    uint64_t num_steps; /* of each chain: step k needs what step k - 1 made */
    uint64_t rounds;    /* of a step's kernel */
    float *values;      /* of the device, one for each chain */
    const cudaStream_t *streams;
};

/* Add 1 to a value so many times: a kernel that needs one thread's place. */
__global__ void step_gpu(float *value, uint64_t rounds);

/* Queue the next step of chain @c. */
static inline void step(const struct chains *chains, uint64_t c)
{
    step_gpu<<<1, 1, 0, chains->streams[c]>>>(chains->values + c,
                                              chains->rounds);
    CHECK(cudaGetLastError());
}

#endif
