# unit_one_engine.profile: unit.profile with a single copy engine and a single
# queue for copies, both ways. For paper exercises, no real device.

name = Unit-cost device, one copy engine

# What the device reports: invented, like an H200 where nothing speaks
# against it.
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
global_mem_bytes = 17_179_869_184
l2_bytes = 62_914_560
clock_khz = 1_000_000
memory_clock_khz = 1_000_000
memory_bus_bits = 1024
unified_addressing = 1
compute_mode = 0
copy_engines = 1

# Engines and queues.
copy_queues = 1
max_resident_kernels = 128
hardware_queues = 1
default_connections = 1
delayed_signals = 0
batch_commands = 0
batch_submit_ns = 0
queue_depth = 1_000_000

# Not used: unit_ns stands for all of these.
h2d_bytes_per_s = 1_000_000_000_000
d2h_bytes_per_s = 1_000_000_000_000
duplex_permille = 1000
beside_writes_permille = 1000
pageable_h2d_bytes_per_s = 1_000_000_000_000
pageable_d2h_bytes_per_s = 1_000_000_000_000
d2d_bytes_per_s = 1_000_000_000_000
peer_bytes_per_s = 1_000_000_000_000
peer_staged_bytes_per_s = 1_000_000_000_000
peer_possible = 1
host_h2d_bytes_per_s = 1_000_000_000_000
host_d2h_bytes_per_s = 1_000_000_000_000
host_duplex_bytes_per_s = 1_000_000_000_000

# Not used.
h2d_queued_ns = 0
d2h_queued_ns = 0
h2d_idle_ns = 0
d2h_idle_ns = 0
duplex_fixed_ns = 0
handoff_ns = 0

# Not used.
sm_ops_per_us = 1_000_000
thread_ops_per_us = 1_000_000
sm_knee_permille = 1000
sm_slots_per_us = 1_000_000
double_slots = 2
memory_bytes_per_s = 1_000_000_000_000
kernel_fixed_ns = 0
kernel_idle_ns = 0
kernel_gap_ns = 0

# Time the host spends in calls: none.
host_launch_ns = 0
host_copy_async_ns = 0
host_event_record_ns = 0
host_stream_wait_ns = 0
host_stream_create_ns = 0
host_stream_destroy_ns = 0
host_sync_ns = 0
host_query_ns = 0
host_malloc_ns = 0
host_free_ns = 0
host_malloc_host_ns_per_mib = 0
host_register_ns_per_mib = 0
host_call_ns = 0
host_first_call_ns = 0
host_ops_per_us = 1_000_000_000
host_memcpy_bytes_per_s = 1_000_000_000_000_000
event_tick_ns = 1

unit_ns = 1000
