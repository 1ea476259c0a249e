# Written by `make calibrate`.

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
h2d_bytes_per_s = 55510073649               # measured
d2h_bytes_per_s = 55313394622               # measured
duplex_permille = 865                       # measured
beside_writes_permille = 151                # measured
pageable_h2d_bytes_per_s = 8422211571       # measured
pageable_d2h_bytes_per_s = 15507454033      # measured
d2d_bytes_per_s = 2126929083359             # measured
peer_bytes_per_s = 386144169260             # measured
peer_staged_bytes_per_s = 37962762939       # measured
peer_possible = 1                           # measured
host_h2d_bytes_per_s = 107923404606         # measured
host_d2h_bytes_per_s = 105859878017         # measured
host_duplex_bytes_per_s = 137024888376      # measured

# Fixed cost of one copy.
h2d_queued_ns = 2701                        # measured
d2h_queued_ns = 2409                        # measured
h2d_idle_ns = 3254                          # measured
d2h_idle_ns = 4226                          # measured
duplex_fixed_ns = 708                       # measured
handoff_ns = 3074                           # measured

# Kernels.
sm_ops_per_us = 255987                      # measured
thread_ops_per_us = 701                     # measured
sm_knee_permille = 821                      # measured
sm_slots_per_us = 243288                    # measured
double_slots = 2                            # measured
memory_bytes_per_s = 3868570326553          # measured
kernel_fixed_ns = 1167                      # measured
kernel_idle_ns = 2768                       # measured
kernel_gap_ns = 206                         # measured

# Time the host spends in calls.
host_launch_ns = 3507                       # measured
host_copy_async_ns = 2020                   # measured
host_event_record_ns = 926                  # measured
host_stream_wait_ns = 182                   # measured
host_stream_create_ns = 22171               # measured
host_stream_destroy_ns = 4725               # measured
host_sync_ns = 1395                         # measured
host_query_ns = 1386                        # measured
host_malloc_ns = 197544                     # measured
host_free_ns = 112513                       # measured
host_malloc_host_ns_per_mib = 401426        # measured
host_register_ns_per_mib = 81581            # measured
host_call_ns = 37                           # measured
host_first_call_ns = 588958517              # measured
host_ops_per_us = 4154                      # measured
host_memcpy_bytes_per_s = 6739433292        # measured
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
