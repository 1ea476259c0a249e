# h200.profile: NVIDIA H200, the default device.
# "measured": on one H200, or on four of one host; see docs/measured.

name = NVIDIA H200

# What the device reports, measured: read from the device.
compute_major = 9
compute_minor = 0
sms = 132
max_threads_per_sm = 2048
max_blocks_per_sm = 32
max_threads_per_block = 1024
regs_per_sm = 65_536
shared_per_sm_bytes = 233_472
shared_per_block_bytes = 49_152
warp_size = 32
global_mem_bytes = 150_109_880_320
l2_bytes = 62_914_560
clock_khz = 1_980_000
memory_clock_khz = 3_201_000
memory_bus_bits = 6016
unified_addressing = 1
compute_mode = 0
ecc = 1
pci_device_id = 590_680_286
pci_subsystem_id = 415_174_878
# By cudaOccupancyMaxActiveClusters, for clusters of 2 to 16 blocks.
gpc_count = 7
gpc_sms = 16
gpc_wide = 2
gpc_rest_sms = 8
copy_engines = 3
pool_piece_bytes = 33_554_432               # measured: driver 580

# Engines and queues.
copy_queues = 2                             # measured: in and out overlap
max_resident_kernels = 128                  # measured: 256 take twice the time
hardware_queues = 32                        # CUDA_DEVICE_MAX_CONNECTIONS' limit
default_connections = 8                     # CUDA C++ Programming Guide
delayed_signals = 0
batch_commands = 0
batch_submit_ns = 0
copy_connections = 4                        # measured: every fourth stream in one
queue_depth = 1021                          # measured

# Links.
h2d_bytes_per_s = 55_400_000_000            # measured
d2h_bytes_per_s = 55_300_000_000            # measured
duplex_permille = 911                       # measured: 49.8 + 51.1 GB/s
beside_writes_permille = 145                # measured: 8 of 55 GB/s
pageable_h2d_bytes_per_s = 7_200_000_000    # measured, 256 MiB
pageable_d2h_bytes_per_s = 10_500_000_000   # measured, 256 MiB
staging_bytes = 2_097_152                   # measured: 2 MiB go ahead
staging_small_bytes = 4_128_768             # measured: 63 of 64 KiB
d2d_bytes_per_s = 2_040_000_000_000         # measured: 4,080 GB/s both
peer_bytes_per_s = 395_000_000_000          # measured, NVLink
peer_staged_bytes_per_s = 38_000_000_000    # measured
peer_possible = 1
host_h2d_bytes_per_s = 167_000_000_000      # measured, four devices
host_d2h_bytes_per_s = 133_000_000_000      # measured, four devices
# Measured 147 GB/s with two devices, 163 with four: one figure between.
host_duplex_bytes_per_s = 155_000_000_000

# Fixed cost of a copy: measured with 1 KiB to 1 MiB, less the bytes' time.
h2d_queued_ns = 2700
d2h_queued_ns = 1800
h2d_idle_ns = 4580
d2h_idle_ns = 3380
h2d_inline_ns = 1574                        # measured, host_inline_bytes
duplex_fixed_ns = 2000                      # measured, 1 MiB both ways
handoff_ns = 1700                           # measured: in, kernel, back in one stream

# A row of a copy, by 1 to 65,536 bytes in 2 to 2^20 rows: measured.
row_h2d_ps = 1300
row_h2d_narrow_ps = 3900                    # divided by the row's bytes
row_d2h_ps = 1255
row_d2d_ps = 140
row_odd_ps = 640                            # bytes odd, slices, memsets

# Kernels. Measured with the labs' cipher, whose operations the front end
# counts: 2^18 entries of 512 rounds in 35.7 us, one thread's 512 rounds in
# 10.7 us, each with the fixed cost of a kernel (docs/measured/calibration-*).
sm_ops_per_us = 496_000
thread_ops_per_us = 1660
sm_knee_permille = 1000
sm_slots_per_us = 253_440                   # 128 lanes at 1.980 GHz
double_slots = 2                            # CUDA C++ Programming Guide, throughput
memory_bytes_per_s = 4_080_000_000_000      # measured, read + write
# Measured: 1.28 us each when many empty ones wait in one stream; launch
# then sync 9.5 us on a host whose launch took 4.7 of them, and its sync 0.5.
kernel_fixed_ns = 1080
kernel_idle_ns = 4300
kernel_gap_ns = 200

# Time the host spends in calls: measured unless marked. It is the host's and
# not the device's: on five hosts with an H200 a launch and two copies took 5.2,
# 5.5, 6.5, 8.9 and 9.4 us. What is in a loop over chunks is that of the third
# (docs/measured/fidelity-nvidia-h200-x2), the least of 11 calibrations.
host_launch_ns = 3470
host_copy_async_ns = 1500
host_inline_bytes = 24_576
host_inline_ns = 455
host_inline_bytes_per_s = 15_660_000_000
host_event_record_ns = 790
host_stream_wait_ns = 126
host_stream_create_ns = 2900
host_stream_destroy_ns = 2600
host_sync_ns = 500
host_query_ns = 400
host_malloc_ns = 270_000                    # 256 MiB
host_free_ns = 270_000                      # estimated: as cudaMalloc
host_malloc_host_ns_per_mib = 354_000       # 256 MiB in 90.7 ms
host_register_ns_per_mib = 50_000           # 256 MiB in 12.8 ms
host_unregister_ns_per_mib = 18_000         # 256 MiB in 4.6 ms
host_call_ns = 200                          # estimated: a short driver call
host_first_call_ns = 107_000_000
host_ops_per_us = 3000                      # estimated: one core at 3 GHz
host_memcpy_bytes_per_s = 10_500_000_000    # estimated: as pageable copies
event_tick_ns = 32                          # measured
event_gap_ns = 2944                         # measured: two records, nothing between

unit_ns = 0
