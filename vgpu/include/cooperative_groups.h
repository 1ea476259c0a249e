/* cooperative_groups.h: not part of the virtual GPU. */
#error "cooperative_groups.h: not supported by the virtual GPU; use " \
    "__syncthreads, __syncwarp and the _sync functions"
