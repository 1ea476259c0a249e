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
prepares_ahead = 1                          # measured
queue_depth = 1021                          # measured

# Links.
h2d_bytes_per_s = 55543395080               # measured
d2h_bytes_per_s = 55293459383               # measured
kernel_reads_bytes_per_s = 51407504010      # measured
kernel_writes_bytes_per_s = 52639358580     # measured
duplex_permille = 912                       # measured
beside_writes_permille = 141                # measured
pageable_h2d_bytes_per_s = 12944815881      # measured
pageable_d2h_bytes_per_s = 17701462459      # measured
d2d_bytes_per_s = 2104940238206             # measured
peer_bytes_per_s = 55543395080              # not measured here: stated
peer_staged_bytes_per_s = 27771697540       # not measured here: stated
peer_possible = 1                           # not measured here: stated
host_h2d_bytes_per_s = 166630185240         # not measured here: stated
host_d2h_bytes_per_s = 165880378149         # not measured here: stated
host_duplex_bytes_per_s = 303248640662      # not measured here: stated

# Fixed cost of one copy.
h2d_queued_ns = 2630                        # measured
d2h_queued_ns = 1567                        # measured
h2d_idle_ns = 5781                          # measured
d2h_idle_ns = 4735                          # measured
h2d_inline_ns = 1542                        # measured
copy_kernel_ns = 355                        # measured
duplex_fixed_ns = 1453                      # measured
duplex_fixed_permille = 788                 # measured
handoff_ns = 872                            # measured
d2h_handoff_ns = 9222                       # measured

# Kernels.
sm_ops_per_us = 267014                      # measured
thread_ops_per_us = 700                     # measured
sm_knee_permille = 833                      # measured
sm_slots_per_us = 245976                    # measured
double_slots = 2                            # measured
memory_bytes_per_s = 3657536305375          # measured
l2_bytes_per_s = 6321801017245              # measured
blocks_per_us = 1667                        # measured
kernel_fixed_ns = 1113                      # measured
kernel_idle_ns = 4653                       # measured
kernel_gap_ns = 196                         # measured

# Time the host spends in calls.
host_launch_ns = 3027                       # measured, the least of several times
host_copy_async_ns = 1056                   # measured, the least of several times
host_event_record_ns = 726                  # measured, the least of several times
host_event_mark_ns = 128                    # measured, the least of several times
host_stream_wait_ns = 118                   # measured, the least of several times
host_stream_create_ns = 3593                # measured
host_stream_destroy_ns = 1799               # measured
host_sync_ns = 222                          # measured, the least of several times
host_query_ns = 196                         # measured, the least of several times
host_call_ns = 47                           # measured, the least of several times
host_inline_bytes = 24576                   # measured
host_inline_bytes_per_s = 14351409826       # measured
host_malloc_ns = 259656                     # measured
host_free_ns = 92885                        # measured
host_malloc_host_ns_per_mib = 352088        # measured
host_register_ns_per_mib = 65584            # measured
host_first_call_ns = 294840306              # measured
host_ops_per_us = 4497                      # measured
host_memcpy_bytes_per_s = 11731742549       # measured
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
