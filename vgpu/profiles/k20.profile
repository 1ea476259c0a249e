# k20.profile: Tesla K20 (Kepler), compute capability 3.5.
# Two copy engines and 32 hardware queues (Hyper-Q): the order of issue
# between streams matters little.

name = Tesla K20

# What the device reports. Source: NVIDIA's published specification, and the
# CUDA C++ Programming Guide for its compute capability.
compute_major = 3
compute_minor = 5
sms = 13
max_threads_per_sm = 2048
max_blocks_per_sm = 16
max_threads_per_block = 1024
regs_per_sm = 65_536
shared_per_sm_bytes = 49_152
shared_per_block_bytes = 49_152
warp_size = 32
global_mem_bytes = 5_032_706_048
l2_bytes = 1_310_720
clock_khz = 705_500
memory_clock_khz = 2_600_000
memory_bus_bits = 320
unified_addressing = 1
compute_mode = 0
ecc = 1
copy_engines = 2

# Engines and queues.
copy_queues = 2
max_resident_kernels = 32                   # CUDA C++ Programming Guide
hardware_queues = 32                        # Hyper-Q
default_connections = 8                     # CUDA C++ Programming Guide
delayed_signals = 0
batch_commands = 0
batch_submit_ns = 0
queue_depth = 1021                          # estimated: as the H200's

# Links, estimated: PCIe 2 x16 is 8 GB/s in theory, pinned copies get 5.7;
# pageable ones half; device memory three quarters of its peak; the host's
# memory serves four links.
h2d_bytes_per_s = 5_700_000_000
d2h_bytes_per_s = 5_700_000_000
duplex_permille = 800                       # estimated: below the H200's
beside_writes_permille = 1000               # not known
pageable_h2d_bytes_per_s = 2_800_000_000
pageable_d2h_bytes_per_s = 2_800_000_000
d2d_bytes_per_s = 78_000_000_000
peer_bytes_per_s = 5_000_000_000
peer_staged_bytes_per_s = 2_800_000_000
peer_possible = 1
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

# Kernels, estimated: 192 lanes at 0.706 GHz, an operation a cycle; a thread
# alone one in 4.5 cycles (9 cycles' latency, two operations under way).
sm_ops_per_us = 135_456
thread_ops_per_us = 158
sm_knee_permille = 1000
sm_slots_per_us = 135_456                   # 192 lanes at 0.706 GHz
double_slots = 3                            # CUDA C++ Programming Guide, throughput
memory_bytes_per_s = 156_000_000_000        # estimated: 3/4 of 208 GB/s
# estimated
kernel_fixed_ns = 2500
kernel_idle_ns = 7000
kernel_gap_ns = 500

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
