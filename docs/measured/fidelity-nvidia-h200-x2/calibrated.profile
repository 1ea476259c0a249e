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
copy_queues = 2                             # measured, the middle of 11
max_resident_kernels = 128                  # measured, the middle of 11
hardware_queues = 32                        # not measured here: stated
default_connections = 8                     # not measured here: stated
copy_connections = 4                        # not measured here: stated
delayed_signals = 0                         # not measured here: stated
batch_commands = 0                          # not measured here: stated
batch_submit_ns = 0                         # not measured here: stated
prepares_ahead = 1                          # measured, the middle of 11
queue_depth = 1021                          # measured, the middle of 11

# Links.
h2d_bytes_per_s = 55498809422               # measured, the middle of 11
d2h_bytes_per_s = 55342588140               # measured, the middle of 11
kernel_reads_bytes_per_s = 51374760858      # measured, the middle of 11
kernel_writes_bytes_per_s = 52539130519     # measured, the middle of 11
duplex_permille = 917                       # measured, the middle of 11
beside_writes_permille = 137                # measured, the middle of 11
pageable_h2d_bytes_per_s = 8747776390       # measured, the middle of 11
pageable_d2h_bytes_per_s = 13488107312      # measured, the middle of 11
d2d_bytes_per_s = 2123913461965             # measured, the middle of 11
peer_bytes_per_s = 384965188485             # measured, the middle of 11
peer_staged_bytes_per_s = 37822540186       # measured, the middle of 11
peer_possible = 1                           # measured, the middle of 11
host_h2d_bytes_per_s = 109066346770         # measured, the middle of 11
host_d2h_bytes_per_s = 108186293632         # measured, the middle of 11
host_duplex_bytes_per_s = 143002382215      # measured, the middle of 11

# Fixed cost of one copy.
h2d_queued_ns = 2726                        # measured, the middle of 11
d2h_queued_ns = 2454                        # measured, the middle of 11
h2d_idle_ns = 4445                          # measured, the least of 11
d2h_idle_ns = 4031                          # measured, the least of 11
h2d_inline_ns = 1574                        # measured, the middle of 11
copy_kernel_ns = 390                        # measured, the middle of 11
duplex_fixed_ns = 2148                      # measured, the middle of 11
duplex_fixed_permille = 968                 # measured, the middle of 11
handoff_ns = 3985                           # measured, the middle of 11
d2h_handoff_ns = 602                        # measured, the middle of 11

# Kernels.
sm_ops_per_us = 266611                      # measured, the middle of 11
thread_ops_per_us = 701                     # measured, the middle of 11
sm_knee_permille = 769                      # measured, the middle of 11
sm_slots_per_us = 241966                    # measured, the middle of 11
double_slots = 2                            # measured, the middle of 11
memory_bytes_per_s = 3711455899628          # measured, the middle of 11
l2_bytes_per_s = 6393755824131              # measured, the middle of 11
blocks_per_us = 1664                        # measured, the middle of 11
kernel_fixed_ns = 1127                      # measured, the middle of 11
kernel_idle_ns = 3357                       # measured, the least of 11
kernel_gap_ns = 199                         # measured, the middle of 11

# Time the host spends in calls.
host_launch_ns = 3468                       # measured, the least of 11
host_copy_async_ns = 1499                   # measured, the least of 11
host_event_record_ns = 791                  # measured, the least of 11
host_event_mark_ns = 135                    # measured, the least of 11
host_stream_wait_ns = 126                   # measured, the least of 11
host_stream_create_ns = 3614                # measured, the least of 11
host_stream_destroy_ns = 4241               # measured, the least of 11
host_sync_ns = 1354                         # measured, the least of 11
host_query_ns = 1307                        # measured, the least of 11
host_call_ns = 53                           # measured, the least of 11
host_inline_bytes = 24576                   # measured, the middle of 11
host_inline_ns = 455                        # measured, the middle of 11
host_inline_bytes_per_s = 15664518234       # measured, the middle of 11
host_malloc_ns = 66936                      # measured, the least of 11
host_free_ns = 53920                        # measured, the least of 11
host_malloc_host_ns_per_mib = 311432        # measured, the middle of 11
host_register_ns_per_mib = 86331            # measured, the middle of 11
host_malloc_host_ns = 538183                # measured, the least of 11
host_free_host_ns = 244510                  # measured, the least of 11
host_free_host_ns_per_mib = 81639           # measured, the middle of 11
host_unregister_ns_per_mib = 24190          # measured, the middle of 11
host_function_ns = 1838                     # measured, the middle of 11
host_wake_ns = 45570                        # measured, the middle of 11
host_first_call_ns = 335681888              # measured, the least of 11
host_ops_per_us = 3816                      # measured, the middle of 11
host_memcpy_bytes_per_s = 6724041988        # measured, the middle of 11
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
