/*
 * profile.h: a device profile, the stated facts that virtual time follows from.
 *
 * A profile is a small commented text file of `key = value` lines
 * (vgpu/profiles/NAME.profile). Every key is a member below of the same
 * name; an unknown, repeated or missing key is an error that names the line.
 * Where a member's words end in "or" another, it may be missing or 0, and the
 * other counts. All figures are integers, their unit in the name, so that the
 * same profile gives the same times on every machine.
 */
#ifndef VGPU_PROFILE_H
#define VGPU_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_PROFILE_NAME_MAX 64

struct vgpu_profile {
    char name[VGPU_PROFILE_NAME_MAX]; /* as cudaDeviceProp.name shows it */

    /* What the device reports (cudaGetDeviceProperties and attributes). */
    int64_t compute_major;
    int64_t compute_minor;
    int64_t sms;
    int64_t max_threads_per_sm;
    int64_t max_blocks_per_sm;
    int64_t max_threads_per_block;
    int64_t regs_per_sm;
    int64_t shared_per_sm_bytes;
    int64_t shared_per_block_bytes;
    int64_t warp_size;
    int64_t global_mem_bytes;
    int64_t l2_bytes;
    int64_t clock_khz;
    int64_t memory_clock_khz;
    int64_t memory_bus_bits;
    int64_t unified_addressing; /* 0 or 1 */
    int64_t compute_mode;       /* enum cudaComputeMode */
    int64_t ecc;                /* 0 or 1 */
    int64_t pci_device_id;      /* with its vendor's, or not known */
    int64_t pci_subsystem_id;
    /* SMs are in groups, which clusters do not cross; all 0: not known. */
    int64_t gpc_count, gpc_sms; /* groups, and SMs of each; of these groups */
    int64_t gpc_wide;           /* so many have two SMs more; */
    int64_t gpc_rest_sms;       /* SMs of one smaller one. The others are in
                                   pairs */
    int64_t copy_engines;       /* as asyncEngineCount reports it */
    int64_t pool_piece_bytes;   /* what a memory pool takes from the device at a
                                   time; or 32 MiB, and before compute capability
                                   6.0 it has no pools */

    /* Engines and queues. */
    int64_t copy_queues;          /* 1: one for both ways, 2: one each */
    int64_t max_resident_kernels; /* kernels at once; 1: none overlap */
    int64_t hardware_queues;      /* cap on CUDA_DEVICE_MAX_CONNECTIONS */
    int64_t default_connections;  /* used where that is not set */
    int64_t copy_connections;     /* the same for copies, where that and
                                     CUDA_DEVICE_MAX_COPY_CONNECTIONS are not
                                     set; or as many as for kernels */
    int64_t delayed_signals;      /* 1: Fermi's delayed completion */
    int64_t batch_commands;       /* 0: sent at once; N: held back until
                                     N are waiting or a flush */
    int64_t batch_submit_ns;      /* cost of sending one batch */
    int64_t prepares_ahead;       /* 1: what is there is started while an engine
                                     works on something else; or half of the time
                                     that it is idle is added */
    int64_t queue_depth;          /* commands in one stream's queue
                                     before the host has to wait */

    /* Links, bytes per second. */
    int64_t h2d_bytes_per_s;
    int64_t d2h_bytes_per_s;
    int64_t kernel_reads_bytes_per_s;  /* kernels that read the host's memory,
                                          or h2d_bytes_per_s */
    int64_t kernel_writes_bytes_per_s; /* or d2h_bytes_per_s */
    int64_t duplex_permille;           /* both ways at once, each direction's
                                          rate in thousandths of it alone */
    int64_t beside_writes_permille;    /* of that, for copies in beside a kernel
                                          that writes the host's memory: requests
                                          to read it go the same way */
    int64_t pageable_h2d_bytes_per_s;
    int64_t pageable_d2h_bytes_per_s;
    int64_t staging_bytes;           /* of pageable copies in that go ahead of
                                        what they wait for, in two halves; or
                                        0: not known */
    int64_t staging_small_bytes;     /* and of those of up to 64 KiB each */
    int64_t d2d_bytes_per_s;         /* bytes copied, not read + written */
    int64_t peer_bytes_per_s;        /* access enabled */
    int64_t peer_staged_bytes_per_s; /* through the host */
    int64_t peer_possible;           /* 0: cudaDeviceCanAccessPeer is 0 */
    int64_t host_h2d_bytes_per_s;    /* all GPUs together, one way */
    int64_t host_d2h_bytes_per_s;
    int64_t host_duplex_bytes_per_s; /* all GPUs together, both ways */

    /* Fixed costs of one copy on its engine, on top of bytes / rate. */
    int64_t h2d_queued_ns; /* another copy ran just before it */
    int64_t d2h_queued_ns;
    int64_t h2d_idle_ns; /* alone on an idle engine */
    int64_t d2h_idle_ns;
    int64_t h2d_inline_ns;     /* of host_inline_bytes, behind one of another
                                  stream; or h2d_queued_ns */
    int64_t copy_kernel_ns;    /* more, where a kernel waits for it or it waited
                                  for one; or 0 */
    int64_t row_h2d_ps;        /* a row of a copy at least; 0: not known */
    int64_t row_h2d_narrow_ps; /* ... and more, divided by its bytes */
    int64_t row_d2h_ps, row_d2d_ps;
    int64_t row_odd_ps;            /* of odd bytes, of slices, of a memset */
    int64_t duplex_fixed_ns;       /* more, while copies go the other way */
    int64_t duplex_fixed_permille; /* of what the bytes take, at most so much
                                      of it, or all of it */
    int64_t handoff_ns;            /* from the end of what ran on another engine
                                      to the start of what waited for it */
    int64_t d2h_handoff_ns;        /* more, if that was a copy out; or 0 */

