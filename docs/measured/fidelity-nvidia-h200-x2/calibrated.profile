# Written by `make calibrate`, but for four figures. What it called the idle cost
# of a copy was what a copy takes that waits for one the other way. It measures
# that of an engine that is idle now; these follow from calibrate.txt and from
# the profile h200, which was measured earlier.

name = NVIDIA H200
compute_major = 9                           # as the device says
compute_minor = 0                           # as the device says
sms = 132                                   # as the device says
max_threads_per_sm = 2048                   # as the device says
max_blocks_per_sm = 32                      # as the device says
max_threads_per_block = 1024                # as the device says
regs_per_sm = 65536                         # as the device says
shared_per_sm_bytes = 233472                # as the device says
shared_per_block_bytes = 49152              # as the device says
warp_size = 32                              # as the device says
global_mem_bytes = 150109880320             # as the device says
l2_bytes = 62914560                         # as the device says
clock_khz = 1980000                         # as the device says
memory_clock_khz = 3201000                  # as the device says
memory_bus_bits = 6016                      # as the device says
unified_addressing = 1                      # as the device says
compute_mode = 0                            # as the device says
copy_engines = 3                            # as the device says

# Engines and queues.
copy_queues = 2                             # measured
max_resident_kernels = 128                  # measured
hardware_queues = 32                        # not measured here: stated
default_connections = 8                     # not measured here: stated
delayed_signals = 0                         # not measured here: stated
batch_commands = 0                          # not measured here: stated
batch_submit_ns = 0                         # not measured here: stated
queue_depth = 1021                          # measured

# Links.
h2d_bytes_per_s = 55444518929               # measured
d2h_bytes_per_s = 55368887940               # measured
duplex_permille = 904                       # measured
beside_writes_permille = 145                # measured: 8 of 55 GB/s
pageable_h2d_bytes_per_s = 8676858668       # measured
pageable_d2h_bytes_per_s = 12259039665      # measured
d2d_bytes_per_s = 2097991054315             # measured
peer_bytes_per_s = 386170833567             # measured
peer_staged_bytes_per_s = 37888577411       # measured
peer_possible = 1                           # measured
host_h2d_bytes_per_s = 108492062918         # measured
host_d2h_bytes_per_s = 106941987054         # measured
host_duplex_bytes_per_s = 142329589457      # measured

# Fixed cost of one copy.
h2d_queued_ns = 2746                        # measured
d2h_queued_ns = 2444                        # measured
h2d_idle_ns = 4580                          # not measured here: profile h200
d2h_idle_ns = 3380                          # not measured here: profile h200
duplex_fixed_ns = 2000                      # measured, 1 MiB both ways
handoff_ns = 1700                           # measured: in, kernel, back in one stream

# Kernels.
sm_ops_per_us = 253403                      # measured
thread_ops_per_us = 701                     # measured
sm_slots_per_us = 242023                    # measured
double_slots = 2                            # measured
memory_bytes_per_s = 3840410308402          # measured
kernel_fixed_ns = 1171                      # measured
kernel_idle_ns = 4102                       # launch and sync, less the two calls
kernel_gap_ns = 207                         # measured

# Time the host spends in calls.
host_launch_ns = 4198                       # measured
host_copy_async_ns = 2086                   # measured
host_event_record_ns = 1220                 # measured
host_stream_wait_ns = 267                   # measured
host_stream_create_ns = 29789               # measured
host_stream_destroy_ns = 4650               # measured
host_sync_ns = 1499                         # as a query: nothing to wait for
host_query_ns = 1499                        # measured
host_malloc_ns = 322719                     # measured
host_free_ns = 144255                       # measured
host_malloc_host_ns_per_mib = 386687        # measured
host_register_ns_per_mib = 86769            # measured
host_call_ns = 33                           # measured
host_first_call_ns = 620406342              # measured
host_ops_per_us = 4419                      # measured
host_memcpy_bytes_per_s = 6428488062        # measured
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
