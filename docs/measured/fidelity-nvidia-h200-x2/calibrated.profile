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
h2d_bytes_per_s = 55564490833               # measured
d2h_bytes_per_s = 55348914502               # measured
duplex_permille = 913                       # measured
beside_writes_permille = 130                # measured
pageable_h2d_bytes_per_s = 9642844324       # measured
pageable_d2h_bytes_per_s = 17165100057      # measured
d2d_bytes_per_s = 2131685314909             # measured
peer_bytes_per_s = 385646002468             # measured
peer_staged_bytes_per_s = 37845480283       # measured
peer_possible = 1                           # measured
host_h2d_bytes_per_s = 110018927396         # measured
host_d2h_bytes_per_s = 110154345905         # measured
host_duplex_bytes_per_s = 156885896658      # measured

# Fixed cost of one copy.
h2d_queued_ns = 2705                        # measured
d2h_queued_ns = 2399                        # measured
h2d_idle_ns = 3611                          # measured
d2h_idle_ns = 4272                          # measured
duplex_fixed_ns = 1929                      # measured
handoff_ns = 2604                           # measured

# Kernels.
sm_ops_per_us = 253411                      # measured
thread_ops_per_us = 700                     # measured
sm_knee_permille = 1000                     # assumed: not measured then
sm_slots_per_us = 245976                    # measured
double_slots = 2                            # measured
memory_bytes_per_s = 3859848001863          # measured
kernel_fixed_ns = 1213                      # measured
kernel_idle_ns = 3114                       # measured
kernel_gap_ns = 214                         # measured

# Time the host spends in calls.
host_launch_ns = 3627                       # measured
host_copy_async_ns = 2453                   # measured
host_event_record_ns = 823                  # measured
host_stream_wait_ns = 127                   # measured
host_stream_create_ns = 20903               # measured
host_stream_destroy_ns = 4420               # measured
host_sync_ns = 1326                         # measured
host_query_ns = 1289                        # measured
host_malloc_ns = 218238                     # measured
host_free_ns = 117697                       # measured
host_malloc_host_ns_per_mib = 327679        # measured
host_register_ns_per_mib = 195314           # measured
host_call_ns = 31                           # measured
host_first_call_ns = 573932242              # measured
host_ops_per_us = 4631                      # measured
host_memcpy_bytes_per_s = 8643865675        # measured
event_tick_ns = 500                         # documented: about 0.5 us

# No exercise on paper.
unit_ns = 0                                 # all times are real ones