    /* Kernels. One source-level operation is what the front end counts. */
    int64_t sm_ops_per_us;      /* one full SM */
    int64_t thread_ops_per_us;  /* one thread by itself */
    int64_t sm_knee_permille;   /* of a full SM's rate, what threads reach that
                                   would just fill it if none hindered another,
                                   and no block waits for their place; 1000:
                                   all of it */
    int64_t sm_slots_per_us;    /* instructions of one full SM, all threads:
                                   single-precision lanes times clock */
    int64_t double_slots;       /* that one in double precision takes */
    int64_t memory_bytes_per_s; /* device memory, read + written */
    int64_t l2_bytes_per_s;     /* the same where all that a kernel reads and
                                   writes fits in the L2 cache, or
                                   memory_bytes_per_s */
    int64_t blocks_per_us;      /* that can begin, on all SMs; or any number */
    int64_t kernel_fixed_ns;    /* start and end of any kernel */
    int64_t kernel_idle_ns;     /* the same on an idle device */
    int64_t kernel_gap_ns;      /* between two in one stream */

    /* Time the host spends in calls. */
    int64_t host_launch_ns;
    int64_t host_copy_async_ns;
    int64_t host_inline_bytes;       /* a pinned copy in of up to so many is
                                        written into the queue, or none */
    int64_t host_inline_ns;          /* for so much more, */
    int64_t host_inline_bytes_per_s; /* and at this rate */
    int64_t host_event_record_ns;
    int64_t host_event_mark_ns; /* of an event without timing, or
                                   host_event_record_ns */
    int64_t host_stream_wait_ns;
    int64_t host_stream_create_ns;
    int64_t host_stream_destroy_ns;
    int64_t host_sync_ns; /* on top of the waiting */
    int64_t host_query_ns;
    int64_t host_malloc_ns;
    int64_t host_free_ns;
    int64_t host_malloc_host_ns_per_mib;
    int64_t host_register_ns_per_mib;
    int64_t host_malloc_host_ns;        /* cudaMallocHost of any size, besides;
                                           or 0 */
    int64_t host_free_host_ns;          /* cudaFreeHost, or host_free_ns; */
    int64_t host_free_host_ns_per_mib;  /* and for each MiB, or 0 */
    int64_t host_unregister_ns_per_mib; /* or 0 */
    int64_t host_function_ns;        /* from one host function to the next, if
                                        they do nothing; or 0 */
    int64_t host_wake_ns;            /* to wake the thread that runs them when
                                        the device gets to one; or 0 */
    int64_t host_call_ns;            /* any call not named above */
    int64_t host_first_call_ns;      /* context creation */
    int64_t host_ops_per_us;         /* student's own host code */
    int64_t host_memcpy_bytes_per_s; /* memcpy, staging */
    int64_t event_tick_ns;           /* resolution of event times */
    int64_t event_gap_ns;            /* between two of a device, at least */

    /* 0, or: every copy and every kernel takes exactly this long, whatever
     * its size, and nothing else takes any time. */
    int64_t unit_ns;
};

enum vgpu_profile_error {
    VGPU_PROFILE_OK = 0,
    VGPU_PROFILE_NOT_FOUND,
    VGPU_PROFILE_SYNTAX,
    VGPU_PROFILE_UNKNOWN_KEY,
    VGPU_PROFILE_REPEATED_KEY,
    VGPU_PROFILE_MISSING_KEY,
    VGPU_PROFILE_BAD_VALUE,
};

/*
 * Read a profile from text.
 * @text     whole file, zero-terminated
 * @profile  filled in
 * @message  one line that names the line and says what to do; may be NULL
 * @size     bytes at @message
 * Return: VGPU_PROFILE_OK or what is wrong; @profile is then unspecified.
 */
enum vgpu_profile_error vgpu_profile_parse(const char *text,
                                           struct vgpu_profile *profile,
                                           char *message, int size);

/*
 * Find a profile: a built-in one's name, else a file's path. Behind it may
 * stand what is different, "c1060:sms=27:name=A device".
 * @name_or_path  a name of those that VGPU_DEVICE holds; NULL or "" means
 * "h200" Return: as vgpu_profile_parse, and VGPU_PROFILE_NOT_FOUND, with the
 * known names in @message.
 */
enum vgpu_profile_error vgpu_profile_load(const char *name_or_path,
                                          struct vgpu_profile *profile,
                                          char *message, int size);

/* Names of the built-in profiles, ends with NULL. Source: vgpu/profiles/. */
extern const char *const vgpu_profile_names[];

/* Their texts, same order; generated at build time from vgpu/profiles/. */
extern const char *const vgpu_profile_texts[];

#endif
