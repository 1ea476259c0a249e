/* sm_20_intrinsics.h: for programs that name it; cuda_runtime.h has it all. */
#ifndef __SM_20_INTRINSICS_H__
#define __SM_20_INTRINSICS_H__

#include "cuda_runtime.h"

#endif
