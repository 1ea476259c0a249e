/*
 * lab.h: what lab.cu offers to the program that grades it. Read it, do not
 * change it.
 */
#ifndef LAB_H
#define LAB_H

#include <stdint.h>

#include <cuda_runtime.h>

#define MAX_CHANNELS 8

/*
 * Frames come in one after the other, all of this shape, and all in the same
 * memory of the host. A frame is a row of channels that have nothing to do with
 * one another. Each is encrypted in layers, one over the other, and a kernel
 * takes one layer off.
 */
struct job {
    uint64_t *frame_host;   /* pinned; in: a frame, out: the same, decrypted */
    uint64_t *frame_device; /* room for a frame */
    uint64_t channel_entries;    /* of each channel, 1 or more; channel c begins
                                    at entry c * channel_entries */
    uint64_t num_channels;       /* 1 to MAX_CHANNELS */
    uint64_t num_layers;         /* 1 or more: so many kernels for a channel */
    uint64_t num_iters;          /* rounds of the cipher in each layer */
    cudaStream_t stream;         /* what comes before a frame is in it, and what
                                    comes after it */
    const cudaStream_t *streams; /* one more for each channel */
};

/* What lasts from frame to frame. It is yours: lab.cu says what is in it. */
struct receiver;

/*
 * Make ready for frames of this shape. There is no frame yet. The memory and
 * the streams of @job are the caller's, and stay until receiver_destroy; the
 * struct itself may be used for something else when the function has returned.
 */
struct receiver *receiver_create(const struct job *job);

/*
 * Queue the decryption of the frame in frame_host, and return without waiting
 * for it. To the caller it is one operation in job->stream: it comes after
 * everything that is in that stream by now, and before all that comes later.
 */
void receiver_decrypt(struct receiver *receiver);

/*
 * Frames from now on, the first one too, have @num_iters rounds in each layer.
 * Frames that were queued before have as many as they had; some may still be at
 * work.
 */
void receiver_set_iters(struct receiver *receiver, uint64_t num_iters);

/* Give back all that receiver_create took. No frame is at work. */
void receiver_destroy(struct receiver *receiver);

#endif
