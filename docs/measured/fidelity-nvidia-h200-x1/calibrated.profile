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
h2d_bytes_per_s = 55635248457               # measured
d2h_bytes_per_s = 55404484602               # measured
kernel_reads_bytes_per_s = 51406665284      # measured
kernel_writes_bytes_per_s = 52606786171     # measured
duplex_permille = 909                       # measured
beside_writes_permille = 143                # measured
pageable_h2d_bytes_per_s = 10686647261      # measured
pageable_d2h_bytes_per_s = 17503123021      # measured
d2d_bytes_per_s = 2116411290315             # measured
peer_bytes_per_s = 55635248457              # not measured here: stated
peer_staged_bytes_per_s = 27817624229       # not measured here: stated
peer_possible = 1                           # not measured here: stated
host_h2d_bytes_per_s = 166905745372         # not measured here: stated
host_d2h_bytes_per_s = 166213453805         # not measured here: stated
host_duplex_bytes_per_s = 302807649444      # not measured here: stated

# Fixed cost of one copy.
h2d_queued_ns = 2594                        # measured
d2h_queued_ns = 1537                        # measured
h2d_idle_ns = 5682                          # measured
d2h_idle_ns = 4612                          # measured
h2d_inline_ns = 1572                        # measured
copy_kernel_ns = 338                        # measured
duplex_fixed_ns = 1333                      # measured
duplex_fixed_permille = 830                 # measured
handoff_ns = 2970                           # measured
d2h_handoff_ns = 2476                       # measured

# Kernels.
sm_ops_per_us = 266625                      # measured
thread_ops_per_us = 700                     # measured
sm_knee_permille = 769                      # measured
sm_slots_per_us = 240885                    # measured
double_slots = 2                            # measured
memory_bytes_per_s = 3729684756646          # measured
l2_bytes_per_s = 6352440030640              # measured
blocks_per_us = 1665                        # measured
kernel_fixed_ns = 1211                      # measured
kernel_idle_ns = 4651                       # measured
kernel_gap_ns = 214                         # measured

# Time the host spends in calls.
host_launch_ns = 3128                       # measured, the least of several times
host_copy_async_ns = 1177                   # measured, the least of several times
host_event_record_ns = 723                  # measured, the least of several times
host_event_mark_ns = 120                    # measured, the least of several times
host_stream_wait_ns = 117                   # measured, the least of several times
host_stream_create_ns = 3383                # measured
host_stream_destroy_ns = 1834               # measured
host_sync_ns = 241                          # measured, the least of several times
host_query_ns = 201                         # measured
host_call_ns = 47                           # measured
host_inline_bytes = 24576                   # measured
host_inline_ns = 363                        # measured
host_inline_bytes_per_s = 16450063455       # measured
host_malloc_ns = 251133                     # measured
host_free_ns = 96871                        # measured
host_malloc_host_ns_per_mib = 360977        # measured
host_register_ns_per_mib = 53349            # measured
host_first_call_ns = 329211114              # measured
host_ops_per_us = 4434                      # measured
host_memcpy_bytes_per_s = 7440809746        # measured
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
