#!/bin/sh
# fast_device.t: right submissions of another shape, whose calls cost the host
# more than the solution's, have full marks on a device so fast that calls count.
set -u
cd "$(dirname "$0")/../.." || exit 2
corpus=tests/corpus
export VGPU_DEVICE=h200 KEPT=0
exec tests/corpus/run.sh $corpus/07_chunked_overlap/right/graph.* \
    $corpus/07_chunked_overlap/right/own_streams.* \
    $corpus/13_cipher_mgpu/right/events_of_each_gpu.* \
    $corpus/15_bounded_pipeline/right/two_kernels_a_chunk.* \
    $corpus/17_stream_ordered_memory/right/two_streams_for_the_rest.*
