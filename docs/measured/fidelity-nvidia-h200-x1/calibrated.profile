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
delayed_signals = 0                         # not measured here: stated
batch_commands = 0                          # not measured here: stated
batch_submit_ns = 0                         # not measured here: stated
prepares_ahead = 1                          # measured, the middle of 11
queue_depth = 1021                          # measured, the middle of 11

# Links.
h2d_bytes_per_s = 55495380897               # measured, the middle of 11
d2h_bytes_per_s = 55271116336               # measured, the middle of 11
kernel_reads_bytes_per_s = 51372244843      # measured, the middle of 11
kernel_writes_bytes_per_s = 52613823577     # measured, the middle of 11
duplex_permille = 913                       # measured, the middle of 11
beside_writes_permille = 142                # measured, the middle of 11
pageable_h2d_bytes_per_s = 6995545646       # measured, the middle of 11
pageable_d2h_bytes_per_s = 13190853715      # measured, the middle of 11
d2d_bytes_per_s = 2102408156356             # measured, the middle of 11
peer_bytes_per_s = 55392772633              # not measured here: stated
peer_staged_bytes_per_s = 27696386316       # not measured here: stated
peer_possible = 1                           # not measured here: stated
host_h2d_bytes_per_s = 166178317899         # not measured here: stated
host_d2h_bytes_per_s = 166150535890         # not measured here: stated
host_duplex_bytes_per_s = 303342617376      # not measured here: stated

# Fixed cost of one copy.
h2d_queued_ns = 2678                        # measured, the middle of 11
d2h_queued_ns = 1573                        # measured, the middle of 11
h2d_idle_ns = 5670                          # measured, the least of 11
d2h_idle_ns = 4488                          # measured, the least of 11
h2d_inline_ns = 1567                        # measured, the middle of 11
copy_kernel_ns = 470                        # measured, the middle of 11
duplex_fixed_ns = 1282                      # measured, the middle of 11
duplex_fixed_permille = 788                 # measured, the middle of 11
handoff_ns = 3309                           # measured, the middle of 11
d2h_handoff_ns = 0                          # measured, the middle of 11

# Kernels.
sm_ops_per_us = 266583                      # measured, the middle of 11
thread_ops_per_us = 700                     # measured, the middle of 11
sm_knee_permille = 770                      # measured, the middle of 11
sm_slots_per_us = 243057                    # measured, the middle of 11
double_slots = 2                            # measured, the middle of 11
memory_bytes_per_s = 3656845343512          # measured, the middle of 11
l2_bytes_per_s = 6378200327526              # measured, the middle of 11
blocks_per_us = 1665                        # measured, the middle of 11
kernel_fixed_ns = 1172                      # measured, the middle of 11
kernel_idle_ns = 4458                       # measured, the least of 11
kernel_gap_ns = 207                         # measured, the middle of 11

# Time the host spends in calls.
host_launch_ns = 3522                       # measured, the least of 11
host_copy_async_ns = 1368                   # measured, the least of 11
host_event_record_ns = 811                  # measured, the least of 11
host_event_mark_ns = 136                    # measured, the least of 11
host_stream_wait_ns = 127                   # measured, the least of 11
host_stream_create_ns = 3869                # measured, the least of 11
host_stream_destroy_ns = 1931               # measured, the least of 11
host_sync_ns = 254                          # measured, the least of 11
host_query_ns = 220                         # measured, the least of 11
host_call_ns = 51                           # measured, the least of 11
host_inline_bytes = 24576                   # measured, the middle of 11
host_inline_ns = 356                        # measured, the middle of 11
host_inline_bytes_per_s = 14701378254       # measured, the middle of 11
host_malloc_ns = 31920                      # measured, the least of 11
host_free_ns = 36099                        # measured, the least of 11
host_malloc_host_ns_per_mib = 331353        # measured, the middle of 11
host_register_ns_per_mib = 54993            # measured, the middle of 11
host_malloc_host_ns = 504988                # measured, the least of 11
host_free_host_ns = 211571                  # measured, the least of 11
host_free_host_ns_per_mib = 80423           # measured, the middle of 11
host_unregister_ns_per_mib = 17336          # measured, the middle of 11
host_function_ns = 2317                     # measured, the middle of 11
host_wake_ns = 40261                        # measured, the middle of 11
host_first_call_ns = 202421844              # measured, the least of 11
host_ops_per_us = 4157                      # measured, the middle of 11
host_memcpy_bytes_per_s = 6272389309        # measured, the middle of 11
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
