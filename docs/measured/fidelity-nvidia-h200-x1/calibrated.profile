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
copy_queues = 2                             # measured, the middle of 9
max_resident_kernels = 128                  # measured, the middle of 9
hardware_queues = 32                        # not measured here: stated
default_connections = 8                     # not measured here: stated
delayed_signals = 0                         # not measured here: stated
batch_commands = 0                          # not measured here: stated
batch_submit_ns = 0                         # not measured here: stated
prepares_ahead = 1                          # measured, the middle of 9
queue_depth = 1021                          # measured, the middle of 9

# Links.
h2d_bytes_per_s = 55442078109               # measured, the middle of 9
d2h_bytes_per_s = 55321660515               # measured, the middle of 9
kernel_reads_bytes_per_s = 51388185851      # measured, the middle of 9
kernel_writes_bytes_per_s = 52656100721     # measured, the middle of 9
duplex_permille = 913                       # measured, the middle of 9
beside_writes_permille = 142                # measured, the middle of 9
pageable_h2d_bytes_per_s = 9398467454       # measured, the middle of 9
pageable_d2h_bytes_per_s = 17423601110      # measured, the middle of 9
d2d_bytes_per_s = 2121335155990             # measured, the middle of 9
peer_bytes_per_s = 55553692426              # not measured here: stated
peer_staged_bytes_per_s = 27776846213       # not measured here: stated
peer_possible = 1                           # not measured here: stated
host_h2d_bytes_per_s = 166661077277         # not measured here: stated
host_d2h_bytes_per_s = 166216376560         # not measured here: stated
host_duplex_bytes_per_s = 302354440546      # not measured here: stated

# Fixed cost of one copy.
h2d_queued_ns = 2644                        # measured, the middle of 9
d2h_queued_ns = 1583                        # measured, the middle of 9
h2d_idle_ns = 5704                          # measured, the least of 9
d2h_idle_ns = 4519                          # measured, the least of 9
h2d_inline_ns = 1500                        # measured, the middle of 9
copy_kernel_ns = 411                        # measured, the middle of 9
duplex_fixed_ns = 1271                      # measured, the middle of 9
duplex_fixed_permille = 883                 # measured, the middle of 9
handoff_ns = 3209                           # measured, the middle of 9
d2h_handoff_ns = 1025                       # measured, the middle of 9

# Kernels.
sm_ops_per_us = 266579                      # measured, the middle of 9
thread_ops_per_us = 700                     # measured, the middle of 9
sm_knee_permille = 770                      # measured, the middle of 9
sm_slots_per_us = 242597                    # measured, the middle of 9
double_slots = 2                            # measured, the middle of 9
memory_bytes_per_s = 3725984850317          # measured, the middle of 9
l2_bytes_per_s = 6331979942313              # measured, the middle of 9
blocks_per_us = 1662                        # measured, the middle of 9
kernel_fixed_ns = 1160                      # measured, the middle of 9
kernel_idle_ns = 4632                       # measured, the least of 9
kernel_gap_ns = 205                         # measured, the middle of 9

# Time the host spends in calls.
host_launch_ns = 3031                       # measured, the least of 9
host_copy_async_ns = 1216                   # measured, the least of 9
host_event_record_ns = 727                  # measured, the least of 9
host_event_mark_ns = 123                    # measured, the least of 9
host_stream_wait_ns = 120                   # measured, the least of 9
host_stream_create_ns = 3378                # measured, the least of 9
host_stream_destroy_ns = 1767               # measured, the least of 9
host_sync_ns = 227                          # measured, the least of 9
host_query_ns = 197                         # measured, the least of 9
host_call_ns = 50                           # measured, the least of 9
host_inline_bytes = 24576                   # measured, the middle of 9
host_inline_ns = 339                        # measured, the middle of 9
host_inline_bytes_per_s = 17635206117       # measured, the middle of 9
host_malloc_ns = 30253                      # measured, the least of 9
host_free_ns = 33570                        # measured, the least of 9
host_malloc_host_ns_per_mib = 208535        # measured, the middle of 9
host_register_ns_per_mib = 42118            # measured, the middle of 9
host_malloc_host_ns = 435241                # measured, the least of 9
host_free_host_ns = 190700                  # measured, the least of 9
host_free_host_ns_per_mib = 71766           # measured, the middle of 9
host_unregister_ns_per_mib = 15571          # measured, the middle of 9
host_function_ns = 1368                     # measured, the middle of 9
host_wake_ns = 40357                        # measured, the middle of 9
host_first_call_ns = 195456916              # measured, the least of 9
host_ops_per_us = 4460                      # measured, the middle of 9
host_memcpy_bytes_per_s = 7437855724        # measured, the middle of 9
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
