# v100-pcie.profile: Tesla V100 PCIe 16 GB, compute capability 7.0.

name = Tesla V100-PCIE-16GB

# What the device reports. Source: NVIDIA's published specification, and the
# CUDA C++ Programming Guide for its compute capability.
compute_major = 7
compute_minor = 0
sms = 80
max_threads_per_sm = 2048
max_blocks_per_sm = 32
max_threads_per_block = 1024
regs_per_sm = 65_536
shared_per_sm_bytes = 98_304
shared_per_block_bytes = 49_152
warp_size = 32
global_mem_bytes = 16_945_512_448
l2_bytes = 6_291_456
clock_khz = 1_380_000
memory_clock_khz = 877_000
memory_bus_bits = 4096
unified_addressing = 1
compute_mode = 0
ecc = 1
copy_engines = 7

# Engines and queues.
copy_queues = 2
max_resident_kernels = 128                  # CUDA C++ Programming Guide
hardware_queues = 32
default_connections = 8                     # CUDA C++ Programming Guide
delayed_signals = 0
batch_commands = 0
batch_submit_ns = 0
queue_depth = 1021                          # estimated: as the H200's

# Links, estimated: PCIe 3 x16 is 15.75 GB/s in theory, pinned copies get 12;
# pageable ones half; device memory 0.85 of its peak; the host's memory
# serves four links.
h2d_bytes_per_s = 12_000_000_000
d2h_bytes_per_s = 12_800_000_000
duplex_permille = 900                       # estimated: near the H200's
beside_writes_permille = 1000               # not known
pageable_h2d_bytes_per_s = 6_000_000_000
pageable_d2h_bytes_per_s = 6_400_000_000
d2d_bytes_per_s = 382_000_000_000
peer_bytes_per_s = 10_000_000_000
peer_staged_bytes_per_s = 6_000_000_000
peer_possible = 1
host_h2d_bytes_per_s = 48_000_000_000
host_d2h_bytes_per_s = 51_200_000_000
host_duplex_bytes_per_s = 72_000_000_000

# Fixed cost of a copy, estimated: near the H200's.
h2d_queued_ns = 3000
d2h_queued_ns = 2000
h2d_idle_ns = 5500
d2h_idle_ns = 4200
duplex_fixed_ns = 0                         # not known
handoff_ns = 0                              # not known

# Kernels, estimated from the H200's by lanes and clock: it has 128 of each
# kind of lane at 1.98 GHz, this one 64.
sm_ops_per_us = 122_000
thread_ops_per_us = 770
sm_knee_permille = 1000
sm_slots_per_us = 88_320                    # 64 lanes at 1.380 GHz
double_slots = 2                            # CUDA C++ Programming Guide, throughput
memory_bytes_per_s = 765_000_000_000        # estimated: 0.85 of 900 GB/s
# estimated
kernel_fixed_ns = 1500
kernel_idle_ns = 5000
kernel_gap_ns = 300

# Time the host spends in calls, estimated: the measured ones of the H200's
# host, times 1.3.
host_launch_ns = 6100
host_copy_async_ns = 2700
host_event_record_ns = 1700
host_stream_wait_ns = 325
host_stream_create_ns = 3800
host_stream_destroy_ns = 3400
host_sync_ns = 650
host_query_ns = 520
host_malloc_ns = 200_000
host_free_ns = 200_000
host_malloc_host_ns_per_mib = 400_000
host_register_ns_per_mib = 70_000
host_call_ns = 300
host_first_call_ns = 150_000_000
host_ops_per_us = 2500
host_memcpy_bytes_per_s = 8_000_000_000
event_tick_ns = 500                         # documented: about 0.5 us

unit_ns = 0
