# c1060.profile: Tesla C1060, compute capability 1.3.
# One copy engine with one queue for both ways, no two kernels at once: a
# copy out that waits for its kernel holds up the copies in behind it.

name = Tesla C1060

# What the device reports. Source: NVIDIA's published specification, and the
# CUDA C++ Programming Guide for its compute capability.
compute_major = 1
compute_minor = 3
sms = 30
max_threads_per_sm = 1024
max_blocks_per_sm = 8
max_threads_per_block = 512
regs_per_sm = 16_384
shared_per_sm_bytes = 16_384
shared_per_block_bytes = 16_384
warp_size = 32
global_mem_bytes = 4_294_770_688
l2_bytes = 0
clock_khz = 1_296_000
memory_clock_khz = 800_000
memory_bus_bits = 512
unified_addressing = 0
compute_mode = 0
copy_engines = 1

# Engines and queues.
copy_queues = 1                             # one for both ways
max_resident_kernels = 1                    # no concurrent kernels
hardware_queues = 1
default_connections = 1
delayed_signals = 0
batch_commands = 0
batch_submit_ns = 0
queue_depth = 1021                          # estimated: as the H200's

# Links, estimated: PCIe 2 x16 is 8 GB/s in theory, pinned copies get 5.7;
# pageable ones half; device memory three quarters of its peak; the host's
# memory serves four links.
h2d_bytes_per_s = 5_700_000_000
d2h_bytes_per_s = 5_700_000_000
duplex_permille = 1000                      # never both at once
beside_writes_permille = 1000               # not known
pageable_h2d_bytes_per_s = 2_800_000_000
pageable_d2h_bytes_per_s = 2_800_000_000
d2d_bytes_per_s = 38_000_000_000
peer_bytes_per_s = 5_000_000_000
peer_staged_bytes_per_s = 2_800_000_000
peer_possible = 0
host_h2d_bytes_per_s = 22_800_000_000
host_d2h_bytes_per_s = 22_800_000_000
host_duplex_bytes_per_s = 34_200_000_000

# Fixed cost of a copy, estimated: three times the H200's (older link).
h2d_queued_ns = 8100
d2h_queued_ns = 5400
h2d_idle_ns = 13_700
d2h_idle_ns = 10_100
duplex_fixed_ns = 0                         # not known
handoff_ns = 0                              # not known

# Kernels, estimated: 8 lanes at 1.296 GHz, an operation a cycle; a thread
# alone one in 11 cycles (24 cycles' latency, two operations under way).
sm_ops_per_us = 10_368
thread_ops_per_us = 120
sm_knee_permille = 1000
sm_slots_per_us = 10_368                    # 8 lanes at 1.296 GHz
double_slots = 8                            # CUDA C++ Programming Guide, throughput
memory_bytes_per_s = 77_000_000_000         # estimated: 3/4 of 102 GB/s
# estimated
kernel_fixed_ns = 3000
kernel_idle_ns = 8000
kernel_gap_ns = 1000

# Time the host spends in calls, estimated: the measured ones of the H200's
# host, times two for the older host and driver.
host_launch_ns = 9400
host_copy_async_ns = 4200
host_event_record_ns = 2600
host_stream_wait_ns = 500
host_stream_create_ns = 5800
host_stream_destroy_ns = 5200
host_sync_ns = 1000
host_query_ns = 800
host_malloc_ns = 100_000
host_free_ns = 100_000
host_malloc_host_ns_per_mib = 500_000
host_register_ns_per_mib = 100_000
host_call_ns = 300
host_first_call_ns = 150_000_000
host_ops_per_us = 2000
host_memcpy_bytes_per_s = 4_000_000_000
event_tick_ns = 500                         # documented: about 0.5 us

unit_ns = 0
