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
copy_connections = 4                        # not measured here: stated
delayed_signals = 0                         # not measured here: stated
batch_commands = 0                          # not measured here: stated
batch_submit_ns = 0                         # not measured here: stated
prepares_ahead = 1                          # measured, the middle of 9
queue_depth = 1021                          # measured, the middle of 9

# Links.
h2d_bytes_per_s = 55460649035               # measured, the middle of 9
d2h_bytes_per_s = 55334801881               # measured, the middle of 9
kernel_reads_bytes_per_s = 51132589456      # measured, the middle of 9
kernel_writes_bytes_per_s = 52676377540     # measured, the middle of 9
duplex_permille = 913                       # measured, the middle of 9
beside_writes_permille = 139                # measured, the middle of 9
pageable_h2d_bytes_per_s = 9378402226       # measured, the middle of 9
pageable_d2h_bytes_per_s = 17498915002      # measured, the middle of 9
d2d_bytes_per_s = 2118121361916             # measured, the middle of 9
peer_bytes_per_s = 55104583874              # not measured here: stated
peer_staged_bytes_per_s = 27552291937       # not measured here: stated
peer_possible = 1                           # not measured here: stated
host_h2d_bytes_per_s = 165313751623         # not measured here: stated
host_d2h_bytes_per_s = 165829369837         # not measured here: stated
host_duplex_bytes_per_s = 302016453194      # not measured here: stated

# Fixed cost of one copy.
h2d_queued_ns = 2678                        # measured, the middle of 9
d2h_queued_ns = 1560                        # measured, the middle of 9
h2d_idle_ns = 4971                          # measured, the least of 9
d2h_idle_ns = 3823                          # measured, the least of 9
h2d_inline_ns = 1510                        # measured, the middle of 9
copy_kernel_ns = 410                        # measured, the middle of 9
duplex_fixed_ns = 1415                      # measured, the middle of 9
duplex_fixed_permille = 847                 # measured, the middle of 9
handoff_ns = 2148                           # measured, the middle of 9
d2h_handoff_ns = 905                        # measured, the middle of 9

# Kernels.
sm_ops_per_us = 266579                      # measured, the middle of 9
thread_ops_per_us = 700                     # measured, the middle of 9
sm_knee_permille = 770                      # measured, the middle of 9
sm_slots_per_us = 240998                    # measured, the middle of 9
double_slots = 2                            # measured, the middle of 9
memory_bytes_per_s = 3723845722006          # measured, the middle of 9
l2_bytes_per_s = 6347312920895              # measured, the middle of 9
blocks_per_us = 1666                        # measured, the middle of 9
kernel_fixed_ns = 1114                      # measured, the middle of 9
kernel_idle_ns = 4547                       # measured, the least of 9
kernel_gap_ns = 197                         # measured, the middle of 9

# Time the host spends in calls.
host_launch_ns = 3079                       # measured, the least of 9
host_copy_async_ns = 1188                   # measured, the least of 9
host_event_record_ns = 729                  # measured, the least of 9
host_event_mark_ns = 111                    # measured, the least of 9
host_stream_wait_ns = 104                   # measured, the least of 9
host_stream_create_ns = 3215                # measured, the least of 9
host_stream_destroy_ns = 1645               # measured, the least of 9
host_sync_ns = 210                          # measured, the least of 9
host_query_ns = 179                         # measured, the least of 9
host_call_ns = 43                           # measured, the least of 9
host_inline_bytes = 24576                   # measured, the middle of 9
host_inline_ns = 331                        # measured, the middle of 9
host_inline_bytes_per_s = 17492711370       # measured, the middle of 9
host_malloc_ns = 26931                      # measured, the least of 9
host_free_ns = 29707                        # measured, the least of 9
host_malloc_host_ns_per_mib = 241128        # measured, the middle of 9
host_register_ns_per_mib = 42020            # measured, the middle of 9
host_malloc_host_ns = 375083                # measured, the least of 9
host_free_host_ns = 165547                  # measured, the least of 9
host_free_host_ns_per_mib = 69496           # measured, the middle of 9
host_unregister_ns_per_mib = 15289          # measured, the middle of 9
host_function_ns = 1266                     # measured, the middle of 9
host_wake_ns = 46226                        # measured, the middle of 9
host_first_call_ns = 188405789              # measured, the least of 9
host_ops_per_us = 4491                      # measured, the middle of 9
host_memcpy_bytes_per_s = 7582900208        # measured, the middle of 9
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
